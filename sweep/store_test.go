package sweep_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// TestStore_KeepsWholeRows of several writers, of which one was killed while it wrote.
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

// TestStore_ForgetsLostRuns, so that the next sweep computes them again.
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

// TestStore_KeepsRowsInFiles, for any number of rows: memory holds the position of a row, not its
// content.
func TestStore_KeepsRowsInFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := sweep.OpenStore(dir)
	require.NoError(t, err)
	const count = 20000
	row := func(k int) sweep.Row {
		return sweep.Row{ID: fmt.Sprintf("%020d", k), Outcome: sweep.Failed,
			Cause: strings.Repeat("too close ", 100), Steps: int64(k), Metrics: map[string]float64{"judge.gap": 1}}
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
// a file that has been removed meanwhile is reported.
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

// TestCase_ID: the id depends on everything that determines a run, and on nothing else.
func TestCase_ID(t *testing.T) {
	a := sweep.Case{Set: []sweep.Setting{{Name: "a.b", Value: "1"}, {Name: "c.d", Value: "2"}},
		Seed: 1}
	same := a
	same.Index, same.Values = 7, []any{1.0}
	require.Equal(t, a.ID("x"), same.ID("x"))
	require.Len(t, a.ID("x"), 20)
	for _, other := range []sweep.Case{
		{Set: a.Set, Seed: 2}, {Set: a.Set[:1], Seed: 1},
		{Set: []sweep.Setting{{Name: "a.b", Value: "1c.d"}, {Name: "", Value: "2"}}, Seed: 1},
		{Set: []sweep.Setting{{Name: "a.b", Value: "2"}, {Name: "c.d", Value: "1"}}, Seed: 1},
		{Set: a.Set, Seed: 1, Files: []sweep.File{{Name: "1", Digest: "d"}}},
	} {
		require.NotEqual(t, a.ID("x"), other.ID("x"))
	}
	require.NotEqual(t, a.ID("x"), a.ID("y"))
}
