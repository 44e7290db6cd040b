package run

import (
	"io"
	"time"

	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/run/fileuse"
)

// Options say what to run, and how. They are plain values: a copy is independent, except for slices
// and whatever else it refers to.
type Options struct {
	// Files are FMUs for co-simulation and OpenDRIVE maps, each as FILE or NAME=FILE, or one system
	// (.ssp, .ssd), statechart, experiment or scenario.
	Files []string
	// Document is the content of a statechart that is not read from its file.
	Document []byte

	Connections []Connection // of a system
	// Extrapolate says how inputs change within a step: hold or linear for all, FMU.U=linear for
	// one.
	Extrapolate []string
	// Parallel lets all FMUs step at the same time, with the values of the last communication
	// point.
	Parallel bool
	// Variant is the description in a package; "" means SystemStructure.ssd.
	Variant string
	// Library lists folders to search for FMUs that are not where a system or an experiment says.
	// They are looked for by the path there, and then by name alone.
	Library []string

	// StartTime in s; nil: what the system or the FMU proposes, else 0.
	StartTime *float64
	// StopTime in s; nil: what the system or the FMU proposes, else a second after the start.
	StopTime *float64
	// StepSize in s; nil: what the system or the FMUs propose, else a 500th of the time.
	StepSize *float64
	// StepSizes in s, of FMUs by name, are multiples of the step of all.
	StepSizes map[string]float64
	RealTime  float64 // simulated seconds per second; 0: as fast as possible
	// View shows the run in a browser while it goes on, at RealTime or, if that is 0, at 1.
	View bool
	// Tolerance is the relative one of the FMUs' solvers; nil: what each FMU proposes, else none.
	Tolerance  *float64
	NoStopTime bool // the stop time is not passed to FMUs

	// StartValues are of variables. Units convert (20[degC]); blanks separate the elements of
	// arrays.
	StartValues    []Assignment
	ClockIntervals []Assignment // of fixed and tunable clocks: seconds, or a fraction such as 1/3
	AllStartValues bool         // set also the start values in the model description
	InputFile      string       // CSV: a column "time" and one for each input
	InputMessages  []Assignment // traces for binary inputs
	ViewConfigs    []Assignment // files that answer OSMP configuration requests

	OutputFile   string // CSV, Parquet or MCAP by its extension; "-" is standard output
	OutputFormat string // csv, parquet or mcap, whatever the extension; "" leaves it to that
	// OutputVariables are names, elements of arrays and patterns; nil: all outputs.
	OutputVariables []string
	// OutputInterval in s, between rows; nil: a row at each communication point, and of
	// Trajectories each 0.1 s.
	OutputInterval *float64
	ArrayColumns   bool // a column for each element of an array
	// Record is a trace of all binary variables: .mcap, or .osi for a single one.
	Record string
	// RecordOnly are names and patterns with * of the variables in Record; nil: all.
	RecordOnly []string
	// OutputMessages are files for text and binary variables, each value with its length before it.
	OutputMessages []Assignment
	Bridge         string // the configuration of a message bridge
	Access         Access // of the clients of the bridge
	Plot           string // a picture of what is recorded, in the format of its extension
	Graph          string // an SVG of FMUs, steps and connections; "-" is standard output
	// Observe may add observers before FMUs and maps start; it may be nil.
	Observe func(*Simulation) error

	// Reserve makes runs shorter that use the same FMUs one after another; nil: none.
	Reserve   *importer.Reserve
	Shared    bool            // all FMUs share one process; by default each has its own
	Isolation map[string]bool // of FMUs by name: true is the shared process
	Timeout   time.Duration   // of a step or phase of an FMU; 0: none
	Memory    int64           // bytes that a process may use; 0: no limit
	Core      bool            // the processes may write core files
	WorkDir   string          // of the processes; "": as this process
	Preload   string          // a library that is loaded before the FMU
	Visible   bool            // FMUs are asked to show their windows

	LoggingOn     bool      // FMUs are asked to log
	LogCategories []string  // of LoggingOn; nil: all
	LogCalls      bool      // each call of an FMI function is a message
	Log           Log       // nil: nowhere
	Journal       io.Writer // what statecharts log and do, a line each; nil: nowhere

	// InputDerivatives gives inputs of InputFile derivatives, where an FMU interpolates (FMI 2.0), or
	// lets them change within steps, where an FMU asks for it (FMI 3.0).
	InputDerivatives bool
	EventMode        bool   // events are handled in Event Mode (FMI 3.0)
	EarlyReturn      bool   // steps may return early (FMI 3.0)
	Intermediate     bool   // record what the only FMU offers within its steps (FMI 3.0)
	Rollback         bool   // a discarded step is retried by all with half its length
	InitialState     string // the file of a saved state to start from
	FinalState       string // the file for the state at the end

	Actors       int     // vehicles on a map besides the host vehicle
	TrafficSpeed float64 // m/s; 0: the speed limits of the lanes
	LaneChanges  bool    // vehicles change lanes where it pays
	Range        float64 // m, of the messages around the host vehicle; 0: everything
	Seed         uint64  // of the traffic on maps, and of Math.random in a statechart
	// Drive lets FMUs drive actors of a map or entities of a scenario, and On lets them sense from actors: each by the name
	// of the actor and the file of the FMU, or the name or file of one among Files. With several
	// maps the name of the actor is MAP.ACTOR.
	Drive, On []Assignment
	// StartFrom says who places driven actors: StartFromWorld, also for "", or StartFromFMU.
	StartFrom string

	// Simulator moves the actors of maps, of an experiment or of a scenario: exec:COMMAND or
	// tcp:HOST:PORT; "" is gosmp's own. See package mocksim/foreign.
	Simulator string

	// Events is a file of events for a statechart, one per line; "-" is Stdin. With "" each line of
	// Stdin is an event, and the machine runs by the wall clock.
	Events   string
	Stdin    io.Reader // nil: there is none
	Timeline string    // an SVG of the active states

	// RNGSeed takes the place of the rngSeed of an experiment; 0: that one, or one that is drawn.
	RNGSeed  uint64
	Set      []trial.Setting      // of an experiment or a scenario
	Report   string               // HTML, of any run
	JUnit    string               // XML
	Resume   string               // the file of a saved state
	Commands <-chan trial.Command // of a user; nil: none
	Held     bool                 // the run begins paused

	// SUT are the systems under test of a scenario: each an FMU, a system (.ssp, .ssd), or a program
	// as exec:COMMAND or tcp:HOST:PORT, with the entity that it moves; "" is the ego vehicle.
	SUT      []Assignment
	Point    *int     // of a distribution of scenarios, counted from 0; nil for a scenario
	Duration *float64 // s, of a scenario at most; nil: play.DefaultDuration
	Require  []string // requirements on a scenario, or @FILE with one in each line
	// Dismissed says what happens to a run of a scenario in which a driver dismisses an action:
	// with DismissedWarn, also "", it is noted; with DismissedFail the run does not pass.
	Dismissed string
	// Map is a map to use instead of the one that a scenario names, or the folder that contains the
	// named map.
	Map                string
	Trajectories       string // CSV of the entities of a scenario; "-" is standard output
	DisableControllers bool   // of a scenario, so that its storyboard moves all entities
	Halve              bool   // a scenario is run a second time, with half the step, and compared
}

