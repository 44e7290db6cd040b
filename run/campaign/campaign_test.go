package campaign

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run/inputs"
	"gosmp/sweep"
)

// TestSweep_Interrupted: an interrupted sweep shows how to continue, even if a signal interrupts
// it while it keeps files.
func TestSweep_Interrupted(t *testing.T) {
	s := &Sweep{Options: Options{Out: t.TempDir()}, plan: &sweep.Plan{},
		cases: []sweep.Case{{Seed: 1}}, files: inputs.New("x.fmu", nil), base: "base"}
	s.complete()
	var err error
	s.store, err = sweep.OpenStore(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.run(ctx, func([]sweep.Case) error { return ctx.Err() }), ErrInterrupted)
	_, err = s.keep(ctx, []sweep.Result{{Row: sweep.Row{ID: "a"}}})
	require.ErrorIs(t, err, ErrInterrupted)
	require.NoError(t, s.store.Close())
}
