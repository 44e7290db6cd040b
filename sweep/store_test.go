package sweep_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// TestStore_KeepsWholeRows: the store keeps the complete rows of several writers, one of which was
// killed while it wrote.
func TestStore_KeepsWholeRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs[1]")
	first, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	second, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	for k := range 100 {
		s := []*sweep.Store{first, second}[k%2]
		require.NoError(t, s.Add(sweep.Row{ID: fmt.Sprint("r", k), Outcome: sweep.Passed,
			Steps: int64(k)}))
	}
	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 2)
	name := filepath.Join(dir, files[0].Name())
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	for cut := range 60 { // within the last line
		require.NoError(t, os.WriteFile(name, whole[:len(whole)-cut], 0o600))
		s, err := sweep.OpenStore(dir)
		require.NoError(t, err)
		for k := range 98 {
			r, ok := s.Row(fmt.Sprint("r", k))
			require.True(t, ok)
			require.EqualValues(t, k, r.Steps)
		}
		_, ok := s.Row("r98")
		require.Equal(t, cut == 0, ok)
		require.NoError(t, s.Close())
	}
}

// TestStore_ForgetsLostRuns: the store forgets lost runs, so that the next sweep computes them
// again.
func TestStore_ForgetsLostRuns(t *testing.T) {
	dir := t.TempDir()
	for _, outcome := range []string{sweep.Lost, sweep.Hung, sweep.Failed} {
		s, err := sweep.OpenStore(dir)
		require.NoError(t, err)
		_, ok := s.Row("r")
		require.False(t, ok)
		require.NoError(t, s.Add(sweep.Row{ID: "r", Outcome: outcome}))
		_, ok = s.Row("r")
		require.True(t, ok, "the sweep that has lost it reports it")
		require.NoError(t, s.Close())
	}
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	r, ok := s.Row("r")
	require.True(t, ok)
	require.Equal(t, sweep.Failed, r.Outcome)
}

// TestStore_Damaged: every change of a byte makes a row absent, which is reported with file and
// line, and the other rows stay; the same holds for an unreadable row of an earlier version,
// without a checksum.
func TestStore_Damaged(t *testing.T) {
	dir := t.TempDir()
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	for k := range 3 {
		require.NoError(t, s.Add(sweep.Row{ID: fmt.Sprint("r", k), Outcome: sweep.Failed,
			Cause: "too close", Steps: 25, Metrics: map[string]float64{"judge.gap": 1.5}}))
	}
	require.NoError(t, s.Close())
	name := filepath.Join(dir, "rows-1.jsonl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	check := func(second, why string) {
		require.NoError(t, os.WriteFile(name, []byte(lines[0]+second+"\n"+lines[2]), 0o600))
		s, err := sweep.OpenStore(dir)
		require.NoError(t, err)
		damaged, more := s.Damaged()
		require.Zero(t, more)
		require.Len(t, damaged, 1, second)
		require.Contains(t, damaged[0], name+":2: "+why, second)
		require.False(t, s.Has("r1"), second)
		for _, id := range []string{"r0", "r2"} {
			_, ok := s.Row(id)
			require.True(t, ok)
		}
		require.NoError(t, s.Close())
	}
	whole := strings.TrimSuffix(lines[1], "\n")
	for k := range whole {
		if whole[k] != '7' {
			check(whole[:k]+"7"+whole[k+1:], "")
		}
		check(whole[:k]+whole[k+1:], "")
	}
	old := `{"id":"r1","outcome":"failed","seed":1,"time":1,"steps":25}`
	for from, to := range map[string]string{`"steps":25`: `"steps":2.5`, `"failed"`: `"fialed"`,
		`"r1"`: `""`, `}`: ``, `"time":1`: `"time":"1"`} {
		check(strings.Replace(old, from, to, 1), "")
	}
	check(strings.Replace(old, "failed", "great", 1),
		`found the outcome "great", expected one of passed, finished, `)
	check(strings.Replace(old, "failed", strings.Repeat("x", 1000), 1),
		`found the outcome "`+strings.Repeat("x", 40)+`", expected`)
	for _, again := range []string{"-1", "9223372036854775807"} {
		check(summed(old[:len(old)-1]+`,"again":`+again+`}`), "found "+again+" recomputations")
	}
	for from, why := range map[string]string{
		`"outcome":"great"`: `found the outcome "great"`,
		`"elapsed":-1`:      "found a computing time of -1 s",
		`"steps":-1`:        "found -1 steps",
		`"traceHash":"` + strings.Repeat("a", 129) + `"`: "found a trace hash of 129 characters",
		`"cause":"` + strings.Repeat("a", 200000) + `"`:  "found a cause of 200000 bytes",
		`"metrics":{"judge.gap":"near"}`:                 "json: cannot unmarshal string",
	} { // forged rows have right checksums
		check(summed(old[:len(old)-1]+","+from+"}"), why)
		check(old[:len(old)-1]+","+from+"}", why)
	}
	check(old+old, "found more after the row")
	check(old+`x`, "found more after the row")
	check(whole[:len(whole)-3]+"0"+whole[len(whole)-2:], "found the checksum ")
	require.NoError(t, os.WriteFile(name, []byte(lines[0]+old+"\n"), 0o600))
	s, err = sweep.OpenStore(dir)
	require.NoError(t, err)
	damaged, _ := s.Damaged()
	require.Empty(t, damaged)
	r, ok := s.Row("r1")
	require.True(t, ok, "a row without a checksum is one of an earlier version")
	require.EqualValues(t, 25, r.Steps)
	require.NoError(t, s.Close())
}

