package export

/*
#include <stdlib.h>
#include "host.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
)

//export fmi2GetReal
func fmi2GetReal(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values *C.fmi2Real) C.fmi2Status {
	return access(handle, fmu.GetReal, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		return c.GetReal(refs, slice[float64](values, n))
	})
}

//export fmi2GetInteger
func fmi2GetInteger(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values *C.fmi2Integer) C.fmi2Status {
	return access(handle, fmu.GetInteger, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		return c.GetInteger(refs, slice[int32](values, n))
	})
}

//export fmi2GetBoolean
func fmi2GetBoolean(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values *C.fmi2Boolean) C.fmi2Status {
	return access(handle, fmu.GetBoolean, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		got := make([]bool, n)
		status := c.GetBoolean(refs, got)
		if status <= fmi.Warning { // after a warning, the values are also valid
			to := slice[C.fmi2Boolean](values, n)
			for k, x := range got {
				to[k] = C.fmi2Boolean(state.Flag(x))
			}
		}
		return status
	})
}

//export fmi2GetString
func fmi2GetString(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values *C.fmi2String) C.fmi2Status {
	return access(handle, fmu.GetString, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		got := make([]string, n)
		status := c.GetString(refs, got)
		c.freeStrings()
		if status <= fmi.Warning {
			c.lend(got, slice[uintptr](values, n))
		}
		return status
	})
}

// lend copies texts to C's heap, where they stay until the next fmi2GetString or the end of the
// instance. Their addresses are stored as numbers: when Go stores a pointer, its write barrier
// shows the old pointer to the garbage collector, and the host's array may hold anything.
func (c *component) lend(texts []string, to []uintptr) {
	for k, s := range texts {
		p := C.CString(s)
		c.strings = append(c.strings, p)
		to[k] = uintptr(unsafe.Pointer(p))
	}
}

//export fmi2SetReal
func fmi2SetReal(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values C.fmi2Reals) C.fmi2Status {
	return access(handle, fmu.SetReal, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		return c.SetReal(refs, slice[float64](values, n))
	})
}

//export fmi2SetInteger
func fmi2SetInteger(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values C.fmi2Integers) C.fmi2Status {
	return access(handle, fmu.SetInteger, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		return c.SetInteger(refs, slice[int32](values, n))
	})
}

//export fmi2SetBoolean
func fmi2SetBoolean(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values C.fmi2Booleans) C.fmi2Status {
	return access(handle, fmu.SetBoolean, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		flags := make([]bool, n)
		for k, x := range slice[C.fmi2Boolean](values, n) {
			flags[k] = x != C.fmi2False
		}
		return c.SetBoolean(refs, flags)
	})
}

//export fmi2SetString
func fmi2SetString(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	values C.fmi2Strings) (status C.fmi2Status) {
	return access(handle, fmu.SetString, vr, n, unsafe.Pointer(values), func(c *component,
		refs []uint32) fmi.Status {
		texts, ok := c.texts(n, values, &status)
		if !ok {
			return fmi.Status(status)
		}
		return c.SetString(refs, texts)
	})
}

// access implements the eight Get and Set functions: it finds the component, checks the two arrays
// and does the work.
func access(handle C.fmi2Component, f fmu.Function, vr C.fmi2ValueReferences, n C.size_t,
	values unsafe.Pointer,
	work func(*component, []uint32) fmi.Status) (status C.fmi2Status) {
	c := enter(handle, f)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if !c.arrays(n, &status, unsafe.Pointer(vr), values) {
		return status
	}
	return C.fmi2Status(work(c, slice[uint32](vr, n)))
}

// texts copies an array of C strings. If one of them is NULL, it completes the call with an error.
func (c *component) texts(n C.size_t, values C.fmi2Strings, status *C.fmi2Status) ([]string, bool) {
	if !c.arrays(n, status, unsafe.Pointer(values)) {
		return nil, false
	}
	texts := make([]string, n)
	for k, s := range slice[C.fmi2String](values, n) {
		if s == nil {
			*status = C.fmi2Status(c.Rejected(c.function, fmt.Sprintf("string %d", k), "NULL",
				"text that ends in a zero byte"))
			return nil, false
		}
		texts[k] = text(s)
	}
	return texts, true
}
