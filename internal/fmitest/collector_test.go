package fmitest_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/fmitest"
)

// leftovers returns addresses of objects that Go's collector has freed, next to others that are in
// use: the kind of numbers that remain on the stack of a thread that has run Go code.
func leftovers() (stale []uintptr, used []*[4]uintptr) {
	for range 1 << 14 {
		onHeap = new([4]uintptr)
		stale = append(stale, uintptr(unsafe.Pointer(onHeap)))
		used = append(used, new([4]uintptr))
	}
	onHeap = nil
	runtime.GC()
	return stale, used
}

var onHeap *[4]uintptr // what is stored here does not live on the stack

// A host may leave any number where a pointer belongs, or pass it as a pointer; the number may be
// the address of a freed Go object. Go's collector, which runs in the meantime, must not see it.
func TestCollector_NumbersOfTheHostAreNotPointers(t *testing.T) {
	p := reach(t, "C")
	defer p.host.Close()
	stale, used := leftovers()
	done, idle := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(idle)
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for k := range 2000 {
		garbage := stale[k*len(stale)/2000:]
		texts := []fmitest.Text{fmitest.Text(garbage[0]), fmitest.Text(garbage[1])}
		require.Equal(t, fmi.OK, p.c.GetString([]fmi.ValueReference{fmitest.StringNote,
			fmitest.StringNote}, 2, texts))
		require.Equal(t, texts[0].String(), texts[1].String())
		state := fmitest.State(garbage[2])
		require.Equal(t, fmi.OK, p.c.DeSerializeFMUstate(p.bytes, uint(len(p.bytes)), &state))
		require.Equal(t, fmi.OK, p.c.FreeFMUstate(&state))
		require.Equal(t, fmi.Error, fmitest.Component(garbage[3]).Reset())
	}
	for k := range 100 {
		state := fmitest.State(stale[k])
		require.Equal(t, fmi.Error, p.c.SetFMUstate(state))
		require.Equal(t, fmi.Error, p.c.GetFMUstate(&state))
		require.Equal(t, fmi.Error, p.c.FreeFMUstate(&state))
		require.Equal(t, fmi.OK, p.c.Reset())
	}
	close(done)
	<-idle
	runtime.KeepAlive(used)
	p.c.Free()
}
