package fmitest

/*
#include <stdlib.h>
#define GOSMP_HANDLES_ARE_NUMBERS
#include "importer.h"
*/
import "C"

import (
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

// withPlace passes a location in C's memory, or NULL, to f, and copies its value from and to s.
func (s *State) withPlace(f func(*C.fmi2FMUstate) C.fmi2Status) fmi.Status {
	if s == nil {
		return fmi.Status(f(nil))
	}
	place := lend([]State{*s})
	defer C.free(place)
	status := f((*C.fmi2FMUstate)(place))
	*s = *(*State)(place)
	return fmi.Status(status)
}

// GetFMUstate calls fmi2GetFMUstate; a nil s is NULL.
func (c Component) GetFMUstate(s *State) fmi.Status {
	return s.withPlace(func(p *C.fmi2FMUstate) C.fmi2Status {
		return C.fmi2GetFMUstate(c.raw(), p)
	})
}

// SetFMUstate calls fmi2SetFMUstate.
func (c Component) SetFMUstate(s State) fmi.Status {
	return fmi.Status(C.fmi2SetFMUstate(c.raw(), s.raw()))
}

// FreeFMUstate calls fmi2FreeFMUstate; a nil s is NULL.
func (c Component) FreeFMUstate(s *State) fmi.Status {
	return s.withPlace(func(p *C.fmi2FMUstate) C.fmi2Status {
		return C.fmi2FreeFMUstate(c.raw(), p)
	})
}

// SerializedFMUstateSize calls fmi2SerializedFMUstateSize; a nil size is NULL.
func (c Component) SerializedFMUstateSize(s State, size *uint) fmi.Status {
	if size == nil {
		return fmi.Status(C.fmi2SerializedFMUstateSize(c.raw(), s.raw(), nil))
	}
	n := C.size_t(*size)
	status := C.fmi2SerializedFMUstateSize(c.raw(), s.raw(), &n)
	*size = uint(n)
	return fmi.Status(status)
}

// SerializeFMUstate calls fmi2SerializeFMUstate with a C array that has the length of to; nil is
// NULL.
func (c Component) SerializeFMUstate(s State, to []byte, n uint) fmi.Status {
	return call(nil, to, func(_, p unsafe.Pointer) C.fmi2Status {
		return C.fmi2SerializeFMUstate(c.raw(), s.raw(), (*C.fmi2Byte)(p), C.size_t(n))
	})
}

// DeSerializeFMUstate calls fmi2DeSerializeFMUstate with a copy of the bytes; a nil from or s is
// NULL.
func (c Component) DeSerializeFMUstate(from []byte, n uint, s *State) fmi.Status {
	bytes := lend(from)
	defer C.free(bytes)
	return s.withPlace(func(p *C.fmi2FMUstate) C.fmi2Status {
		return C.fmi2DeSerializeFMUstate(c.raw(), (*C.fmi2Byte)(bytes), C.size_t(n), p)
	})
}

// GetDirectionalDerivative calls fmi2GetDirectionalDerivative; n counts both unknowns and knowns.
func (c Component) GetDirectionalDerivative(unknowns, knowns []fmi.ValueReference, n uint, d,
	result []float64) fmi.Status {
	from, in := lend(knowns), lend(d)
	defer C.free(from)
	defer C.free(in)
	return call(unknowns, result, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetDirectionalDerivative(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.uint)(from),
			C.size_t(n),
			(*C.double)(in), (*C.double)(to))
	})
}

// SetRealInputDerivatives calls fmi2SetRealInputDerivatives.
func (c Component) SetRealInputDerivatives(refs []fmi.ValueReference, n uint, orders []int32,
	values []float64) fmi.Status {
	order := lend(orders)
	defer C.free(order)
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2SetRealInputDerivatives(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.int)(order),
			(*C.double)(to))
	})
}

// GetRealOutputDerivatives calls fmi2GetRealOutputDerivatives.
func (c Component) GetRealOutputDerivatives(refs []fmi.ValueReference, n uint, orders []int32,
	values []float64) fmi.Status {
	order := lend(orders)
	defer C.free(order)
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetRealOutputDerivatives(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.int)(order),
			(*C.double)(to))
	})
}

// ask performs a status query with a location for the answer, or with NULL.
func ask[T any](value *T, f func(unsafe.Pointer) C.fmi2Status) fmi.Status {
	if value == nil {
		return fmi.Status(f(nil))
	}
	answer := []T{*value}
	status := call(nil, answer, func(_, to unsafe.Pointer) C.fmi2Status { return f(to) })
	*value = answer[0]
	return status
}

// GetStatus calls fmi2GetStatus; a nil value is NULL.
func (c Component) GetStatus(kind fmu.StatusKind, value *fmi.Status) fmi.Status {
	return ask(value, func(p unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetStatus(c.raw(), C.fmi2StatusKind(kind), (*C.fmi2Status)(p))
	})
}

// GetRealStatus calls fmi2GetRealStatus; a nil value is NULL.
func (c Component) GetRealStatus(kind fmu.StatusKind, value *float64) fmi.Status {
	return ask(value, func(p unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetRealStatus(c.raw(), C.fmi2StatusKind(kind), (*C.double)(p))
	})
}

// GetIntegerStatus calls fmi2GetIntegerStatus; a nil value is NULL.
func (c Component) GetIntegerStatus(kind fmu.StatusKind, value *int32) fmi.Status {
	return ask(value, func(p unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetIntegerStatus(c.raw(), C.fmi2StatusKind(kind), (*C.int)(p))
	})
}

// GetBooleanStatus calls fmi2GetBooleanStatus; a nil value is NULL.
func (c Component) GetBooleanStatus(kind fmu.StatusKind, value *int32) fmi.Status {
	return ask(value, func(p unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetBooleanStatus(c.raw(), C.fmi2StatusKind(kind), (*C.int)(p))
	})
}

// GetStringStatus calls fmi2GetStringStatus; a nil value is NULL.
func (c Component) GetStringStatus(kind fmu.StatusKind, value *Text) fmi.Status {
	return ask(value, func(p unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetStringStatus(c.raw(), C.fmi2StatusKind(kind), (*C.fmi2String)(p))
	})
}
