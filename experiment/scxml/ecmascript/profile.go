package ecmascript

import (
	"math"
	"runtime"
	"strings"
)

// origins are the beginnings of the names of functions that create what scripts keep: those of the
// engine and of the interpreter, and of the decoders of their data, because only the innermost 32
// functions of an allocation are known.
var origins = []string{"github.com/dop251/goja", "gosmp/experiment/scxml.",
	"gosmp/experiment/scxml/ecmascript.", "encoding/"}

// profiled returns how many bytes scripts kept at the last forced collection, according to Go's
// sampled allocations: each sample knows the functions that allocated it. Unlike the growth of the
// heap, this does not depend on what other parts of the process keep. It is infinite if the program
// does not sample.
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
		if r := &records[k]; r.InUseObjects() > 0 && ofScripts(r.Stack()) {
			sum += scaled(float64(r.InUseBytes()), float64(r.InUseObjects()), rate)
		}
	}
	return sum
}

// scaled estimates the bytes of all allocations of a kind from those of its samples. An allocation
// is sampled with a probability that grows with its size.
func scaled(bytes, objects, rate float64) float64 {
	return bytes / (1 - math.Exp(-bytes/objects/rate))
}

// ofScripts reports whether an allocation was made for a script.
func ofScripts(stack []uintptr) bool {
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
