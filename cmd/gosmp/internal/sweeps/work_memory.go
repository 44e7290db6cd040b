package sweeps

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is the memory that a worker may allocate between two garbage collections. Without it,
// runs with a live heap of a few megabytes would spend a third of their time on collections.
const headroom = 64 << 20

// collectLess makes the garbage collector run only when the heap has grown by the headroom or has
// doubled, whichever is more. It has no effect if GOGC is set; GOMEMLIMIT applies in any case.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		adaptCollections(0)
	}
}

// adaptCollections adapts the goal of the collector to the live heap, now and after each
// collection.
func adaptCollections(int) {
	debug.SetGCPercent(growth(liveHeap()))
	collected := new([16]byte) // unreachable, so that the next collection runs the cleanup
	runtime.AddCleanup(collected, adaptCollections, 0)
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
