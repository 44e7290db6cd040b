package ecmascript

import (
	"math"
	"runtime"
	"strings"
)

// origins are the packages whose functions create the objects of scripts: the engine, and ours.
var origins = []string{"github.com/dop251/goja", "gosmp/experiment/scxml.",
	"gosmp/experiment/scxml/ecmascript."}

// profiled returns how many bytes scripts kept at the last forced collection, according to Go's
// sampled allocations: each sample knows the functions that allocated it. Unlike the growth of the
// heap, this does not depend on what other parts of the process keep, with two exceptions: what a
// machine's host creates when the machine calls it counts, and so does what any part of the process
// creates in deep recursion (see [ofScripts]). It is infinite if the program does not sample.
//
// Go samples allocations only in programs that can call runtime.MemProfile, hence in each program
// with this package: on average one in each 512 kB. The environment can change this distance
// (GODEBUG=memprofilerate=N); the larger it is, the less exact the figure.
func profiled() float64 {
	rate := float64(runtime.MemProfileRate)
	if rate <= 0 {
		return math.Inf(1)
	}
	const more = 64 // records that may be added between the two calls
	var records []runtime.MemProfileRecord
	n, ok := runtime.MemProfile(nil, false)
	for !ok {
		records = make([]runtime.MemProfileRecord, n+more)
		n, ok = runtime.MemProfile(records, false)
	}
	sum := 0.0
	for k := range records[:n] {
		if r := &records[k]; r.InUseObjects() > 0 && ofScripts(r) {
			sum += scaled(float64(r.InUseBytes()), float64(r.InUseObjects()), rate)
		}
	}
	return sum
}

// scaled estimates the bytes of all allocations of a kind from the sampled ones. The larger an
// allocation is, the more probably it is sampled.
func scaled(bytes, objects, rate float64) float64 {
	return bytes / (1 - math.Exp(-bytes/objects/rate))
}

// ofScripts reports whether an allocation may have been made for a script. Only its innermost
// functions are known: if there may be more, as in a recursion within the standard library, scripts
// may have called them.
func ofScripts(r *runtime.MemProfileRecord) bool {
	stack := r.Stack()
	if len(stack) == len(r.Stack0) {
		return true
	}
	frames := runtime.CallersFrames(stack)
	for {
		frame, more := frames.Next()
		for _, origin := range origins {
			if strings.HasPrefix(frame.Function, origin) {
				return true
			}
		}
		if !more {
			return false
		}
	}
}
