package export

/*
#include "host.h"
*/
import "C"

import (
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
)

//export fmi2DoStep
func fmi2DoStep(handle C.fmi2Component, t, h C.fmi2Real, noSetPrior C.fmi2Boolean) (
	status C.fmi2Status) {
	c := enter(handle, fmu.DoStep)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	return C.fmi2Status(c.DoStep(float64(t), float64(h)))
}

//export fmi2CancelStep
func fmi2CancelStep(handle C.fmi2Component) C.fmi2Status {
	return plain(handle, fmu.CancelStep, (*fmu.Instance).CancelStep)
}

//export fmi2GetStatus
func fmi2GetStatus(handle C.fmi2Component, kind C.fmi2StatusKind,
	value *C.fmi2Status) C.fmi2Status {
	return plain(handle, fmu.GetStatus, unanswered(fmu.GetStatus, kind))
}

//export fmi2GetIntegerStatus
func fmi2GetIntegerStatus(handle C.fmi2Component, kind C.fmi2StatusKind,
	value *C.fmi2Integer) C.fmi2Status {
	return plain(handle, fmu.GetIntegerStatus, unanswered(fmu.GetIntegerStatus, kind))
}

//export fmi2GetStringStatus
func fmi2GetStringStatus(handle C.fmi2Component, kind C.fmi2StatusKind,
	value *C.fmi2String) C.fmi2Status {
	return plain(handle, fmu.GetStringStatus, unanswered(fmu.GetStringStatus, kind))
}

// unanswered handles a query for a status that a synchronous slave does not have.
func unanswered(f fmu.Function, kind C.fmi2StatusKind) func(*fmu.Instance) fmi.Status {
	return func(i *fmu.Instance) fmi.Status { return i.AskStatus(f, fmu.StatusKind(kind)) }
}

//export fmi2GetRealStatus
func fmi2GetRealStatus(handle C.fmi2Component, kind C.fmi2StatusKind, value *C.fmi2Real) (
	status C.fmi2Status) {
	c := enter(handle, fmu.GetRealStatus)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if !c.arrays(1, &status, unsafe.Pointer(value)) {
		return status
	}
	x, answered := c.RealStatus(fmu.StatusKind(kind))
	if answered == fmi.OK {
		*value = C.fmi2Real(x)
	}
	return C.fmi2Status(answered)
}

//export fmi2GetBooleanStatus
func fmi2GetBooleanStatus(handle C.fmi2Component, kind C.fmi2StatusKind, value *C.fmi2Boolean) (
	status C.fmi2Status) {
	c := enter(handle, fmu.GetBooleanStatus)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	if !c.arrays(1, &status, unsafe.Pointer(value)) {
		return status
	}
	x, answered := c.BooleanStatus(fmu.StatusKind(kind))
	if answered == fmi.OK {
		*value = C.fmi2Boolean(state.Flag(x))
	}
	return C.fmi2Status(answered)
}

//export fmi2GetDirectionalDerivative
func fmi2GetDirectionalDerivative(handle C.fmi2Component, unknowns C.fmi2ValueReferences,
	nUnknown C.size_t,
	knowns C.fmi2ValueReferences, nKnown C.size_t, dKnown C.fmi2Reals,
	dUnknown *C.fmi2Real) C.fmi2Status {
	return plain(handle, fmu.GetDirectionalDerivative, (*fmu.Instance).DirectionalDerivative)
}

//export fmi2SetRealInputDerivatives
func fmi2SetRealInputDerivatives(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	orders C.fmi2Integers,
	values C.fmi2Reals) C.fmi2Status {
	return plain(handle, fmu.SetRealInputDerivatives, (*fmu.Instance).SetRealInputDerivatives)
}

//export fmi2GetRealOutputDerivatives
func fmi2GetRealOutputDerivatives(handle C.fmi2Component, vr C.fmi2ValueReferences, n C.size_t,
	orders C.fmi2Integers,
	values *C.fmi2Real) (status C.fmi2Status) {
	return access(handle, fmu.GetRealOutputDerivatives, vr, n, unsafe.Pointer(values),
		func(c *component, refs []uint32) fmi.Status {
			if !c.arrays(n, &status, unsafe.Pointer(orders)) {
				return fmi.Status(status)
			}
			return c.RealOutputDerivatives(refs, slice[int32](orders, n), slice[float64](values, n))
		})
}
