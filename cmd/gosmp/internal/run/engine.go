package run

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/signal"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/timebase"
)

// MakeEngine determines how the system is run, and makes the engine. Close ends its FMUs.
func (r *Simulation) MakeEngine() error {
	if err := r.settle(); err != nil {
		return err
	}
	c := r.Command
	r.pool = &importer.Pool{Print: r.printed}
	var err error
	o := &r.pool.Options
	if o.Memory, err = parseSize(c.Memory); err != nil {
		return cli.Invalid("--memory", err)
	}
	o.Core, o.LogCalls, o.Dir = c.Core, c.LogCalls, c.WorkDir
	options, err := r.options()
	if err != nil {
		return err
	}
	for _, text := range r.System.Warnings {
		r.console.warn(text)
	}
	r.Engine, err = r.System.Engine(r.Spec, r.pool, func(p *system.Part) importer.Options { return *options[p] })
	return err
}

// Simulate runs the engine. A first signal ends it in order, a second one at once.
func (r *Simulation) Simulate() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 2)
	cli.NotifyEnding(signals)
	defer signal.Stop(signals)
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		var first timebase.Time
		clock := timebase.SystemTime()
		for {
			select {
			case s := <-signals:
				switch {
				case r.signal == nil:
					r.signal, first = s, clock.Now()
					cancel(&interrupted{s})
				case clock.Now()-first > togetherTime:
					r.pool.Kill()
				}
			case <-done:
				return
			}
		}
	}()
	var err error
	r.Result, err = r.runEngine(ctx)
	close(done)
	<-watched
	return err
}

// togetherTime is how long a signal may come after another and still be the same one: some programs
// send it to a process and its group.
const togetherTime = 300 * timebase.Millisecond

// interrupted is the end of a run by a signal.
type interrupted struct{ signal os.Signal }

func (e *interrupted) Error() string { return "interrupted (" + e.signal.String() + ")" }

// runEngine runs the engine, and starts from a saved state or saves one at the end, if requested.
func (r *Simulation) runEngine(ctx context.Context) (*cosim.Result, error) {
	c, e := r.Command, r.Engine
	var err error
	if c.FromState != "" && !r.plainState() {
		state, wrong := r.readFile(c.FromState)
		if wrong != nil {
			return e.Result(), cli.Invalid("--initial-fmu-state-file", wrong)
		}
		err = e.Resume(ctx, state)
	} else {
		err = e.Start(ctx)
	}
	for more := err == nil; more; {
		more, err = e.Step(ctx)
	}
	var failed error
	if err == nil && c.ToState != "" {
		failed = r.saveState(ctx)
	}
	result, err := e.Finish(ctx)
	return result, cmp.Or(err, failed)
}

// saveState writes the state of the FMU, or of all FMUs and the engine.
func (r *Simulation) saveState(ctx context.Context) error {
	save := func() ([]byte, error) { return r.Engine.AppendState(ctx, nil) }
	if r.plainState() {
		save = r.System.Parts[0].Instance.State
	}
	state, err := save()
	if err != nil {
		return err
	}
	return cli.WriteFile(r.Command.ToState, func(w io.Writer) error {
		_, err := w.Write(state)
		return err
	})
}
