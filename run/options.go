package run

import (
	"io"
	"time"

	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/run/fileuse"
)

// Options defines what to run and how. It is a plain value: a copy is independent, except for
// slices and other references.
type Options struct {
	// Files lists FMUs for co-simulation and OpenDRIVE maps, each as FILE or NAME=FILE, or a single
	// system (.ssp, .ssd), statechart, experiment or scenario.
	Files []string
	// Document is the content of a statechart that is not read from a file.
	Document []byte

	Connections []Connection // of a system
	// Extrapolate defines how inputs change within a step: hold or linear for all, FMU.U=linear for
	// one.
	Extrapolate []string
	// Parallel lets all FMUs step at the same time, with the values of the last communication
	// point.
	Parallel bool
	// Variant is the description in a package; "" means SystemStructure.ssd.
	Variant string
	// Library lists folders to search for FMUs that are missing at the path in a system or an
	// experiment. They are searched by the path in the description, and then by name alone.
	Library []string

	// StartTime in s. If nil, the start time that the system or the FMU proposes, or else 0.
	StartTime *float64
	// StopTime in s. If nil, the stop time that the system or the FMU proposes, or else a second
	// after the start.
	StopTime *float64
	// StepSize in s. If nil, the step that the system or the FMUs propose, or else a 500th of the
	// simulated time.
	StepSize *float64
	// StepSizes of individual FMUs in s, by name. They are multiples of the common step.
	StepSizes map[string]float64
	RealTime  float64 // simulated seconds per second; 0 for as fast as possible
	// View shows the run live in a browser, at the speed RealTime or, if that is 0, in real time.
	View bool
	// Browse receives the address of the page of View as soon as it can be opened. It may be nil.
	Browse func(address string)
	// Tolerance is the relative tolerance of the FMUs' solvers. If nil, the tolerance that each FMU
	// proposes, or else none.
	Tolerance  *float64
	NoStopTime bool // do not pass the stop time to FMUs

	// StartValues are start values of variables. Values may have units (20[degC]), which are
	// converted; blanks separate the elements of arrays.
	StartValues    []Assignment
	ClockIntervals []Assignment // of fixed and tunable clocks: seconds, or a fraction such as 1/3
	AllStartValues bool         // also set the start values in the model description
	InputFile      string       // CSV with a column "time" and a column for each input
	InputMessages  []Assignment // traces for binary inputs
	ViewConfigs    []Assignment // files that answer OSMP configuration requests

	OutputFile   string // CSV, Parquet or MCAP by its extension; "-" is standard output
	OutputFormat string // csv, parquet or mcap; if "", the extension decides
	// OutputVariables lists names, array elements and patterns. If nil, all outputs.
	OutputVariables []string
	// OutputInterval is the time between rows in s. If nil, there is a row at each communication
	// point, and in Trajectories every 0.1 s.
	OutputInterval *float64
	ArrayColumns   bool // a column for each element of an array
	// Record is a trace of all binary variables: .mcap, or .osi for a single one.
	Record string
	// RecordOnly lists names, and patterns with *, of the variables in Record. If nil, all.
	RecordOnly []string
	// OutputMessages are files for text and binary variables. Each value in them is preceded by its
	// length.
	OutputMessages []Assignment
	Bridge         string // the configuration of a message bridge
	Access         Access // of the bridge's clients
	Plot           string // a picture of the recorded variables, in the format of its extension
	Graph          string // an SVG of FMUs, steps and connections; "-" is standard output
	// Observe is called before FMUs and maps start, and may add observers. It may be nil.
	Observe func(*Simulation) error

	// FilesChecked means that the caller has checked that no output overwrites an input, and that
	// all outputs can be created. By default, the run checks this.
	FilesChecked bool
	// Reserve speeds up successive runs of the same FMUs. It may be nil.
	Reserve   *importer.Reserve
	Shared    bool            // all FMUs share one process; by default each has its own
	Isolation map[string]bool // of FMUs by name: true is the shared process
	Timeout   time.Duration   // of a step or phase of an FMU; 0 for none
	Memory    int64           // bytes that a process may use; 0 for no limit
	Core      bool            // the processes may write core files
	WorkDir   string          // of the processes; "" for that of this process
	Preload   string          // a library to load before the FMU
	Visible   bool            // ask FMUs to show their windows

	LoggingOn     bool     // ask FMUs to log
	LogCategories []string // of LoggingOn; nil for all
	LogCalls      bool     // log each call of an FMI function as a message
	Log           Log      // may be nil
	// Journal receives what happens in statecharts and scenarios, one line each, when it happens.
	// It may be nil.
	Journal io.Writer

	// InputDerivatives passes the derivatives of inputs in InputFile to FMUs that interpolate (FMI
	// 2.0), or lets the inputs change within steps of FMUs that ask for that (FMI 3.0).
	InputDerivatives bool
	EventMode        bool   // handle events in Event Mode (FMI 3.0)
	EarlyReturn      bool   // steps may return early (FMI 3.0)
	Intermediate     bool   // record what a single FMU offers within its steps (FMI 3.0)
	Rollback         bool   // after a discarded step, all FMUs retry with half the step
	InitialState     string // the file of a saved state to start from
	FinalState       string // the file for the state at the end

	Actors       int     // vehicles on a map in addition to the host vehicle
	TrafficSpeed float64 // m/s; 0 for the speed limits of the lanes
	LaneChanges  bool    // vehicles change lanes where that is faster
	Range        float64 // m, of the messages around the host vehicle; 0 for everything
	Seed         uint64  // of the traffic on maps, and of Math.random in a statechart
	// Drive lets FMUs drive actors of a map or entities of a scenario, and On mounts them at actors
	// as sensors. Each has the name of the actor and the file of the FMU, or the name or file of an
	// FMU among Files. With several maps, the name of the actor is MAP.ACTOR.
	Drive, On []Assignment
	// StartFrom defines what places driven actors: StartFromWorld (also for "") or StartFromFMU.
	StartFrom string

	// Simulator moves the actors of maps, of an experiment or of a scenario: exec:COMMAND or
	// tcp:HOST:PORT, or "" for gosmp's own simulator. See package mocksim/foreign.
	Simulator string

	// Events is a file of events for a statechart, one per line; "-" is Stdin. If "", each line of
	// Stdin is an event, and the machine runs in real time.
	Events   string
	Stdin    io.Reader // may be nil
	Timeline string    // an SVG of the active states

	// RNGSeed replaces the rngSeed of an experiment. If 0, the experiment's own seed is used, or
	// else a random one.
	RNGSeed  uint64
	Set      []trial.Setting      // of an experiment or a scenario
	Report   string               // HTML, of any run
	JUnit    string               // XML
	Resume   string               // the file of a saved state
	Commands <-chan trial.Command // from a user; may be nil
	Held     bool                 // the run starts paused

	// SUT lists the systems under test of a scenario: FMUs, systems (.ssp, .ssd), or programs as
	// exec:COMMAND or tcp:HOST:PORT, each with the entity that it moves. "" is the ego vehicle.
	SUT      []Assignment
	Point    *int     // of a distribution of scenarios, counted from 0; nil for a scenario
	Duration *float64 // s, maximum for a scenario; nil for play.DefaultDuration
	Require  []string // requirements on a scenario, or @FILE with one per line
	// Dismissed defines what happens if a driver in a scenario dismisses an action: with
	// DismissedWarn (also for ""), the result has a note; with DismissedFail, the run does not
	// pass.
	Dismissed string
	// Map is a map to use instead of the map that a scenario names, or the folder that contains the
	// named map.
	Map                string
	Trajectories       string // CSV of a scenario's entities; "-" is standard output
	DisableControllers bool   // of a scenario, so that its storyboard moves all entities
	Halve              bool   // run a scenario again with half the step, and compare
}

// fileRoles defines how a run uses the texts of its options, by field. A test compares the table
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

// The values of Options.StartFrom.
const (
	StartFromWorld = "world"
	StartFromFMU   = "fmu"
)

// The values of Options.Dismissed.
const (
	DismissedWarn = "warn"
	DismissedFail = "fail"
)

// The defaults for maps and statecharts.
const (
	DefaultActors = 10
	DefaultRange  = 200 // m
	DefaultSeed   = 1
)

// Defaults returns the default options for a run of files.
func Defaults(files ...string) Options {
	return Options{Files: files, Actors: DefaultActors, Range: DefaultRange, Seed: DefaultSeed}
}
