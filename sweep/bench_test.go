package sweep_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// BenchmarkSweep measures the overhead of a sweep: a process computes a run that does nothing, and
// the row is stored.
func BenchmarkSweep(b *testing.B) {
	store, err := sweep.OpenStore(b.TempDir())
	require.NoError(b, err)
	cases := make([]sweep.Case, b.N)
	for k := range cases {
		cases[k] = sweep.Case{Index: k, Seed: 1, Set: []sweep.Setting{{Name: "a.b",
			Value: fmt.Sprint(k)}}}
	}
	p := &sweep.Pool{Start: startSelf, Workers: runtime.NumCPU(), Attempts: 1}
	b.ResetTimer()
	require.NoError(b, p.Run(b.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
		r.ID = c.ID("base")
		return true, store.Add(r)
	}))
	require.NoError(b, store.Close())
}

// BenchmarkStore opens a store with 100 000 rows.
func BenchmarkStore(b *testing.B) {
	dir := b.TempDir()
	store, err := sweep.OpenStore(dir)
	require.NoError(b, err)
	for k := range 100000 {
		require.NoError(b, store.Add(sweep.Row{ID: fmt.Sprintf("%020d", k), Outcome: sweep.Failed,
			Cause: "stops: from watching to failure in line 6 at 8.4 s",
			Seed:  1, Time: 8.4, Steps: 420, TraceHash: fmt.Sprintf("%064d", k),
			Metrics: map[string]float64{"stops.gap": float64(k)}}))
	}
	require.NoError(b, store.Close())
	for b.Loop() {
		s, err := sweep.OpenStore(dir)
		require.NoError(b, err)
		_, ok := s.Row("00000000000000099999")
		require.True(b, ok)
	}
}

// BenchmarkResults writes the results of 100 000 runs from a store.
func BenchmarkResults(b *testing.B) {
	store, err := sweep.OpenStore(b.TempDir())
	require.NoError(b, err)
	plan, err := sweep.Read("a",
		strings.NewReader("experiment: a.exc\nparameters: {m.x: {from: 1, to: 100000, step: 1}}"))
	require.NoError(b, err)
	cases, err := plan.Cases()
	require.NoError(b, err)
	row := func(c sweep.Case) (sweep.Row, bool) { return store.Row(c.ID("base")) }
	for k, c := range cases {
		require.NoError(b, store.Add(sweep.Row{ID: c.ID("base"), Outcome: sweep.Failed,
			Cause: "stops: from watching to failure in line 6 at 8.4 s",
			Seed:  1, Time: 8.4, Steps: 420, TraceHash: fmt.Sprintf("%064d", k),
			Metrics: map[string]float64{"stops.gap": float64(k)}}))
	}
	for b.Loop() {
		results := sweep.Results(cases, row)
		require.NoError(b, plan.WriteJSON(io.Discard, results))
		require.NoError(b, plan.WriteCSV(io.Discard, []string{"stops.gap"}, false, results))
	}
	require.NoError(b, store.Close())
}
