package run

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/run/usage"
)

// isolation determines which FMUs share a process, by --isolate: "process" or "shared" for all,
// "NAME=process" or "NAME=shared" for one. A value for one FMU takes precedence over a value for
// all.
type isolation struct {
	all   bool // FMUs share a process unless they are named
	named map[string]bool
}

// parseIsolation reads the values of --isolate for FMUs of the given names.
func parseIsolation(values, names []string) (isolation, error) {
	const flag = "--isolate"
	i := isolation{named: map[string]bool{}}
	whole := false
	for _, text := range values {
		name, how, one := CutLast(text, "=")
		if how != "process" && how != "shared" {
			return i, cli.Unexpected(flag, fmt.Sprintf("%q", how), "process or shared")
		}
		_, again := i.named[name]
		switch {
		case one && !slices.Contains(names, name):
			return i, cli.Unexpected(flag, fmt.Sprintf("%q", name), usage.NearOr(name, names, "the name of an FMU: "+strings.Join(names, ", ")))
		case one && again, !one && whole:
			return i, cli.Unexpected(flag, text+" as a second value", "one for all FMUs and one for each name")
		case one:
			i.named[name] = how == "shared"
		default:
			i.all, whole = how == "shared", true
		}
	}
	return i, nil
}

// CutLast cuts at the last separator; without one everything is after.
func CutLast(text, separator string) (before, after string, found bool) {
	if k := strings.LastIndex(text, separator); k >= 0 {
		return text[:k], text[k+len(separator):], true
	}
	return "", text, false
}

// shared reports whether the FMU of this name lives in the shared process.
func (i isolation) shared(name string) bool {
	if one, found := i.named[name]; found {
		return one
	}
	return i.all
}
