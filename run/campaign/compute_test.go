package campaign

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run/inputs"
	"gosmp/sweep"
)

// TestSweep_DoneHere: a row that was computed after a file changed is not stored.
func TestSweep_DoneHere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.fmu")
	require.NoError(t, os.WriteFile(file, []byte("a"), 0o600))
	s := &Sweep{plan: &sweep.Plan{}, files: inputs.New(file, nil),
		base: "base"}
	s.complete()
	_, _, err := s.files.Identify()
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
	require.ErrorIs(t, err, inputs.ErrChanged)
	require.True(t, s.has(a))
	require.False(t, s.has(b))
	_, err = s.keep(t.Context(), nil)
	require.ErrorIs(t, err, inputs.ErrChanged, "no run is repeated for its files either")
	require.NoError(t, s.store.Close())
}
