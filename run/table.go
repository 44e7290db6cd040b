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

// users is a set of the kinds of runs that use an option.
type users uint8

const (
	ofFMUs users = 1 << iota // FMUs and systems of FMUs, also with maps
	ofMaps
	ofCharts
	ofExperiments
	ofScenarios
	ofModels // scenarios in which models take part
)

// option is an option with its users, and the function with which runs of a plan set it.
type option struct {
	name  string // on the command line
	users users
	given func(o *Options) bool
	set   func(o *Options, value string) error // for runs of a plan; nil if they do not have it
}

// options defines which option belongs to which kinds of runs, in the order in which they are
// listed.
var options = []option{
	{"--connect", ofFMUs | ofModels, func(o *Options) bool { return len(o.Connections) > 0 },
		setConnection},
	{"--extrapolate", ofFMUs, func(o *Options) bool { return len(o.Extrapolate) > 0 }, nil},
	{"--algorithm", ofFMUs, func(o *Options) bool { return o.Parallel },
		setAlgorithm},
	{"--variant", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.Variant != ""
	},
		func(o *Options, value string) error { o.Variant = value; return nil }},
	{"--library-path", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return len(o.Library) > 0
	},
		nil},

	{"--start-time", ofFMUs, func(o *Options) bool { return o.StartTime != nil },
		seconds(func(o *Options) **float64 { return &o.StartTime })},
	{"--stop-time", ofFMUs | ofCharts, func(o *Options) bool { return o.StopTime != nil },
		seconds(func(o *Options) **float64 { return &o.StopTime })},
	{
		"--step-size",
		ofFMUs | ofScenarios,
		func(o *Options) bool { return o.StepSize != nil || len(o.StepSizes) > 0 },
		setStepSize,
	},
	{"--real-time", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.RealTime != 0
	}, nil},
	{"--view", ofFMUs | ofCharts | ofExperiments | ofScenarios, func(o *Options) bool {
		return o.View
	}, nil},
	{"--tolerance", ofFMUs | ofModels, func(o *Options) bool { return o.Tolerance != nil },
		number(func(o *Options) **float64 { return &o.Tolerance })},
	{"--no-set-stop-time", ofFMUs, func(o *Options) bool { return o.NoStopTime },
		boolean(func(o *Options) *bool { return &o.NoStopTime })},

	{"--start-value", ofFMUs | ofModels, func(o *Options) bool { return len(o.StartValues) > 0 },
		assignment(func(o *Options) *[]Assignment { return &o.StartValues })},
	{"--clock-interval", ofFMUs, func(o *Options) bool { return len(o.ClockIntervals) > 0 }, nil},
	{"--set-all-start-values", ofFMUs | ofModels, func(o *Options) bool { return o.AllStartValues },
		boolean(func(o *Options) *bool { return &o.AllStartValues })},
	{"--input-file", ofFMUs, func(o *Options) bool { return o.InputFile != "" }, nil},
	{"--input-messages", ofFMUs, func(o *Options) bool { return len(o.InputMessages) > 0 }, nil},
	{"--sensor-view-config", ofFMUs | ofModels, func(o *Options) bool {
		return len(o.ViewConfigs) > 0
	}, nil},

	{
		"--output-file",
		ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return o.OutputFile != "" },
		nil,
	},
	{
		"--output-variable",
		ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.OutputVariables) > 0 },
		func(o *Options, value string) error {
			o.OutputVariables = append(o.OutputVariables, value)
			return nil
		},
	},
	{"--output-format", ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return o.OutputFormat != "" }, nil},
	{"--output-interval", ofFMUs | ofExperiments | ofScenarios,
		func(o *Options) bool { return o.OutputInterval != nil }, nil},
	{"--array-columns", ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return o.ArrayColumns }, nil},
	{"--record", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.Record != ""
	}, nil},
	{"--record-only", ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.RecordOnly) > 0 }, nil},
	{"--output-messages", ofFMUs, func(o *Options) bool { return len(o.OutputMessages) > 0 }, nil},
	{"--bridge", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.Bridge != ""
	}, nil},
	{"--allow-origin", ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.Access.Origins) > 0 }, nil},
	{"--allow-driving-from", ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.Access.Driving) > 0 }, nil},
	{"--token", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.Access.Token != ""
	}, nil},
	{"--tls-cert", ofFMUs | ofExperiments | ofModels,
		func(o *Options) bool { return o.Access.Certificate != "" }, nil},
	{"--tls-key", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.Access.Key != ""
	}, nil},
	{"--plot", ofFMUs, func(o *Options) bool { return o.Plot != "" }, nil},
	{"--graph", ofFMUs, func(o *Options) bool { return o.Graph != "" }, nil},

	{
		"--isolate",
		ofFMUs | ofCharts | ofModels,
		func(o *Options) bool { return o.Shared || len(o.Isolation) > 0 },
		nil,
	},
	{"--timeout", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.Timeout != 0
	}, nil},
	{"--memory", ofFMUs | ofModels, func(o *Options) bool { return o.Memory != 0 }, nil},
	{"--core", ofFMUs | ofModels, func(o *Options) bool { return o.Core }, nil},
	{"--work-dir", ofFMUs | ofModels, func(o *Options) bool { return o.WorkDir != "" }, nil},
	{"--preload", ofFMUs | ofModels, func(o *Options) bool { return o.Preload != "" }, nil},
	{"--visible", ofFMUs | ofModels, func(o *Options) bool { return o.Visible }, nil},

	{"--logging-on", ofFMUs | ofExperiments | ofModels, func(o *Options) bool {
		return o.LoggingOn
	}, nil},
	{"--log-category", ofFMUs | ofModels, func(o *Options) bool {
		return len(o.LogCategories) > 0
	}, nil},
	{"--log-fmi-calls", ofFMUs | ofModels, func(o *Options) bool { return o.LogCalls }, nil},

	{"--set-input-derivatives", ofFMUs, func(o *Options) bool { return o.InputDerivatives }, nil},
	{"--event-mode-used", ofFMUs, func(o *Options) bool { return o.EventMode },
		boolean(func(o *Options) *bool { return &o.EventMode })},
	{"--early-return-allowed", ofFMUs, func(o *Options) bool { return o.EarlyReturn },
		boolean(func(o *Options) *bool { return &o.EarlyReturn })},
	{"--intermediate-values", ofFMUs, func(o *Options) bool { return o.Intermediate },
		boolean(func(o *Options) *bool { return &o.Intermediate })},
	{"--rollback", ofFMUs, func(o *Options) bool { return o.Rollback },
		boolean(func(o *Options) *bool { return &o.Rollback })},
	{
		"--initial-fmu-state-file",
		ofFMUs,
		func(o *Options) bool { return o.InitialState != "" },
		nil,
	},
	{"--final-fmu-state-file", ofFMUs, func(o *Options) bool { return o.FinalState != "" }, nil},

	{"--actors", ofMaps, func(o *Options) bool { return o.Actors != DefaultActors }, nil},
	{"--traffic-speed", ofMaps, func(o *Options) bool { return o.TrafficSpeed != 0 }, nil},
	{"--lane-changes", ofMaps, func(o *Options) bool { return o.LaneChanges }, nil},
	{"--range", ofMaps | ofModels, func(o *Options) bool { return o.Range != DefaultRange }, nil},

	{"--drive", ofMaps | ofModels, func(o *Options) bool { return len(o.Drive) > 0 },
		assignment(func(o *Options) *[]Assignment { return &o.Drive })},
	{"--on", ofMaps | ofModels, func(o *Options) bool { return len(o.On) > 0 },
		assignment(func(o *Options) *[]Assignment { return &o.On })},
	{"--start-from", ofMaps | ofModels,
		func(o *Options) bool { return o.StartFrom != "" && o.StartFrom != StartFromWorld }, nil},

	{"--simulator", ofMaps | ofExperiments | ofScenarios,
		func(o *Options) bool { return o.Simulator != "" },
		func(o *Options, value string) error { o.Simulator = value; return nil }},

	{"--events", ofCharts, func(o *Options) bool { return o.Events != "" }, nil},
	{"--seed", ofCharts | ofMaps | ofScenarios,
		func(o *Options) bool { return o.Seed != DefaultSeed }, nil},
	{"--timeline", ofCharts, func(o *Options) bool { return o.Timeline != "" }, nil},

	{"--rng-seed", ofExperiments, func(o *Options) bool { return o.RNGSeed != 0 }, nil},
	{"--set", ofExperiments | ofScenarios, func(o *Options) bool { return len(o.Set) > 0 }, nil},
	{"--report", ofFMUs | ofCharts | ofExperiments | ofScenarios,
		func(o *Options) bool { return o.Report != "" }, nil},
	{"--control", ofExperiments, func(o *Options) bool { return o.Held }, nil},
	{"--resume", ofExperiments, func(o *Options) bool { return o.Resume != "" }, nil},
	{"--junit", ofExperiments | ofScenarios, func(o *Options) bool { return o.JUnit != "" }, nil},

	{"--sut", ofScenarios, func(o *Options) bool { return len(o.SUT) > 0 },
		assignment(func(o *Options) *[]Assignment { return &o.SUT })},
	{"--point", ofScenarios, func(o *Options) bool { return o.Point != nil }, nil},
	{"--duration", ofScenarios, func(o *Options) bool { return o.Duration != nil },
		seconds(func(o *Options) **float64 { return &o.Duration })},
	{"--require", ofScenarios, func(o *Options) bool { return len(o.Require) > 0 },
		func(o *Options, value string) error { o.Require = append(o.Require, value); return nil }},
	{"--dismissed", ofModels,
		func(o *Options) bool { return o.Dismissed != "" && o.Dismissed != DismissedWarn },
		func(o *Options, value string) error { o.Dismissed = value; return nil }},
	{"--map", ofScenarios, func(o *Options) bool { return o.Map != "" },
		func(o *Options, value string) error { o.Map = value; return nil }},
	{"--trajectories", ofScenarios, func(o *Options) bool { return o.Trajectories != "" }, nil},
	{"--disable-controllers", ofScenarios, func(o *Options) bool { return o.DisableControllers },
		boolean(func(o *Options) *bool { return &o.DisableControllers })},
	{"--halve", ofScenarios, func(o *Options) bool { return o.Halve }, nil},
}

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
		if o.hasModels() {
			return ofScenarios | ofModels
		}
		return ofScenarios
	}
	if o.hasMap() {
		return ofFMUs | ofMaps
	}
	return ofFMUs
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
	switch is := o.Kind(); is {
	case kind.Experiment:
		return o.refuse(
			o.Unused(),
			o.Files[0]+", an experiment",
			"FMUs, maps, a system or a statechart; see gosmp run --help",
		)
	case kind.Scenario:
		if names := o.given(func(u users) bool { return u&ofModels != 0 }); !o.hasModels() &&
			len(names) > 0 {
			return o.refuse(o.Unused(), o.Files[0]+", a scenario without a model",
				"--sut, --drive or --on with an FMU, or --record")
		}
		if o.DisableControllers && len(o.SUT)+len(o.Drive) > 0 {
			return usage.Unexpected("--disable-controllers", "a system under test", "one of them")
		}
		return o.refuse(
			o.Unused(),
			o.Files[0]+", a scenario",
			"FMUs, maps, a system, a statechart or an experiment; see gosmp run --help",
		)
	case kind.Statechart:
		if err := o.refuseForeign(ofExperiments, o.users()); err != nil {
			return err
		}
		return o.refuse(
			o.Unused(),
			o.Files[0]+", a statechart",
			"FMUs, maps, a system or an experiment; see gosmp run --help",
		)
	}
	used := o.users()
	for _, of := range []users{ofExperiments, ofScenarios, ofMaps, ofCharts} {
		if err := o.refuseForeign(of, used); err != nil {
			return err
		}
	}
	return nil
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
	names := o.given(func(u users) bool { return u&used == 0 && u&of != 0 && u&ofFMUs == 0 })
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
