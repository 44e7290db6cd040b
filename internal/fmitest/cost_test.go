package fmitest_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/fmitest"
)

// Set, step and get calls allocate nothing once the buffers have grown, neither on Go's heap nor on
// C's.
func TestCost_StepsAllocateNothing(t *testing.T) {
	if addressSanitizer {
		t.Skip("built with -asan, which allocates for what it watches; the other builds count")
	}
	h := fmitest.NewHost()
	defer h.Close()
	c := started(t, h)
	defer c.Free()
	const rounds, step = 1000, 0.001
	at := 0
	run := func() {
		require.Equal(t, fmi.OK, c.Rounds(float64(at)*step, step, rounds))
		at += rounds
	}
	run()
	require.Zero(t, testing.AllocsPerRun(10, run), "Go allocations in %d rounds", rounds)
}

func TestCost_MemoryIsFlat(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	c := started(t, h)
	defer c.Free()
	require.Equal(t, fmi.OK, c.Rounds(0, 0.001, 1000))
	steps := count(1_000_000)
	native, managed := fmitest.Heap(), collected()
	require.Equal(t, fmi.OK, c.Rounds(1, 0.001, steps))
	growth, managedGrowth := fmitest.Heap()-native, int(collected())-int(managed)
	t.Logf("%d steps: C heap %+d bytes, Go heap %+d bytes", steps, growth, managedGrowth)
	require.Less(t, growth, 64<<10)
	require.Less(t, managedGrowth, 64<<10)
}

// Instances and states release all their memory.
func TestCost_LivesAreFlat(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	live := func(n int) {
		for range n {
			c := started(t, h)
			require.Equal(t, fmi.OK, c.Rounds(0, 0.001, 3))
			var s fmitest.State
			require.Equal(t, fmi.OK, c.GetFMUstate(&s)) // and not freed
			require.Equal(t, fmi.OK, c.GetString([]uint32{0, 1}, 2, make([]fmitest.Text, 2)))
			c.Free()
		}
	}
	live(100)
	native, managed := fmitest.Heap(), collected()
	n := count(2_000)
	live(n)
	growth, managedGrowth := fmitest.Heap()-native, int(collected())-int(managed)
	t.Logf("%d instances: C heap %+d bytes, Go heap %+d bytes", n, growth, managedGrowth)
	require.Less(t, growth, 64<<10)
	require.Less(t, managedGrowth, 64<<10)
}

// Log lines, refused instantiations and lent texts leak nothing.
func TestCost_RefusalsAreFlat(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	c := started(t, h)
	defer c.Free()
	wrong := fmitest.Usual(t.Name())
	wrong.GUID = name("another")[0]
	refuse := func(n int) {
		for range n {
			require.Equal(t, fmi.Error, c.CancelStep())
			require.Zero(t, h.Instantiate(wrong))
			require.Len(t, h.Lines(), 2)
			// in the error state, for debugging
			require.Equal(t, fmi.OK, c.GetString([]uint32{0, 1}, 2, make([]fmitest.Text, 2)))
		}
	}
	refuse(100)
	native := fmitest.Heap()
	n := count(20_000)
	refuse(n)
	growth := fmitest.Heap() - native
	t.Logf("%d lines and refusals: C heap %+d bytes", n, growth)
	require.Less(t, growth, 32<<10)
}

// States that one instance saves and another one frees leave no memory in the first.
func TestCost_StatesFreedByAnother(t *testing.T) {
	p, other := reach(t, "C"), reach(t, "C")
	defer p.close()
	defer other.close()
	exchange := func(n int) {
		for range n {
			var s fmitest.State
			require.Equal(t, fmi.OK, p.c.GetFMUstate(&s))
			require.Equal(t, fmi.OK, other.c.FreeFMUstate(&s))
		}
	}
	exchange(100)
	managed := collected()
	n := count(20_000)
	exchange(n)
	growth := int(collected()) - int(managed)
	t.Logf("%d states: Go heap %+d bytes", n, growth)
	require.Less(t, growth, 64<<10)
}

// collected returns the live memory on Go's heap.
func collected() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func benchmark(b *testing.B, run func(fmitest.Component, int) fmi.Status) {
	h := fmitest.NewHost()
	defer h.Close()
	c := started(b, h)
	defer c.Free()
	b.ReportAllocs()
	b.ResetTimer()
	require.Equal(b, fmi.OK, run(c, b.N))
}

// BenchmarkGetInteger3 measures how long it takes to read one binary variable from C.
func BenchmarkGetInteger3(b *testing.B) { benchmark(b, fmitest.Component.GetMany) }

// BenchmarkSetInteger3 measures how long it takes to set one binary variable from C.
func BenchmarkSetInteger3(b *testing.B) { benchmark(b, fmitest.Component.SetMany) }

// BenchmarkDoStep measures how long a step of a model that does almost nothing takes when it is
// called from C.
func BenchmarkDoStep(b *testing.B) {
	benchmark(b, func(c fmitest.Component, n int) fmi.Status {
		if status := c.SetInteger([]uint32{fmitest.IntegerSize}, 1, []int32{0}); status != fmi.OK {
			return status
		}
		return c.Steps(0, 0.001, n)
	})
}