// summed returns a line with its checksum.
func summed(line string) string {
	sum := crc32.Checksum([]byte(line), crc32.MakeTable(crc32.Castagnoli))
	return fmt.Sprintf(`%s,"crc":"%08x"}`, line[:len(line)-1], sum)
}

// TestStore_LongLine: a line that is longer than any row counts as one damaged row, and the next
// row is kept.
func TestStore_LongLine(t *testing.T) {
	dir := t.TempDir()
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	for _, id := range []string{"r0", "r1"} {
		require.NoError(t, s.Add(sweep.Row{ID: id, Outcome: sweep.Failed}))
	}
	require.NoError(t, s.Close())
	name := filepath.Join(dir, "rows-1.jsonl")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	first, second, _ := strings.Cut(string(text), "\n")
	long := strings.Replace(first, `"id":"r0"`, `"id":"r0","cause":"`+strings.Repeat("x", 20<<20)+
		`"`, 1)
	require.NoError(t, os.WriteFile(name, []byte(long+"\n"+second), 0o600))
	s, err = sweep.OpenStore(dir)
	require.NoError(t, err)
	damaged, more := s.Damaged()
	require.Zero(t, more)
	require.Len(t, damaged, 1)
	require.Contains(t, damaged[0], name+":1: ")
	require.False(t, s.Has("r0"))
	require.True(t, s.Has("r1"))
	require.NoError(t, s.Close())
}

// TestStore_Forget: runs whose outcome is to be forgotten are computed again, and then the new row
// counts, regardless of the order in which the files are read.
func TestStore_Forget(t *testing.T) {
	dir := t.TempDir()
	add := func(row sweep.Row, forget ...string) (had bool) {
		s, err := sweep.OpenStore(dir, forget...)
		require.NoError(t, err)
		had = s.Has(row.ID)
		require.NoError(t, s.Add(row))
		require.NoError(t, s.Close())
		return had
	}
	for range 9 { // rows-10 comes before rows-2
		add(sweep.Row{ID: "other", Outcome: sweep.Passed})
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "rows-1.jsonl")))
	require.NoError(t, os.Remove(filepath.Join(dir, "rows-2.jsonl")))
	require.False(t, add(sweep.Row{ID: "r", Outcome: sweep.Faulty}))                     // rows-1
	require.True(t, add(sweep.Row{ID: "other", Outcome: sweep.Passed}, sweep.Failed))    // rows-2
	require.False(t, add(sweep.Row{ID: "r", Outcome: sweep.Failed}, sweep.Faulty))       // rows-10
	require.True(t, add(sweep.Row{ID: "other", Outcome: sweep.Passed}, sweep.Faulty))    // rows-11
	require.False(t, add(sweep.Row{ID: "r", Outcome: sweep.Passed, Steps: 3}, "failed")) // rows-12
	s, err := sweep.OpenStore(dir, sweep.Faulty, sweep.Failed)
	require.NoError(t, err)
	r, ok := s.Row("r")
	require.True(t, ok)
	require.Equal(t, sweep.Row{ID: "r", Outcome: sweep.Passed, Steps: 3}, r)
	require.NoError(t, s.Close())
}

