package fmu

import (
	"slices"

	"gosmp/fmi"
)

// byName maps the names of the functions of each version that take an instance.
var byName = func() (list [fmi.FMI3 + 1]map[string]Function) {
	for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
		list[v] = map[string]Function{}
		for f := range functionCount {
			if name := f.Name(v); name != "" {
				list[v][name] = f
			}
		}
	}
	return list
}()

// MayCall reports whether a version of FMI allows a function, with a name such as "fmi2DoStep", in
// a state of a co-simulation slave. known is false for functions that are always legal, or that the
// version does not have. It uses the same table as instances.
func MayCall(v fmi.Version, name string, s fmi.State) (legal, known bool) {
	if v != fmi.FMI2 && v != fmi.FMI3 {
		return false, false
	}
	f, known := byName[v][name]
	return known && f.check(v, s) == nil, known
}

// Names returns the sorted names of the functions in the table of legal calls of a version.
func Names(v fmi.Version) (list []string) {
	for name := range byName[v] {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// StateAfter returns the state of a slave after a function, with a name such as "fmi2DoStep", has
// returned a status in a state. events means that the slave was instantiated for Event Mode.
func StateAfter(name string, s fmi.State, status fmi.Status, events bool) fmi.State {
	const prefix = len("fmi2")
	if len(name) < prefix {
		return s
	}
	three := name[:prefix] == "fmi3"
	name = name[prefix:]
	switch {
	case status == fmi.Fatal:
		return fmi.Dead
	case status == fmi.Error && three:
		return fmi.Terminated
	case status == fmi.Error:
		return fmi.Erroneous
	case name == "DoStep" && status == fmi.Pending:
		return fmi.StepInProgress
	case name == "DoStep" && status == fmi.Discard && !three:
		return fmi.StepFailed
	case status > fmi.Warning:
		return s
	}
	if after, found := statesAfter[name]; found {
		return after(s, events)
	}
	return s
}

// statesAfter maps functions that change the state to the states to which they lead if they
// succeed.
var statesAfter = map[string]func(s fmi.State, events bool) fmi.State{
	"Instantiate":             to(fmi.Instantiated),
	"InstantiateCoSimulation": to(fmi.Instantiated),
	"Reset":                   to(fmi.Instantiated),
	"EnterInitializationMode": to(fmi.InitializationMode),
	"EnterEventMode":          to(fmi.EventMode),
	"EnterStepMode":           to(fmi.StepComplete),
	"DoStep":                  to(fmi.StepComplete),
	"CancelStep":              to(fmi.StepCanceled),
	"Terminate":               to(fmi.Terminated),
	"ExitInitializationMode": func(_ fmi.State, events bool) fmi.State {
		if events {
			return fmi.EventMode
		}
		return fmi.StepComplete
	},
	"EnterConfigurationMode": func(s fmi.State, _ bool) fmi.State {
		if s == fmi.StepComplete {
			return fmi.ReconfigurationMode
		}
		return fmi.ConfigurationMode
	},
	"ExitConfigurationMode": func(s fmi.State, _ bool) fmi.State {
		if s == fmi.ReconfigurationMode {
			return fmi.StepComplete
		}
		return fmi.Instantiated
	},
}

func to(s fmi.State) func(fmi.State, bool) fmi.State {
	return func(fmi.State, bool) fmi.State { return s }
}
