package run

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/importer/system"
	"gosmp/mocksim/foreign"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// given returns the given options that pass a test.
func (o *Options) given(test func(users) bool) (names []string) {
	for _, x := range options {
		if test(x.users) && x.given(o) {
			names = append(names, x.name)
		}
	}
	return names
}

// Unused returns the given options that have no effect on a run of these files.
func (o *Options) Unused() []string {
	used := o.users()
	return o.given(func(u users) bool { return u&used == 0 })
}

// users returns the kinds of the run, which may contain both FMUs and maps.
func (o *Options) users() users {
	switch o.Kind() {
	case kind.Experiment:
		return ofExperiments
	case kind.Statechart:
		return ofCharts
	case kind.Scenario:
		return o.scenarioUsers()
	}
	used := ofSystems
	for _, argument := range o.Files {
		if _, file := system.Named(argument); isMap(file) {
			used |= ofMaps
		} else {
			used |= ofFMUs
		}
	}
	if len(o.Drive)+len(o.On) > 0 {
		used |= ofFMUs
	}
	return used
}

// scenarioUsers returns the kinds of a run of a scenario.
func (o *Options) scenarioUsers() users {
	used := ofScenarios
	if o.hasModels() {
		used |= ofModels
	}
	for _, a := range slices.Concat(o.SUT, o.Drive, o.On) {
		if IsProgram(a.Value) {
			used |= ofPrograms
		} else {
			used |= ofModelFMUs
		}
	}
	return used
}

// Kind returns the kind of run: [kind.Experiment], [kind.Statechart], [kind.Scenario], or
// [kind.System] for FMUs and maps.
func (o *Options) Kind() string {
	if o.Document != nil && kind.OfContent(o.Files[0], o.Document) == kind.Statechart {
		return kind.Statechart
	}
	if is := kind.Of(o.Files[0]); slices.Contains(single, is) {
		return is
	}
	return kind.System
}

// single lists the kinds of files that run alone.
var single = []string{kind.Experiment, kind.Statechart, kind.Scenario}

// Check refuses files that cannot run together, and options that have no effect on them. [Run]
// starts with this check.
func (o *Options) Check() error {
	if len(o.Files) == 0 {
		return usage.Unexpected(
			"run",
			"no file",
			"FMUs, maps, a system, a statechart, an experiment or a scenario",
		)
	}
	if err := o.checkKinds(); err != nil {
		return err
	}
	if o.Simulator != "" {
		if err := foreign.Check(o.Simulator); err != nil {
			return usage.Invalid("--simulator", err)
		}
	}
	if o.View && o.Held {
		return usage.Unexpected("--view", "--control", "one of them: the page has buttons for it")
	}
	if err := o.checkUse(); err != nil {
		return err
	}
	return o.checkDependent()
}

// checkUse refuses options that have no effect on this kind of run.
func (o *Options) checkUse() error {
	used, of := o.users(), o.Files[0]
	switch o.Kind() {
	case kind.Experiment:
		return o.refuse(o.Unused(), of+", an experiment",
			"FMUs, maps, a system or a statechart; see gosmp run --help")
	case kind.Scenario:
		return o.checkScenarioUse(used)
	case kind.Statechart:
		if err := o.refuseForeign(ofExperiments, used); err != nil {
			return err
		}
		return o.refuse(o.Unused(), of+", a statechart",
			"FMUs, maps, a system or an experiment; see gosmp run --help")
	}
	for _, of := range []users{ofExperiments, ofScenarios, ofMaps, ofCharts} {
		if err := o.refuseForeign(of, used); err != nil {
			return err
		}
	}
	return o.refuse(o.Unused(), strings.Join(o.Files, " ")+", without an FMU",
		"an FMU among the files, or --drive or --on with one")
}

// checkScenarioUse refuses options that have no effect on this run of a scenario.
func (o *Options) checkScenarioUse(used users) error {
	unused := o.Unused()
	idle := o.given(func(u users) bool { return u&used == 0 && u&(ofModels|ofModelFMUs) != 0 })
	switch {
	case len(idle) > 0 && used&ofModels == 0:
		return o.refuse(unused, o.Files[0]+", a scenario without a model",
			"--sut, --drive or --on with an FMU, or --record")
	case len(idle) > 0:
		return o.refuse(unused, o.Files[0]+", a scenario without an FMU",
			"--sut, --drive or --on with an FMU")
	case used&ofModels == 0 && len(o.StepSizes) > 0:
		return usage.Unexpected("--step-size", "the step of an FMU and "+o.Files[0]+
			", a scenario without a model", "the step of the scenario, such as 0.01")
	case o.DisableControllers && len(o.SUT)+len(o.Drive) > 0:
		return usage.Unexpected("--disable-controllers", "a system under test", "one of them")
	case o.Halve && o.Bridge != "":
		return usage.Unexpected("--halve", "--bridge",
			"one of them: the second run would send its messages, too")
	}
	return o.refuse(unused, o.Files[0]+", a scenario",
		"FMUs, maps, a system, a statechart or an experiment; see gosmp run --help")
}

