// Command gosmp works with simsensor recordings, OSI messages and OSMP FMUs from the command line;
// see gosmp --help.
//
// There is one verb per intention. The kind of a file follows from its content; --as corrects a
// wrong guess. Every command ends with one of the exit codes 0 (done or passed), 1 (negative
// verdict), 2 (invalid input or usage), 3 (timeout) and 4 (gosmp itself or its output failed), and
// reports an error in one line on standard error.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/bridges"
	"gosmp/cmd/gosmp/internal/check"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/collector"
	"gosmp/cmd/gosmp/internal/completion"
	"gosmp/cmd/gosmp/internal/convert"
	"gosmp/cmd/gosmp/internal/demo"
	"gosmp/cmd/gosmp/internal/draw"
	"gosmp/cmd/gosmp/internal/experiments"
	"gosmp/cmd/gosmp/internal/explain"
	"gosmp/cmd/gosmp/internal/fmutest"
	"gosmp/cmd/gosmp/internal/guard"
	"gosmp/cmd/gosmp/internal/inspect"
	"gosmp/cmd/gosmp/internal/metrics"
	"gosmp/cmd/gosmp/internal/newmodel"
	"gosmp/cmd/gosmp/internal/plot"
	"gosmp/cmd/gosmp/internal/repair"
	"gosmp/cmd/gosmp/internal/report"
	"gosmp/cmd/gosmp/internal/run"
	"gosmp/cmd/gosmp/internal/sensors"
	"gosmp/cmd/gosmp/internal/session"
	"gosmp/cmd/gosmp/internal/sim"
	"gosmp/cmd/gosmp/internal/simulate"
	"gosmp/cmd/gosmp/internal/sweeps"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/internal/wholefile"
	"gosmp/sensor/simsensor"
)

// line is the command line: one field per command, in the order of the help.
type line struct {
	Version kong.VersionFlag `help:"Print versions and revision for bug reports, and exit."`

	RunFMU     run.Command         `cmd:"" name:"run" help:"Run a co-simulation FMU of any vendor in its own process, or a statechart, or an experiment."`
	Experiment experiments.Command `cmd:"" help:"Pack an experiment with all its files, and unpack it."`
	Check      check.Command       `cmd:"" help:"Check recordings, traces, FMUs, systems, maps, statecharts, experiments and sweeps for violations of rules and for implausible content."`
	Explain    explain.Command     `cmd:"" help:"Explain the rule of a finding: its text, the remedy, and its source."`
	Inspect    inspect.Command     `cmd:"" help:"Show FMUs, systems, maps, experiments and traces: variables, connections, capabilities, problems; channels, counts, times."`
	Convert    convert.Command     `cmd:"" help:"Convert, cut, filter and merge message traces (${traces}, .csv), and write systems of FMUs as packages (.ssp)."`
	Repair     repair.Command      `cmd:"" help:"Correct errors in a recording or a map if the correction is unambiguous, or save the remains of a damaged trace."`
	Test       fmutest.Command     `cmd:"" help:"Test an FMU with a trace: play it into the inputs, and compare the outputs with expectations."`
	Metrics    metrics.Command     `cmd:"" help:"Compute metrics of a trace: time to collision, headway, post-encroachment time, sensor quality; as CSV."`
	Report     report.Command      `cmd:"" help:"Write a report on a trace: a single HTML file that works offline, with plots, the scene from above, and findings."`
	Draw       draw.Command        `cmd:"" help:"Draw a SensorView, a SensorData or a map from above, or a statechart."`
	Plot       plot.Command        `cmd:"" help:"Draw numbers over time: message fields, result columns, sensors of recordings."`
	Simulate   simulate.Command    `cmd:"" help:"Simulate traffic on a map: messages, recordings, pictures, or a server."`
	Sweep      sweeps.Command      `cmd:"" help:"Run an experiment many times with varied parameters, on all processors, and collect the verdicts."`
	Work       sweeps.Work         `cmd:"" help:"Compute runs of sweeps from a queue."`
	Sensors    sensors.Command     `cmd:"" help:"Replay recordings in real time, one line for each published event."`
	Session    session.Command     `cmd:"" help:"Execute many command lines in one process, for programs with many short runs."`
	Sim        sim.Command         `cmd:"" help:"Work with simulators that implement the simulator support API."`
	Bridge     bridges.Command     `cmd:"" help:"Inspect DDS domains and ROS 2 graphs, and write the Go code of a message bridge."`
	New        newmodel.Command    `cmd:"" help:"Write the Go module of a new model: an FMU that builds and runs immediately."`
	Demo       demo.Command        `cmd:"" help:"Write the demo recording, a drive of 60 s with all six sensors."`
	Completion completion.Command  `cmd:"" help:"Print the line that enables completion in your shell (bash, zsh, fish)."`
}

