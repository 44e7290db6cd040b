//go:build !fmucore

package main

import (
	"fmt"
	"slices"

	"gosmp/build"
	"gosmp/fmu"
	"gosmp/internal/fault"
	"gosmp/sensor/dummysensor"
	"gosmp/sensor/simsensor"
)

// shownRows is the number of malformed rows that are listed while an FMU is packed.
const shownRows = 10

// examine checks, before anything is built, whether the FMU can play the files in it: it checks the
// unit of time, and the scenario that is played if an importer sets nothing. It reports oddities in
// the words of "gosmp check".
func examine(d *fmu.Definition, resources []build.Resource, warn func(text string)) error {
	unit, err := simsensor.ParseUnit(start[string](d, "replay.timeUnit"))
	if err != nil {
		return fault.Wrap(build.ErrUsage, build.Place{Object: "replay.timeUnit"}, err)
	}
	name := start[string](d, "replay.scenarioFile")
	if name == "" {
		name = dummysensor.ScenarioResource
	}
	k := slices.IndexFunc(resources, func(r build.Resource) bool { return r.Name == name })
	if k < 0 {
		return nil // an importer must name one
	}
	report, err := simsensor.Inspect(resources[k].Path, simsensor.Options{Unit: unit,
		Loop: start[bool](d, "replay.loop")})
	hint := ""
	if err == nil && start[bool](d, "replay.strict") && len(report.Problems) > 0 {
		err, hint = &report.Problems[0],
			"replay.strict refuses such a scenario; leave it false to have these rows skipped"
	}
	if err != nil {
		return fault.Wrap(build.ErrInput, fault.In("resources/"+name), err).WithHint(hint)
	}
	warnAbout(report, warn)
	return nil
}

// warnAbout warns of everything wrong or odd in a scenario that can still be played.
func warnAbout(r *simsensor.Report, warn func(text string)) {
	shown := r.Problems[:min(len(r.Problems), shownRows)]
	for _, list := range [][]simsensor.Problem{shown, r.Oddities} {
		for k := range list {
			warn(list[k].Error())
		}
	}
	if more := r.Rejected + r.Held - int64(len(shown)); more > 0 {
		warn(fmt.Sprintf("%s: %d more malformed rows; \"gosmp check -u %v\" lists them", r.File,
			more, r.Unit))
	}
}

// start returns the start value of a variable of this model.
func start[T any](d *fmu.Definition, name string) T { return d.Variables.Named(name).Start.(T) }