// fileRoles say what a run does with the texts of its options, by field. A test compares the table
// with the fields, so that none is forgotten.
var fileRoles = []struct {
	field, option string
	role          fileuse.Role
}{
	{"Files", "<files>", fileuse.NamedIn},
	{"Library", "--library-path", fileuse.Library},
	{"StartValues", "--start-value", fileuse.ValueIn},
	{"Set", "--set", fileuse.ValueIn},
	{"InputFile", "--input-file", fileuse.In},
	{"InputMessages", "--input-messages", fileuse.In},
	{"ViewConfigs", "--sensor-view-config", fileuse.In},
	{"Drive", "--drive", fileuse.In},
	{"On", "--on", fileuse.In},
	{"SUT", "--sut", fileuse.In},
	{"Bridge", "--bridge", fileuse.In},
	{"Preload", "--preload", fileuse.In},
	{"InitialState", "--initial-fmu-state-file", fileuse.In},
	{"Events", "--events", fileuse.In},
	{"Resume", "--resume", fileuse.In},
	{"Require", "--require", fileuse.AtIn},

	{"OutputFile", "--output-file", fileuse.Out},
	{"Record", "--record", fileuse.Out},
	{"OutputMessages", "--output-messages", fileuse.Out},
	{"Plot", "--plot", fileuse.Out},
	{"Graph", "--graph", fileuse.Out},
	{"FinalState", "--final-fmu-state-file", fileuse.Out},
	{"Timeline", "--timeline", fileuse.Out},
	{"Report", "--report", fileuse.Out},
	{"JUnit", "--junit", fileuse.Out},
	{"Trajectories", "--trajectories", fileuse.Out},

	{"Connections", "--connect", fileuse.Text},
	{"Extrapolate", "--extrapolate", fileuse.Text},
	{"Variant", "--variant", fileuse.Text},
	{"ClockIntervals", "--clock-interval", fileuse.Text},
	{"OutputFormat", "--output-format", fileuse.Text},
	{"OutputVariables", "--output-variable", fileuse.Text},
	{"RecordOnly", "--record-only", fileuse.Text},
	{"Simulator", "--simulator", fileuse.Text},
	{"WorkDir", "--work-dir", fileuse.Text},
	{"LogCategories", "--log-category", fileuse.Text},
	{"StartFrom", "--start-from", fileuse.Text},
	{"Dismissed", "--dismissed", fileuse.Text},
	{"Map", "--map", fileuse.In},
}

// Connection leads from an output to an input, each as FMU.VARIABLE.
type Connection struct{ From, To string }

// Assignment gives a variable a value, or names a file for it. In a run of several FMUs the
// variable is FMU.VARIABLE.
type Assignment struct{ Variable, Value string }

// Who says where driven actors start.
const (
	StartFromWorld = "world"
	StartFromFMU   = "fmu"
)

// What happens to a run in which drivers dismiss actions.
const (
	DismissedWarn = "warn"
	DismissedFail = "fail"
)

// What maps and statecharts have by default.
const (
	DefaultActors = 10
	DefaultRange  = 200 // m
	DefaultSeed   = 1
)

// Defaults are the options of a run of files.
func Defaults(files ...string) Options {
	return Options{Files: files, Actors: DefaultActors, Range: DefaultRange, Seed: DefaultSeed}
}
