package sweep_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// TestPool_RowsThatAreTooLarge: a statechart that returns megabytes spoils its own run but not the
// sweep, whose store must be able to keep every row.
func TestPool_RowsThatAreTooLarge(t *testing.T) {
	cases := casesOf("talk=20", "talk=5000000", "flood=10000", "flood=100000", "warn=20",
		"warn=5000")
	store, err := sweep.OpenStore(t.TempDir())
	require.NoError(t, err)
	rows := map[int]sweep.Row{}
	p := &sweep.Pool{Start: startSelf, Workers: 1, Attempts: 1}
	require.NoError(t, p.Run(t.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
		r.ID = c.ID("base")
		require.NoError(t, store.Add(r))
		kept, ok := store.Row(r.ID)
		require.True(t, ok)
		rows[c.Index] = kept
		return true, nil
	}))
	require.NoError(t, store.Close())

	require.Equal(t, strings.Repeat("ä", 10), rows[0].Cause)
	require.Equal(t, sweep.Failed, rows[1].Outcome)
	require.Equal(t, strings.Repeat("ä", 32768)+" ... (4934464 bytes more)", rows[1].Cause)
	require.Len(t, rows[2].Metrics, 10000)
	require.Equal(t, sweep.Faulty, rows[3].Outcome)
	require.Regexp(t, `^its row has \d+ bytes and 100000 numbers, expected at most 983040 bytes`,
		rows[3].Cause)
	require.Equal(t, cases[3].Seed, rows[3].Seed)
	require.Equal(t, slices.Repeat([]string{strings.Repeat("ä", 10)}, 20), rows[4].Warnings)
	require.Len(t, rows[5].Warnings, 20)
	require.Equal(t, strings.Repeat("ä", 1024)+" ... (2952 bytes more)", rows[5].Warnings[0])
	require.Equal(t, "4981 more warnings", rows[5].Warnings[19])
	require.NoError(t, (&sweep.Row{Outcome: sweep.Passed, Warnings: rows[5].Warnings}).Check())
}

func TestRow_Check(t *testing.T) {
	good := sweep.Row{Outcome: sweep.Passed, Time: -3, Steps: 4, TraceHash: strings.Repeat("a", 64)}
	require.NoError(t, good.Check())
	for expected, change := range map[string]func(*sweep.Row){
		`found the outcome "great"`:          func(r *sweep.Row) { r.Outcome = "great" },
		"found a computing time of -1 s":     func(r *sweep.Row) { r.Elapsed = -1 },
		"found -1 steps":                     func(r *sweep.Row) { r.Steps = -1 },
		"found a trace hash of 10000":        func(r *sweep.Row) { r.TraceHash = strings.Repeat("a", 1e4) },
		"found a cause of 300000 bytes":      func(r *sweep.Row) { r.Cause = strings.Repeat("a", 3e5) },
		"found 21 warnings":                  func(r *sweep.Row) { r.Warnings = make([]string, 21) },
		"found a warning of 5000 bytes":      func(r *sweep.Row) { r.Warnings = []string{strings.Repeat("a", 5e3)} },
		`found the outcome "aaaaaaaaaaaaaaa`: func(r *sweep.Row) { r.Outcome = strings.Repeat("a", 1e6) },
	} {
		row := good
		change(&row)
		err := row.Check()
		require.ErrorContains(t, err, expected)
		require.Less(t, len(err.Error()), 300)
	}
}
