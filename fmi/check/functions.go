package check

import (
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
)

// The functions that libraries export, without the prefix of their version. A name with # stands
// for one function per type.
const (
	// FMI 2.0: functions of both kinds of interface, then of co-simulation, then of model exchange.
	functions2 = `GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance
SetupExperiment EnterInitializationMode ExitInitializationMode Terminate Reset Get# Set#
GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate
GetDirectionalDerivative`
	functions2Cosimulation = `SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep
GetStatus GetRealStatus GetIntegerStatus GetBooleanStatus GetStringStatus`
	functions2Exchange = `EnterEventMode NewDiscreteStates EnterContinuousTimeMode
CompletedIntegratorStep SetTime SetContinuousStates GetDerivatives GetEventIndicators
GetContinuousStates GetNominalsOfContinuousStates`

	// FMI 3.0: functions of all interfaces, then of each kind of interface.
	functions3 = `GetVersion SetDebugLogging FreeInstance EnterInitializationMode
ExitInitializationMode EnterEventMode Terminate Reset Get# Set# GetNumberOfVariableDependencies
GetVariableDependencies GetFMUState SetFMUState FreeFMUState SerializedFMUStateSize
SerializeFMUState DeserializeFMUState GetDirectionalDerivative GetAdjointDerivative
EnterConfigurationMode ExitConfigurationMode GetIntervalDecimal GetIntervalFraction
GetShiftDecimal GetShiftFraction SetIntervalDecimal SetIntervalFraction SetShiftDecimal
SetShiftFraction EvaluateDiscreteStates UpdateDiscreteStates`
	functions3Cosimulation = `InstantiateCoSimulation EnterStepMode GetOutputDerivatives DoStep`
	functions3Exchange     = `InstantiateModelExchange EnterContinuousTimeMode
CompletedIntegratorStep SetTime SetContinuousStates GetContinuousStateDerivatives
GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates GetNumberOfEventIndicators
GetNumberOfContinuousStates`
	functions3Scheduled = `InstantiateScheduledExecution ActivateModelPartition`

	// FMI 1.0: functions of each kind of interface.
	functions1Cosimulation = `GetTypesPlatform GetVersion InstantiateSlave InitializeSlave
TerminateSlave ResetSlave FreeSlaveInstance SetDebugLogging Get# Set# SetRealInputDerivatives
GetRealOutputDerivatives CancelStep DoStep GetStatus GetRealStatus GetIntegerStatus
GetBooleanStatus GetStringStatus`
	functions1Exchange = `GetModelTypesPlatform GetVersion InstantiateModel FreeModelInstance
SetDebugLogging SetTime SetContinuousStates CompletedIntegratorStep Set# Initialize
GetDerivatives GetEventIndicators Get# EventUpdate GetContinuousStates
GetNominalContinuousStates GetStateValueReferences Terminate`
)

// prefixes are the prefixes of function names.
var prefixes = [...]string{fmi.FMI1: "fmi", fmi.FMI2: "fmi2", fmi.FMI3: "fmi3"}

// named expands lists to function names.
func named(v fmi.Version, lists ...string) (names []string) {
	types := []string{"Real", "Integer", "Boolean", "String"}
	if v >= fmi.FMI3 {
		types = nil
		for _, t := range fmi.Types(v) {
			if t != fmi.Enumeration {
				types = append(types, t.String())
			}
		}
	}
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			get, each := strings.CutSuffix(name, "#")
			if !each {
				names = append(names, prefixes[v]+name)
				continue
			}
			for _, t := range types {
				names = append(names, prefixes[v]+get+t)
			}
		}
	}
	return names
}

// Functions returns the sorted names of the functions that a library must export for the given
// kinds of interface. In FMI 1.0 each name follows the modelIdentifier and an underscore.
func Functions(v fmi.Version, kinds ...fmi.InterfaceType) (names []string) {
	var common string
	var lists map[fmi.InterfaceType]string
	switch v {
	case fmi.FMI1:
		lists = map[fmi.InterfaceType]string{fmi.CoSimulation: functions1Cosimulation,
			fmi.ModelExchange: functions1Exchange}
	case fmi.FMI2:
		common = functions2
		lists = map[fmi.InterfaceType]string{fmi.CoSimulation: functions2Cosimulation,
			fmi.ModelExchange: functions2Exchange}
	default:
		common = functions3
		lists = map[fmi.InterfaceType]string{fmi.CoSimulation: functions3Cosimulation,
			fmi.ModelExchange: functions3Exchange, fmi.ScheduledExecution: functions3Scheduled}
	}
	names = named(v, common)
	for _, kind := range kinds {
		names = append(names, named(v, lists[kind])...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// functions returns the names that the library with the given modelIdentifier must export.
func functions(m *archive.ModelDescription, identifier string) (names []string) {
	var kinds []fmi.InterfaceType
	for _, i := range m.Interfaces {
		if i.ModelIdentifier == identifier {
			kinds = append(kinds, i.Kind)
		}
	}
	names = Functions(m.Major(), kinds...)
	if m.Major() == fmi.FMI1 {
		for k := range names {
			names[k] = identifier + "_" + names[k]
		}
	}
	return names
}

// ofFMI reports whether a version of FMI defines an exported name.
func ofFMI(v fmi.Version, name, identifier string) bool {
	name = strings.TrimPrefix(name, identifier+"_")
	return strings.HasPrefix(name, prefixes[v])
}
