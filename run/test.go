package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/run/usage"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/expect"
	"gosmp/trace/live"
	"gosmp/trace/mcap"
)

// Test runs an FMU with a trace and judges its outputs. The result contains negative verdicts. An
// error means that the test could not be performed; [TestExitCode] returns the code of the run
// contract for it.
func Test(ctx context.Context, o TestOptions) (*TestResult, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	t := &fmuTest{o: &o}
	if err := t.readExpected(); err != nil {
		return nil, err
	}
	defer func() { _ = t.found.Close() }() // the run has ended
	if err := t.simulate(ctx); err != nil {
		return nil, &runError{err}
	}
	return t.judge()
}

// runError is an error of the run of a test rather than of its judgment.
type runError struct{ error }

// Unwrap returns the cause.
func (e *runError) Unwrap() error { return e.error }

// TestExitCode returns the code of the run contract for an error of a test; a damaged trace counts
// as invalid input.
func TestExitCode(err error) int {
	switch {
	case err == nil:
		return Done
	case errors.As(err, new(*OutputError)):
		return Failed
	case !errors.As(err, new(*runError)), trace.IsDamage(err):
		return Invalid
	}
	for _, kind := range []error{
		trace.ErrChannel, trace.ErrContent, trace.ErrFormat, trace.ErrTime, trace.ErrType,
		os.ErrNotExist,
	} {
		if errors.Is(err, kind) {
			return Invalid
		}
	}
	return ExitCode(err)
}

// fmuTest is a test in progress.
type fmuTest struct {
	o       *TestOptions
	known   map[string]*expect.Conditions // by file
	run     *Simulation
	found   spool // the recorded trace, unless Record keeps it
	first   timebase.Time
	last    timebase.Time
	count   int64 // of the messages of a channel
	feeds   []feed
	sources []trace.Source
}

// feed is a channel of the trace and the input for it.
type feed struct {
	input cosim.Variable
	topic string
}

// simulate runs the FMU with the trace and records its outputs.
func (t *fmuTest) simulate(ctx context.Context) error {
	c := t.o
	o := Defaults(c.FMU)
	o.StartValues, o.Timeout, o.LoggingOn = c.StartValues, c.Timeout, c.LoggingOn
	o.Log, o.Observe, o.Reserve = c.Log, c.Observe, c.Reserve
	r := New(o)
	t.run = r
	defer func() { _ = r.Close() }() // it has no files of its own
	if err := t.survey(); err != nil {
		return err
	}
	if err := r.openSystem(); err != nil {
		return err
	}
	if !r.One() || r.System.Parts[0].FMU == nil {
		return usage.Unexpected("test", c.FMU, "one FMU for co-simulation")
	}
	if err := t.match(); err != nil {
		return err
	}
	t.times()
	if err := r.makeEngine(); err != nil {
		return err
	}
	defer func() {
		for _, s := range t.sources {
			_ = s.Close() // was only read
		}
	}()
	if err := t.feed(); err != nil {
		return err
	}
	return t.record(ctx)
}

// survey determines when the trace starts and ends.
func (t *fmuTest) survey() error {
	s, err := trace.Open(t.o.Trace, trace.Options{Type: t.o.Type})
	if err != nil {
		return usage.Invalid("--trace", err)
	}
	defer func() { _ = s.Close() }() // was only read
	info, err := trace.Survey(s)
	if err != nil {
		return err
	}
	if info.Messages == 0 {
		return usage.Unexpected("--trace", t.o.Trace+" without a message", "at least one")
	}
	t.first, t.last = info.Start, info.End
	for k, n := range info.Counts {
		if n > 1 && k < len(s.Channels()) {
			t.count = n
			break
		}
	}
	return nil
}