func main() { os.Exit(execute()) }

// execute does the work of main, and returns the exit code.
func execute() int {
	// dates in statecharts must not depend on the time zone of the computer
	time.Local = time.UTC
	collector.Relax()
	wholefile.SetShield(cli.Shield)
	ecmascript.SetLastResort(func(reason string) {
		fmt.Fprintln(os.Stderr, "gosmp: error: "+reason)
		os.Exit(cli.ExitTimeout)
	})
	if completion.Answer(os.Stdout, allCommands, predictors()) {
		return cli.ExitDone
	}
	words := inFull(os.Args[1:])
	return executeLine(parserFor(words), words, nil)
}

// allCommands returns the tree of all commands.
func allCommands() *kong.Node { return newParser().Model.Node }

// executeLine executes a command line. Runs take FMU processes from the reserve, if there is one.
func executeLine(parser *kong.Kong, words []string, r *importer.Reserve) int {
	command, err := parser.Parse(words)
	if err == nil {
		err = permitMemory()
	}
	return executeCommand(command, err, r)
}

// executeCommand executes a command that was parsed, possibly with an error.
func executeCommand(command *kong.Context, err error, r *importer.Reserve) int {
	if err == nil && r != nil && command.Selected() != nil { // in a session
		err = session.CheckEnd(command.Selected().Target.Addr().Interface())
	}
	if err == nil {
		err = guard.Check(command)
	}
	if err == nil {
		err = guard.Mistaken(command, command.RunNode(command.Selected(), command, r,
			session.Execute(parsers{}.execute)))
	}
	if err != nil {
		cli.Complain(os.Stderr, err, command, allCommands)
	}
	return cli.ExitCode(err)
}

// variables returns the variables of help texts and lists of values.
func variables() kong.Vars {
	all := kong.Vars{
		"version": versions(), "drivers": strings.Join(driverNames(), ", "),
		"sections": inspect.SectionNames(), "tools": strings.Join(ssp.Tools(), ","),
		"noise": simulate.NoiseUnits(),
	}
	maps.Copy(all, run.Variables())
	maps.Copy(all, convert.Variables())
	return all
}

func driverNames() (names []string) {
	for _, d := range simsensor.Drivers() {
		names = append(names, d.Name)
	}
	return names
}

// predictors returns the functions that complete the values of flags.
func predictors() completion.Predictors {
	units := []string{simsensor.Auto.String()}
	for _, u := range simsensor.Units() {
		units = append(units, u.String())
	}
	oneOf := func(list []string) func(string) []string {
		return func(string) []string { return slices.Clone(list) }
	}
	return completion.Predictors{
		"unit": oneOf(units), "kind": oneOf(newmodel.KindNames()), "source": predictSource,
		"file": completion.Files("*"),
	}
}

// predictSource completes the driver before the colon or the file after it.
func predictSource(begun string) (found []string) {
	driver, file, inFile := strings.Cut(begun, ":")
	if !inFile {
		for _, name := range driverNames() {
			found = append(found, name+":")
		}
		return found
	}
	for _, name := range completion.Files("*.csv")(file) {
		found = append(found, driver+":"+name)
	}
	return found
}
