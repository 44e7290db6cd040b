// Package fmutest is gosmp test: it plays a trace into an FMU and judges what comes out.
package fmutest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/convert"
	"gosmp/cmd/gosmp/internal/run"
	"gosmp/cosim"
	"gosmp/internal/quantity"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/live"
	"gosmp/trace/mcap"
)

// Command is gosmp test.
type Command struct {
	FMU string `arg:"" predictor:"file" help:"FMU for co-simulation, as FILE or NAME=FILE; NAME is the prefix of its outputs in topics."`

	Trace  string   `required:"" short:"t" predictor:"file" placeholder:"FILE" help:"Trace that is played into the FMU's binary inputs."`
	Type   string   `placeholder:"TYPE" help:"Type of the messages of an .osi file whose name does not say it: sv, SensorView, and so on."`
	Input  []string `sep:"none" placeholder:"INPUT=TOPIC" help:"Channel for a binary input; by default the one with the name of the input, or the only one of its type. May be repeated."`
	Expect []string `required:"" short:"e" sep:"none" predictor:"file" placeholder:"FILE" help:"Trace of expected outputs, or conditions (.yaml). May be repeated."`
	Update bool     `help:"Write the outputs of this run as the trace of expected outputs."`

	Tolerance []string `group:"Comparison" sep:"none" placeholder:"FIELD=X" help:"How much numbers of a field may differ: 0.1 is absolute, 1% is relative to the expected number; FIELD is one or more names of a path, such as base.position. Without FIELD=, all floating-point numbers. By default 1e-9, absolute or relative. May be repeated; the last one that covers a field counts."`
	Ignore    []string `group:"Comparison" sep:"none" placeholder:"FIELD" help:"Field that is not compared; may be repeated."`
	Channel   []string `group:"Comparison" sep:"none" placeholder:"TOPIC" help:"Channel of the expected trace that is compared, a topic or a type; may be repeated. All by default."`
	TimeLimit float64  `group:"Comparison" name:"time-tolerance" placeholder:"S" help:"How much the times of messages may differ, in seconds."`
	ExactIDs  bool     `group:"Comparison" name:"exact-ids" help:"Compare tracking ids as numbers. By default they are names, which may differ as long as each object keeps its own."`
	Most      int      `group:"Comparison" name:"show" default:"10" placeholder:"N" help:"How many differences to show, ${default} by default."`

	Time       string        `group:"Run" enum:"relative,absolute" default:"relative" help:"relative: the trace begins at the start of the simulation; absolute: messages are played at their times."`
	StartTime  *float64      `group:"Run" placeholder:"S" help:"Start time; by default 0, or with --time absolute the time of the first message."`
	StopTime   *float64      `group:"Run" placeholder:"S" help:"Stop time; by default a step after the last message."`
	StepSize   *float64      `group:"Run" placeholder:"S" help:"Step between communication points; by default what the FMU proposes, else the interval of the messages."`
	StartValue []string      `group:"Run" sep:"none" placeholder:"NAME=VALUE" help:"Start value, as for gosmp run; may be repeated."`
	Timeout    time.Duration `group:"Run" placeholder:"TIME" help:"Time limit for each step or phase of the FMU, such as 10s."`
	LoggingOn  bool          `group:"Run" help:"Ask the FMU to log."`

	Record string `group:"Results" predictor:"file" placeholder:"FILE" help:"Keep the inputs and outputs of the run (.mcap)."`
	JUnit  string `group:"Results" name:"junit" predictor:"file" placeholder:"FILE.xml" help:"Write the verdicts for build servers."`
	JSON   bool   `group:"Results" name:"json" help:"Print the result as JSON."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `The trace is played into the FMU: a step that starts at t uses the newest message stamped t or earlier. ` +
		`The FMU's binary outputs are recorded and compared with the expected trace, field by field, and judged by conditions on counts, ` +
		`ranges, OSI's rules and metrics, as TRACES.md describes.

Exit codes: 0 everything is as expected; 1 something differs; 2 invalid input; 3 a time limit was reached; 4 the FMU or gosmp failed.

A JSON document has the members formatVersion (1), fmu, sha256, trace, passed, steps, reached (in seconds), verdicts (name, passed, cause, ` +
		`messages, differences: all that were counted), differences (the first ones: channel, time in nanoseconds, object, field, expected, found) and files.`
}

// fmuTest is a test and what it needs.
type fmuTest struct {
	command *Command
	run     *run.Simulation
	found   string // the trace that was recorded
	first   timebase.Time
	last    timebase.Time
	step    float64 // mean distance of the messages in seconds, 0 when there is only one
	feeds   []feed
	sources []trace.Source
}

// feed is a channel of the trace and the input that it is played into.
type feed struct {
	input cosim.Variable
	topic string
}

