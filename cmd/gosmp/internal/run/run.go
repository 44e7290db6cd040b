// Package run implements gosmp run, which runs FMUs and maps together, or a system, a statechart,
// an experiment or a scenario. Other commands use parts of it.
package run

import (
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/run"
	"gosmp/run/kind"
	"gosmp/trace"
)

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `With several FMUs, variables are named FMU.NAME, where FMU is the name of the file ` +
		`without its extension, or the part before the = in NAME=FILE. Columns in input and ` +
		`output files have the same names.

The FMU runs in a process of its own. If it crashes, hangs or exits, this is reported with the ` +
		`call and the time, and all results recorded until then are kept. This protects ` +
		`against faults, not against malicious code: an FMU is native code that runs with your ` +
		`privileges. Ctrl-C terminates the FMU properly; a second Ctrl-C kills it immediately. ` +
		`SIGTERM and SIGHUP also terminate it properly, and kill it ` +
		GraceTime.String() + ` later.

Exit codes: 0 the stop time was reached or the FMU ended the simulation; 2 invalid input: ` +
		`options, files, an FMU that cannot run ` +
		`here; 3 a time limit was reached; 4 the FMU or gosmp failed.

A map is a participant named after its file: traffic drives on its lanes, and the messages ` +
		`around the host vehicle "ego" go to each ` +
		`SensorView input that is not connected otherwise. See docs/MOCKSIM.md.

A statechart takes --stop-time, --json and the flags of its own group. It runs to its end, to ` +
		`the stop time, until nothing is left to ` +
		`wait for, or for an hour of its time. Its log has one line for each event, transition, ` +
		`state, message and error; ` +
		`the same statechart, events and seed produce the same log. The exit code is 1 if it ` +
		`ended in its final state "failure", if it has no transition for one of its errors, or ` +
		`if gosmp check finds an error in it. ` +
		`For a statechart that has not ended, the output and --json state what it waits for.

An experiment (.exc) takes --json, --timeout, --logging-on, --real-time, --bridge, --variant and ` +
		`the flags of its own group. The exit code is 0 if all its evaluation machines end in ` +
		`"success", or if it has none and reaches its own end; 1 if one fails, or does not judge ` +
		`or run; 3 if its time ran out before; 4 if a participant failed.

A scenario (.xosc) takes --step-size (0.01 s by default), --seed, --set (of a parameter), ` +
		`--json, --junit and the flags of its own group. What it asks for and gosmp cannot do is ` +
		`reported before the run. ` +
		`Requirements are "[not|no] collision [of A] [with B]", "[min|max|mean|final|initial] ` +
		`QUANTITY [of A] [to B] RULE NUMBER [UNIT]" with speed, acceleration, deceleration, ` +
		`jerk, offset, overspeed, traveled, distance, ttc, headway or pet, ` +
		`"impact speed RULE NUMBER", "reaction [of A] to event NAME RULE NUMBER", "event NAME ` +
		`started|ended|complete|stopped|skipped" and "monitor NAME". The exit code is 0 if it ` +
		`ends and satisfies all of them; 1 if it does not satisfy one; 3 if it does not end ` +
		`within --duration.`
}

// Variables returns the variables of help texts.
func Variables() kong.Vars {
	return kong.Vars{
		"pictures": strings.Join(cli.PictureFormats(), ", "),
		"traces":   trace.Extensions(),
		"seed":     strconv.Itoa(run.DefaultSeed), "experimentCommands": trial.Commands,
		"actors": strconv.Itoa(run.DefaultActors), "reach": strconv.Itoa(run.DefaultRange),
	}
}

// Endless implements the interface of sessions: the page can pause a run, and its address would
// only appear after the end of the call.
func (c *Command) Endless() (cause, remedy string) {
	if !c.View {
		return "", ""
	}
	return "run --view", "without --view"
}

// Run runs the files according to their kind. A session passes its reserve; otherwise r is nil.
func (c *Command) Run(r *importer.Reserve) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	o.Reserve, o.FilesChecked = r, true // by package guard
	if err := c.checkFiles(); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	is := o.Kind()
	if c.LogFile != "" && is != kind.System {
		return cli.Unexpected("--log-file", c.Files[0], "FMUs, maps or a system")
	}
	switch is {
	case kind.Experiment:
		return c.runExperiment(o)
	case kind.Statechart:
		return c.runChart(o)
	case kind.Scenario:
		return c.runScenario(o)
	}
	return c.runFMUs(o)
}

// checkFiles refuses files that cannot be run.
func (c *Command) checkFiles() error {
	for _, argument := range c.Files {
		_, file := system.Named(argument)
		in := inputfile.Named(file)
		if err := in.Unsuited("run", "files"); err != nil {
			return err
		}
	}
	return nil
}
