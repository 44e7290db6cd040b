package sweeps

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// writeFiles writes files into a new folder.
func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// TestInputs_Unchanged: once a file has changed, every check reports it. A file rewritten with the
// same content does not count as changed.
func TestInputs_Unchanged(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../testdata/counting")))
	chart := filepath.Join(dir, "counting.scxml")
	counting, err := os.ReadFile(chart)
	require.NoError(t, err)
	replace := func(text string) {
		require.NoError(t, os.Remove(chart))
		require.NoError(t, os.WriteFile(chart, []byte(text), 0o600))
	}
	w := newInputs(filepath.Join(dir, "counting.exc"), nil)
	_, _, err = w.identify()
	require.NoError(t, err)
	require.NoError(t, w.checkUnchanged())
	replace(string(counting))
	require.NoError(t, w.checkUnchanged())
	replace(string(counting) + "\n")
	require.ErrorIs(t, w.checkUnchanged(), errChanged)
	require.ErrorContains(t, w.checkUnchanged(),
		chart+": the file has changed since the sweep began")
	replace(string(counting))
	require.ErrorIs(t, w.checkUnchanged(), errChanged, "rows may have been computed meanwhile")

	w = newInputs(filepath.Join(dir, "counting.exc"), nil)
	_, _, err = w.identify()
	require.NoError(t, err)
	require.NoError(t, os.Remove(chart))
	require.ErrorIs(t, w.checkUnchanged(), errChanged)
}

// TestSweeping_DoneHere: a row that was computed after a file changed is not stored.
func TestSweeping_DoneHere(t *testing.T) {
	dir := writeFiles(t, map[string]string{"x.fmu": "a"})
	file := filepath.Join(dir, "x.fmu")
	s := &sweeping{runSweep: &runSweep{}, plan: &sweep.Plan{}, files: newInputs(file, nil),
		base: "base"}
	_, _, err := s.files.identify()
	require.NoError(t, err)
	s.store, err = sweep.OpenStore(t.TempDir())
	require.NoError(t, err)
	s.settled = s.plan.Settled()
	a, b := sweep.Case{Seed: 1}, sweep.Case{Seed: 2}
	more, err := s.doneHere(a, sweep.Row{Outcome: sweep.Passed})
	require.NoError(t, err)
	require.True(t, more)
	require.NoError(t, os.WriteFile(file, []byte("bb"), 0o600))
	_, err = s.doneHere(b, sweep.Row{Outcome: sweep.Passed})
	require.ErrorIs(t, err, errChanged)
	require.True(t, s.has(a))
	require.False(t, s.has(b))
	_, err = s.keep(t.Context(), nil)
	require.ErrorIs(t, err, errChanged, "no run is repeated for its files either")
	require.NoError(t, s.store.Close())
}

func TestInputs_Attach(t *testing.T) {
	dir := writeFiles(t, map[string]string{"drive.csv": "1,2\n", "17": "a number"})
	absolute := filepath.Join(dir, "drive.csv")
	set := func(values ...string) (c sweep.Case) {
		for _, v := range values {
			c.Set = append(c.Set, sweep.Setting{Name: "sensor.file", Value: v})
		}
		return c
	}
	cases := []sweep.Case{set(absolute, "17", "wet", ".", ""), set("drive.csv")}
	w := newInputs(filepath.Join(dir, "a.fmu"), nil)
	require.NoError(t, w.attach(cases))
	require.Len(t, cases[0].Files, 1)
	require.Equal(t, absolute, cases[0].Files[0].Name)
	require.Len(t, cases[1].Files, 1)
	require.Equal(t, cases[0].Files[0].Digest, cases[1].Files[0].Digest)
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte("1,2\n"))), cases[0].Files[0].Digest)

	d := new(digests)
	require.NoError(t, d.verify("nowhere", cases[0].Files[0]))
	require.NoError(t, d.verify(dir, cases[1].Files[0]))
	require.ErrorContains(t, d.verify(t.TempDir(), cases[1].Files[0]),
		"workers need the same files")
	require.NoError(t, os.WriteFile(absolute, []byte("1,23\n"), 0o600))
	require.ErrorContains(t, d.verify(dir, cases[1].Files[0]),
		"drive.csv, in the settings of the run, is not the same file as for the sweep")
	require.ErrorIs(t, w.checkUnchanged(), errChanged)
}
