package export

/*
#include "host.h"
*/
import "C"

import (
	"gosmp/fmi"
	"gosmp/fmu"
)

//export fmi2GetTypesPlatform
func fmi2GetTypesPlatform() C.fmi2String { return C.gosmp_types_platform }

//export fmi2GetVersion
func fmi2GetVersion() C.fmi2String { return C.gosmp_version }

//export fmi2Instantiate
func fmi2Instantiate(name C.fmi2String, kind C.fmi2Type, guid, resourceLocation C.fmi2String,
	callbacks C.fmi2Callbacks,
	visible, loggingOn C.fmi2Boolean) C.fmi2Component {
	c := newComponent(name, callbacks)
	ok := c.instantiate(kind, text(guid), text(resourceLocation), loggingOn != 0)
	queue := c.queue
	c.queue = nil
	var handle uintptr
	if ok {
		handle = components.add(c)
		c.integers.shared.owner = C.fmi2Component(handle)
	}
	c.flush(queue)
	if !ok {
		c.free()
	}
	return C.fmi2Component(handle)
}

//export fmi2FreeInstance
func fmi2FreeInstance(handle C.fmi2Component) {
	if c := components.remove(uintptr(handle)); c != nil {
		c.flush(c.close())
		c.free()
	}
}

//export fmi2SetDebugLogging
func fmi2SetDebugLogging(handle C.fmi2Component, on C.fmi2Boolean, n C.size_t,
	categories C.fmi2Strings) (status C.fmi2Status) {
	c := enter(handle, fmu.SetDebugLogging)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	names, ok := c.texts(n, categories, &status)
	if !ok {
		return status
	}
	return C.fmi2Status(c.SetDebugLogging(on != 0, names))
}

//export fmi2SetupExperiment
func fmi2SetupExperiment(handle C.fmi2Component, toleranceDefined C.fmi2Boolean, tolerance,
	start C.fmi2Real, stopDefined C.fmi2Boolean,
	stop C.fmi2Real) (status C.fmi2Status) {
	c := enter(handle, fmu.SetupExperiment)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	return C.fmi2Status(c.SetupExperiment(fmu.ExperimentSetup{
		Start: float64(start), StopDefined: stopDefined != 0, Stop: float64(stop),
	}))
}

//export fmi2EnterInitializationMode
func fmi2EnterInitializationMode(handle C.fmi2Component) C.fmi2Status {
	return plain(handle, fmu.EnterInitializationMode, (*fmu.Instance).EnterInitializationMode)
}

//export fmi2ExitInitializationMode
func fmi2ExitInitializationMode(handle C.fmi2Component) C.fmi2Status {
	return plain(handle, fmu.ExitInitializationMode, (*fmu.Instance).ExitInitializationMode)
}

//export fmi2Terminate
func fmi2Terminate(handle C.fmi2Component) C.fmi2Status {
	return plain(handle, fmu.Terminate, (*fmu.Instance).Terminate)
}

//export fmi2Reset
func fmi2Reset(handle C.fmi2Component) C.fmi2Status {
	return plain(handle, fmu.Reset, (*fmu.Instance).Reset)
}

// plain implements functions whose only argument is the component.
func plain(handle C.fmi2Component, f fmu.Function, call func(*fmu.Instance) fmi.Status) (
	status C.fmi2Status) {
	c := enter(handle, f)
	if c == nil {
		return C.fmi2Error
	}
	defer c.leave(&status)
	return C.fmi2Status(call(c.Instance))
}
