package export

/*
#include "host.h"
*/
import "C"

import "gosmp/fmu"

// Functions for capabilities and interfaces that the FMU does not have. The standard requires that
// they exist nevertheless.

//export fmi3GetNumberOfVariableDependencies
func fmi3GetNumberOfVariableDependencies(handle C.fmi3Instance, valueReference C.fmi3ValueReference,
	nDependencies *C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetNumberOfVariableDependencies)
}

//export fmi3GetVariableDependencies
func fmi3GetVariableDependencies(handle C.fmi3Instance, dependent C.fmi3ValueReference,
	elementIndicesOfDependent *C.size_t, independents *C.fmi3ValueReference,
	elementIndicesOfIndependents *C.size_t, dependencyKinds *C.fmi3DependencyKind,
	nDependencies C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetVariableDependencies)
}

//export fmi3GetDirectionalDerivative
func fmi3GetDirectionalDerivative(handle C.fmi3Instance, unknowns C.fmi3ValueReferences,
	nUnknowns C.size_t, knowns C.fmi3ValueReferences, nKnowns C.size_t, seed C.fmi3Float64s,
	nSeed C.size_t, sensitivity *C.fmi3Float64, nSensitivity C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetDirectionalDerivative)
}

//export fmi3GetAdjointDerivative
func fmi3GetAdjointDerivative(handle C.fmi3Instance, unknowns C.fmi3ValueReferences,
	nUnknowns C.size_t, knowns C.fmi3ValueReferences, nKnowns C.size_t, seed C.fmi3Float64s,
	nSeed C.size_t, sensitivity *C.fmi3Float64, nSensitivity C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetAdjointDerivative)
}

//export fmi3GetIntervalDecimal
func fmi3GetIntervalDecimal(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	intervals *C.fmi3Float64, qualifiers *C.fmi3IntervalQualifier) C.fmi3Status {
	return lacking3(handle, fmu.GetIntervalDecimal)
}

//export fmi3GetIntervalFraction
func fmi3GetIntervalFraction(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	counters *C.fmi3UInt64, resolutions *C.fmi3UInt64,
	qualifiers *C.fmi3IntervalQualifier) C.fmi3Status {
	return lacking3(handle, fmu.GetIntervalFraction)
}

//export fmi3GetShiftDecimal
func fmi3GetShiftDecimal(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	shifts *C.fmi3Float64) C.fmi3Status {
	return lacking3(handle, fmu.GetShiftDecimal)
}

//export fmi3GetShiftFraction
func fmi3GetShiftFraction(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	counters *C.fmi3UInt64, resolutions *C.fmi3UInt64) C.fmi3Status {
	return lacking3(handle, fmu.GetShiftFraction)
}

//export fmi3SetIntervalDecimal
func fmi3SetIntervalDecimal(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	intervals C.fmi3Float64s) C.fmi3Status {
	return lacking3(handle, fmu.SetIntervalDecimal)
}

//export fmi3SetIntervalFraction
func fmi3SetIntervalFraction(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	counters C.fmi3UInt64s, resolutions C.fmi3UInt64s) C.fmi3Status {
	return lacking3(handle, fmu.SetIntervalFraction)
}

//export fmi3SetShiftDecimal
func fmi3SetShiftDecimal(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	shifts C.fmi3Float64s) C.fmi3Status {
	return lacking3(handle, fmu.SetShiftDecimal)
}

//export fmi3SetShiftFraction
func fmi3SetShiftFraction(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	counters C.fmi3UInt64s, resolutions C.fmi3UInt64s) C.fmi3Status {
	return lacking3(handle, fmu.SetShiftFraction)
}

//export fmi3EvaluateDiscreteStates
func fmi3EvaluateDiscreteStates(handle C.fmi3Instance) C.fmi3Status {
	return lacking3(handle, fmu.EvaluateDiscreteStates)
}

//export fmi3EnterContinuousTimeMode
func fmi3EnterContinuousTimeMode(handle C.fmi3Instance) C.fmi3Status {
	return lacking3(handle, fmu.EnterContinuousTimeMode)
}

//export fmi3CompletedIntegratorStep
func fmi3CompletedIntegratorStep(handle C.fmi3Instance,
	noSetFMUStatePriorToCurrentPoint C.fmi3Boolean, enterEventMode *C.fmi3Boolean,
	terminateSimulation *C.fmi3Boolean) C.fmi3Status {
	return lacking3(handle, fmu.CompletedIntegratorStep)
}

//export fmi3SetTime
func fmi3SetTime(handle C.fmi3Instance, time C.fmi3Float64) C.fmi3Status {
	return lacking3(handle, fmu.SetTime)
}

//export fmi3SetContinuousStates
func fmi3SetContinuousStates(handle C.fmi3Instance, continuousStates C.fmi3Float64s,
	nContinuousStates C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.SetContinuousStates)
}

//export fmi3GetContinuousStateDerivatives
func fmi3GetContinuousStateDerivatives(handle C.fmi3Instance, derivatives *C.fmi3Float64,
	nContinuousStates C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetContinuousStateDerivatives)
}

//export fmi3GetEventIndicators
func fmi3GetEventIndicators(handle C.fmi3Instance, eventIndicators *C.fmi3Float64,
	nEventIndicators C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetEventIndicators)
}

//export fmi3GetContinuousStates
func fmi3GetContinuousStates(handle C.fmi3Instance, continuousStates *C.fmi3Float64,
	nContinuousStates C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetContinuousStates)
}

//export fmi3GetNominalsOfContinuousStates
func fmi3GetNominalsOfContinuousStates(handle C.fmi3Instance, nominals *C.fmi3Float64,
	nContinuousStates C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetNominalsOfContinuousStates)
}

//export fmi3GetNumberOfEventIndicators
func fmi3GetNumberOfEventIndicators(handle C.fmi3Instance,
	nEventIndicators *C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetNumberOfEventIndicators)
}

//export fmi3GetNumberOfContinuousStates
func fmi3GetNumberOfContinuousStates(handle C.fmi3Instance,
	nContinuousStates *C.size_t) C.fmi3Status {
	return lacking3(handle, fmu.GetNumberOfContinuousStates)
}

//export fmi3ActivateModelPartition
func fmi3ActivateModelPartition(handle C.fmi3Instance, clockReference C.fmi3ValueReference,
	activationTime C.fmi3Float64) C.fmi3Status {
	return lacking3(handle, fmu.ActivateModelPartition)
}
