package examine

import (
	"slices"
	"strings"

	"gosmp/fmi"
)

// The tables of legal calls: FMI 2.0, 4.2.4 and FMI 3.0, 4.2.1. Get and Set stand for the functions
// of all types; which variables they may name is decided by [subject.settable] and
// [subject.readable]. The states by their letters:
//
//	I instantiated, K configuration, M initialization, C step complete or Step Mode, F step
//	failed, V Event Mode, R reconfiguration, T terminated, E error
const (
	legal2 = `
SetDebugLogging          I M C F T E
FreeInstance             I M C F T E
Reset                    I M C F T E
SetupExperiment          I
EnterInitializationMode  I
ExitInitializationMode   M
Terminate                C F
Get                      M C F T E
Set                      I M C
GetFMUstate              I M C F T E
SetFMUstate              I M C F T E
FreeFMUstate             I M C F T E
SerializedFMUstateSize   I M C F T E
SerializeFMUstate        I M C F T E
DeSerializeFMUstate      I M C F T E
GetDirectionalDerivative M C F T E
SetRealInputDerivatives  I M C
GetRealOutputDerivatives C F T E
DoStep                   C
CancelStep
GetStatus                C F T
GetRealStatus            C F T
GetIntegerStatus         C F T
GetBooleanStatus         C F T
GetStringStatus          C F T
`
	legal3 = `
SetDebugLogging          I K M C V R T E
FreeInstance             I K M C V R T E
Reset                    I K M C V R T E
EnterConfigurationMode   I C
ExitConfigurationMode    K R
EnterInitializationMode  I
ExitInitializationMode   M
EnterEventMode           C
EnterStepMode            V
Terminate                C V
Get                      I M C V R T E
Set                      I K M C V R
GetClock                 M V
SetClock                 M V
GetFMUState              I K M C V R T E
SetFMUState              I K M C V R T E
FreeFMUState             I K M C V R T E
SerializedFMUStateSize   I K M C V R T E
SerializeFMUState        I K M C V R T E
DeserializeFMUState      I K M C V R T E
GetDirectionalDerivative M C V T E
GetAdjointDerivative     M C V T E
GetOutputDerivatives     C T E
DoStep                   C
UpdateDiscreteStates     V
EvaluateDiscreteStates   V
`
)

var letters = map[string]fmi.State{
	"I": fmi.Instantiated, "K": fmi.ConfigurationMode, "M": fmi.InitializationMode,
	"C": fmi.StepComplete, "F": fmi.StepFailed, "V": fmi.EventMode, "R": fmi.ReconfigurationMode,
	"T": fmi.Terminated, "E": fmi.Erroneous,
}

// table is a table of legal calls: the states of each function, without its prefix.
type table map[string][]fmi.State

func parseTable(text string) (t table) {
	t = table{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		t[words[0]] = []fmi.State{}
		for _, letter := range words[1:] {
			t[words[0]] = append(t[words[0]], letters[letter])
		}
	}
	return t
}

var tables = map[int]table{2: parseTable(legal2), 3: parseTable(legal3)}

// row is the row of a function, "fmi2GetReal", in its table; false for functions without an
// instance.
func row(function string) (states []fmi.State, known bool) {
	if len(function) < 5 || !strings.HasPrefix(function, "fmi") {
		return nil, false
	}
	t := tables[int(function[3]-'0')]
	name := function[4:]
	if states, known = t[name]; known {
		return states, true
	}
	for _, verb := range []string{"Get", "Set"} {
		if rest, ok := strings.CutPrefix(name, verb); ok && isTypeName(rest) {
			states, known = t[verb]
			return states, known
		}
	}
	return nil, false
}

func isTypeName(name string) bool {
	for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
		if t, err := fmi.ParseType(v, name); err == nil && t != fmi.Enumeration {
			return true
		}
	}
	return false
}

// legal reports whether a function may be called in a state.
func legal(function string, s fmi.State) bool {
	states, known := row(function)
	return !known || slices.Contains(states, s)
}

// after is the state that a successful call leads to.
func after(function string, s fmi.State, events bool) fmi.State {
	switch function[4:] {
	case "EnterInitializationMode":
		return fmi.InitializationMode
	case "ExitInitializationMode":
		if events {
			return fmi.EventMode
		}
		return fmi.StepComplete
	case "EnterConfigurationMode":
		if s == fmi.StepComplete {
			return fmi.ReconfigurationMode
		}
		return fmi.ConfigurationMode
	case "ExitConfigurationMode":
		if s == fmi.ReconfigurationMode {
			return fmi.StepComplete
		}
		return fmi.Instantiated
	case "EnterEventMode":
		return fmi.EventMode
	case "EnterStepMode":
		return fmi.StepComplete
	case "Terminate":
		return fmi.Terminated
	case "Reset", "Instantiate", "InstantiateCoSimulation":
		return fmi.Instantiated
	}
	return s
}
