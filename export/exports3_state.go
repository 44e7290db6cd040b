package export

/*
#include "host.h"
*/
import "C"

import (
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

//export fmi3GetFMUState
func fmi3GetFMUState(handle C.fmi3Instance, state *C.fmi3FMUState) (status C.fmi3Status) {
	c := enter3(handle, fmu.GetFMUstate)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if state == nil {
		return C.fmi3Status(c.Rejected(c.function, "FMUState", "NULL",
			"a pointer that receives the state"))
	}
	if *state == 0 {
		s, made := c.GetFMUstate(nil)
		return c.keep3(s, made, state)
	}
	return c.withState3(*state, func(s *fmu.Snapshot) fmi.Status {
		_, status := c.GetFMUstate(s)
		return status
	})
}

//export fmi3SetFMUState
func fmi3SetFMUState(handle C.fmi3Instance, state C.fmi3FMUState) (status C.fmi3Status) {
	c := enter3(handle, fmu.SetFMUstate)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	return c.withState3(state, c.SetFMUstate)
}

//export fmi3FreeFMUState
func fmi3FreeFMUState(handle C.fmi3Instance, state *C.fmi3FMUState) (status C.fmi3Status) {
	c := enter3(handle, fmu.FreeFMUstate)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if state == nil || *state == 0 {
		return C.fmi3Status(c.FreeFMUstate())
	}
	return c.withState3(*state, func(*fmu.Snapshot) fmi.Status {
		status := c.FreeFMUstate()
		if status == fmi.OK {
			snapshots.remove(uintptr(*state))
			*state = 0
		}
		return status
	})
}

//export fmi3SerializedFMUStateSize
func fmi3SerializedFMUStateSize(handle C.fmi3Instance, state C.fmi3FMUState, size *C.size_t) (
	status C.fmi3Status) {
	c := enter3(handle, fmu.SerializedFMUstateSize)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if size == nil {
		return C.fmi3Status(c.Rejected(c.function, "size", "NULL",
			"a pointer that receives the size"))
	}
	return c.withState3(state, func(s *fmu.Snapshot) fmi.Status {
		n, status := c.SerializedFMUstateSize(s)
		*size = C.size_t(n)
		return status
	})
}

//export fmi3SerializeFMUState
func fmi3SerializeFMUState(handle C.fmi3Instance, state C.fmi3FMUState, to *C.fmi3Byte,
	n C.size_t) (status C.fmi3Status) {
	c := enter3(handle, fmu.SerializeFMUstate)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if !c.bounded3(n, maxBytes, &status, unsafe.Pointer(to)) {
		return status
	}
	return c.withState3(state, func(s *fmu.Snapshot) fmi.Status {
		return c.SerializeFMUstate(s, slice[byte](to, n))
	})
}

//export fmi3DeserializeFMUState
func fmi3DeserializeFMUState(handle C.fmi3Instance, from C.fmi3Bytes, n C.size_t,
	state *C.fmi3FMUState) (status C.fmi3Status) {
	c := enter3(handle, fmu.DeSerializeFMUstate)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if !c.bounded3(n, maxBytes, &status, unsafe.Pointer(from)) {
		return status
	}
	if state == nil {
		return C.fmi3Status(c.Rejected(c.function, "FMUState", "NULL",
			"a pointer that receives the state"))
	}
	s, made := c.DeSerializeFMUstate(slice[byte](from, n))
	return c.keep3(s, made, state)
}

// keep3 is like keep, for FMI 3.0.
func (c *component) keep3(s *fmu.Snapshot, made fmi.Status, state *C.fmi3FMUState) C.fmi3Status {
	handle, status := c.store(s, made, "fmi3FreeFMUState")
	if handle != 0 {
		*state = C.fmi3FMUState(handle)
	}
	return C.fmi3Status(status)
}

// withState3 is like withState, for FMI 3.0.
func (c *component) withState3(state C.fmi3FMUState,
	work func(*fmu.Snapshot) fmi.Status) C.fmi3Status {
	return C.fmi3Status(c.withSaved(uintptr(state), "fmi3GetFMUState", work))
}