// TestStore_KeepsRowsInFiles: for any number of rows, memory holds the position of a row, not its
// content.
func TestStore_KeepsRowsInFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	const count = 20000
	row := func(k int) sweep.Row {
		return sweep.Row{ID: fmt.Sprintf("%020d", k), Outcome: sweep.Failed,
			Cause: strings.Repeat("too close ", 100), Steps: int64(k),
			Metrics: map[string]float64{"judge.gap": 1}}
	}
	for k := range count {
		require.NoError(t, s.Add(row(k)))
	}
	require.NoError(t, s.Close())
	before := heap()
	s, err = sweep.OpenStore(dir)
	require.NoError(t, err)
	require.Less(t, heap()-before, int64(count*200), "a row has 1100 bytes")
	for k := range count {
		require.True(t, s.Has(row(k).ID))
		got, ok := s.Row(row(k).ID)
		require.True(t, ok)
		require.Equal(t, row(k), got)
	}
	require.NoError(t, s.Close())
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // far below
}

// TestStore_ManyFiles: rows of any number of processes are read, with few files open at a time, and
// a file removed in the meantime is reported.
func TestStore_ManyFiles(t *testing.T) {
	dir := t.TempDir()
	for k := range 200 {
		s, err := sweep.OpenStore(dir)
		require.NoError(t, err)
		require.NoError(t, s.Add(sweep.Row{ID: fmt.Sprint("r", k), Outcome: sweep.Passed,
			Steps: int64(k)}))
		require.NoError(t, s.Close())
	}
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	for k := range 200 {
		r, ok := s.Row(fmt.Sprint("r", k))
		require.True(t, ok)
		require.EqualValues(t, k, r.Steps)
	}
	require.NoError(t, s.Close())
	s, err = sweep.OpenStore(dir)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "rows-7.jsonl")))
	_, ok := s.Row("r6")
	require.False(t, ok)
	require.ErrorIs(t, s.Close(), os.ErrNotExist)
}

// TestStore_OldAndNewRows: rows of earlier processes and of this one are read while both are in use.
func TestStore_OldAndNewRows(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"old", "older"} {
		s, err := sweep.OpenStore(dir)
		require.NoError(t, err)
		require.NoError(t, s.Add(sweep.Row{ID: id, Outcome: sweep.Failed, Cause: id}))
		require.NoError(t, s.Close())
	}
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	require.NoError(t, s.Add(sweep.Row{ID: "new", Outcome: sweep.Passed, Cause: "new"}))
	for range 2 {
		for _, id := range []string{"old", "new", "older"} {
			r, ok := s.Row(id)
			require.True(t, ok, id)
			require.Equal(t, id, r.Cause)
		}
	}
	require.NoError(t, s.Close())
}

// TestCase_ID: the id depends on everything that determines a run and on nothing else.
func TestCase_ID(t *testing.T) {
	a := sweep.Case{Set: []sweep.Setting{{Name: "a.b", Value: "1"}, {Name: "c.d", Value: "2"}},
		Seed: 1}
	same := a
	same.Index, same.Values = 7, []any{1.0}
	require.Equal(t, a.ID("x"), same.ID("x"))
	require.Len(t, a.ID("x"), 20)
	ids := []string{a.ID("x"), a.ID("y")}
	for _, other := range []sweep.Case{
		{Set: a.Set, Seed: 2}, {Set: a.Set[:1], Seed: 1},
		{Set: []sweep.Setting{{Name: "a.b", Value: "1c.d"}, {Name: "", Value: "2"}}, Seed: 1},
		{Set: []sweep.Setting{{Name: "a.b", Value: "2"}, {Name: "c.d", Value: "1"}}, Seed: 1},
		{Set: []sweep.Setting{{Name: "a.b", Value: "1"}, {Name: "c.e", Value: "2"}}, Seed: 1},
		{Set: a.Set, Seed: 1, Files: []sweep.File{{Name: "1", Digest: "d"}}},
		{Set: a.Set, Seed: 1, Files: []sweep.File{{Name: "2", Digest: "d"}}},
		{Set: a.Set, Seed: 1, Files: []sweep.File{{Name: "1", Digest: "e"}}},
	} {
		ids = append(ids, other.ID("x"))
	}
	slices.Sort(ids)
	require.Len(t, slices.Compact(slices.Clone(ids)), len(ids), "two runs with one id")
}

