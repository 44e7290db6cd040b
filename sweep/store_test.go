package sweep_test

import (
	"fmt"
	"os"
	"path/filepath"
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
		require.NoError(t, s.Add(sweep.Row{ID: fmt.Sprint("r", k), Outcome: sweep.Passed, Steps: int64(k)}))
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

// TestCase_ID differs with everything that decides a run, and with nothing else.
func TestCase_ID(t *testing.T) {
	a := sweep.Case{Set: []sweep.Setting{{Name: "a.b", Value: "1"}, {Name: "c.d", Value: "2"}}, Seed: 1}
	same := a
	same.Index, same.Values = 7, []any{1.0}
	require.Equal(t, a.ID("x"), same.ID("x"))
	require.Len(t, a.ID("x"), 20)
	for _, other := range []sweep.Case{
		{Set: a.Set, Seed: 2}, {Set: a.Set[:1], Seed: 1}, {Set: []sweep.Setting{{Name: "a.b", Value: "1c.d"}, {Name: "", Value: "2"}}, Seed: 1},
		{Set: []sweep.Setting{{Name: "a.b", Value: "2"}, {Name: "c.d", Value: "1"}}, Seed: 1},
	} {
		require.NotEqual(t, a.ID("x"), other.ID("x"))
	}
	require.NotEqual(t, a.ID("x"), a.ID("y"))
}
