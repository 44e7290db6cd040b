package examine

import (
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
		{rules: []string{"R19"}, make: terminatedInEvent, lacks: events},
		{rules: []string{"G5"}, make: withoutLogger, lacks: three},
		{rules: []string{"V21"}, make: earlyStarts, lacks: three},
	}
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

// passesEvent reports whether a run was stopped by a step beyond the next event that the FMU has
// announced, which importers must not make (FMI 3.0.2, 2.3.5). An event before the step does not
// count, because an earlier step has already passed it.
func (r *run) passesEvent() (event float64, passes bool) {
	if r.Crashed() || r.Stopped < 0 || r.play.ops[r.Stopped].Code != "fmi3DoStep" {
		return 0, false
	}
	step := &r.play.ops[r.Stopped]
	for k := r.Stopped; k >= 0; k-- {
		rec, o := &r.Records[k], &r.play.ops[k]
		if o.Code == probe.Settle && o.Slot == step.Slot && rec.Runs > 0 {
			event, begin, end := rec.Y[3], step.X[0], step.X[0]+step.X[1]
			ahead := event >= begin || due(event, begin)
			return event, rec.Y[2] == 1 && ahead && event < end && !due(event, end)
		}
	}
	return 0, false
}

// learnEvents finds the events of an ordinary life beyond which the FMU refuses steps, one after
// the other; it returns false if there are none.
func (a *attempt) learnEvents() bool {
	const most, steps = 100, 25
	s := a.s
	if !s.variableStep || len(s.announced) > 0 {
		return false
	}
	for range most {
		p := s.newPlay()
		p.live(life{begin: s.usual(), n: s.steps(steps, s.step), blind: true})
		event, passes := a.play(p).passesEvent()
		if !passes {
			break
		}
		s.announced = append(s.announced, event)
	}
	return len(s.announced) > 0
}