// match finds the channel of each binary input.
func (t *fmuTest) match() error {
	s, err := trace.Open(t.o.Trace, trace.Options{Type: t.o.Type})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // was only read
	if !s.Info().Indexed {
		if _, err := trace.Survey(s); err != nil { // finds all channels
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
		inputs = append(
			inputs,
			fmt.Sprintf(
				"%s (%s)",
				v.Name,
				cmp.Or(
					strings.TrimPrefix(live.ChannelOf("", v.MIMEType).Type, "osi3."),
					"any type",
				),
			),
		)
		topic, err := chooseChannel(s.Channels(), v, given[v.Name])
		if err != nil {
			return err
		}
		if topic != "" {
			t.feeds = append(t.feeds, feed{v, topic})
		}
	}
	switch {
	case len(inputs) == 0:
		return usage.Unexpected("test", t.o.FMU+", which has no binary input",
			"an FMU that receives messages; gosmp run simulates others")
	case len(t.feeds) == 0:
		return usage.Unexpected("--trace", "channels "+channelList(s.Channels()),
			"one for an input of the FMU, which are "+strings.Join(inputs, ", ")+
				"; --input INPUT=TOPIC names one")
	}
	return nil
}

// given returns the topics of Inputs, by the names of inputs.
func (t *fmuTest) given() (map[string]string, error) {
	topics := map[string]string{}
	for _, a := range t.o.Inputs {
		_, v, topic, err := t.run.named("--input", a)
		if err != nil {
			return nil, err
		}
		if v.Kind != cosim.Binary || v.Role != cosim.Input {
			return nil, usage.Unexpected(
				"--input",
				v.Name+", which is another variable",
				"a binary input",
			)
		}
		topics[v.Name] = topic
	}
	return topics, nil
}

// times determines start, stop and step of the run.
func (t *fmuTest) times() {
	c, run := t.o, &t.run.Options
	start := 0.0
	if c.Absolute {
		start = t.first.Seconds()
	}
	if c.StartTime != nil {
		start = *c.StartTime
	}
	proposed := t.run.System.Step
	step := proposed.Number
	if proposed.Origin == "" {
		step = cmp.Or(spacing(t.first, t.last, t.count).Seconds(), 0.01)
	}
	if c.StepSize != nil {
		step = *c.StepSize
	}
	stop := t.last.Seconds() + step
	if !c.Absolute {
		stop += start - t.first.Seconds()
	}
	if c.StopTime != nil {
		stop = *c.StopTime
	}
	run.StartTime, run.StopTime, run.StepSize = &start, &stop, &step
}

// feed adds the players of the trace. They are all shifted by the same time, which depends on the
// whole file.
func (t *fmuTest) feed() error {
	c, r := t.o, t.run
	offset := timebase.Time(0)
	if !c.Absolute {
		offset = r.Spec.Start - t.first
	}
	// A regular message belongs to the nearest communication point.
	offset -= lateness(t.first, t.last, t.count, r.Spec.Step)
	for _, f := range t.feeds {
		s, err := trace.Open(
			c.Trace,
			trace.Options{Type: c.Type, Select: trace.Selection{Topics: []string{f.topic}}},
		)
		if err != nil {
			return err
		}
		t.sources = append(t.sources, s)
		p, err := trace.NewPlayer(
			s,
			trace.PlayerOptions{Start: r.Spec.Start, Offset: offset, Strict: true},
		)
		if err != nil {
			return err
		}
		v := f.input
		v.Name, v.Role = r.System.Label(r.System.Parts[0], v.Name), cosim.Output
		if err := r.connect("trace for "+v.Name, live.NewSource(v, p)); err != nil {
			return err
		}
	}
	return nil
}

// record runs the engine and records all messages. A recording error ends the test.
func (t *fmuTest) record(ctx context.Context) error {
	r := t.run
	var to io.Writer = &t.found
	if t.o.Record != "" {
		file, err := newResultFile("--record", t.o.Record)
		if err != nil {
			return err
		}
		r.Engine.Observe(file)
		defer func() { _ = file.Close() }() // the data has been flushed
		to = file
	}
	sink, err := trace.Create(to, trace.MCAP, trace.SinkOptions{Compression: t.compression()})
	if err != nil {
		return err
	}
	recorder, err := live.NewRecorder(sink, live.RecorderOptions{}, t.signals()...)
	if err != nil {
		return usage.Invalid("test", err)
	}
	r.Engine.Observe(recorder)
	if err := r.announce(); err != nil {
		return err
	}
	if err := r.simulate(ctx); err != nil {
		return err
	}
	if err := recorder.Err(); err != nil {
		return &OutputError{err}
	}
	return nil
}

// signals returns the signals to record: the outputs and, for --record and for any file of
// conditions, also the inputs, with which its metrics may compare the outputs.
func (t *fmuTest) signals() []*cosim.Signal {
	all := t.run.binarySignals()
	if t.o.Record != "" || slices.ContainsFunc(t.o.Expect, isConditions) {
		return all
	}
	return slices.DeleteFunc(all, func(s *cosim.Signal) bool {
		return s.Variable.Role != cosim.Output
	})
}

// mostPlain is the size of a played trace up to which the recorded one is not compressed, if it
// only lasts as long as the test. Compression would take most of the time of a short test.
const mostPlain = 64 << 20

// compression returns how the recorded trace is compressed.
func (t *fmuTest) compression() mcap.Compression {
	info, err := os.Stat(t.o.Trace)
	if t.o.Record == "" && err == nil && info.Size() <= mostPlain {
		return mcap.None
	}
	return mcap.Zstd
}

// recorded opens the recorded trace.
func (t *fmuTest) recorded(o trace.Options) (trace.Source, error) {
	if t.o.Record != "" {
		return trace.Open(t.o.Record, o)
	}
	return trace.OpenAt("found.mcap", &t.found, t.found.size, o)
}

// outputs returns the topics of the FMU's outputs in the recorded trace.
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
func (t *fmuTest) update(name string, r *TestResult) error {
	format := trace.FormatOf(name)
	if kept := trace.ReadAndWritten(); !slices.Contains(kept, format) {
		return usage.Unexpected("--expect", fmt.Sprintf("%q", name), trace.Endings(kept))
	}
	s, err := t.recorded(trace.Options{Select: trace.Selection{Topics: t.outputs()}})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // was only read
	if format.HasOneChannel() && len(t.outputs()) > 1 {
		return usage.Unexpected(
			"--expect",
			fmt.Sprintf("%q for %d outputs", name, len(t.outputs())),
			"a name that ends in .mcap",
		)
	}
	k := &trace.Copy{
		Format:      format,
		Compression: mcap.Zstd,
		Select:      trace.Selection{Topics: t.outputs()},
	}
	if err := writeFile(name, func(w io.Writer) error { return k.Run(w, s) }); err != nil {
		return err
	}
	r.Updated = append(r.Updated, Updated{name, k.Messages})
	return nil
}
