package ecmascript

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// maxMemory bounds the memory that the scripts of all machines of the process keep, in bytes. It
// also bounds how deeply their objects can nest: the engine traverses objects recursively, with a
// frame that is not much larger than the object, and Go aborts a process whose stack reaches a
// gigabyte.
const maxMemory = 128 << 20

const (
	look    = 5 * time.Millisecond  // between two measurements during an evaluation
	heavy   = 20 * time.Microsecond // evaluations this long are always measured
	sampled = 64                    // of the others, one in this many is measured, for all
	// unchecked is how much of the live memory scripts may create before the collector is run, but
	// at most mostUnchecked bytes. They may exceed the limit by as much.
	unchecked     = 0.25
	mostUnchecked = 256 << 20
	// large is how many bytes operators and functions create until an evaluation is measured.
	large = 256 << 10
	// lookAfter is how many bytes they create until the memory of all is examined.
	lookAfter = 4 << 20
)

// memory estimates how much memory scripts keep. Go does not track who owns an object. Scripts are
// therefore charged for the growth of the live heap between collections in proportion to their
// share of the allocations in between, and until the next collection, everything they allocate
// counts. There is one instance per process, because the collector works for the whole process.
type memory struct {
	mu        sync.Mutex
	samples   []metrics.Sample
	cycles    uint64
	live      float64
	allocated float64 // by all, up to the last noticed collection
	scripts   float64 // by scripts since then
	kept      float64 // by scripts, at the last collection

	evaluations atomic.Uint64 // of all machines
}

var used = &memory{samples: []metrics.Sample{
	{Name: "/gc/heap/allocs:bytes"},
	{Name: "/gc/cycles/total:gc-cycles"},
	{Name: "/gc/heap/live:bytes"},
	{Name: "/memory/classes/heap/objects:bytes"},
}}

// collecting reports whether the collector runs as often as by default.
func collecting() bool {
	sample := [1]metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64() <= 100
}

// allocations returns the number of bytes allocated by the process so far.
func allocations() float64 {
	sample := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return float64(sample[0].Value.Uint64())
}

// occupied returns the number of bytes on the heap, including garbage that is not collected yet.
func occupied() float64 {
	sample := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample[:])
	return float64(sample[0].Value.Uint64())
}

// add counts bytes allocated by scripts, and reports whether they keep too many. In case of doubt,
// it runs the collector, which takes a time in proportion to the live memory; therefore, it first
// waits for allocations in proportion. The estimate includes growth of other parts of the process
// if scripts create much garbage meanwhile. Before scripts end because of it, it is compared with
// the samples of the runtime.
func (u *memory) add(bytes float64) (tooMany bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.scripts += bytes
	u.read()
	spared := math.Min(u.live*unchecked, mostUnchecked)
	if u.kept+u.scripts <= maxMemory || u.kept <= maxMemory && u.scripts <= spared {
		return false
	}
	runtime.GC()
	if u.read(); u.kept > maxMemory {
		u.kept = math.Min(u.kept, profiled())
	}
	return u.kept > maxMemory
}

// outrun reports whether the heap is too much larger than the live memory at the start of an
// evaluation to be explained by garbage alone: the collector lets the heap double, and texts can
// double faster than the collector works.
func (u *memory) outrun(live float64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.read()
	return float64(u.samples[3].Value.Uint64()) > 2*live+2*maxMemory && collecting()
}

// alive returns the amount of live memory at the last collection.
func (u *memory) alive() float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.read()
	return u.live
}

// read updates the estimate after collections.
func (u *memory) read() {
	metrics.Read(u.samples)
	allocated, cycles := float64(u.samples[0].Value.Uint64()), u.samples[1].Value.Uint64()
	if cycles == u.cycles {
		return
	}
	live := float64(u.samples[2].Value.Uint64())
	growth := live - u.live
	if growth > 0 {
		growth *= math.Min(1, u.scripts/math.Max(allocated-u.allocated, 1))
	}
	u.kept = math.Max(0, u.kept+growth)
	u.cycles, u.live, u.allocated, u.scripts = cycles, live, allocated, 0
}

// account records the allocations of one machine. It needs the machine's lock.
type account struct {
	began   float64 // allocations at the last measurement; negative if there was none
	own     float64 // measured in the evaluation
	live    float64 // live memory at the first measurement
	sample  bool    // the evaluation is measured for others, too
	heavy   bool
	tooMany bool
}

// begin measures the allocations before an evaluation if the evaluation is measured. Samples are
// drawn from the evaluations of all machines, so that many machines with few evaluations are
// noticed, and at irregular distances, so that they do not always hit the same script.
func (a *account) begin() {
	const golden = 0x9E3779B97F4A7C15
	a.began, a.own = -1, 0
	a.sample = used.evaluations.Add(1)*golden < math.MaxUint64/sampled
	if a.heavy || a.sample {
		a.began = allocations()
	}
}

// enlarge starts to measure an evaluation that is about to create many bytes.
func (a *account) enlarge() {
	if a.began < 0 {
		a.began, a.sample = allocations(), false
	}
}

// during measures allocations within a long evaluation. It returns true if scripts keep too much
// memory.
func (a *account) during() bool {
	now := allocations()
	if a.own == 0 {
		a.live = used.alive()
	}
	if a.began >= 0 {
		a.own += now - a.began
		a.tooMany = a.own > maxMemory && used.outrun(a.live) || used.add(now-a.began) || a.tooMany
	}
	a.began = now
	return a.tooMany
}

// end measures allocations after an evaluation that took the given time.
func (a *account) end(took time.Duration) (tooMany bool) {
	if a.began >= 0 {
		bytes := allocations() - a.began
		if a.sample && took < heavy && !a.heavy {
			bytes *= sampled
		}
		a.tooMany = used.add(bytes) || a.tooMany
	}
	a.heavy = took >= heavy
	tooMany, a.tooMany = a.tooMany, false
	return tooMany
}
