package cosim

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThreads: one thread for sequential runs, as many as wanted or as there are processors for
// parallel ones, and never more than participants.
func TestThreads(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		algorithm           Algorithm
		threads, of, expect int
	}{
		{Sequential, 8, 9, 1},
		{Sequential, 0, 9, 1},
		{Parallel, 1, 9, 1},
		{Parallel, 8, 9, 8},
		{Parallel, 8, 3, 3},
		{Parallel, 0, all + 1, all},
		{Parallel, -1, all + 1, all},
	} {
		e := New(Spec{Algorithm: c.algorithm, Threads: c.threads})
		e.order = make([]*member, c.of)
		require.Equal(t, c.expect, e.threads(), "%+v", c)
	}
}

// TestNear: a name like no other one gets no suggestion.
func TestNear(t *testing.T) {
	e := New(Spec{})
	e.members = []*member{{name: "a", variables: []Variable{{Name: "speed"}}}}
	require.Equal(t, ", such as a.speed", e.near("a.sped"))
	require.Empty(t, e.near("qqqqqqqqqqqqqqq.zzzzzzzzz"))
	e.Watch("q.z")
	require.Len(t, e.errs, 1)
	require.ErrorIs(t, e.errs[0], ErrName)
}
