package sweep_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// FuzzOpenStore opens a folder with any bytes as rows: lines that are not rows are listed, and a
// new row can be read back.
func FuzzOpenStore(f *testing.F) {
	dir := f.TempDir()
	s, err := sweep.OpenStore(dir)
	require.NoError(f, err)
	require.NoError(f, s.Add(sweep.Row{ID: "a", Outcome: sweep.Passed, Steps: 3}))
	require.NoError(f, s.Add(sweep.Row{ID: "b", Outcome: sweep.Failed, Steps: 4}))
	require.NoError(f, s.Close())
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(f, err)
	rows, err := os.ReadFile(files[0])
	require.NoError(f, err)
	f.Add(rows)
	f.Add(append(rows[:len(rows)/2:len(rows)/2], "\n{\"id\": [[[[\n\x00"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "rows-1.jsonl"), b, 0o600))
		s, err := sweep.OpenStore(dir)
		require.NoError(t, err)
		_, _ = s.Row("a")
		_, _ = s.Damaged()
		require.NoError(t, s.Add(sweep.Row{ID: "new", Outcome: sweep.Passed, Steps: 9}))
		r, ok := s.Row("new")
		require.True(t, ok)
		require.EqualValues(t, 9, r.Steps)
		require.NoError(t, s.Close())
	})
}
