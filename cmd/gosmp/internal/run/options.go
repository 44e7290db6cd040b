package run

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/cosim"
	"gosmp/experiment/trial"
	"gosmp/internal/fault"
	"gosmp/run"
	"gosmp/run/kind"
)

// Command implements gosmp run.
type Command struct {
	Files []string `arg:"" placeholder:"FILE" help:"FMUs for co-simulation, FMI 1.0, 2.0 or 3.0, each as FILE or NAME=FILE; and OpenDRIVE maps, each simulated with traffic on it; or a system of FMUs (.ssp, .ssd); or a statechart (SCXML), an experiment (.exc) or a scenario (OpenSCENARIO)." predictor:"file"`

	Connect     []string `group:"System" sep:"none" placeholder:"A.Y=B.U" help:"Connect output Y of FMU A to input U of FMU B; may be repeated. A binary variable of OSMP is one variable. Units convert."`
	Extrapolate []string `group:"System" sep:"none" placeholder:"[FMU.U=]HOW" help:"How inputs from other FMUs change within a step: hold, the default, or linear, if the FMU interpolates its inputs (FMI 2.0). Applies to all inputs or to one; may be repeated."`
	Algorithm   string   `group:"System" enum:"sequential,parallel" default:"sequential" help:"sequential: each FMU receives the outputs that previous FMUs have computed in this step; parallel: all FMUs step at the same time with the values of the last communication point."`
	Variant     string   `group:"System" placeholder:"NAME" help:"Description in the package to run; SystemStructure.ssd by default."`
	Library     []string `group:"System" name:"library-path" sep:"none" type:"existingdir" placeholder:"DIR" help:"Folder in which to look for FMUs that are not at the path given in a system or an experiment, by that path and by their names; may be repeated."`

	StartTime *cli.Seconds `group:"Time" placeholder:"S" help:"Start time in seconds; by default proposed by the system or the FMU, otherwise 0."`
	StopTime  *cli.Seconds `group:"Time" placeholder:"S" help:"Stop time in seconds; by default proposed by the system or the FMU, otherwise one second after the start."`
	StepSize  []string     `group:"Time" sep:"none" placeholder:"[FMU=]S" help:"Step between communication points, such as 0.02 or 1/60; by default proposed by the system or the FMUs, otherwise 1/500 of the simulated time. For one FMU, a multiple of the common step. May be repeated."`
	View      bool         `group:"Time" help:"Show the run in a browser while it is running: the page can pause and step it, change its speed and send events to charts. It runs at --real-time, by default 1."`
	RealTime  float64      `group:"Time" placeholder:"SPEED" help:"Synchronize the simulation with the clock: 1 is real time, 2 twice as fast."`
	Tolerance *float64     `group:"Time" placeholder:"X" help:"Relative tolerance for the FMU's solver; by default the value that the FMU proposes, if any."`
	NoStop    bool         `group:"Time" name:"no-set-stop-time" help:"Do not pass the stop time to the FMU."`

	StartValue  []string `group:"Values" sep:"none" placeholder:"NAME=VALUE" help:"Start value, with several FMUs as FMU.NAME=VALUE; may be repeated. Units are converted (T=20[degC]), array elements are separated by blanks or in double quotes, an enumeration value may be an item's name, a binary value is hexadecimal or @FILE."`
	Interval    []string `group:"Values" name:"clock-interval" sep:"none" placeholder:"CLOCK=S" help:"Interval of a fixed or tunable clock (FMI 3.0), in seconds or as a fraction such as 1/3; may be repeated. By default the interval in the model description."`
	AllStart    bool     `group:"Values" name:"set-all-start-values" help:"Also set the start values of the model description."`
	InputFile   string   `group:"Values" placeholder:"CSV" help:"Values of inputs over time: a column \"time\" and one for each input."`
	MessageFile []string `group:"Values" name:"input-messages" sep:"none" placeholder:"NAME=FILE" help:"Messages for a binary input, from a trace of any size (${traces}): the channel with the name of the input, or the only one of its type. May be repeated."`
	ViewConfig  []string `group:"Values" name:"sensor-view-config" sep:"none" placeholder:"NAME=FILE" help:"Answer to an OSMP configuration request, as bytes; by default the request is granted unchanged. May be repeated."`

	OutputFile     string       `group:"Results" short:"o" placeholder:"FILE" help:"File to record: CSV, or Parquet or MCAP if it has that extension; - is standard output."`
	OutputFormat   string       `group:"Results" placeholder:"FORMAT" help:"Format of the results, csv, parquet or mcap, regardless of the extension."`
	OutputVariable []string     `group:"Results" sep:"none" placeholder:"NAME" help:"Variable to record, an element of an array such as u[2], or a pattern such as engine.* or u[*] with * and ?; may be repeated. By default all outputs; '*' is all variables."`
	OutputInterval *cli.Seconds `group:"Results" placeholder:"S" help:"Interval between recorded rows in seconds, such as 0.1 or 1/30; by default one row per communication point, and 0.1 s for --trajectories."`
	ArrayColumns   bool         `group:"Results" help:"Record a column for each element of an array, u[1], u[2] and so on, instead of a single column."`
	Record         string       `group:"Results" placeholder:"FILE" help:"Record all binary inputs and outputs into one message trace: MCAP, or .osi for a single variable."`
	RecordOnly     []string     `group:"Results" sep:"none" placeholder:"PATTERN" help:"With --record, record only these variables: names, or patterns with * and ?, such as '*Out'. May be repeated."`
	OutputMessages []string     `group:"Results" sep:"none" placeholder:"NAME=OSI" help:"Record a text or binary variable, each value preceded by its length: an OSI trace file. May be repeated."`
	Bridge         string       `group:"Results" predictor:"file" placeholder:"JSON" help:"Connect the run to a message bridge: publish sensor data, send and receive events, see BRIDGE.md."`
	Plot           string       `group:"Results" placeholder:"FILE" help:"Draw the recorded variables; the extension determines the format: ${pictures}."`
	Report         string       `group:"Results" predictor:"file" placeholder:"FILE.html" help:"Write a page of the run, a single file that works offline: selectable curves, states over time, and for experiments and scenarios verdicts and a playback from above."`
	Graph          string       `group:"Results" placeholder:"SVG" help:"Draw the FMUs, their steps and their connections as SVG; - is standard output."`
	JSON           bool         `group:"Results" name:"json" help:"Print the summary as JSON on standard output."`

	cli.Access

	Isolate []string      `group:"Process" placeholder:"[FMU=]HOW" help:"process: in its own process, the default; shared: in one process with all other shared FMUs. Applies to all FMUs, or to the named one; may be repeated."`
	Timeout time.Duration `group:"Process" placeholder:"TIME" help:"Time limit for each step or phase of an FMU, such as 10s; beyond it the FMU's process is killed. No limit by default."`
	Memory  string        `group:"Process" placeholder:"SIZE" help:"Memory limit of the FMU, such as 512M or 2G."`
	Core    bool          `group:"Process" help:"Allow the FMU's process to write a core file."`
	WorkDir string        `group:"Process" type:"existingdir" placeholder:"DIR" help:"Working directory of the FMU."`
	Preload string        `group:"Process" placeholder:"LIB" help:"Library to load before the FMU, visible to it (as libpython for FMUs in Python)."`
	Visible bool          `group:"Process" help:"Request that the FMU shows its windows."`

	LoggingOn   bool     `group:"Log" help:"Enable the log of the FMU."`
	LogCategory []string `group:"Log" placeholder:"NAME" help:"Category to log, with --logging-on; may be repeated. By default all categories."`
	LogCalls    bool     `group:"Log" name:"log-fmi-calls" help:"Log each call of an FMI function."`
	LogFile     string   `group:"Log" placeholder:"FILE" help:"Log file, instead of standard error."`

	Derivatives  bool   `group:"FMI" name:"set-input-derivatives" help:"Set the derivatives of inputs from --input-file, if the FMU interpolates its inputs (FMI 2.0) or requests them within its steps (FMI 3.0)."`
	EventMode    bool   `group:"FMI" name:"event-mode-used" help:"Handle events in Event Mode (FMI 3.0)."`
	EarlyReturn  bool   `group:"FMI" name:"early-return-allowed" help:"Let steps return early (FMI 3.0)."`
	Intermediate bool   `group:"FMI" name:"intermediate-values" help:"Also record the values that the FMU offers within its steps, at its intermediate updates (FMI 3.0)."`
	Rollback     bool   `group:"FMI" help:"Save the state at each communication point, so that when an FMU discards a step, all of them retry it with half the length."`
	FromState    string `group:"FMI" name:"initial-fmu-state-file" type:"existingfile" placeholder:"FILE" help:"Start from a saved state instead of initializing."`
	ToState      string `group:"FMI" name:"final-fmu-state-file" placeholder:"FILE" help:"Save the state at the end."`

	Actors    int      `group:"Map" default:"${actors}" placeholder:"N" help:"Vehicles in addition to the host vehicle, placed on the lanes by --seed."`
	Speed     float64  `group:"Map" name:"traffic-speed" placeholder:"M/S" help:"Desired speed of all vehicles; by default the speed limits of the lanes."`
	Changes   bool     `group:"Map" name:"lane-changes" help:"Vehicles change lanes to gain an advantage."`
	Drive     []string `group:"Map" sep:"none" placeholder:"ACTOR=FMU" help:"Let an FMU, a traffic participant of OSMP, drive an actor of the map or an entity of a scenario, as in ego=driver.fmu: it receives the SensorView of the actor, and its TrafficUpdate moves the actor. FMU is a file, or the name of an FMU in the run. May be repeated."`
	On        []string `group:"Map" sep:"none" placeholder:"ACTOR=FMU" help:"Place a sensor on an actor, as in npc1=radar.fmu: it receives the SensorView of the actor instead of the host vehicle's. May be repeated."`
	StartOf   string   `group:"Map" name:"start-from" enum:"world,fmu" default:"world" help:"What determines the start positions of the actors of --drive: world, the map's traffic; fmu, the first TrafficUpdate."`
	Simulator string   `group:"Map" sep:"none" placeholder:"WHERE" help:"Third-party simulator that moves the actors of a map, an experiment or a scenario: exec:COMMAND starts a child process, which receives calls on its standard input and answers on its standard output; tcp:HOST:PORT connects to a server. See SIMAPI.md."`
	Range     float64  `group:"Map" default:"${reach}" placeholder:"METRES" help:"Range of the messages around the host vehicle; 0 means the whole map."`

	Events   string `group:"Statechart" predictor:"file" placeholder:"FILE" help:"Events for a statechart, one per line: a time in seconds, a name, and optionally data as JSON; - is standard input. The machine then runs as fast as it can. By default, each line of standard input is an event, and the machine runs on the wall clock until the input ends; the rest is then played immediately."`
	Seed     uint64 `group:"Statechart" default:"${seed}" help:"Seed of Math.random in a statechart, of the traffic on a map, and of random choices in a scenario."`
	Timeline string `group:"Statechart" placeholder:"FILE.svg" help:"Draw a timeline of the active states of a statechart."`

	RNGSeed uint64   `group:"Experiment" name:"rng-seed" placeholder:"N" help:"Seed of an experiment, instead of its rngSeed."`
	Set     []string `group:"Experiment" sep:"none" placeholder:"NAME=VALUE" help:"Set a parameter of a scenario, or of an experiment: timeout, VEHICLE.x (y, z, roll, pitch, yaw), FMU.VARIABLE, or MACHINE.DATA; may be repeated."`
	Control bool     `group:"Experiment" help:"Start an experiment paused and read commands from standard input, one per line: ${experimentCommands}. In a terminal with --real-time, commands are read without this flag."`
	Resume  string   `group:"Experiment" type:"existingfile" placeholder:"FILE" help:"Continue from a state of the experiment written by the command save."`
	JUnit   string   `group:"Experiment" name:"junit" predictor:"file" placeholder:"FILE.xml" help:"Write the verdict of an experiment or a scenario for build servers."`

	SUT           []string     `group:"Scenario" name:"sut" sep:"none" placeholder:"[ENTITY=]MODEL" help:"System under test, which moves an entity of the scenario, by default the ego vehicle: an FMU, a system (.ssp, .ssd), or a program as exec:COMMAND or tcp:HOST:PORT. It receives SensorViews, or the output of sensors given by --on, and answers with TrafficUpdates, or with outputs such as brakeRequest. See docs/OPENSCENARIO.md. May be repeated."`
	Point         *int         `group:"Scenario" placeholder:"N" help:"The point of a distribution of parameter values to run, numbered from 0."`
	Duration      *cli.Seconds `group:"Scenario" placeholder:"S" help:"When to abort a scenario that does not end, in seconds; 600 by default."`
	Require       []string     `group:"Scenario" sep:"none" placeholder:"TEXT" help:"Requirement for a scenario, such as 'min ttc > 0.5' or 'no collision'; @FILE reads one requirement per line. May be repeated."`
	Dismissed     string       `group:"Scenario" enum:"warn,fail" default:"warn" help:"Result of the run if a driver dismisses an action of the storyboard: warn adds a note, fail fails the run."`
	Roads         string       `group:"Scenario" name:"map" predictor:"file" placeholder:"FILE" help:"Map (OpenDRIVE) to use instead of the map named by a scenario, or the folder that contains the named map."`
	Trajectories  string       `group:"Scenario" predictor:"file" placeholder:"CSV" help:"Record the positions of the entities of a scenario; - is standard output."`
	Halve         bool         `group:"Scenario" help:"Run a scenario a second time with half the step, and report how much the outcome changes."`
	NoControllers bool         `group:"Scenario" name:"disable-controllers" help:"Ignore the controllers of a scenario: its storyboard moves all entities."`
}

