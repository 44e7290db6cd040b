package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/run/kind"
	"gosmp/run/statechart"
	"gosmp/timebase"
)

// chartFlags are the flags of run that only a statechart has.
type chartFlags struct {
	Events   string `group:"Statechart" predictor:"file" placeholder:"FILE" help:"Events for a statechart, one per line: a time in seconds, a name, and optionally data as JSON; - is standard input. The machine then runs as fast as it can. Without it each line of standard input is an event, and the machine runs by the wall clock until the input ends; the rest is played at once."`
	Seed     uint64 `group:"Statechart" default:"${seed}" help:"Seed of Math.random in a statechart, and of the traffic on a map."`
	Timeline string `group:"Statechart" placeholder:"FILE.svg" help:"Draw a timeline of the active states of a statechart."`
}

// errFailure ends the run of a statechart whose verdict is a failure.
var errFailure = cli.Negative("the statechart ended in its final state \"failure\"")

const defaultSeed = 1

var defaultChart = chartFlags{Seed: defaultSeed}

// chart is the input if it is a statechart.
func (c *Command) chart() (*inputfile.File, bool) {
	in, err := inputfile.Open(c.Files[0])
	if err != nil {
		return nil, false
	}
	return in, in.Kind() == kind.Statechart
}

func (c *Command) runChart(in *inputfile.File) error {
	if flags := c.unused([]string{"Files", "StopTime", "JSON", "Isolate", "chartFlags"}); len(flags) > 0 {
		return cli.Unexpected(strings.Join(flags, ", "), in.Name+", a statechart", "FMUs, maps, a system or an experiment; see gosmp run --help")
	}
	return (&chartRun{chartFlags: c.chartFlags, in: in, stop: c.StopTime, asJSON: c.JSON}).run()
}

// chartRun is the run of a statechart.
type chartRun struct {
	chartFlags
	in     *inputfile.File
	stop   *float64 // seconds
	asJSON bool     // the summary goes to standard output, and the log to standard error
}

func (r *chartRun) run() error {
	p := &statechart.Player{File: r.in.Name, Seed: r.Seed, Log: os.Stdout}
	if r.asJSON {
		p.Log = os.Stderr
	}
	events, err := r.prepare(p)
	if err != nil {
		return err
	}
	if err = p.Open(); err == nil {
		err = r.play(p, events)
	}
	if e := r.finish(p, err); e != nil {
		err = errors.Join(err, cli.Flushed(e))
	}
	if err == nil && p.Failed() {
		return errFailure
	}
	return err
}

// prepare reads the files.
func (r *chartRun) prepare(p *statechart.Player) (events []statechart.Timed, err error) {
	if r.stop != nil {
		if p.Stop, err = timebase.FromSeconds(*r.stop); err != nil {
			return nil, cli.Invalid("--stop-time", err)
		}
		if p.Stop <= 0 {
			return nil, cli.Unexpected("--stop-time", *r.stop, "a time after 0")
		}
	}
	if p.Text, err = r.in.Text(); err != nil || r.Events == "" {
		return nil, err
	}
	list, err := inputfile.Open(r.Events)
	if err != nil {
		return nil, cli.Invalid("--events", err)
	}
	f, err := list.Open()
	if err != nil {
		return nil, cli.Invalid("--events", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	return statechart.ReadEvents(list.Name, f)
}

func (r *chartRun) play(p *statechart.Player, events []statechart.Timed) error {
	if r.Events != "" || r.in.Piped {
		return p.Play(events)
	}
	ctx, stop := cli.UntilEnded()
	defer stop()
	return p.Interact(ctx, os.Stdin, func(err error) { fmt.Fprintf(os.Stderr, "gosmp: %v\n", err) })
}

// finish writes the timeline and the summary, also after a run that has failed.
func (r *chartRun) finish(p *statechart.Player, cause error) error {
	if r.Timeline != "" {
		if err := cli.WriteFile(r.Timeline, func(w io.Writer) error { return p.Timeline(w) }); err != nil {
			return err
		}
	}
	if !r.asJSON {
		return nil
	}
	return cli.WriteIndentedJSON(os.Stdout, p.Summary(cause))
}
