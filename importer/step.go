package importer

import (
	"context"
	"fmt"
	"math"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/worker"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

func isStep(function string) bool {
	return function == "fmi2DoStep" || function == "fmi3DoStep" || function == "fmiDoStep"
}

// place determines where messages are stored: once per engine step in a new place, and in the same
// place if the FMU is read again in that step because it returned early or handled an event. This
// preserves the bytes of the previous step, which other participants may read while this one steps.
func (i *Instance) place() uint32 {
	if i.published == i.stepEnd {
		return worker.SamePlace
	}
	i.published = i.stepEnd
	return 0
}

// prepare sets the inputs and the arguments of a step over a span of the engine, up to end.
func (i *Instance) prepare(s timebase.Span, end timebase.Time) error {
	if err := i.continuous.send(); err != nil {
		return err
	}
	if err := i.between.in.send(); err != nil {
		return err
	}
	a := &i.arguments
	a.Flags = a.Flags&^worker.SamePlace | i.place()
	a.Time = i.time
	to, regular := i.setup.Scale.Step(timebase.Span{Start: s.Start, End: end})
	if regular {
		a.Step = i.setup.Step.Seconds() // the same size in each step, regardless of rounding
	} else {
		to = i.seconds(end)
		a.Step = to - a.Time
	}
	i.endTime = to
	return nil
}

// seconds returns an instant in the FMU's precision: the end of the engine's step, an event that
// the FMU has announced, or a tick.
func (i *Instance) seconds(t timebase.Time) float64 {
	if t == i.nextEvent && t != i.stepEnd {
		return i.eventTime
	}
	if tick, is := i.clockwork.seconds(t); is && t != i.stepEnd {
		return tick
	}
	return i.setup.Scale.Seconds(t)
}

// exactly returns the current instant, which the FMU may know to a precision finer than a
// nanosecond.
func (i *Instance) exactly(t timebase.Time) interval {
	if d, err := decimalOf(i.time); err == nil && d.time() == t {
		return d
	}
	return interval{ns: int64(t)}
}

// Step sets the inputs, steps and reads the outputs, all in one round trip. With Event Mode, a step
// that must be preceded by an event ends where it begins, and a step that contains a clock tick or
// the FMU's next event time ends at that point.
func (i *Instance) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	i.stepEnd = s.End
	end := s.End
	if i.o.EventMode {
		if i.eventBefore(s.Start) {
			tick, _ := i.clockwork.seconds(s.Start)
			return cosim.Advance{Reached: s.Start, Seconds: tick, Event: true}, nil
		}
		if next := i.nextPoint(); next > s.Start && next < end &&
			i.fmu.slave.Capabilities.Has("canHandleVariableCommunicationStepSize") {
			end = next
		}
	}
	r, did, err := i.flown(s)
	if !did {
		r, did, err = i.begunStep()
	}
	if !did {
		r, did, err = i.executed()
	}
	if !did {
		if err := i.prepare(s, end); err != nil {
			return cosim.Advance{}, err
		}
		r, err = i.do(worker.Step, i.o.Timeout)
	}
	if err != nil {
		return cosim.Advance{}, err
	}
	return i.stepped(s, end, r)
}

// stepped determines from a reply how far a step has advanced and reads the outputs.
func (i *Instance) stepped(s timebase.Span, end timebase.Time, r worker.Reply) (
	advance cosim.Advance, err error) {
	if r.Status == int(fmi.Discard) {
		return i.discarded(s, r)
	}
	advance = cosim.Advance{Reached: end, Ended: i.fmu.Model.Major() == 3 && r.Terminate}
	if i.fmu.Model.Major() == 3 {
		if advance.Reached, err = i.reached(timebase.Span{Start: s.Start, End: end},
			r); err != nil {
			return advance, err
		}
		i.eventNeeded = r.EventNeeded
		advance.Event = i.o.EventMode && (r.EventNeeded || advance.Reached >= i.nextPoint()) &&
			!advance.Ended
	}
	i.time = i.endTime
	if advance.Reached < end {
		i.time = r.LastTime
	}
	if err := i.between.replay(timebase.Span{Start: s.Start, End: advance.Reached},
		r.Blob); err != nil {
		return advance, err
	}
	advance.Seconds, _ = i.clockwork.seconds(advance.Reached)
	return advance, i.out.fetch()
}

// reached returns the time that a step of FMI 3.0 has reached.
func (i *Instance) reached(s timebase.Span, r worker.Reply) (timebase.Time, error) {
	if r.Early && !i.o.EarlyReturn && !r.Terminate {
		i.phase = failed
		return 0, fault.New(ErrFailed, fault.In(i.fmu.Path), "fmi3DoStep returned early, at "+
			fmt.Sprint(r.LastTime)+" s", "the whole step, as earlyReturnAllowed is false").
			WithHint("run with --early-return-allowed")
	}
	if !r.Early && !r.Terminate {
		return s.End, nil // some FMUs return no usable lastSuccessfulTime for a complete step
	}
	last, err := timebase.FromSeconds(r.LastTime)
	if err != nil || math.IsNaN(r.LastTime) || last < s.Start {
		i.phase = failed
		return 0, fault.New(ErrFailed, fault.In(i.fmu.Path),
			fmt.Sprintf("lastSuccessfulTime is %v", r.LastTime),
			fmt.Sprintf("from %v to %v", s.Start.Seconds(), s.End.Seconds()))
	}
	if s.End-last <= 1 {
		return s.End, nil
	}
	return last, nil
}

// discarded handles a step that the FMU has discarded.
func (i *Instance) discarded(s timebase.Span, r worker.Reply) (cosim.Advance, error) {
	a := cosim.Advance{Reached: s.Start, Discarded: true, Sound: i.fmu.Model.Major() == 3}
	if i.fmu.Model.Major() == 3 || r.Answered&1 == 0 || !r.Terminate {
		if !a.Sound && !i.setup.KeepState {
			i.phase = running // the step failed: Terminate is legal
		}
		return a, nil
	}
	a.Discarded, a.Ended = false, true
	if t, err := timebase.FromSeconds(r.LastTime); r.Answered&2 != 0 && err == nil &&
		t >= s.Start && t <= s.End {
		a.Reached = t
	}
	step := i.arguments
	_, err := i.call(worker.Get, worker.Arguments{Out: i.out.plan, Flags: i.place()})
	i.arguments = step
	if err != nil {
		return a, err
	}
	return a, i.out.fetch()
}
