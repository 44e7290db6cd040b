package fmitest

/*
#include <stdlib.h>
#define GOSMP_HANDLES_ARE_NUMBERS // as in gosmp/export: tests pass arbitrary numbers
#include "importer.h"
*/
import "C"

import (
	"unsafe"

	"gosmp/fmi"
	"gosmp/internal/state"
)

// A host identifies the objects of an FMU by plain numbers; 0 is NULL.
type (
	// Component is a fmi2Component.
	Component uintptr
	// State is a fmi2FMUstate.
	State uintptr
	// Text is a fmi2String that belongs to the FMU.
	Text uintptr
)

func (c Component) raw() C.fmi2Component { return C.fmi2Component(c) }
func (s State) raw() C.fmi2FMUstate      { return C.fmi2FMUstate(s) }

// String copies the current text.
func (t Text) String() string { return C.GoString(*(**C.char)(unsafe.Pointer(&t))) }

// lend copies values to a C array of exactly their length; nil becomes NULL. The caller releases
// the result with C.free.
func lend[T any](values []T) unsafe.Pointer {
	if values == nil {
		return nil
	}
	var one T
	size := len(values) * int(unsafe.Sizeof(one))
	p := C.malloc(C.size_t(size))
	copy(unsafe.Slice((*byte)(p), size),
		unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), size))
	return p
}

// call lends the references and values, performs the call, and copies the values back.
func call[T any](refs []fmi.ValueReference, values []T,
	f func(vr, to unsafe.Pointer) C.fmi2Status) fmi.Status {
	vr, to := lend(refs), lend(values)
	status := f(vr, to)
	if to != nil {
		copy(values, unsafe.Slice((*T)(to), len(values)))
	}
	C.free(vr)
	C.free(to)
	return fmi.Status(status)
}

// GetReal calls fmi2GetReal.
func (c Component) GetReal(refs []fmi.ValueReference, n uint, values []float64) fmi.Status {
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetReal(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.double)(to))
	})
}

// GetInteger calls fmi2GetInteger.
func (c Component) GetInteger(refs []fmi.ValueReference, n uint, values []int32) fmi.Status {
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetInteger(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.int)(to))
	})
}

// GetBoolean calls fmi2GetBoolean; the values are the integers of C.
func (c Component) GetBoolean(refs []fmi.ValueReference, n uint, values []int32) fmi.Status {
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetBoolean(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.int)(to))
	})
}

// GetString calls fmi2GetString; the texts belong to the FMU.
func (c Component) GetString(refs []fmi.ValueReference, n uint, values []Text) fmi.Status {
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2GetString(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.fmi2String)(to))
	})
}

// SetReal calls fmi2SetReal.
func (c Component) SetReal(refs []fmi.ValueReference, n uint, values []float64) fmi.Status {
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2SetReal(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.double)(to))
	})
}

// SetInteger calls fmi2SetInteger.
func (c Component) SetInteger(refs []fmi.ValueReference, n uint, values []int32) fmi.Status {
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2SetInteger(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.int)(to))
	})
}

// SetBoolean calls fmi2SetBoolean; the values are the integers of C.
func (c Component) SetBoolean(refs []fmi.ValueReference, n uint, values []int32) fmi.Status {
	return call(refs, values, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2SetBoolean(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.int)(to))
	})
}

// SetString calls fmi2SetString. The texts are freed when it returns.
func (c Component) SetString(refs []fmi.ValueReference, n uint, values []*string) fmi.Status {
	texts, free := lendTexts(values)
	defer free()
	return call(refs, texts, func(vr, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2SetString(c.raw(), (*C.uint)(vr), C.size_t(n), (*C.fmi2String)(to))
	})
}

// lendTexts copies texts to C; a nil text becomes NULL, and so does a nil array.
func lendTexts(values []*string) (texts []*C.char, free func()) {
	if values != nil {
		texts = make([]*C.char, len(values))
	}
	for k, s := range values {
		if s != nil {
			texts[k] = C.CString(*s)
		}
	}
	return texts, func() {
		for _, p := range texts {
			C.free(unsafe.Pointer(p))
		}
	}
}

// SetDebugLogging calls fmi2SetDebugLogging.
func (c Component) SetDebugLogging(on bool, n uint, categories []*string) fmi.Status {
	texts, free := lendTexts(categories)
	defer free()
	return call(nil, texts, func(_, to unsafe.Pointer) C.fmi2Status {
		return C.fmi2SetDebugLogging(c.raw(), C.int(state.Flag(on)), C.size_t(n),
			(*C.fmi2String)(to))
	})
}

// GetTypesPlatform calls fmi2GetTypesPlatform.
func GetTypesPlatform() string { return C.GoString(C.fmi2GetTypesPlatform()) }

// GetVersion calls fmi2GetVersion.
func GetVersion() string { return C.GoString(C.fmi2GetVersion()) }

// Free calls fmi2FreeInstance.
func (c Component) Free() { C.fmi2FreeInstance(c.raw()) }

// SetupExperiment calls fmi2SetupExperiment with a tolerance of 1e-6. A nil stop is undefined.
func (c Component) SetupExperiment(start float64, stop *float64) fmi.Status {
	defined, end := C.fmi2Boolean(C.fmi2False), C.double(0)
	if stop != nil {
		defined, end = C.fmi2True, C.double(*stop)
	}
	return fmi.Status(C.fmi2SetupExperiment(c.raw(), C.fmi2True, 1e-6, C.double(start), defined,
		end))
}

// EnterInitializationMode calls fmi2EnterInitializationMode.
func (c Component) EnterInitializationMode() fmi.Status {
	return fmi.Status(C.fmi2EnterInitializationMode(c.raw()))
}

// ExitInitializationMode calls fmi2ExitInitializationMode.
func (c Component) ExitInitializationMode() fmi.Status {
	return fmi.Status(C.fmi2ExitInitializationMode(c.raw()))
}

// Terminate calls fmi2Terminate.
func (c Component) Terminate() fmi.Status { return fmi.Status(C.fmi2Terminate(c.raw())) }

// Reset calls fmi2Reset.
func (c Component) Reset() fmi.Status { return fmi.Status(C.fmi2Reset(c.raw())) }

// DoStep calls fmi2DoStep. noSetFMUStatePriorToCurrentPoint is true, as it is in common importers.
func (c Component) DoStep(t, h float64) fmi.Status {
	return fmi.Status(C.fmi2DoStep(c.raw(), C.double(t), C.double(h), C.fmi2True))
}

// CancelStep calls fmi2CancelStep.
func (c Component) CancelStep() fmi.Status { return fmi.Status(C.fmi2CancelStep(c.raw())) }