// options returns the run options that the flags specify.
func (c *Command) options() (o run.Options, err error) {
	o = run.Options{
		Files: c.Files, Extrapolate: c.Extrapolate, View: c.View, Browse: browse,
		Parallel: c.Algorithm == cosim.Parallel.String(), Variant: c.Variant,
		Library:   c.Library,
		StartTime: c.StartTime.Value(), StopTime: c.StopTime.Value(), RealTime: c.RealTime,
		Tolerance:      c.Tolerance,
		NoStopTime:     c.NoStop,
		AllStartValues: c.AllStart, InputFile: c.InputFile,
		OutputFile: c.OutputFile, OutputFormat: c.OutputFormat,
		OutputVariables: c.OutputVariable, OutputInterval: c.OutputInterval.Value(),
		ArrayColumns: c.ArrayColumns, Record: c.Record, RecordOnly: c.RecordOnly,
		Bridge: c.Bridge, Plot: c.Plot, Graph: c.Graph,
		Timeout: c.Timeout, Core: c.Core, WorkDir: c.WorkDir, Preload: c.Preload,
		Visible:   c.Visible,
		LoggingOn: c.LoggingOn, LogCategories: c.LogCategory, LogCalls: c.LogCalls,
		InputDerivatives: c.Derivatives, EventMode: c.EventMode, EarlyReturn: c.EarlyReturn,
		Intermediate: c.Intermediate,
		Rollback:     c.Rollback,
		InitialState: c.FromState, FinalState: c.ToState,
		Actors: c.Actors, TrafficSpeed: c.Speed, LaneChanges: c.Changes, Range: c.Range,
		Seed: c.Seed, StartFrom: c.StartOf, Simulator: c.Simulator,
		Events: c.Events, Timeline: c.Timeline,
		Point: c.Point, Duration: c.Duration.Value(), Require: c.Require,
		Map: c.Roads, Dismissed: c.Dismissed,
		Trajectories:       c.Trajectories,
		DisableControllers: c.NoControllers, Halve: c.Halve,
		RNGSeed: c.RNGSeed, Report: c.Report, JUnit: c.JUnit, Resume: c.Resume, Held: c.Control,
	}
	if c.Bridge == "" && c.Token == os.Getenv("GOSMP_TOKEN") {
		c.Token = "" // the environment variable is meant for other commands, such as gosmp simulate
	}
	if o.Access, err = c.Rules(); err != nil {
		return o, err
	}
	if err := c.readStandardInput(&o); err != nil {
		return o, err
	}
	if err := c.assignments(&o); err != nil {
		return o, err
	}
	if err := c.parts(&o); err != nil {
		return o, err
	}
	if o.Memory, err = parseSize(c.Memory); err != nil {
		return o, cli.Invalid("--memory", err)
	}
	for _, text := range c.Set {
		s, err := trial.ParseSetting(text)
		if err != nil {
			return o, err
		}
		o.Set = append(o.Set, s)
	}
	return o, nil
}

