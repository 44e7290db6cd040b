package simapi

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

const (
	defaultWait = 10 * time.Second
	largestWait = 600 * time.Second
)

// waitLimit reads a max_wait_ms.
func waitLimit(ms float64) (time.Duration, error) {
	switch {
	case ms == 0:
		return defaultWait, nil
	case ms > 0 && ms <= Ms(timebase.Time(largestWait)):
		return time.Duration(math.Ceil(ms * float64(time.Millisecond))), nil
	}
	return 0, fault.New(Code_INVALID, fault.At("max_wait_ms"), number(ms), "0 (10 s) to 600000")
}

// startStep records that a party is ready for a step, and starts the step when all parties are
// ready. The lock must be held.
func (v *Server) startStep(p *party, r *StartStep) error {
	if err := v.interrupted(p, "start_step"); err != nil {
		return err
	}
	target, err := v.stepTarget(p, r)
	if err != nil {
		return err
	}
	p.state, p.target, p.started = Stepping, target, true
	if len(v.missing(func(q *party) bool { return q.started })) > 0 {
		return nil
	}
	for _, name := range v.run.required {
		v.find(name).started = false
	}
	v.run.stepping, v.run.begun = true, time.Now()
	go v.makeStep(v.run, timebase.Span{Start: v.run.now, End: target})
	return nil
}

// stepTarget reads the end of the step.
func (v *Server) stepTarget(p *party, r *StartStep) (timebase.Time, error) {
	place := fault.At("start_step: requested_sim_time_ms")
	requested, ok := FromMs(r.GetRequestedSimTimeMs())
	target := v.run.target(requested)
	if !ok || !near(requested, target) {
		expected := fmt.Sprintf("%s, the present %s + step_size_ms",
			number(v.run.scale.Milliseconds(target)), number(v.run.ms()))
		return 0, fault.New(Code_INVALID, place, number(r.GetRequestedSimTimeMs()), expected).
			WithHint(likelyUnit(r.GetRequestedSimTimeMs(), Ms(target)))
	}
	for _, other := range v.parties {
		if other != p && other.started && v.isRequired(other) && other.target != target {
			return 0, fault.New(Code_INVALID, place, number(r.GetRequestedSimTimeMs()),
				fmt.Sprintf("%s, for which %q has asked", number(Ms(other.target)), other.name))
		}
	}
	return target, nil
}

