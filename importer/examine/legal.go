package examine

import (
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/importer/worker/probe"
)

// legal reports whether a function may be called in a state, according to the table of
// [fmu.MayCall], which the project's own FMUs obey. [subject.readable] and [subject.settable]
// determine which variables a Get or Set function may access.
func legal(function string, s fmi.State) bool {
	if len(function) < 5 || !strings.HasPrefix(function, "fmi") {
		return true // an instruction
	}
	allowed, known := fmu.MayCall(fmi.Version(function[3]-'0'), function, s)
	return !known || allowed
}

// callable lists the functions in that table that a probe can call. Functions that read values
// count as one function, "fmi2Get", and functions that set values as "fmi2Set".
func callable(major int) (list []string) {
	for _, name := range fmu.Names(fmi.Version(major)) {
		if !probe.Knows(name) {
			continue
		}
		if verb := name[:7]; isTypeName(name[7:]) && (verb[4:] == "Get" || verb[4:] == "Set") {
			name = verb
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// typical returns a function that represents the group with the given name from [callable].
func typical(name string) string {
	switch name {
	case "fmi2Get", "fmi2Set":
		return name + "Real"
	case "fmi3Get", "fmi3Set":
		return name + "Float64"
	}
	return name
}

func isTypeName(name string) bool {
	for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
		if t, err := fmi.ParseType(v, name); err == nil && t != fmi.Enumeration && t != fmi.Clock {
			return true
		}
	}
	return false
}
