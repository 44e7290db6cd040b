package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// Function is one of the standard's functions, or a group of them that shares a row in the table of
// legal calls.
type Function uint8

// The functions that take an instance.
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
// [Variable.settableIn] decides which variables a Set may change in each of them. A Get is allowed
// in the error state because the standard permits it there for debugging.
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
	GetBinary:                {"fmi3GetBinary", getting},
	SetReal:                  {"fmi2SetReal", setting},
	SetInteger:               {"fmi2SetInteger", setting},
	SetBoolean:               {"fmi2SetBoolean", setting},
	SetString:                {"fmi2SetString", setting},
	SetBinary:                {"fmi3SetBinary", setting},
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

// String is the name of f in the standard.
func (f Function) String() string {
	if f >= functionCount {
		return "unknown function"
	}
	return legal[f].name
}

// mayDiscard reports whether FMI 2.0, 2.1.3 allows f to return fmi2Discard in co-simulation.
func (f Function) mayDiscard() bool {
	return f >= SetReal && f <= SetBinary || f == DoStep || f >= GetStatus && f <= GetStringStatus
}

// check returns an error if f must not be called in state s; the error names the states in which it
// may.
func (f Function) check(s fmi.State) error {
	if legal[f].in.has(s) {
		return nil
	}
	if legal[f].in == 0 {
		return fmt.Errorf("%w: never allowed, because this FMU steps synchronously", ErrIllegalCall)
	}
	return fmt.Errorf("%w: state is %q, allowed in %v", ErrIllegalCall, s, legal[f].in)
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
