package fmu

import (
	"slices"

	"gosmp/fmi"
)

// byName are the functions of each version that take an instance, by their names.
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

// MayCall reports whether a version of FMI allows a function, by its name such as "fmi2DoStep", in a
// state of a slave for co-simulation. known is false for functions that are always legal, or that
// the version does not have. It gives callers the table by which instances judge calls.
func MayCall(v fmi.Version, name string, s fmi.State) (legal, known bool) {
	if v != fmi.FMI2 && v != fmi.FMI3 {
		return false, false
	}
	f, known := byName[v][name]
	return known && f.check(v, s) == nil, known
}

// Names lists the functions of a version in its table of legal calls, sorted.
func Names(v fmi.Version) (list []string) {
	for name := range byName[v] {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
