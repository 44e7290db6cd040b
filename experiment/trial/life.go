package trial

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"gosmp/experiment/scxml"
)

// Initialize builds the simulation and initializes its participants.
func (t *Trial) Initialize(ctx context.Context) error {
	if err := t.allow("Initialize"); err != nil {
		return err
	}
	err := t.build()
	if err == nil {
		err = t.engine.Start(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			err = t.located(err)
		}
		t.fail(Failed, ended(ctx, err))
		return err
	}
	t.state, t.timeout = Paused, t.initialTimeout()
	t.log("initialized")
	return nil
}

// Check builds and discards the simulation. It reports the faults that [Trial.Initialize] would
// find before it loads an FMU: FMUs that cannot be read, and invalid start values and connections.
func (t *Trial) Check() error {
	if err := t.allow("Initialize"); err != nil {
		return err
	}
	err := t.build()
	if err != nil {
		err = t.located(err)
	}
	t.engine, t.world, t.machines = nil, nil, nil
	return err
}

func (t *Trial) fail(s State, err error) {
	t.state, t.cause, t.endedBy = s, err, endOf(err)
	t.log(string(s) + ": " + err.Error())
}

// Start lets the clock run. On the first call, the machines enter their initial states and receive
// the event sim.started.
func (t *Trial) Start() error {
	if err := t.allow("Start"); err != nil {
		return err
	}
	t.state, t.since = Started, t.clock()
	if t.steps == 0 && len(t.records) == 0 {
		if err := t.startMachines(); err != nil {
			t.fail(Halted, ended(t.running, err))
			return err
		}
	}
	return nil
}

func (t *Trial) startMachines() error {
	for _, m := range t.machines {
		if err := m.Start(); err != nil {
			return err
		}
	}
	t.readVariables()
	err := errors.Join(t.settle(), t.tell(scxml.Event{Name: "sim.started"}), t.look(nil))
	t.restartCurves()
	return err
}

// Pause stops the clock after the machines have received the event sim.paused. They do not run
// until Start is called.
func (t *Trial) Pause() error {
	if err := t.allow("Pause"); err != nil {
		return err
	}
	t.state = Paused
	t.real += t.clock() - t.since
	t.engine.Pause()
	return t.tell(scxml.Event{Name: "sim.paused"})
}

// Step performs one step. It reports whether the trial continues. It returns false when all
// evaluation machines have ended, at the timeout, after a machine's stop event, and after an error.
func (t *Trial) Step(ctx context.Context) (more bool, err error) {
	if err := t.allow("Step"); err != nil {
		return false, err
	}
	if t.ended() {
		return false, nil
	}
	if err = t.world.show(); err == nil {
		more, err = t.engine.Step(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			// the error of the participant counts
			_ = t.tell(event("participant.failed", map[string]any{"error": err.Error()}))
		}
		t.fail(Halted, ended(ctx, err))
		return false, err
	}
	t.steps++
	events, err := t.arrived(t.happened())
	err = errors.Join(err, t.settle(), t.look(events))
	if t.options.Bridge != nil {
		t.options.Bridge.Handled()
	}
	if err != nil {
		t.fail(Halted, ended(ctx, err))
		return false, err
	}
	if !more && t.endedBy == "" {
		t.endedBy = "a participant"
		if t.scripted != "" {
			t.endedBy = ofScenario + ": " + t.scripted
		}
	}
	return !t.ended() && !t.timedOut(), nil
}

// settle lets the timers and messages of the machines come to rest at the current time. A machine
// that breaks down is not an error of the trial: it is merely undecided.
func (t *Trial) settle() error {
	err := t.system.Advance(t.Now())
	if errors.Is(err, scxml.ErrTime) || errors.Is(err, scxml.ErrBusy) ||
		err != nil && t.system.Ended() != nil {
		return err
	}
	if err != nil {
		t.log("machine: " + err.Error())
	}
	return nil
}

// look passes the events of a step to the machines.
func (t *Trial) look(events []scxml.Event) error {
	for _, c := range t.curves {
		c.add(t.Now())
	}
	t.shoot()
	for _, e := range events {
		if err := t.tell(e); err != nil {
			return err
		}
	}
	if err := t.channels.deliver(); err != nil {
		return err
	}
	if err := t.settle(); err != nil { // the states determine which machines receive the event step
		return err
	}
	err := t.tellStep()
	if t.moved {
		t.moved = false
		t.scene()
	}
	return err
}

