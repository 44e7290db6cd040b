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

//export fmi3DoStep
func fmi3DoStep(handle C.fmi3Instance, t, h C.fmi3Float64, noSetPrior C.fmi3Boolean,
	eventHandlingNeeded, terminateSimulation, earlyReturn *C.fmi3Boolean,
	lastSuccessfulTime *C.fmi3Float64) (status C.fmi3Status) {
	c := enter3(handle, fmu.DoStep)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if !c.arrays3(1, &status, unsafe.Pointer(eventHandlingNeeded),
		unsafe.Pointer(terminateSimulation), unsafe.Pointer(earlyReturn),
		unsafe.Pointer(lastSuccessfulTime)) {
		return status
	}
	o, stepped := c.Advance(float64(t), float64(h))
	*eventHandlingNeeded = C.fmi3Boolean(o.EventHandlingNeeded)
	*terminateSimulation = C.fmi3Boolean(o.TerminateSimulation)
	*earlyReturn = C.fmi3Boolean(o.EarlyReturn)
	*lastSuccessfulTime = C.fmi3Float64(o.LastSuccessfulTime)
	return C.fmi3Status(stepped)
}

//export fmi3GetOutputDerivatives
func fmi3GetOutputDerivatives(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	orders C.fmi3Int32s, values *C.fmi3Float64, nValues C.size_t) (status C.fmi3Status) {
	return access3(handle, fmu.GetRealOutputDerivatives, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			if !c.arrays3(n, &status, unsafe.Pointer(orders)) {
				return fmi.Status(status)
			}
			return c.OutputDerivatives(refs, slice[int32](orders, n),
				slice[float64](values, nValues))
		})
}
