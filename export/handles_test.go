package export

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmu"
)

// aRound is the number of handles.
const aRound = 1 << 20

// turn advances through almost a full round of handles, so that the next one assigned would be the
// previous one.
func turn() {
	for range aRound - 1 {
		newHandle()
	}
}

func TestTable_HandleInUseIsSkipped(t *testing.T) {
	var values table
	c := &component{}
	first := values.add(c)
	turn()
	require.NotEqual(t, first, values.add(&component{}))
	require.Same(t, c, values.find(first))

	var states stateTable
	handle := states.add(&savedState{Snapshot: &fmu.Snapshot{}})
	turn()
	require.NotEqual(t, handle, states.add(&savedState{}))
}

func TestTable_FreedHandleIsReusedAfterARound(t *testing.T) {
	var values table
	c := &component{}
	first := values.add(c)
	require.Same(t, c, values.remove(first))
	require.Nil(t, values.find(first))
	turn()
	require.Equal(t, first, values.add(c))
}

// TestTable_FullOneTakesNoMore covers a host that fills the table because it never frees a state.
func TestTable_FullOneTakesNoMore(t *testing.T) {
	var states stateTable
	s := &savedState{}
	handles := make([]uintptr, 0, aRound)
	for range aRound {
		handles = append(handles, states.add(s))
	}
	require.NotContains(t, handles, uintptr(0))
	require.Zero(t, states.add(s))
	states.remove(handles[7])
	require.Equal(t, handles[7], states.add(s))
}

func TestTable_OneOfManyRemoves(t *testing.T) {
	var values table
	for range 1000 {
		values.add(&component{}) // each one makes changes a little slower
		handle := values.add(&component{})
		var wait sync.WaitGroup
		removed, start := make([]bool, 8), make(chan struct{})
		for k := range removed {
			wait.Go(func() {
				<-start
				removed[k] = values.remove(handle) != nil
			})
		}
		close(start)
		wait.Wait()
		count := 0
		for _, yes := range removed {
			if yes {
				count++
			}
		}
		require.Equal(t, 1, count)
	}
}

func TestTable_AddedByManyAtOnce(t *testing.T) {
	var values table
	handles := make([]uintptr, 800)
	var wait sync.WaitGroup
	for k := range 8 {
		wait.Go(func() {
			for n := range 100 {
				handles[100*k+n] = values.add(&component{})
			}
		})
	}
	wait.Wait()
	for _, handle := range handles {
		require.NotNil(t, values.find(handle), "no handle overwrites another")
	}
}

// Instances on different threads share the table of states.
func TestStateTable_UsedByManyAtOnce(t *testing.T) {
	var states stateTable
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			owner := &component{}
			for range 500 {
				kept, dropped := states.add(&savedState{owner: owner}),
					states.add(&savedState{owner: owner})
				states.remove(dropped)
				if s := states.find(kept); s == nil || s.owner != owner {
					t.Errorf("found %v", s)
				}
			}
			states.removeOf(owner)
		})
	}
	wait.Wait()
	require.Empty(t, states.entries)
}

func TestStateTable_RemoveOfLeavesOthers(t *testing.T) {
	var states stateTable
	a, b := &component{}, &component{}
	var handles []uintptr
	for _, owner := range []*component{a, b, a} {
		handles = append(handles, states.add(&savedState{owner: owner}))
	}
	states.removeOf(a)
	for k, want := range []bool{false, true, false} {
		require.Equal(t, want, states.find(handles[k]) != nil)
	}
}
