package sweeps

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/run/inputs"
	"gosmp/sweep"
)

// TestSweeping_Interrupted: an interrupted sweep shows how to continue, even if a signal interrupts
// it while it keeps files.
func TestSweeping_Interrupted(t *testing.T) {
	s := &sweeping{runSweep: &runSweep{Out: t.TempDir()}, plan: &sweep.Plan{},
		cases: []sweep.Case{{Seed: 1}}, files: inputs.New("x.fmu", nil), base: "base"}
	var err error
	s.store, err = sweep.OpenStore(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.run(ctx, func([]sweep.Case) error { return ctx.Err() }), errInterrupted)
	_, err = s.keep(ctx, []sweep.Result{{Row: sweep.Row{ID: "a"}}})
	require.ErrorIs(t, err, errInterrupted)
	require.NoError(t, s.store.Close())
}

// TestProgress_EachMinuteInALog: a log has no progress line for short sweeps, and one per minute
// for long sweeps.
func TestProgress_EachMinuteInALog(t *testing.T) {
	var out strings.Builder
	began := time.Now()
	s := &sweeping{cases: make([]sweep.Case, 3000), reused: 1000, began: began, shown: began,
		progressTo: &out}
	for _, second := range []int{1, 59, 60, 61, 121} {
		s.ended, s.failed = 10*second, second
		s.progress(began.Add(time.Duration(second) * time.Second))
	}
	require.Equal(t, "gosmp sweep: 1 600 of 3 000 runs, 60 not passed, 10.0 runs/s, 2m20s to go\n"+
		"gosmp sweep: 2 210 of 3 000 runs, 121 not passed, 10.0 runs/s, 1m19s to go\n",
		out.String())
}