// readStandardInput reads a statechart from standard input.
func (c *Command) readStandardInput(o *run.Options) error {
	if c.Files[0] != cli.StandardOutput {
		return nil
	}
	in, err := inputfile.Open(c.Files[0])
	if err != nil || in.Kind() != kind.Statechart {
		return err
	}
	o.Files, o.Document = []string{in.Name}, in.Bytes
	return nil
}

// assignments parses the flags of the form NAME=VALUE.
func (c *Command) assignments(o *run.Options) error {
	for _, text := range c.Connect {
		from, to, found := strings.Cut(text, "=")
		if !found {
			return fault.New(cosim.ErrConnection, fault.At(text), "no =",
				"OUTPUT=INPUT, such as a.y=b.u")
		}
		o.Connections = append(o.Connections, run.Connection{From: from, To: to})
	}
	for _, f := range []struct {
		flag, form string
		texts      []string
		list       *[]run.Assignment
	}{
		{"--start-value", "NAME=VALUE", c.StartValue, &o.StartValues},
		{"--clock-interval", "NAME=VALUE", c.Interval, &o.ClockIntervals},
		{"--input-messages", "NAME=FILE", c.MessageFile, &o.InputMessages},
		{"--sensor-view-config", "NAME=FILE", c.ViewConfig, &o.ViewConfigs},
		{"--output-messages", "NAME=FILE", c.OutputMessages, &o.OutputMessages},
		{"--drive", "ACTOR=FMU", c.Drive, &o.Drive},
		{"--on", "ACTOR=FMU", c.On, &o.On},
	} {
		var err error
		if *f.list, err = Assignments(f.flag, f.form, f.texts); err != nil {
			return err
		}
	}
	for _, text := range c.SUT {
		o.SUT = append(o.SUT, run.Placed(text))
	}
	return nil
}

