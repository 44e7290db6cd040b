package ecmascript

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
)

// origins are the packages whose functions create the objects of scripts: the engine, and ours.
var origins = []string{"github.com/dop251/goja", "gosmp/experiment/scxml.",
	"gosmp/experiment/scxml/ecmascript."}

// profiled returns how many bytes scripts kept at the last forced collection, according to Go's
// sampled allocations: each sample knows the functions that allocated it. Unlike the growth of the
// heap, this does not depend on what other parts of the process keep, with two exceptions: what a
// machine's host creates when the machine calls it counts, and so does what any part of the process
// creates below deepest functions. It is infinite if the program does not sample.
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
	sum, unknown := 0.0, 0.0
	for k := range records[:n] {
		r := &records[k]
		if r.InUseObjects() == 0 {
			continue
		}
		kept := scaled(float64(r.InUseBytes()), float64(r.InUseObjects()), rate)
		switch stack := r.Stack(); {
		case ofScripts(stack):
			sum += kept
		case len(stack) == len(r.Stack0): // there may be more functions, also of scripts
			unknown += kept
		}
	}
	if sum > maxMemory || sum+unknown <= maxMemory {
		return sum + unknown
	}
	return deeplyProfiled(rate)
}

// deepest is how many functions Go records for a sample.
const deepest = 128

// deeplyProfiled is like profiled, but takes more time: only the text of a profile has all
// functions that Go records, rather than the innermost 32.
func deeplyProfiled(rate float64) (sum float64) {
	var text bytes.Buffer
	if pprof.Lookup("heap").WriteTo(&text, 1) != nil {
		return math.Inf(1)
	}
	kept, counted := 0.0, true // of the current record
	for line := range strings.Lines(text.String()) {
		var objects, size int64
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "#"):
			if !counted && len(words) > 2 && ours(words[2]) {
				sum, counted = sum+kept, true
			}
		case len(words) > 4:
			counted = true
			if n, _ := fmt.Sscanf(line, "%d: %d [", &objects, &size); n < 2 || objects == 0 {
				continue
			}
			kept = scaled(float64(size), float64(objects), rate)
			if counted = strings.Count(line, " 0x") >= deepest; counted {
				sum += kept
			}
		}
	}
	return sum
}

// scaled estimates the bytes of all allocations of a kind from the sampled ones. The larger an
// allocation is, the more probably it is sampled.
func scaled(bytes, objects, rate float64) float64 {
	return bytes / (1 - math.Exp(-bytes/objects/rate))
}

// ofScripts reports whether an allocation was made for a script, as far as its innermost functions
// are known.
func ofScripts(stack []uintptr) bool {
	frames := runtime.CallersFrames(stack)
	for {
		frame, more := frames.Next()
		if ours(frame.Function) {
			return true
		}
		if !more {
			return false
		}
	}
}

// ours reports whether a function creates the objects of scripts.
func ours(function string) bool {
	return slices.ContainsFunc(origins, func(origin string) bool {
		return strings.HasPrefix(function, origin)
	})
}
