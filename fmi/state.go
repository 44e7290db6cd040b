package fmi

import "fmt"

// State is a state of a co-simulation slave, from the state charts of FMI 2.0 (4.2.4) and FMI 3.0
// (4.2.1). Step Mode of FMI 3.0 is StepComplete.
type State uint8

// The states. The numbers are part of saved states of FMUs: add new states at the end.
const (
	Instantiated State = iota
	InitializationMode
	StepComplete // FMI 3.0: Step Mode
	StepFailed   // FMI 2.0: after a discarded step
	Terminated
	Erroneous              // FMI 2.0: after an error
	Dead                   // after a fatal error
	StepInProgress         // FMI 2.0: asynchronous slaves
	StepCanceled           // FMI 2.0: asynchronous slaves
	ConfigurationMode      // FMI 3.0
	ReconfigurationMode    // FMI 3.0
	EventMode              // FMI 3.0
	IntermediateUpdateMode // FMI 3.0
	stateCount
)

var stateNames = [stateCount]string{
	"instantiated", "initialization mode", "step complete", "step failed", "terminated", "error",
	"fatal", "step in progress",
	"step canceled", "configuration mode", "reconfiguration mode", "event mode",
	"intermediate update mode",
}

// String returns the name from the state chart in lower case.
func (s State) String() string {
	if s >= stateCount {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return stateNames[s]
}

// States lists all states, sorted by number.
func States() []State {
	list := make([]State, stateCount)
	for k := range list {
		list[k] = State(k)
	}
	return list
}

// InterfaceType is a way to run a model, spelled like its element in the model description.
type InterfaceType string

// The interface types. FMI 3.0 introduced ScheduledExecution.
const (
	ModelExchange      InterfaceType = "ModelExchange"
	CoSimulation       InterfaceType = "CoSimulation"
	ScheduledExecution InterfaceType = "ScheduledExecution"
)

// InterfaceTypes lists the interface types of a version.
func InterfaceTypes(v Version) []InterfaceType {
	list := []InterfaceType{ModelExchange, CoSimulation}
	if v >= FMI3 {
		list = append(list, ScheduledExecution)
	}
	return list
}
