// Package fmutest implements gosmp test, which replays a trace into an FMU and judges the outputs.
package fmutest

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	runcmd "gosmp/cmd/gosmp/internal/run"
	"gosmp/importer"
	"gosmp/internal/decimal"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run"
	"gosmp/run/usage"
	"gosmp/trace/compare"
)

// Command implements gosmp test.
type Command struct {
	FMU string `arg:"" predictor:"file" help:"FMU for co-simulation, as FILE or NAME=FILE; NAME is the prefix of its outputs in topics."`

	Trace  string   `required:"" short:"t" predictor:"file" placeholder:"FILE" help:"Trace to play into the FMU's binary inputs."`
	Type   string   `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it: sv, SensorView, and so on."`
	Input  []string `sep:"none" placeholder:"INPUT=TOPIC" help:"Channel for a binary input; by default the channel with the name of the input, or the only channel of its type. May be repeated."`
	Expect []string `required:"" short:"e" sep:"none" predictor:"file" placeholder:"FILE" help:"Trace of expected outputs, or conditions (.yaml). May be repeated."`
	Update bool     `help:"Write the outputs of this run as the trace of expected outputs."`

	Tolerance []string `group:"Comparison" sep:"none" placeholder:"FIELD=X" help:"Tolerance for the numbers of a field: 0.1 is absolute, 1% is relative to the expected number; FIELD is one or more names of a path, such as base.position. Without FIELD=, it applies to all floating-point numbers. By default 1e-9, absolute or relative. May be repeated; the last tolerance for a field applies."`
	Ignore    []string `group:"Comparison" sep:"none" placeholder:"FIELD" help:"Field to exclude from the comparison; may be repeated."`
	Channel   []string `group:"Comparison" sep:"none" placeholder:"TOPIC" help:"Channel of the expected trace to compare, a topic, its last part, or a type; may be repeated. By default all channels."`
	TimeLimit float64  `group:"Comparison" name:"time-tolerance" placeholder:"S" help:"Tolerance for message times, in seconds."`
	ExactIDs  bool     `group:"Comparison" name:"exact-ids" help:"Compare tracking ids as numbers. By default they are names, which may differ as long as each object keeps its own."`
	Most      int      `group:"Comparison" name:"show" default:"10" placeholder:"N" help:"Number of differences to show, ${default} by default."`

	Time       string        `group:"Run" enum:"relative,absolute" default:"relative" help:"relative: the trace begins at the start of the simulation; absolute: messages are played at their times."`
	StartTime  *cli.Seconds  `group:"Run" placeholder:"S" help:"Start time; by default 0, or with --time absolute the time of the first message."`
	StopTime   *cli.Seconds  `group:"Run" placeholder:"S" help:"Stop time; by default one step after the last message."`
	StepSize   *cli.Seconds  `group:"Run" placeholder:"S" help:"Step between communication points; by default the step that the FMU proposes, or the interval between the messages."`
	StartValue []string      `group:"Run" sep:"none" placeholder:"NAME=VALUE" help:"Start value, as for gosmp run; may be repeated."`
	Timeout    time.Duration `group:"Run" placeholder:"TIME" help:"Time limit for each step or phase of the FMU, such as 10s."`
	LoggingOn  bool          `group:"Run" help:"Enable the log of the FMU."`

	Record string `group:"Results" predictor:"file" placeholder:"FILE" help:"Record the inputs and outputs of the run (.mcap)."`
	JUnit  string `group:"Results" name:"junit" predictor:"file" placeholder:"FILE.xml" help:"Write the verdicts for build servers."`
	JSON   bool   `group:"Results" name:"json" help:"Print the result as JSON."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `The trace is played into the FMU: a step that starts at t uses the newest message ` +
		`stamped t or earlier. ` +
		`The FMU's binary outputs are recorded and compared with the expected trace, field by ` +
		`field, and judged by conditions on counts, ` +
		`ranges, OSI's rules and metrics, as TRACES.md describes.

Exit codes: 0 as expected; 1 differences; 2 invalid input; 3 a time limit ` +
		`was reached; 4 the FMU or gosmp failed.

A JSON document has the members formatVersion (1), fmu, sha256, trace, passed, steps, reached ` +
		`(in seconds), verdicts (name, passed, cause, ` +
		`messages, differences: all that were counted), differences (the first ones: channel, ` +
		`time in nanoseconds, object, field, expected, found) and files.`
}

