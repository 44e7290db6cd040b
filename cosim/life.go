package cosim

import (
	"context"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// phase is the phase of an engine's life cycle.
type phase uint8

const (
	created phase = iota
	started
	broken // an error: only Finish is legal
	finished
)

// Run runs the simulation and closes all participants. It returns a result even with an error. The
// error wraps the error of ctx, is a [RunError], or describes a mistake in the setup of the run; in
// the last case, nothing has been started.
func (e *Engine) Run(ctx context.Context) (*Result, error) {
	if e.Start(ctx) == nil {
		_ = e.Continue(ctx) // Finish returns the error
	}
	return e.Finish(ctx)
}

// Start checks the run, initializes the participants and calls the observers for the first point.
// Finish must always be called, and returns the same error again.
func (e *Engine) Start(ctx context.Context) error {
	return e.begin(func() error {
		if err := e.initialize(ctx); err != nil {
			return err
		}
		return e.observe(true)
	})
}

// begin implements the common part of Start and Resume.
func (e *Engine) begin(do func() error) error {
	if e.phase != created {
		return e.misuse("a run that was already started")
	}
	e.result.Spec, e.result.Reached = e.spec, e.spec.Start
	e.useScale()
	err := e.prepare()
	if err == nil {
		err = do()
	}
	return e.enter(err)
}

// enter returns the phase after an action.
func (e *Engine) enter(err error) error {
	e.phase = started
	if err != nil {
		e.phase, e.result.Cause = broken, err
	}
	return err
}

func (e *Engine) misuse(found string) error {
	return fault.New(ErrSpec, fault.At("life cycle"), found,
		"New, then Start, Step any number of times, and Finish")
}

// observe starts the observers.
func (e *Engine) observe(first bool) error {
	for _, o := range e.observers {
		if err := o.Begin(&e.result); err != nil {
			return err
		}
	}
	if !first {
		return nil
	}
	return e.row(e.result.Reached, AtPoint)
}

// Step advances all participants to the next communication point and calls the observers. It
// reports whether another step is left: false at the stop time, after a participant's request to
// terminate, and after an error, which ends the run. Nothing happens between two steps: a run that
// is not stepped is paused, and values set by a [Control] apply from the next step on.
func (e *Engine) Step(ctx context.Context) (more bool, err error) {
	switch {
	case e.phase == broken:
		return false, e.result.Cause
	case e.phase != started:
		return false, e.misuse("Step of a run that has not started or has ended")
	case !e.more():
		return false, nil
	}
	if ctx.Err() != nil {
		return false, e.enter(context.Cause(ctx))
	}
	e.beginPace()
	if err := e.enter(e.next(ctx)); err != nil {
		return false, err
	}
	e.keepPace(ctx)
	return e.more(), nil
}

// more reports whether another step is left.
func (e *Engine) more() bool {
	return e.result.Reached < e.spec.Stop && e.result.EndedBy == "" && !e.result.Early
}

// next steps to the next point of the grid, or to the stop time.
func (e *Engine) next(ctx context.Context) error {
	end := e.scale.Point(e.point + 1)
	if e.tooShort(end) {
		e.result.Early = true
		return nil
	}
	if end > e.spec.Stop {
		end = e.spec.Stop
		e.result.Shortened = true
	}
	s := timebase.Span{Start: e.result.Reached, End: end}
	e.goAhead(s)
	err := e.step(ctx, s)
	e.point++
	return err
}

// Pause stops the clock of Spec.Speed until the next Step. A run without Speed does not need this
// call.
func (e *Engine) Pause() { e.pace.Pause() }

// Now returns the communication point that the run has reached.
func (e *Engine) Now() timebase.Time { return e.result.Reached }

// Finish ends the run in an orderly way: it stops the participants that are still sound, ends the
// observers and closes all participants. It returns the first error of the run.
func (e *Engine) Finish(ctx context.Context) (*Result, error) {
	if e.phase == finished {
		return &e.result, e.result.Cause
	}
	e.phase = finished
	e.team.close()
	err := e.result.Cause
	for _, m := range e.order {
		if m.entered && !m.failed {
			err = firstOf(err, m.wrap(e, m.participant.Stop(context.WithoutCancel(ctx))))
		}
	}
	e.result.Cause = err
	for _, o := range e.observers {
		err = firstOf(err, o.End(&e.result))
	}
	for _, m := range e.members {
		if m.participant != nil {
			err = firstOf(err, m.wrap(e, m.participant.Close()))
		}
	}
	e.result.Cause = err
	return &e.result, err
}

// Reset takes the run back to its first point, as if it had just been started, and initializes the
// participants again, all of which must be Resetters. Observers receive another row for the start.
func (e *Engine) Reset(ctx context.Context) error {
	if e.phase != started {
		return e.misuse("Reset of a run that has not started or has ended")
	}
	for _, m := range e.order {
		if _, can := m.participant.(Resetter); !can || !m.traits.Resets {
			return fault.New(ErrSpec, fault.At(m.name), "a participant that cannot be reset",
				"one that can").WithHint("create a new run")
		}
	}
	return e.enter(e.reset(ctx))
}

func (e *Engine) reset(ctx context.Context) error {
	for _, m := range e.order {
		if err := m.participant.(Resetter).Reset(ctx); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
		m.entered, m.asked, m.grid, m.shrink = false, false, 0, 0
		for _, l := range m.lines {
			l.line.count = 0
		}
	}
	r := &e.result
	r.Reached, r.Steps, r.Events, r.EndedBy, r.Shortened, r.Early, r.Loops = e.spec.Start, 0, 0, "",
		false, false, nil
	e.resetPace()
	e.point, e.stepping, e.lastRow = 0, false, AtPoint
	if err := e.initialize(ctx); err != nil {
		return err
	}
	return e.row(r.Reached, AtPoint)
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
