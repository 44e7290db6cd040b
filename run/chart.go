package run

import (
	"context"
	"errors"
	"io"

	"gosmp/internal/regular"
	"gosmp/run/kind"
	"gosmp/run/statechart"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// runChart implements [Run] for a statechart.
func runChart(ctx context.Context, o Options) (*Result, error) {
	if err := o.checkFiles(); err != nil {
		return &Result{}, err
	}
	p := &statechart.Player{File: o.Files[0], Text: o.Document, Seed: o.Seed, Log: o.Journal}
	if p.Log == nil {
		p.Log = io.Discard
	}
	events, err := o.prepareChart(p)
	if err != nil {
		return &Result{}, err
	}
	if err = p.Open(ctx); err == nil {
		err = o.playChart(ctx, p, events)
	}
	s := p.Summary(err)
	result := &Result{Chart: &s, Passed: err == nil && !p.Failed() && len(s.Errors) == 0 &&
		s.Fault == ""}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{o.Timeline, p.Timeline}, {o.Report, p.Report}} {
		if f.name == "" {
			continue
		}
		if wrong := writeFile(f.name, f.write); wrong != nil {
			err = errors.Join(err, &OutputError{wrong})
		}
	}
	return result, err
}

// prepareChart reads the files.
func (o *Options) prepareChart(p *statechart.Player) (events []statechart.Timed, err error) {
	if o.StopTime != nil {
		if p.Stop, err = timebase.FromSeconds(*o.StopTime); err != nil {
			return nil, usage.Invalid("--stop-time", err)
		}
		if p.Stop <= 0 {
			return nil, usage.Unexpected("--stop-time", *o.StopTime, "a time after 0")
		}
	}
	if p.Text == nil {
		if p.Text, err = kind.ReadText(p.File); err != nil {
			return nil, err
		}
	}
	switch o.Events {
	case "":
		return nil, nil
	case standard:
		return statechart.ReadEvents("standard input", o.input())
	}
	if err := usage.Exists(o.Events); err != nil {
		return nil, usage.Invalid("--events", err)
	}
	f, err := regular.OpenStream(o.Events)
	if err != nil {
		return nil, usage.Invalid("--events", err)
	}
	defer func() { _ = f.Close() }() // was only read
	return statechart.ReadEvents(o.Events, f)
}

func (o *Options) playChart(
	ctx context.Context,
	p *statechart.Player,
	events []statechart.Timed,
) error {
	if o.View {
		return o.viewChart(ctx, p, events)
	}
	if o.Events != "" || o.Document != nil {
		return p.Play(events)
	}
	return p.Interact(
		ctx,
		o.input(),
		func(err error) { (&logger{to: o.Log}).printed("gosmp: " + err.Error()) },
	)
}

// input returns the replacement for standard input.
func (o *Options) input() io.Reader {
	if o.Stdin == nil {
		return eof{}
	}
	return o.Stdin
}

type eof struct{}

// Read returns io.EOF.
func (eof) Read([]byte) (int, error) { return 0, io.EOF }
