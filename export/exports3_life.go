package export

/*
#include "host.h"
*/
import "C"

import (
	"math"
	"slices"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

//export fmi3GetVersion
func fmi3GetVersion() C.fmi3String { return C.gosmp_version3 }

//export fmi3InstantiateCoSimulation
func fmi3InstantiateCoSimulation(name, token, resourcePath C.fmi3String, visible, loggingOn,
	eventModeUsed, earlyReturnAllowed C.fmi3Boolean, required C.fmi3ValueReferences,
	nRequired C.size_t, environment C.fmi3InstanceEnvironment, logMessage C.fmi3LogMessageCallback,
	intermediateUpdate C.fmi3IntermediateUpdateCallback) C.fmi3Instance {
	c := &component{name: C.CString(text3(name)), version: fmi.FMI3, logger3: logMessage,
		environment: uintptr(environment)}
	ok := c.instantiate3(text3(token), text3(resourcePath), fmu.Options3{
		LoggingOn: bool(loggingOn), EventModeUsed: bool(eventModeUsed),
		EarlyReturnAllowed: bool(earlyReturnAllowed), IntermediateUpdate: intermediateUpdate != nil,
		IntermediateVariables: references3(required, nRequired),
	})
	queue := c.queue
	c.queue = nil
	var handle uintptr
	if ok {
		handle = components.add(c)
		c.shared.own(handle)
	}
	c.flush(queue)
	if !ok {
		c.free()
	}
	return C.fmi3Instance(handle)
}

// references3 copies the references of intermediate variables. If their number exceeds the limit,
// it returns a single reference that does not exist, which is refused.
func references3(list C.fmi3ValueReferences, n C.size_t) []fmi.ValueReference {
	if n > maxElements || n > 0 && list == nil {
		return []fmi.ValueReference{math.MaxUint32}
	}
	return slices.Clone(slice[fmi.ValueReference](list, n))
}

// text3 converts a C string; NULL is the empty string.
func text3(s C.fmi3String) string {
	if s == nil {
		return ""
	}
	return C.GoString((*C.char)(unsafe.Pointer(s)))
}

//export fmi3FreeInstance
func fmi3FreeInstance(handle C.fmi3Instance) {
	c := components.find(uintptr(handle))
	if c == nil || c.version < fmi.FMI3 {
		return
	}
	if c = components.remove(uintptr(handle)); c != nil {
		c.flush(c.close())
		c.free()
	}
}

//export fmi3SetDebugLogging
func fmi3SetDebugLogging(handle C.fmi3Instance, on C.fmi3Boolean, n C.size_t,
	categories C.fmi3Strings) (status C.fmi3Status) {
	c := enter3(handle, fmu.SetDebugLogging)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if !c.arrays3(n, &status, unsafe.Pointer(categories)) {
		return status
	}
	names, wrong := c.texts3(n, categories)
	if wrong != fmi.OK {
		return C.fmi3Status(wrong)
	}
	return C.fmi3Status(c.SetDebugLogging(bool(on), names))
}

//export fmi3EnterInitializationMode
func fmi3EnterInitializationMode(handle C.fmi3Instance, toleranceDefined C.fmi3Boolean, tolerance,
	start C.fmi3Float64, stopDefined C.fmi3Boolean, stop C.fmi3Float64) (status C.fmi3Status) {
	c := enter3(handle, fmu.EnterInitializationMode)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	return C.fmi3Status(c.Initialize(fmu.ExperimentSetup{
		Start: float64(start), StopDefined: bool(stopDefined), Stop: float64(stop),
	}))
}

//export fmi3ExitInitializationMode
func fmi3ExitInitializationMode(handle C.fmi3Instance) C.fmi3Status {
	return plain3(handle, fmu.ExitInitializationMode, (*fmu.Instance).ExitInitializationMode)
}

//export fmi3Terminate
func fmi3Terminate(handle C.fmi3Instance) C.fmi3Status {
	return plain3(handle, fmu.Terminate, (*fmu.Instance).Terminate)
}

//export fmi3Reset
func fmi3Reset(handle C.fmi3Instance) C.fmi3Status {
	return plain3(handle, fmu.Reset, (*fmu.Instance).Reset)
}
