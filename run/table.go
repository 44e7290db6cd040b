package run

// users is a set of the kinds of runs that use an option.
type users uint16

const (
	ofSystems users = 1 << iota // FMUs, systems of FMUs, and maps
	ofFMUs                      // systems in which an FMU takes part
	ofMaps                      // systems with a map
	ofCharts
	ofExperiments
	ofScenarios
	ofModels    // scenarios in which models take part, or whose engine is recorded
	ofModelFMUs // scenarios in which an FMU takes part
	ofPrograms  // scenarios in which a program takes part
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
	{"--connect", ofSystems | ofModels, func(o *Options) bool { return len(o.Connections) > 0 },
		setConnection},
	{"--extrapolate", ofSystems, func(o *Options) bool { return len(o.Extrapolate) > 0 }, nil},
	{"--algorithm", ofSystems, func(o *Options) bool { return o.Parallel },
		setAlgorithm},
	{"--variant", ofSystems | ofExperiments | ofModels, func(o *Options) bool {
		return o.Variant != ""
	},
		func(o *Options, value string) error { o.Variant = value; return nil }},
	{"--library-path", ofSystems | ofExperiments | ofModels, func(o *Options) bool {
		return len(o.Library) > 0
	},
		nil},

	{"--start-time", ofSystems, func(o *Options) bool { return o.StartTime != nil },
		seconds(func(o *Options) **float64 { return &o.StartTime })},
	{"--stop-time", ofSystems | ofCharts, func(o *Options) bool { return o.StopTime != nil },
		seconds(func(o *Options) **float64 { return &o.StopTime })},
	{
		"--step-size",
		ofSystems | ofScenarios,
		func(o *Options) bool { return o.StepSize != nil || len(o.StepSizes) > 0 },
		setStepSize,
	},
	{"--real-time", ofSystems | ofExperiments | ofModels, func(o *Options) bool {
		return o.RealTime != 0
	}, nil},
	{"--view", ofSystems | ofCharts | ofExperiments | ofScenarios, func(o *Options) bool {
		return o.View
	}, nil},
	{"--tolerance", ofFMUs | ofModelFMUs, func(o *Options) bool { return o.Tolerance != nil },
		number(func(o *Options) **float64 { return &o.Tolerance })},
	{"--no-set-stop-time", ofFMUs, func(o *Options) bool { return o.NoStopTime },
		boolean(func(o *Options) *bool { return &o.NoStopTime })},

	{"--start-value", ofSystems | ofModelFMUs,
		func(o *Options) bool { return len(o.StartValues) > 0 },
		assignment(func(o *Options) *[]Assignment { return &o.StartValues })},
	{"--clock-interval", ofFMUs, func(o *Options) bool { return len(o.ClockIntervals) > 0 }, nil},
	{"--set-all-start-values", ofFMUs | ofModelFMUs,
		func(o *Options) bool { return o.AllStartValues },
		boolean(func(o *Options) *bool { return &o.AllStartValues })},
	{"--input-file", ofSystems, func(o *Options) bool { return o.InputFile != "" }, nil},
	{"--input-messages", ofSystems, func(o *Options) bool { return len(o.InputMessages) > 0 }, nil},
	{"--sensor-view-config", ofFMUs | ofModelFMUs, func(o *Options) bool {
		return len(o.ViewConfigs) > 0
	}, nil},

	{
		"--output-file",
		ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return o.OutputFile != "" },
		nil,
	},
	{
		"--output-variable",
		ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.OutputVariables) > 0 },
		func(o *Options, value string) error {
			o.OutputVariables = append(o.OutputVariables, value)
			return nil
		},
	},
	{"--output-format", ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return o.OutputFormat != "" }, nil},
	{"--output-interval", ofSystems | ofExperiments | ofScenarios,
		func(o *Options) bool { return o.OutputInterval != nil }, nil},
	{"--array-columns", ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return o.ArrayColumns }, nil},
	{"--record", ofSystems | ofExperiments | ofModels, func(o *Options) bool {
		return o.Record != ""
	}, nil},
	{"--record-only", ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.RecordOnly) > 0 }, nil},
	{"--output-messages", ofSystems,
		func(o *Options) bool { return len(o.OutputMessages) > 0 }, nil},
	{"--bridge", ofSystems | ofExperiments | ofModels, func(o *Options) bool {
		return o.Bridge != ""
	}, nil},
	{"--allow-origin", ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.Access.Origins) > 0 }, nil},
	{"--allow-driving-from", ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return len(o.Access.Driving) > 0 }, nil},
	{"--token", ofSystems | ofExperiments | ofModels, func(o *Options) bool {
		return o.Access.Token != ""
	}, nil},
	{"--tls-cert", ofSystems | ofExperiments | ofModels,
		func(o *Options) bool { return o.Access.Certificate != "" }, nil},
	{"--tls-key", ofSystems | ofExperiments | ofModels, func(o *Options) bool {
		return o.Access.Key != ""
	}, nil},
	{"--plot", ofSystems, func(o *Options) bool { return o.Plot != "" }, nil},
	{"--graph", ofSystems, func(o *Options) bool { return o.Graph != "" }, nil},

	{
		"--isolate",
		ofFMUs | ofModelFMUs,
		func(o *Options) bool { return o.Shared || len(o.Isolation) > 0 },
		nil,
	},
	{"--timeout", ofFMUs | ofExperiments | ofModelFMUs | ofPrograms, func(o *Options) bool {
		return o.Timeout != 0
	}, nil},
	{"--memory", ofFMUs | ofModelFMUs, func(o *Options) bool { return o.Memory != 0 }, nil},
	{"--core", ofFMUs | ofModelFMUs, func(o *Options) bool { return o.Core }, nil},
	{"--work-dir", ofFMUs | ofModelFMUs, func(o *Options) bool { return o.WorkDir != "" }, nil},
	{"--preload", ofFMUs | ofModelFMUs, func(o *Options) bool { return o.Preload != "" }, nil},
	{"--visible", ofFMUs | ofModelFMUs, func(o *Options) bool { return o.Visible }, nil},

	{"--logging-on", ofFMUs | ofModelFMUs | ofExperiments, func(o *Options) bool {
		return o.LoggingOn
	}, nil},
	{"--log-category", ofFMUs | ofModelFMUs, func(o *Options) bool {
		return len(o.LogCategories) > 0
	}, nil},
	{"--log-fmi-calls", ofFMUs | ofModelFMUs, func(o *Options) bool { return o.LogCalls }, nil},

	{"--set-input-derivatives", ofFMUs, func(o *Options) bool { return o.InputDerivatives }, nil},
	{"--event-mode-used", ofFMUs, func(o *Options) bool { return o.EventMode },
		boolean(func(o *Options) *bool { return &o.EventMode })},
	{"--early-return-allowed", ofFMUs, func(o *Options) bool { return o.EarlyReturn },
		boolean(func(o *Options) *bool { return &o.EarlyReturn })},
	{"--intermediate-values", ofFMUs, func(o *Options) bool { return o.Intermediate },
		boolean(func(o *Options) *bool { return &o.Intermediate })},
	{"--rollback", ofSystems, func(o *Options) bool { return o.Rollback },
		boolean(func(o *Options) *bool { return &o.Rollback })},
	{
		"--initial-fmu-state-file",
		ofSystems,
		func(o *Options) bool { return o.InitialState != "" },
		nil,
	},
	{"--final-fmu-state-file", ofSystems, func(o *Options) bool { return o.FinalState != "" }, nil},

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
	{"--report", ofSystems | ofCharts | ofExperiments | ofScenarios,
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
