package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosmp/run/usage"
)

// checkIsolation refuses settings for FMUs that do not exist.
func (o *Options) checkIsolation(names []string) error {
	for _, name := range slices.Sorted(maps.Keys(o.Isolation)) {
		if !slices.Contains(names, name) {
			return usage.Unexpected("--isolate", fmt.Sprintf("%q", name),
				usage.NearOr(name, names, "the name of an FMU: "+strings.Join(names, ", ")))
		}
	}
	return nil
}

// shared reports whether the FMU with this name lives in the shared process. A setting for this FMU
// takes precedence.
func (o *Options) shared(name string) bool {
	if one, found := o.Isolation[name]; found {
		return one
	}
	return o.Shared
}