// Assignments parses the values of a flag of the form NAME=VALUE.
func Assignments(flag, form string, texts []string) (list []run.Assignment, err error) {
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return nil, cli.Unexpected(flag, fmt.Sprintf("%q", text), form)
		}
		list = append(list, run.Assignment{Variable: name, Value: value})
	}
	return list, nil
}

// parts parses the flags of the form VALUE, for all FMUs, or NAME=VALUE, for one FMU.
func (c *Command) parts(o *run.Options) error {
	o.StepSizes = map[string]float64{}
	for _, text := range c.StepSize {
		name, number, one := CutLast(text, "=")
		step, err := run.ParseStep(number)
		switch {
		case err != nil:
			return cli.Invalid("--step-size", err)
		case !one && o.StepSize != nil:
			return cli.Unexpected(
				"--step-size",
				text+" as a second value",
				"one for all FMUs and one for each name",
			)
		case !one:
			o.StepSize = &step
		default:
			o.StepSizes[name] = step
		}
	}
	return c.isolation(o)
}

// isolation parses --isolate: "process" or "shared" for all FMUs, "NAME=process" or "NAME=shared"
// for one.
func (c *Command) isolation(o *run.Options) error {
	const flag = "--isolate"
	o.Isolation = map[string]bool{}
	whole := false
	for _, text := range c.Isolate {
		name, how, one := CutLast(text, "=")
		if how != "process" && how != "shared" {
			return cli.Unexpected(flag, fmt.Sprintf("%q", how), "process or shared")
		}
		_, again := o.Isolation[name]
		switch {
		case one && again, !one && whole:
			return cli.Unexpected(
				flag,
				text+" as a second value",
				"one for all FMUs and one for each name",
			)
		case one:
			o.Isolation[name] = how == "shared"
		default:
			o.Shared, whole = how == "shared", true
		}
	}
	return nil
}

// CutLast cuts text at the last separator. Without a separator, it returns the whole text as after.
func CutLast(text, separator string) (before, after string, found bool) {
	if k := strings.LastIndex(text, separator); k >= 0 {
		return text[:k], text[k+len(separator):], true
	}
	return "", text, false
}

// parseSize parses a number of bytes with an optional unit based on 1024.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	number, factor := strings.TrimSuffix(strings.ToUpper(text), "B"), int64(1)
	for k, unit := range []string{"K", "M", "G", "T"} {
		if rest, found := strings.CutSuffix(strings.TrimSuffix(number, "I"), unit); found {
			number, factor = rest, 1<<(10*(k+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("found %q, expected a number of bytes such as 512M", text)
	}
	return n * factor, nil
}