// tellStep posts the situation at the end of a step to the machines that have a transition for
// it.
func (t *Trial) tellStep() error {
	var data scxml.Event
	for k, m := range t.machines {
		if !m.Running() || !t.charts[k].awaits(m, stepEvent) {
			continue
		}
		if data.Name == "" {
			values := map[string]any{}
			for name, s := range t.signals {
				values[name] = s.value()
			}
			defined(values)
			data = event(stepEvent, map[string]any{"time": t.seconds(), "actors": t.actors(),
				"values": values})
		}
		if err := m.Post(data); err != nil && !errors.Is(err, scxml.ErrEnded) {
			return err
		}
	}
	return t.settle()
}

const (
	stepEvent = "step"
	dataEvent = "data."
)

// awaits reports whether an active state of a machine has a transition for an event of that name,
// or forwards all events to an invoked machine. The answers are cached.
func (c *chart) awaits(m *scxml.Machine, name string) bool {
	anywhere := wanted{nil, name}
	if _, known := c.awaited[anywhere]; !known {
		for _, q := range c.chart.States {
			is := takes(q, name)
			c.awaited[wanted{q, name}], c.awaited[anywhere] = is, is || c.awaited[anywhere]
		}
	}
	return c.awaited[anywhere] && slices.ContainsFunc(m.Active(),
		func(q *scxml.State) bool { return c.awaited[wanted{q, name}] })
}

func takes(q *scxml.State, name string) bool {
	return slices.ContainsFunc(q.Invokes, func(i *scxml.Invoke) bool { return i.AutoForward }) ||
		slices.ContainsFunc(q.Transitions, func(x *scxml.Transition) bool {
			return slices.ContainsFunc(x.Events,
				func(d string) bool { return scxml.MatchEvent(d, name) && d != "*" })
		})
}

// tell posts an event to all running machines, in document order, and lets it take effect. Events
// that occur in nearly every step go only to machines with a transition for them.
func (t *Trial) tell(e scxml.Event) error {
	frequent := isFrequent(e.Name)
	for k, m := range t.machines {
		if m.Running() && (!frequent || t.charts[k].awaits(m, e.Name)) {
			if err := m.Post(e); err != nil && !errors.Is(err, scxml.ErrEnded) {
				return err
			}
		}
	}
	return t.settle()
}

// ended reports whether a machine stopped the trial or all have decided.
func (t *Trial) ended() bool {
	if t.endedBy != "" {
		return true
	}
	judges := 0
	for k, c := range t.charts {
		if c.evaluates {
			judges++
			if t.machines[k].Running() {
				return false
			}
		}
	}
	if judges > 0 {
		t.endedBy = "decision"
	}
	return judges > 0
}

// Stop ends the trial in an orderly way.
func (t *Trial) Stop(ctx context.Context) error {
	if err := t.allow("Stop"); err != nil {
		return err
	}
	t.state = Stopped
	if t.endedBy == "" {
		t.endedBy = stopped
	}
	return t.close(ctx)
}

func (t *Trial) close(ctx context.Context) error {
	if t.engine == nil {
		return nil
	}
	_, err := t.engine.Finish(ctx)
	if t.state == Stopped {
		for k, m := range t.machines {
			id, _ := m.Outcome()
			t.log(t.charts[k].id + ": " + cmp.Or(id, Undecided))
		}
	}
	return err
}

// Reset returns to the beginning: everything is rebuilt with the same seed.
func (t *Trial) Reset(ctx context.Context) error {
	if err := t.allow("Reset"); err != nil {
		return err
	}
	err := t.close(ctx)
	t.engine, t.world, t.zones, t.thresholds, t.records, t.scenes = nil, nil, nil, nil, nil, nil
	t.errors, t.film, t.lacking = nil, film{}, nil
	t.steps, t.real, t.endedBy, t.moved, t.elapsed = 0, 0, "", false, false
	t.scripted = ""
	if err != nil {
		t.fail(Failed, err)
		return err
	}
	t.state = Created
	return t.Initialize(ctx)
}

// Run runs a trial to its end, from the beginning or from the point set by [Trial.Resume], and
// obeys Options.Commands between steps. It returns a verdict even if it also returns an error,
// which comes from ctx or from a participant.
func (t *Trial) Run(ctx context.Context) (*Verdict, error) {
	var err error
	t.running = ctx
	if t.state == Created {
		err = t.Initialize(ctx)
	} else if t.system != nil {
		t.system.EndWith(ctx)
	}
	if err == nil && !t.options.Held {
		err = t.Start()
	}
	for more := err == nil; more; {
		if more, err = t.turn(ctx); err != nil {
			more = false
		}
	}
	switch t.state {
	case Started:
		err = errors.Join(err, t.Stop(context.WithoutCancel(ctx)))
	case Stopped:
	default:
		if e := t.close(context.WithoutCancel(ctx)); err == nil {
			err = e
		}
	}
	if err != nil && t.cause == nil {
		t.cause = ended(ctx, err)
		t.endedBy = endOf(t.cause)
	}
	return t.Verdict(), err
}
