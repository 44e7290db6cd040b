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
