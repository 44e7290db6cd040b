package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// Function is a function of the standard, or a group of functions that share a row in the table of
// legal calls.
type Function uint8

// The functions that take an instance. Functions with similar names in FMI 2.0 and 3.0 share a
// number: GetReal is also fmi3GetFloat64, and GetInteger fmi3GetInt32.
const (
	SetDebugLogging Function = iota
	SetupExperiment
	EnterInitializationMode
	ExitInitializationMode
	Terminate
	Reset
	GetReal
	GetInteger
	GetBoolean
	GetString
	GetBinary
	SetReal
	SetInteger
	SetBoolean
	SetString
	SetBinary
	GetFMUstate
	SetFMUstate
	FreeFMUstate
	SerializedFMUstateSize
	SerializeFMUstate
	DeSerializeFMUstate
	GetDirectionalDerivative
	SetRealInputDerivatives
	GetRealOutputDerivatives
	DoStep
	CancelStep
	GetStatus
	GetRealStatus
	GetIntegerStatus
	GetBooleanStatus
	GetStringStatus

	// Only in FMI 3.0.

	EnterConfigurationMode
	ExitConfigurationMode
	EnterEventMode
	EnterStepMode
	UpdateDiscreteStates
	EvaluateDiscreteStates
	GetFloat32
	GetInt8
	GetUInt8
	GetInt16
	GetUInt16
	GetUInt32
	GetInt64
	GetUInt64
	GetClock
	SetFloat32
	SetInt8
	SetUInt8
	SetInt16
	SetUInt16
	SetUInt32
	SetInt64
	SetUInt64
	SetClock
	GetNumberOfVariableDependencies
	GetVariableDependencies
	GetAdjointDerivative
	GetIntervalDecimal
	GetIntervalFraction
	GetShiftDecimal
	GetShiftFraction
	SetIntervalDecimal
	SetIntervalFraction
	SetShiftDecimal
	SetShiftFraction
	EnterContinuousTimeMode
	CompletedIntegratorStep
	SetTime
	SetContinuousStates
	GetContinuousStates
	GetContinuousStateDerivatives
	GetEventIndicators
	GetNominalsOfContinuousStates
	GetNumberOfEventIndicators
	GetNumberOfContinuousStates
	ActivateModelPartition
	functionCount
)

// states is a set of State.
type states uint16

func in(list ...fmi.State) (s states) {
	for _, state := range list {
		s |= 1 << state
	}
	return s
}

func (s states) has(state fmi.State) bool { return s&(1<<state) != 0 }

// Sets that several rows of the table share.
var (
	alive = in(fmi.Instantiated, fmi.InitializationMode, fmi.StepComplete, fmi.StepFailed,
		fmi.Terminated, fmi.Erroneous)
	getting = in(fmi.InitializationMode, fmi.StepComplete, fmi.StepFailed, fmi.Terminated,
		fmi.Erroneous)
	setting = in(fmi.Instantiated, fmi.InitializationMode, fmi.StepComplete)
	asking  = in(fmi.StepComplete, fmi.StepFailed, fmi.Terminated)
)

// legal is the state chart of FMI 2.0, 4.2.4: the states in which each function may be called.
// [Variable.settableIn] determines which variables a Set function may change in each of them. Get
// functions are allowed in the error state because the standard permits them for debugging.
var legal = [functionCount]struct {
	name string
	in   states
}{
	SetDebugLogging:          {"fmi2SetDebugLogging", alive},
	SetupExperiment:          {"fmi2SetupExperiment", in(fmi.Instantiated)},
	EnterInitializationMode:  {"fmi2EnterInitializationMode", in(fmi.Instantiated)},
	ExitInitializationMode:   {"fmi2ExitInitializationMode", in(fmi.InitializationMode)},
	Terminate:                {"fmi2Terminate", in(fmi.StepComplete, fmi.StepFailed)},
	Reset:                    {"fmi2Reset", alive},
	GetReal:                  {"fmi2GetReal", getting},
	GetInteger:               {"fmi2GetInteger", getting},
	GetBoolean:               {"fmi2GetBoolean", getting},
	GetString:                {"fmi2GetString", getting},
	SetReal:                  {"fmi2SetReal", setting},
	SetInteger:               {"fmi2SetInteger", setting},
	SetBoolean:               {"fmi2SetBoolean", setting},
	SetString:                {"fmi2SetString", setting},
	GetFMUstate:              {"fmi2GetFMUstate", alive},
	SetFMUstate:              {"fmi2SetFMUstate", alive},
	FreeFMUstate:             {"fmi2FreeFMUstate", alive},
	SerializedFMUstateSize:   {"fmi2SerializedFMUstateSize", alive},
	SerializeFMUstate:        {"fmi2SerializeFMUstate", alive},
	DeSerializeFMUstate:      {"fmi2DeSerializeFMUstate", alive},
	GetDirectionalDerivative: {"fmi2GetDirectionalDerivative", getting},
	SetRealInputDerivatives:  {"fmi2SetRealInputDerivatives", setting},
	GetRealOutputDerivatives: {"fmi2GetRealOutputDerivatives", in(fmi.StepComplete, fmi.StepFailed,
		fmi.Terminated, fmi.Erroneous)},
	DoStep: {"fmi2DoStep", in(fmi.StepComplete)},
	// only while a step is in progress, which a synchronous slave never is
	CancelStep:       {"fmi2CancelStep", 0},
	GetStatus:        {"fmi2GetStatus", asking},
	GetRealStatus:    {"fmi2GetRealStatus", asking},
	GetIntegerStatus: {"fmi2GetIntegerStatus", asking},
	GetBooleanStatus: {"fmi2GetBooleanStatus", asking},
	GetStringStatus:  {"fmi2GetStringStatus", asking},
}

// String returns the name of f in FMI 2.0 or, if f does not exist there, in FMI 3.0.
func (f Function) String() string {
	if f < functionCount && legal[f].name == "" {
		return f.Name(fmi.FMI3)
	}
	return f.Name(fmi.FMI2)
}

// Name returns the name of f in a version of FMI; empty if f does not exist there.
func (f Function) Name(v fmi.Version) string {
	switch {
	case f >= functionCount:
		return "unknown function"
	case v >= fmi.FMI3:
		return legal3[f].name
	}
	return legal[f].name
}

// mayDiscard reports whether FMI 2.0, 2.1.3 and FMI 3.0, 2.2.4 allow f to return Discard in
// co-simulation.
func (f Function) mayDiscard() bool {
	return f >= SetReal && f <= SetBinary || f == DoStep ||
		f >= GetStatus && f <= GetStringStatus ||
		f >= SetFloat32 && f <= SetClock
}

// states returns the states in which f may be called.
func (f Function) states(v fmi.Version) states {
	if v >= fmi.FMI3 {
		return legal3[f].in
	}
	return legal[f].in
}

// check returns an error if f must not be called in state s; the error names the states in which
// the call is allowed.
func (f Function) check(v fmi.Version, s fmi.State) error {
	allowed := f.states(v)
	switch {
	case allowed.has(s):
		return nil
	case allowed == 0 && v >= fmi.FMI3:
		return fmt.Errorf("%w: never allowed, because this FMU supports only co-simulation",
			ErrIllegalCall)
	case allowed == 0:
		return fmt.Errorf("%w: never allowed, because this FMU steps synchronously", ErrIllegalCall)
	}
	return fmt.Errorf("%w: state is %q, allowed in %v", ErrIllegalCall, s, allowed)
}

func (s states) String() string {
	text := ""
	for _, state := range fmi.States() {
		if !s.has(state) {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%q", state)
	}
	return text
}
