// Package collector makes the garbage collector of a command run less often: most commands allocate
// a few dozen megabytes in a fraction of a second, and would spend a third of that time on
// collections.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is the memory, in bytes, that a command may allocate between two garbage collections.
const headroom = 64 << 20

// Relax makes the garbage collector run only when the heap has grown by the headroom or has
// doubled, whichever is more. It has no effect if GOGC is set; GOMEMLIMIT applies in any case.
func Relax() {
	if os.Getenv("GOGC") == "" {
		adapt(0)
	}
}

// adapt adapts the goal of the collector to the live heap, now and after each
// collection.
func adapt(int) {
	debug.SetGCPercent(growth(liveHeap()))
	collected := new([16]byte) // unreachable, so that the next collection runs the cleanup
	runtime.AddCleanup(collected, adapt, 0)
}

// growth returns the percentage by which a heap may grow before it is collected.
func growth(live uint64) int {
	const least = 4 << 20 // the runtime's smallest goal, for 100 percent
	return int(max(100, 100*headroom/max(live, least)))
}

// liveHeap returns the size of the heap after the last collection, in bytes.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
