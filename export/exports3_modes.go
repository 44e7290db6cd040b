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

//export fmi3EnterConfigurationMode
func fmi3EnterConfigurationMode(handle C.fmi3Instance) C.fmi3Status {
	return plain3(handle, fmu.EnterConfigurationMode, (*fmu.Instance).EnterConfigurationMode)
}

//export fmi3ExitConfigurationMode
func fmi3ExitConfigurationMode(handle C.fmi3Instance) C.fmi3Status {
	return plain3(handle, fmu.ExitConfigurationMode, (*fmu.Instance).ExitConfigurationMode)
}

//export fmi3EnterEventMode
func fmi3EnterEventMode(handle C.fmi3Instance) C.fmi3Status {
	return plain3(handle, fmu.EnterEventMode, (*fmu.Instance).EnterEventMode)
}

//export fmi3EnterStepMode
func fmi3EnterStepMode(handle C.fmi3Instance) C.fmi3Status {
	return plain3(handle, fmu.EnterStepMode, (*fmu.Instance).EnterStepMode)
}

//export fmi3GetClock
func fmi3GetClock(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Clock) C.fmi3Status {
	return access3(handle, fmu.GetClock, vr, n, unsafe.Pointer(values), n,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetClock(refs, slice[bool](values, n))
		})
}

//export fmi3SetClock
func fmi3SetClock(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Clocks) C.fmi3Status {
	return access3(handle, fmu.SetClock, vr, n, unsafe.Pointer(values), n,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetClock(refs, slice[bool](values, n))
		})
}

//export fmi3UpdateDiscreteStates
func fmi3UpdateDiscreteStates(handle C.fmi3Instance, discreteStatesNeedUpdate, terminateSimulation,
	nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged,
	nextEventTimeDefined *C.fmi3Boolean, nextEventTime *C.fmi3Float64) (status C.fmi3Status) {
	c := enter3(handle, fmu.UpdateDiscreteStates)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if !c.arrays3(1, &status, unsafe.Pointer(discreteStatesNeedUpdate),
		unsafe.Pointer(terminateSimulation), unsafe.Pointer(nominalsOfContinuousStatesChanged),
		unsafe.Pointer(valuesOfContinuousStatesChanged), unsafe.Pointer(nextEventTimeDefined),
		unsafe.Pointer(nextEventTime)) {
		return status
	}
	u, updated := c.UpdateDiscreteStates()
	*discreteStatesNeedUpdate, *nominalsOfContinuousStatesChanged = false, false
	*valuesOfContinuousStatesChanged = false
	*terminateSimulation = C.fmi3Boolean(u.TerminateSimulation)
	*nextEventTimeDefined = C.fmi3Boolean(u.NextEventDefined)
	*nextEventTime = C.fmi3Float64(u.NextEvent)
	return C.fmi3Status(updated)
}

// gosmp_intermediate_update begins and ends an intermediate update, in which the loader calls the
// host: no Go frame is on the stack below the callback. It reports whether that was possible.
//
//export gosmp_intermediate_update
func gosmp_intermediate_update(handle C.fmi3Instance, begin C.int) C.int {
	c := enter3(handle, fmu.DoStep)
	if c == nil {
		return 0
	}
	defer c.end()
	if begin != 0 && c.BeginIntermediateUpdate() || begin == 0 && c.EndIntermediateUpdate() {
		return 1
	}
	return 0
}