// TestStore_AgainInAFileThatIsReadFirst: rows-10 is read before rows-9, and its row counts, because
// it was computed later; a row with the outcome lost replaces an earlier row, too.
func TestStore_AgainInAFileThatIsReadFirst(t *testing.T) {
	for outcome, want := range map[string]string{sweep.Passed: sweep.Passed, sweep.Lost: "",
		sweep.Faulty: sweep.Faulty} {
		dir := t.TempDir()
		add := func(id, outcome string, forget ...string) {
			s, err := sweep.OpenStore(dir, forget...)
			require.NoError(t, err)
			require.NoError(t, s.Add(sweep.Row{ID: id, Outcome: outcome}))
			require.NoError(t, s.Close())
		}
		add("early", sweep.Faulty) // rows-1
		for range 7 {
			add("other", sweep.Passed)
		}
		add("r", sweep.Faulty)              // rows-9
		add("r", outcome, sweep.Faulty)     // rows-10
		add("early", outcome, sweep.Faulty) // rows-11, which is read after rows-1
		require.FileExists(t, filepath.Join(dir, "rows-11.jsonl"))
		for _, id := range []string{"r", "early"} {
			s, err := sweep.OpenStore(dir)
			require.NoError(t, err)
			r, ok := s.Row(id)
			require.Equal(t, want != "", ok, "%s: %s", id, outcome)
			require.Equal(t, want, r.Outcome, "%s: %s", id, outcome)
			require.NoError(t, s.Close())
		}
	}
}

// TestStore_ManyDamagedLines: twenty are named, and the others are counted.
func TestStore_ManyDamagedLines(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rows-1.jsonl"),
		[]byte(strings.Repeat("damaged\n", 25)), 0o600))
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	list, more := s.Damaged()
	require.Len(t, list, 20)
	require.Equal(t, 5, more)
	require.NoError(t, s.Close())
}

// TestStore_RowThatChangesWhileItIsOpen: a row that changes is no longer a row, and closing the
// store reports it.
func TestStore_RowThatChangesWhileItIsOpen(t *testing.T) {
	for name, change := range map[string]func(line string) string{
		"number": func(line string) string {
			return strings.Replace(line, `"steps":25`, `"steps":26`, 1)
		},
		"other row": func(line string) string {
			other := t.TempDir()
			s, err := sweep.OpenStore(other)
			require.NoError(t, err)
			require.NoError(t, s.Add(sweep.Row{ID: "q", Outcome: sweep.Failed, Steps: 25}))
			require.NoError(t, s.Close())
			text, err := os.ReadFile(filepath.Join(other, "rows-1.jsonl"))
			require.NoError(t, err)
			return string(text)
		},
		"gone": func(string) string { return "" },
	} {
		dir := t.TempDir()
		s, err := sweep.OpenStore(dir)
		require.NoError(t, err)
		require.NoError(t, s.Add(sweep.Row{ID: "r", Outcome: sweep.Failed, Steps: 25}))
		require.NoError(t, s.Close())
		s, err = sweep.OpenStore(dir)
		require.NoError(t, err)
		file := filepath.Join(dir, "rows-1.jsonl")
		line, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(change(string(line))), 0o600))
		_, ok := s.Row("r")
		require.False(t, ok, name)
		require.Error(t, s.Close(), name)
	}
}
