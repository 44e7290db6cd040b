package export

/*
#include "host.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

//export fmi2GetFMUstate
func fmi2GetFMUstate(handle C.fmi2Component, state *C.fmi2FMUstate) (status C.fmi2Status) {
	c := enter(handle, fmu.GetFMUstate)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if state == nil {
		return C.fmi2Status(c.Rejected(c.function, "FMUstate", "NULL",
			"a pointer that receives the state"))
	}
	if *state == 0 {
		s, made := c.GetFMUstate(nil)
		return c.keep(s, made, state)
	}
	return c.withState(*state, func(s *fmu.Snapshot) fmi.Status {
		_, status := c.GetFMUstate(s)
		return status
	})
}

//export fmi2SetFMUstate
func fmi2SetFMUstate(handle C.fmi2Component, state C.fmi2FMUstate) (status C.fmi2Status) {
	c := enter(handle, fmu.SetFMUstate)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	return c.withState(state, c.SetFMUstate)
}

//export fmi2FreeFMUstate
func fmi2FreeFMUstate(handle C.fmi2Component, state *C.fmi2FMUstate) (status C.fmi2Status) {
	c := enter(handle, fmu.FreeFMUstate)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if state == nil || *state == 0 {
		return C.fmi2Status(c.FreeFMUstate())
	}
	return c.withState(*state, func(*fmu.Snapshot) fmi.Status {
		status := c.FreeFMUstate()
		if status == fmi.OK {
			snapshots.remove(uintptr(*state))
			*state = 0
		}
		return status
	})
}

//export fmi2SerializedFMUstateSize
func fmi2SerializedFMUstateSize(handle C.fmi2Component, state C.fmi2FMUstate, size *C.size_t) (
	status C.fmi2Status) {
	c := enter(handle, fmu.SerializedFMUstateSize)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if size == nil {
		return C.fmi2Status(c.Rejected(c.function, "size", "NULL",
			"a pointer that receives the size"))
	}
	return c.withState(state, func(s *fmu.Snapshot) fmi.Status {
		n, status := c.SerializedFMUstateSize(s)
		*size = C.size_t(n)
		return status
	})
}

//export fmi2SerializeFMUstate
func fmi2SerializeFMUstate(handle C.fmi2Component, state C.fmi2FMUstate, to *C.fmi2Byte,
	n C.size_t) (status C.fmi2Status) {
	c := enter(handle, fmu.SerializeFMUstate)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if !c.bounded(n, maxBytes, &status, unsafe.Pointer(to)) {
		return status
	}
	return c.withState(state, func(s *fmu.Snapshot) fmi.Status {
		return c.SerializeFMUstate(s, slice[byte](to, n))
	})
}

//export fmi2DeSerializeFMUstate
func fmi2DeSerializeFMUstate(handle C.fmi2Component, from C.fmi2Bytes, n C.size_t,
	state *C.fmi2FMUstate) (status C.fmi2Status) {
	c := enter(handle, fmu.DeSerializeFMUstate)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if !c.bounded(n, maxBytes, &status, unsafe.Pointer(from)) {
		return status
	}
	if state == nil {
		return C.fmi2Status(c.Rejected(c.function, "FMUstate", "NULL",
			"a pointer that receives the state"))
	}
	s, made := c.DeSerializeFMUstate(slice[byte](from, n))
	return c.keep(s, made, state)
}

// keep adds a snapshot to the table. It lives until the host frees it or its instance.
func (c *component) keep(s *fmu.Snapshot, made fmi.Status, state *C.fmi2FMUstate) C.fmi2Status {
	handle, status := c.store(s, made, "fmi2FreeFMUstate")
	if handle != 0 {
		*state = C.fmi2FMUstate(handle)
	}
	return C.fmi2Status(status)
}

// store does the work of keep for all versions of FMI; the handle is 0 if there is no snapshot.
func (c *component) store(s *fmu.Snapshot, made fmi.Status, free string) (uintptr, fmi.Status) {
	if made != fmi.OK {
		return 0, made
	}
	handle := snapshots.add(&savedState{s, c})
	if handle == 0 {
		return 0, c.Rejected(c.function, "FMUstate",
			fmt.Sprintf("%d unfreed states", C.gosmp_handle_count),
			"fewer; free some by "+free)
	}
	return handle, fmi.OK
}

// withState calls work with a state of any instance of this FMU; if the number is not a state, the
// call is completed with an error.
func (c *component) withState(state C.fmi2FMUstate,
	work func(*fmu.Snapshot) fmi.Status) C.fmi2Status {
	return C.fmi2Status(c.withSaved(uintptr(state), "fmi2GetFMUstate", work))
}

// withSaved does the work of withState for all versions of FMI. States of the other version do not
// belong to this FMU.
func (c *component) withSaved(state uintptr, get string,
	work func(*fmu.Snapshot) fmi.Status) fmi.Status {
	s := snapshots.find(state)
	if s == nil || s.owner.version != c.version {
		return c.Rejected(c.function, "FMUstate", fmt.Sprintf("%#x", state),
			"a state from "+get+" that has not been freed")
	}
	return work(s.Snapshot)
}