// Run runs the FMU and judges its outputs.
func (c *Command) Run(r *importer.Reserve) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	o.Reserve = r
	console, interrupts := runcmd.NewConsole(os.Stderr), runcmd.NewInterrupts()
	examined := runcmd.Examine([]string{c.FMU})
	o.Log, o.Observe = console, func(s *run.Simulation) error {
		interrupts.Until(s)
		examined.Warn(interrupts.Context, console.Warn)
		return console.ShowProgress(s)
	}
	result, err := run.Test(interrupts.Context, o)
	console.Close()
	runcmd.EndInterrupted(err) // its FMU has ended, and its files are complete or gone
	if err != nil {
		return cli.ExitWith(err, run.TestExitCode(err))
	}
	if !c.JSON {
		for _, u := range result.Updated {
			fmt.Printf("%s written: %s\n", u.File, quantity.Of(u.Messages, "message"))
		}
	}
	if err := c.write(result); err != nil {
		return err
	}
	if !result.Passed {
		return cli.Negative(
			fmt.Sprintf("%s: the outputs are not as expected: %s", c.FMU, result.Cause()),
		)
	}
	return nil
}

// options returns the test options that the flags specify.
func (c *Command) options() (o run.TestOptions, err error) {
	if c.Most < 0 || c.TimeLimit < 0 {
		return o, cli.Unexpected(
			"--show and --time-tolerance",
			fmt.Sprintf("%v and %v", c.Most, c.TimeLimit),
			"non-negative numbers",
		)
	}
	o = run.TestOptions{
		FMU: c.FMU, Trace: c.Trace, Type: c.Type, Expect: c.Expect, Update: c.Update,
		Channels: c.Channel, TimeLimit: c.TimeLimit, ExactIDs: c.ExactIDs, Most: c.Most,
		Absolute:  c.Time == "absolute",
		StartTime: c.StartTime.Value(), StopTime: c.StopTime.Value(), StepSize: c.StepSize.Value(),
		Timeout: c.Timeout, LoggingOn: c.LoggingOn, Record: c.Record,
	}
	if o.StartValues, err = runcmd.Assignments("--start-value", "NAME=VALUE",
		c.StartValue); err != nil {
		return o, err
	}
	if o.Inputs, err = runcmd.Assignments("--input", "NAME=FILE", c.Input); err != nil {
		return o, err
	}
	o.Tolerances, err = c.tolerances()
	return o, err
}

// tolerances parses --tolerance and --ignore.
func (c *Command) tolerances() (list []compare.Tolerance, err error) {
	for _, text := range c.Tolerance {
		field, number, found := runcmd.CutLast(text, "=")
		if !found {
			field, number = "", text
		}
		percent, relative := strings.CutSuffix(number, "%")
		x, err := decimal.Float(percent, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return nil, usage.Unexpected(
				"--tolerance",
				fmt.Sprintf("%q", text),
				"FIELD=0.1 or FIELD=1%, a non-negative number",
			)
		}
		t := compare.Tolerance{Field: field, Absolute: x}
		if relative {
			t.Absolute, t.Relative = 0, x/100
		}
		list = append(list, t)
	}
	for _, field := range c.Ignore {
		list = append(list, compare.Tolerance{Field: field, Ignore: true})
	}
	return list, nil
}

// write writes the result to all requested places.
func (c *Command) write(r *run.TestResult) error {
	if c.JUnit != "" {
		if err := cli.WriteFile(c.JUnit, r.WriteJUnit); err != nil {
			return err
		}
	}
	if c.JSON {
		return cli.Flushed(cli.WriteIndentedJSON(os.Stdout, r))
	}
	return cli.Flushed(printResult(plaintext.Lines(os.Stdout), r, c.Most))
}

// printResult writes the verdicts and the first differences.
func printResult(out io.Writer, r *run.TestResult, most int) error {
	for k, d := range r.Differences {
		if k == most {
			break
		}
		fmt.Fprintf(out, "  %s\n", d)
	}
	for _, v := range r.Verdicts {
		word, rest := "passed", quantity.Of(v.Messages, "message")
		if v.Skipped {
			word, rest = "skipped", v.Cause
		} else if !v.Passed {
			word = "FAILED"
			rest += fmt.Sprintf(
				", %s differences, first: %s",
				quantity.Grouped(v.Differences),
				v.Cause,
			)
		}
		fmt.Fprintf(out, "%s  %s: %s\n", word, v.Name, rest)
	}
	_, err := fmt.Fprintf(
		out,
		"%s: %s steps to %v s\n",
		r.FMU,
		quantity.Grouped(r.Steps),
		r.Reached,
	)
	return err
}
