package inputs_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run/inputs"
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

// TestFiles_Unchanged: once a file has changed, every check reports it. A file rewritten with the
// same content does not count as changed.
func TestFiles_Unchanged(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../cmd/gosmp/testdata/counting")))
	chart := filepath.Join(dir, "counting.scxml")
	counting, err := os.ReadFile(chart)
	require.NoError(t, err)
	replace := func(text string) {
		require.NoError(t, os.Remove(chart))
		require.NoError(t, os.WriteFile(chart, []byte(text), 0o600))
	}
	w := inputs.New(filepath.Join(dir, "counting.exc"), nil)
	_, _, err = w.Identify()
	require.NoError(t, err)
	require.NoError(t, w.CheckUnchanged())
	replace(string(counting))
	require.NoError(t, w.CheckUnchanged())
	replace(string(counting) + "\n")
	require.ErrorIs(t, w.CheckUnchanged(), inputs.ErrChanged)
	require.ErrorContains(t, w.CheckUnchanged(),
		chart+": the file has changed since the sweep began")
	replace(string(counting))
	require.ErrorIs(t, w.CheckUnchanged(), inputs.ErrChanged, "rows may have been computed meanwhile")

	w = inputs.New(filepath.Join(dir, "counting.exc"), nil)
	_, _, err = w.Identify()
	require.NoError(t, err)
	require.NoError(t, os.Remove(chart))
	require.ErrorIs(t, w.CheckUnchanged(), inputs.ErrChanged)
}

func TestFiles_Attach(t *testing.T) {
	dir := writeFiles(t, map[string]string{"drive.csv": "1,2\n", "17": "a number"})
	absolute := filepath.Join(dir, "drive.csv")
	set := func(values ...string) (c sweep.Case) {
		for _, v := range values {
			c.Set = append(c.Set, sweep.Setting{Name: "sensor.file", Value: v})
		}
		return c
	}
	cases := []sweep.Case{set(absolute, "17", "wet", ".", ""), set("drive.csv")}
	w := inputs.New(filepath.Join(dir, "a.fmu"), nil)
	require.NoError(t, w.Attach(cases))
	require.Len(t, cases[0].Files, 1)
	require.Equal(t, absolute, cases[0].Files[0].Name)
	require.Len(t, cases[1].Files, 1)
	require.Equal(t, cases[0].Files[0].Digest, cases[1].Files[0].Digest)
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte("1,2\n"))), cases[0].Files[0].Digest)

	d := new(inputs.Digests)
	require.NoError(t, d.Verify("nowhere", cases[0].Files[0]))
	require.NoError(t, d.Verify(dir, cases[1].Files[0]))
	require.ErrorContains(t, d.Verify(t.TempDir(), cases[1].Files[0]),
		"workers need the same files")
	require.NoError(t, os.WriteFile(absolute, []byte("1,23\n"), 0o600))
	require.ErrorContains(t, d.Verify(dir, cases[1].Files[0]),
		"drive.csv, in the settings of the run, is not the same file as for the sweep")
	require.ErrorIs(t, w.CheckUnchanged(), inputs.ErrChanged)
}