// dependent lists options that have an effect only together with one of others, in runs of these
// kinds.
var dependent = []struct {
	options []string
	of      users
	others  []string
}{
	{[]string{"--output-format", "--array-columns"}, ^users(0), []string{"--output-file"}},
	{[]string{"--output-interval"}, ^users(0), []string{"--output-file", "--trajectories"}},
	// Runs of FMUs always report the last values of these variables.
	{[]string{"--output-variable"}, ofExperiments | ofScenarios, []string{"--output-file"}},
	{[]string{"--record-only"}, ^users(0), []string{"--record"}},
	{[]string{"--log-category"}, ^users(0), []string{"--logging-on"}},
	{[]string{"--allow-origin", "--allow-driving-from", "--token", "--tls-cert", "--tls-key"},
		^users(0), []string{"--bridge"}},
	{[]string{"--set-input-derivatives"}, ^users(0), []string{"--input-file"}},
	{[]string{"--start-from", "--dismissed"}, ^users(0), []string{"--drive", "--sut"}},
}

// checkDependent refuses options that have no effect without others.
func (o *Options) checkDependent() error {
	used := o.users()
	all := o.given(func(users) bool { return true })
	has := func(name string) bool { return slices.Contains(all, name) }
	for _, d := range dependent {
		if d.of&used == 0 || slices.ContainsFunc(d.others, has) {
			continue
		}
		idle := slices.DeleteFunc(slices.Clone(d.options), func(name string) bool {
			return !has(name)
		})
		if len(idle) > 0 {
			return usage.Unexpected(strings.Join(idle, ", "), "no "+o.alternatives(d.others),
				"it, too")
		}
	}
	return nil
}

// alternatives lists those of some options that this kind of run has.
func (o *Options) alternatives(names []string) string {
	usable := o.usable()
	return strings.Join(slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, is := usable[name]
		return !is
	}), " or ")
}

// checkKinds refuses traces, and files that do not run with others.
func (o *Options) checkKinds() error {
	for _, argument := range o.Files {
		_, file := system.Named(argument)
		is := kind.Of(file)
		if is == kind.Trace {
			return usage.Unexpected("run", file+", a trace of messages",
				"FMUs, maps, a system, a statechart, an experiment or a scenario; "+
					"traces are played "+
					"with --input-messages")
		}
		if len(o.Files) > 1 && slices.Contains(single, is) {
			return usage.Unexpected(
				"run",
				fmt.Sprintf("%s (%s) among %d files", file, is, len(o.Files)),
				"one "+is+" alone, or FMUs and maps",
			)
		}
	}
	return nil
}

// refuseForeign refuses options that belong to a single other kind of run.
func (o *Options) refuseForeign(of, used users) error {
	names := o.given(func(u users) bool {
		return u&used == 0 && u&of != 0 &&
			u&(ofSystems|ofFMUs) == 0
	})
	switch of {
	case ofExperiments:
		return o.refuse(names, o.Files[0], "an experiment")
	case ofScenarios:
		return o.refuse(withoutSeed(names), o.Files[0], "a scenario (OpenSCENARIO)")
	case ofMaps:
		names = withoutSeed(names)
		return o.refuse(names, strings.Join(o.Files, " "), "a map (OpenDRIVE) among the files")
	}
	return o.refuse(names, o.Files[0], "a statechart")
}

// withoutSeed drops the option that statecharts also have, because they are checked last.
func withoutSeed(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "--seed" })
}

func (o *Options) refuse(names []string, found, expected string) error {
	if len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if list := usage.Alike(name, o.usable()); len(list) > 0 {
			expected += fmt.Sprintf("; instead of %s, use %s here", name,
				strings.Join(list, " or "))
		}
	}
	return usage.Unexpected(strings.Join(names, ", "), found, expected)
}

// usable returns the options that have an effect on this kind of run.
func (o *Options) usable() map[string]bool {
	names, used := map[string]bool{}, o.users()
	for _, x := range options {
		if x.users&used != 0 {
			names[x.name] = false
		}
	}
	return names
}

// Names returns the names of all options.
func Names() (names []string) {
	for _, x := range options {
		names = append(names, x.name)
	}
	return names
}
