package examine

import (
	"bytes"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// eventTrials returns the trials of Event Mode and of other calls that exist only in FMI 3.0.
func eventTrials() []trial {
	three := func(x *exam) string {
		if x.s.major != 3 {
			return "FMI 2.0 has no such call"
		}
		return ""
	}
	events := unless(func(s *subject) bool { return s.events }, "there are no clocks")
	return []trial{
		{rules: []string{"S8"}, make: clocksEnd, lacks: events},
		{rules: []string{"S8"}, make: withoutEvents, lacks: events},
		{rules: []string{"R19"}, make: terminatedInEvent, lacks: events},
		{rules: []string{"G5"}, make: withoutLogger, lacks: three},
		{rules: []string{"V21"}, make: earlyStarts, lacks: three},
	}
}

// clocksEnd checks clocks and next event times after fmi3UpdateDiscreteStates: no clock may be
// active then, and the next event must not be in the past.
func clocksEnd(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	type look struct {
		settle int
		t      float64
	}
	var looks []look
	clocks := s.outputClocks()
	for k := range s.steps(20, s.step) {
		p.step(0, s.sum(s.start, k), s.step)
		p.call(0, "EnterEventMode")
		looks = append(looks, look{p.add(probe.Op{Code: probe.Settle}), s.sum(s.start, k+1)})
		if len(clocks) > 0 {
			p.add(probe.Op{Code: "fmi3GetClock", References: clocks, Values: len(clocks)})
		}
		p.call(0, "EnterStepMode")
	}
	p.end(0)
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 && !r.ended() {
		a.untested("S8", "the FMU does not require Event Mode after each step")
		return
	}
	for _, l := range looks {
		rec := r.Records[l.settle]
		if rec.Runs == 0 {
			break
		}
		if rec.Y[2] == 1 && !(rec.Y[3] >= l.t-float64(1e-9*max(1, abs(l.t)))) {
			a.refuted("S8", r, l.settle, "a time from "+short(l.t)+" on",
				"nextEventTime is %s at %s s", short(rec.Y[3]), short(l.t))
			return
		}
		active := bytes.IndexByte(r.Records[l.settle+1].Out, 1)
		if len(clocks) > 0 && active >= 0 && active < len(clocks) {
			a.refuted("S8", r, l.settle+1,
				"that fmi3UpdateDiscreteStates has deactivated all clocks",
				"the clock with the value reference %d is active after it, at %s s", clocks[active],
				short(l.t))
			return
		}
	}
	a.proved("S8")
}

// withoutEvents makes a life of an importer that does not use Event Mode, without readings: the FMU
// handles events in its steps.
func withoutEvents(a *attempt) {
	s := *a.s
	s.events = false
	p := s.newPlay()
	p.live(life{begin: s.usual(), n: s.steps(20, s.step), blind: true, end: true})
	r := a.play(p)
	const with = ", with eventModeUsed = false"
	switch {
	case r.Stopped > 0 && isBirth(p.ops[r.Stopped].Code) && !r.Crashed():
		a.remark("S8", r.describe(r.Stopped)+with)
	case a.fine("S8", r):
		a.proved("S8")
	default:
		o := &a.outcomes[len(a.outcomes)-1]
		o.found, o.cause = o.found+with, ""
	}
}

// outputClocks returns the value references of the clocks that the FMU activates.
func (s *subject) outputClocks() (list []uint32) {
	for k := range s.model.Variables {
		if v := &s.model.Variables[k]; v.Type == fmi.Clock && v.Causality == fmi.Output {
			list = append(list, v.ValueReference)
		}
	}
	return list
}

// terminatedInEvent terminates in Event Mode and reads variables afterwards.
func terminatedInEvent(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.live(life{begin: s.usual(), n: 1})
	p.call(0, "EnterEventMode")
	p.add(probe.Op{Code: probe.Settle})
	p.call(0, "Terminate")
	p.read(0, s.start+s.step)
	p.call(0, "FreeInstance")
	if r := a.play(p); a.fine("R19", r) {
		a.proved("R19")
	}
}

// withoutLogger makes a life and provokes an error, both with NULL for the logger.
func withoutLogger(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, probe.NoLogger|probe.LoggingOn)
	p.initialize(0, s.usual())
	p.step(0, s.start, s.step)
	p.wrongly(s.unknownGet())
	p.states[0] = fmi.Erroneous
	p.call(0, "FreeInstance")
	r := a.play(p)
	if r.Crashed() {
		o := a.crash("G5", r)
		o.found += ", with NULL for logMessage"
		o.cause = ""
		return
	}
	a.proved("G5")
}

// earlyStarts reads variables with start values before initialization.
func earlyStarts(a *attempt) {
	p := a.s.newPlay()
	p.instantiate(0, 0)
	reading := p.read(0, a.s.start)
	p.call(0, "FreeInstance")
	r := a.play(p, reading)
	switch {
	case r.Crashed():
		a.crash("V21", r)
	case r.Stopped >= 0:
		a.refuted("V21", r, r.Stopped, "OK", "%s before initialization",
			r.describe(r.Stopped)).as(finding.Warning)
	default:
		if first, ok := reading.cells(r.Result); ok {
			a.startsOf(r, first)
		}
	}
}
