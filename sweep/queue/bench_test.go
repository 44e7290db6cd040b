package queue_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// BenchmarkQueue is what a sweep through a queue adds to a run: a run that does nothing, from the table
// through the server to a worker, and its row back into the store.
func BenchmarkQueue(b *testing.B) {
	store, err := sweep.OpenStore(b.TempDir())
	require.NoError(b, err)
	s := embed(b)
	w := crewOf("nats://"+s.Address(), b.TempDir())
	w.Workers = runtime.NumCPU()
	hire(b, w)
	cases := make([]sweep.Case, b.N)
	for k := range cases {
		cases[k] = sweep.Case{Index: k, Seed: 1, Set: []sweep.Setting{{Name: "a.b", Value: fmt.Sprint(k)}}}
	}
	b.ResetTimer()
	require.NoError(b, coordinatorOf("nats://"+s.Address()).Run(b.Context(), cases, func(_ sweep.Case, r sweep.Row) (bool, error) {
		return true, store.Add(r)
	}))
	require.NoError(b, store.Close())
}