// Run runs the FMU and judges its outputs.
func (c *Command) Run() error {
	if err := c.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gosmp-test")
	if err != nil {
		return cli.OutputFailed(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the run has ended
	t := &fmuTest{command: c, found: cmp.Or(c.Record, filepath.Join(dir, "found.mcap"))}
	if err := t.simulate(); err != nil {
		return cli.ExitWith(err, testExitCode(err))
	}
	return t.judge()
}

// testExitCode is the one of the run contract; damages of the trace are those of an input.
func testExitCode(err error) int {
	for _, kind := range []error{trace.ErrChannel, trace.ErrContent, trace.ErrFormat, trace.ErrTime, trace.ErrType, os.ErrNotExist} {
		if errors.Is(err, kind) {
			return cli.ExitInput
		}
	}
	if trace.IsDamage(err) {
		return cli.ExitInput
	}
	return run.ExitCode(err)
}

// check reports invalid combinations before anything is run.
func (c *Command) check() error {
	if c.Record != "" && trace.FormatOf(c.Record) != trace.MCAP {
		return cli.Unexpected("--record", fmt.Sprintf("%q", c.Record), "a name that ends in .mcap")
	}
	if c.Most < 0 || c.TimeLimit < 0 {
		return cli.Unexpected("--show and --time-tolerance", fmt.Sprintf("%v and %v", c.Most, c.TimeLimit), "numbers from 0 up")
	}
	for _, name := range c.Expect {
		if cli.SameFile(name, c.Trace) || cli.SameFile(name, c.Record) {
			return cli.Unexpected("--expect", fmt.Sprintf("%q, which is another file of this test", name), "a trace of its own")
		}
		if _, err := os.Stat(name); err != nil && (!c.Update || isConditions(name)) {
			if !isConditions(name) {
				err = fmt.Errorf("%w; --update writes it", err)
			}
			return cli.Invalid("--expect", err)
		}
	}
	_, err := c.tolerances()
	return err
}

// simulate runs the FMU with the trace and records its outputs.
func (t *fmuTest) simulate() error {
	c := t.command
	r := run.NewSimulation(&run.Command{Files: []string{c.FMU}, StartValue: c.StartValue, Timeout: c.Timeout, LoggingOn: c.LoggingOn}, os.Stderr)
	t.run = r
	defer r.Close()
	if err := t.survey(); err != nil {
		return err
	}
	if err := r.OpenSystem(); err != nil {
		return err
	}
	if !r.One() || r.System.Parts[0].FMU == nil {
		return cli.Unexpected("test", c.FMU, "one FMU for co-simulation")
	}
	if err := t.match(); err != nil {
		return err
	}
	t.times()
	if err := r.MakeEngine(); err != nil {
		return err
	}
	defer func() {
		for _, s := range t.sources {
			_ = s.Close() // it was only read
		}
	}()
	if err := t.feed(); err != nil {
		return err
	}
	return t.record()
}

// survey finds out when the trace begins and ends.
func (t *fmuTest) survey() error {
	s, err := trace.Open(t.command.Trace, trace.Options{Type: t.command.Type})
	if err != nil {
		return cli.Invalid("--trace", err)
	}
	defer func() { _ = s.Close() }() // it was only read
	info, err := trace.Survey(s)
	if err != nil {
		return err
	}
	if info.Messages == 0 {
		return cli.Unexpected("--trace", t.command.Trace+" without a message", "at least one")
	}
	t.first, t.last = info.Start, info.End
	for k, n := range info.Counts {
		if n > 1 && k < len(s.Channels()) {
			t.step = (t.last - t.first).Seconds() / float64(n-1)
			break
		}
	}
	return nil
}

// match finds the channel of each binary input.
func (t *fmuTest) match() error {
	s, err := trace.Open(t.command.Trace, trace.Options{Type: t.command.Type})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // it was only read
	if !s.Info().Indexed {
		if _, err := trace.Survey(s); err != nil { // which shows all channels
			return err
		}
	}
	given, err := t.given()
	if err != nil {
		return err
	}
	var inputs []string
	for _, v := range t.run.System.Parts[0].FMU.Variables() {
		if v.Kind != cosim.Binary || v.Role != cosim.Input {
			continue
		}
		inputs = append(inputs, fmt.Sprintf("%s (%s)", v.Name, cmp.Or(strings.TrimPrefix(live.ChannelOf("", v.MIMEType).Type, "osi3."), "any type")))
		topic, err := run.ChooseChannel(s.Channels(), v, given[v.Name])
		if err != nil {
			return err
		}
		if topic != "" {
			t.feeds = append(t.feeds, feed{v, topic})
		}
	}
	if len(t.feeds) == 0 {
		return cli.Unexpected("--trace", "channels "+run.ChannelList(s.Channels()), "one for an input of the FMU, which are "+
			cmp.Or(strings.Join(inputs, ", "), "none that is binary")+"; --input INPUT=TOPIC names one")
	}
	return nil
}

// given reads --input.
func (t *fmuTest) given() (map[string]string, error) {
	topics := map[string]string{}
	for _, text := range t.command.Input {
		_, v, topic, err := t.run.Named("--input", text)
		if err != nil {
			return nil, err
		}
		if v.Kind != cosim.Binary || v.Role != cosim.Input {
			return nil, cli.Unexpected("--input", v.Name+", which is another variable", "a binary input")
		}
		topics[v.Name] = topic
	}
	return topics, nil
}

// times determines start, stop and step of the run.
func (t *fmuTest) times() {
	c, run := t.command, t.run.Command
	start := 0.0
	if c.Time == "absolute" {
		start = t.first.Seconds()
	}
	if c.StartTime != nil {
		start = *c.StartTime
	}
	proposed := t.run.System.Step
	step := proposed.Number
	if proposed.Origin == "" {
		step = cmp.Or(t.step, 0.01)
	}
	if c.StepSize != nil {
		step = *c.StepSize
	}
	stop := t.last.Seconds() + step
	if c.Time != "absolute" {
		stop += start - t.first.Seconds()
	}
	if c.StopTime != nil {
		stop = *c.StopTime
	}
	run.StartTime, run.StopTime, run.StepSize = &start, &stop, []string{fmt.Sprint(step)}
}

// feed adds the players of the trace. All of them move by the same time, that of the whole file.
func (t *fmuTest) feed() error {
	c, r := t.command, t.run
	offset := timebase.Time(0)
	if c.Time != "absolute" {
		offset = r.Spec.Start - t.first
	}
	for _, f := range t.feeds {
		s, err := trace.Open(c.Trace, trace.Options{Type: c.Type, Select: trace.Selection{Topics: []string{f.topic}}})
		if err != nil {
			return err
		}
		t.sources = append(t.sources, s)
		p, err := trace.NewPlayer(s, trace.PlayerOptions{Start: r.Spec.Start, Offset: offset, Strict: true})
		if err != nil {
			return err
		}
		v := f.input
		v.Name, v.Role = r.System.Label(r.System.Parts[0], v.Name), cosim.Output
		if err := r.Connect("trace for "+v.Name, live.NewSource(v, p)); err != nil {
			return err
		}
	}
	return nil
}

// record runs the engine and records all messages. A recording that fails ends the test.
func (t *fmuTest) record() error {
	r := t.run
	file, err := os.Create(t.found)
	if err != nil {
		return cli.Invalid("--record", err)
	}
	defer func() { _ = file.Close() }() // what counts has been flushed
	signals := r.BinarySignals()
	recorder, err := run.NewRecorder("test", file, trace.MCAP, live.RecorderOptions{}, signals)
	if err != nil {
		return err
	}
	r.Engine.Observe(recorder)
	r.ObserveProgress()
	if err := r.Simulate(); err != nil {
		return err
	}
	if err := recorder.Err(); err != nil {
		return cli.OutputFailed(err)
	}
	return nil
}

// outputs are the topics of the FMU's outputs in the recorded trace.
func (t *fmuTest) outputs() (topics []string) {
	p := t.run.System.Parts[0]
	for _, v := range p.FMU.Variables() {
		if v.Kind == cosim.Binary && v.Role == cosim.Output {
			topics = append(topics, p.Name+"."+v.Name)
		}
	}
	return topics
}

// update writes the outputs of the run as the new expected outputs.
func (t *fmuTest) update(name string) error {
	format := trace.FormatOf(name)
	if format != trace.MCAP && format != trace.OSIFile && format != trace.JSONLines {
		return cli.Unexpected("--expect", fmt.Sprintf("%q", name), "a name that ends in .mcap, .osi or .jsonl")
	}
	s, err := trace.Open(t.found, trace.Options{Select: trace.Selection{Topics: t.outputs()}})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // it was only read
	if format == trace.OSIFile && len(t.outputs()) > 1 {
		return cli.Unexpected("--expect", fmt.Sprintf("%q for %d outputs", name, len(t.outputs())), "a name that ends in .mcap")
	}
	writer, messages := &convert.Command{Channel: t.outputs(), Compression: string(mcap.Zstd)}, int64(0)
	err = cli.WriteFile(name, func(w io.Writer) (err error) {
		messages, err = writer.CopyTo(w, s, format)
		return err
	})
	if err == nil && !t.command.JSON {
		fmt.Printf("%s written: %s\n", name, quantity.Of(messages, "message"))
	}
	return err
}
