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

// A small heap may grow by the headroom, in bytes, before it is collected, and a large one by at
// most a number of bytes, so that a huge message does not need twice its memory.
const (
	headroom = 64 << 20
	most     = 512 << 20
	least    = 20 // percent: collecting even more often would take most of the time
)

// Relax makes the garbage collector run only when the heap has grown by the headroom or has
// doubled, whichever is more, or has grown by 512 MB. It has no effect if GOGC is set; GOMEMLIMIT
// applies in any case.
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
	const smallest = 4 << 20 // the runtime's smallest goal, for 100 percent
	live = max(live, smallest)
	return int(max(least, min(max(100, 100*headroom/live), 100*most/live)))
}

// liveHeap returns the size of the heap after the last collection, in bytes.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