// makeStep runs the simulator and the system under test, and reports the outcome.
func (v *Server) makeStep(run *simulation, s timebase.Span) {
	if !v.enterTurn(run, "step") {
		return
	}
	defer func() { <-v.turn }()
	count := run.substeps(s)
	events, err := v.substeps(run.ctx, s, count)
	if err == nil {
		err = v.stepSUT(run.ctx, s, &events)
	}
	if err == nil {
		err = v.guard(func() error { return v.meet(run.ctx, s.End) })
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	run.stepping = false
	if err != nil {
		run.failed = fmt.Errorf("wait_step: the step to %s: %w", inMs(s.End), err)
	} else {
		run.reach(s.End)
		run.made = count
		run.notices = append(run.notices, events...)
		run.events, run.notices = run.notices, nil
	}
	v.notify()
}

// enterTurn takes the turn for a simulation, unless the simulation ended meanwhile.
func (v *Server) enterTurn(run *simulation, what string) bool {
	v.turn <- struct{}{}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.run != run {
		<-v.turn
		return false
	}
	v.working, v.since = what, time.Now()
	return true
}

// substeps performs the simulator's steps within one step of the director, until the simulation
// ends. They end at multiples of the simulator's own step if the director's step does.
func (v *Server) substeps(ctx context.Context, s timebase.Span, count int64) (events []*Event,
	err error) {
	if v.config.Simulator == nil {
		return nil, nil
	}
	begin := s.Start
	points := v.run.scale.With(v.run.own)
	first, regular := points.Index(s.Start)
	regular = regular && points.Point(first+count) == s.End
	for k := int64(1); k <= count && err == nil; k++ {
		end := s.Start + (s.End-s.Start)*timebase.Time(k)/timebase.Time(count)
		if regular {
			end = points.Point(first + k)
		}
		var made []*Event
		made, err = v.guardedStep(ctx, timebase.Span{Start: begin, End: end})
		events = append(events, made...)
		begin = end
		v.mu.Lock()
		if err == nil {
			v.run.steps++
			err = ctx.Err() // a step may consist of millions
		}
		v.mu.Unlock()
	}
	return events, err
}

// guardedStep performs a step of the simulator; like guard, it turns a panic into an error.
func (v *Server) guardedStep(ctx context.Context, s timebase.Span) (made []*Event, err error) {
	defer v.recovered(&err)
	return v.config.Simulator.Step(ctx, s)
}

// stepSUT passes the states at the end of the step to the system under test.
func (v *Server) stepSUT(ctx context.Context, s timebase.Span, events *[]*Event) (err error) {
	if v.config.SUT == nil {
		return nil
	}
	defer v.recovered(&err)
	var states []*ActorState
	if v.config.Simulator != nil {
		if states, err = v.states(ctx, s.End, nil, false); err != nil {
			return err
		}
	}
	made, err := v.config.SUT.Step(ctx, s, states)
	*events = append(*events, made...)
	return err
}

// interrupted returns the reason why a party can neither step nor wait. The lock must be held.
func (v *Server) interrupted(p *party, call string) error {
	lost := p.cut
	if len(lost) == 0 {
		lost = v.run.lost
	}
	if len(lost) > 0 {
		return &LateError{Code: Code_PARTY_LOST, Late: lost,
			Text: fmt.Sprintf("%s: party lost at %s: %s", call, inMs(v.run.now),
				names(lost, "has closed its connection"))}
	}
	if v.closing {
		return &LateError{Code: Code_PARTY_LOST, Text: call + ": the server is closing"}
	}
	return v.run.failed
}

// await waits until done returns true, until the limit or the context ends the wait, or until an
// error interrupts it. The lock is held, except during the wait itself.
func (v *Server) await(ctx context.Context, p *party, limit time.Duration, call string,
	done func() bool) (waited time.Duration, timeout bool, err error) {
	begin := time.Now()
	p.waiting = true
	defer func() { p.waiting, p.cut = false, nil }()
	if p.timer == nil {
		p.timer = time.NewTimer(limit)
	} else {
		p.timer.Reset(limit)
	}
	defer p.timer.Stop()
	for {
		if done() {
			return 0, false, nil
		}
		if err := v.interrupted(p, call); err != nil {
			return 0, false, err
		}
		v.mu.Unlock()
		select {
		case <-p.changed:
			v.mu.Lock()
		case <-p.timer.C:
			v.mu.Lock()
			return time.Since(begin), !done(), nil
		case <-ctx.Done():
			v.mu.Lock()
			return time.Since(begin), !done(), nil
		}
	}
}

// waitStep returns when the party's step is complete.
func (v *Server) waitStep(ctx context.Context, p *party, r *WaitStep, to deliver) error {
	limit, err := waitLimit(r.GetMaxWaitMs())
	if err != nil {
		return inCall(Method_WAIT_STEP, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	waited, late, err := v.await(ctx, p, limit, "wait_step",
		func() bool { return v.run.now >= p.target })
	switch {
	case err != nil:
		p.state = v.stateAfterLoss(Running)
		return err
	case late:
		return v.lateForStep(p, waited)
	}
	p.state = Running
	reply := &p.answers.step
	reply.SimTimeMs, reply.Steps, reply.Events = v.run.ms(), uint32(v.run.made), v.run.events
	return to(reply)
}

// stateAfterLoss returns the state of a party whose wait ended for good.
func (v *Server) stateAfterLoss(s State) State {
	if v.owner == nil {
		return Connected
	}
	return s
}

// lateForStep returns an error that names the parties that the step still needs.
func (v *Server) lateForStep(p *party, waited time.Duration) error {
	e := &LateError{Code: Code_TIMEOUT, Text: fmt.Sprintf("wait_step: waited %.1f s for %s: ",
		waited.Seconds(), inMs(p.target))}
	if v.run.stepping {
		e.Late = []*Party{v.simulatorParty()}
		took := time.Since(v.run.begun).Seconds()
		e.Text += fmt.Sprintf(
			"simulator %q has been in this step for %.1f s; real-time factor below %.2g",
			v.config.Name, took,
			(p.target-v.run.now).Seconds()/took)
		return e
	}
	e.Late = v.missing(func(q *party) bool { return q.started })
	e.Text += names(e.Late, "has not called start_step")
	return e
}

// begin lets the simulator get ready once all parties have called start_simulation.
func (v *Server) begin(run *simulation) {
	if !v.enterTurn(run, "start_simulation") {
		return
	}
	defer func() { <-v.turn }()
	err := v.guard(func() error {
		if v.config.SUT != nil {
			if err := v.config.SUT.WaitStartSimulation(run.ctx); err != nil {
				return err
			}
		}
		if v.config.Simulator != nil {
			return v.config.Simulator.WaitStartSimulation(run.ctx)
		}
		return nil
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	run.starting = false
	if err != nil {
		run.failed = fmt.Errorf("wait_start_simulation: %w", err)
	} else {
		run.ready = true
		v.phase = Running
	}
	v.notify()
}

// waitStart returns when the simulator is ready.
func (v *Server) waitStart(ctx context.Context, p *party, r *WaitStartSimulation,
	to deliver) error {
	limit, err := waitLimit(r.GetMaxWaitMs())
	if err != nil {
		return inCall(Method_WAIT_START_SIMULATION, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	waited, late, err := v.await(ctx, p, limit, "wait_start_simulation",
		func() bool { return v.run.ready })
	switch {
	case err != nil:
		p.state = v.stateAfterLoss(Starting)
		return err
	case late:
		return v.lateForStart(waited)
	}
	p.state = Running
	return to(&p.answers.empty)
}

func (v *Server) lateForStart(waited time.Duration) error {
	e := &LateError{Code: Code_TIMEOUT, Text: fmt.Sprintf("wait_start_simulation: waited %.1f s: ",
		waited.Seconds())}
	if v.run.starting {
		e.Late = []*Party{v.simulatorParty()}
		e.Text += fmt.Sprintf("simulator %q is still starting", v.config.Name)
		return e
	}
	e.Late = v.missing(func(q *party) bool { return q.started })
	e.Text += names(e.Late, "has not called start_simulation")
	return e
}

// names states for each party what is missing: `dsp "stack" has not called start_step, last
// get_ego_info at 20 ms`.
func names(list []*Party, lacks string) string {
	var words []string
	for _, p := range list {
		switch last := p.GetLastCall(); {
		case p.GetRole() == Role_UNKNOWN_ROLE:
			words = append(words, fmt.Sprintf("%q has not connected", p.GetName()))
		case last == Method_HELLO:
			words = append(words, fmt.Sprintf("%s %q %s, no call yet", p.GetRole().Word(),
				p.GetName(), lacks))
		default:
			words = append(words, fmt.Sprintf("%s %q %s, last %s at %s ms", p.GetRole().Word(),
				p.GetName(), lacks, last.Word(),
				number(p.GetLastTimeMs())))
		}
	}
	return strings.Join(words, "; ")
}

// likelyUnit guesses the intended unit of a number of milliseconds.
func likelyUnit(found, expected float64) string {
	for _, unit := range []struct {
		name   string
		factor float64
	}{{"seconds", 1000}, {"microseconds", 1e-3}, {"nanoseconds", 1e-6}} {
		if expected != 0 && math.Abs(found*unit.factor/expected-1) < 0.05 {
			return fmt.Sprintf("times of the API are milliseconds; this looks like %s", unit.name)
		}
	}
	return ""
}
