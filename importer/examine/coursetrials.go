package examine

import (
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/internal/finding"
)

// courseTrials returns the trials of events that the importer causes: ticks of input clocks, and
// new values of discrete inputs and clocked variables.
func courseTrials() []trial {
	eventful := func(x *exam) string {
		switch {
		case x.s.major != 3:
			return "FMI 2.0 has no Event Mode"
		case !x.s.slave.Capabilities.Has("hasEventMode"):
			return "hasEventMode is not true"
		}
		return ""
	}
	return []trial{
		{rules: []string{"S8", "R5", "R6", "R9", "R21", "R22", "C9"}, make: courses,
			lacks: eventful},
		{rules: []string{"C9"}, make: clockTimings, lacks: unless(func(s *subject) bool {
			return s.major == 3 && len(s.timedClocks()) > 0
		}, "there are no clocks whose ticks the FMU determines")},
	}
}

// courses makes a life with events, and judges others by comparison with it.
func courses(a *attempt) {
	s := *a.s
	s.events = true
	own := a.refusesInputClocks(&s)
	c, why := a.newCourse(&s, own)
	if why != "" {
		a.untested("S8", "%s", why)
		return
	}
	ref, visits := a.wholeCourse(c)
	if ref == nil {
		return
	}
	sound := a.clocksInactive(c, ref, visits) && a.evaluated(c, ref, visits)
	if sound && a.eventTwice(c) {
		a.proved("S8")
	}
	a.intervalsStay(c)
	a.inputsStay(c, ref, visits)
	a.courseReadTwice(c, sound)
	a.courseAfterReset(c, ref)
	a.courseRestored(c)
	a.courseBeside(c, ref)
}

// refusesInputClocks reports whether an FMU refuses to say whether input clocks are active, which
// importers know (FMI 3.0.2, 2.3.5).
func (a *attempt) refusesInputClocks(s *subject) bool {
	list := s.clocksThat(func(v *variable) bool { return v.Causality == fmi.Input })
	if len(list) == 0 {
		return false
	}
	p, g := s.newPlay(), group{"Clock", 1, list}
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	p.call(0, "ExitInitializationMode")
	at := p.add(s.getOp(0, &g))
	p.may()
	p.call(0, "FreeInstance")
	r := a.play(p)
	return r.Records[at].Runs > 0 && r.Records[at].Status > warning
}

// wholeCourse runs a course; it returns nil if this refutes S8.
func (a *attempt) wholeCourse(c *course) (*run, []visit) {
	p := c.s.newPlay()
	c.start(p, 0)
	visits := c.run(p, 0, 0, len(c.events))
	p.end(0)
	r := a.play(p, readingsOf(visits)...)
	if !r.Crashed() && r.Stopped >= 0 && isBirth(p.ops[r.Stopped].Code) {
		a.refuted("S8", r, r.Stopped, "an instance, because hasEventMode is true", "%s, with "+
			"eventModeUsed = true", r.describe(r.Stopped))
		return nil, nil
	}
	if !a.fine("S8", r) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found, o.cause = o.found+c.with(), ""
		return nil, nil
	}
	return r, visits
}

// clocksInactive reports whether no clock is active after fmi3UpdateDiscreteStates, and whether
// announced events are in the future.
func (a *attempt) clocksInactive(c *course, r *run, visits []visit) bool {
	all := c.watched()
	for k := range visits {
		v, t := &visits[k], c.events[k].t
		if r.Records[v.settle].Runs == 0 {
			return true
		}
		rec := &r.Records[v.settle]
		if slack := float64(1e-9 * max(1, math.Abs(t))); rec.Y[2] == 1 && !(rec.Y[3] >= t-slack) {
			a.refuted("S8", r, v.settle, "a time from "+short(t)+" on",
				"nextEventTime is %s at %s s", short(rec.Y[3]), short(t))
			return false
		}
		if v.inactive < 0 {
			continue
		}
		for n, active := range r.Records[v.inactive].Out {
			if active != 0 && n < len(all) {
				a.refuted("S8", r, v.inactive, "that fmi3UpdateDiscreteStates has deactivated all "+
					"clocks", "the clock %s is active after it, at %s s", all[n].Name, short(t))
				return false
			}
		}
	}
	return true
}

// evaluated makes the course with fmi3EvaluateDiscreteStates, which must not change any value.
func (a *attempt) evaluated(c *course, ref *run, visits []visit) bool {
	if !c.s.slave.Capabilities.Has("providesEvaluateDiscreteStates") {
		return true
	}
	with := *c
	with.evaluate = true
	r, again := a.tryCourse(&with)
	const after = " after fmi3EvaluateDiscreteStates"
	if !a.fine("S8", r) {
		a.outcomes[len(a.outcomes)-1].found += after
		return false
	}
	// in the event itself, outputs may follow discrete states only then
	d := c.s.compare(ref.Result, laterOf(visits), r.Result, laterOf(again), 0)
	if d == nil {
		return true
	}
	a.refuted("S8", r, d.op, d.left+", as without fmi3EvaluateDiscreteStates", "%s is %s at %s s"+
		after, d.name, d.right, short(d.t))
	return false
}

// eventTwice enters Event Mode twice at one communication point, as importers do if an event of
// another FMU changes discrete inputs there. It reports whether S8 holds.
func (a *attempt) eventTwice(c *course) bool {
	const first = 2 // events before
	if len(c.events) < first {
		return true
	}
	p, two := c.s.newPlay(), *c
	two.events = append(slices.Clone(c.events[:first]), event{t: c.events[first-1].t})
	two.start(p, 0)
	visits := two.run(p, 0, 0, first)
	p.call(0, "EnterEventMode")
	inputs := c.s.clocksThat(func(v *variable) bool { return v.Causality == fmi.Input })
	at := -1
	if g := (group{"Clock", 1, inputs}); len(inputs) > 0 && !c.own {
		at = p.add(c.s.getOp(0, &g))
	}
	v := two.begin(p, 0, first)
	two.complete(p, 0, first, &v)
	p.end(0)
	r := a.play(p)
	const again = " when Event Mode is entered again at the same time"
	if !a.fine("S8", r) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found, o.cause = o.found+again, ""
		return false
	}
	if at >= 0 && r.Records[at].Status <= warning {
		for n, active := range r.Records[at].Out {
			if active != 0 && n < len(inputs) {
				a.refuted("S8", r, at, "no clock that the importer has not activated",
					"the clock %s is active at %s s"+again, inputs[n].Name, short(v.t))
				return false
			}
		}
	}
	visits = append(visits, v)
	if !a.clocksInactive(&two, r, visits) {
		return false
	}
	a.inputsStay(&two, r, visits)
	return true
}

// inputsStay checks that inputs that were set in Event Mode keep their values.
func (a *attempt) inputsStay(c *course, r *run, visits []visit) {
	for k := range visits {
		for _, at := range []*reading{&visits[k].reading, &visits[k].later} {
			if l := c.s.lost(r, at, visits[k].set); l != nil {
				a.refuted("R22", r, l.op, "the value that was set in Event Mode, "+l.given,
					"%s at %s s", l.found, short(c.events[k].t))
				return
			}
		}
	}
}

// compareCourse judges a rule by comparing the readings of a course with those of the reference.
func (a *attempt) compareCourse(rule string, c *course, ref, r *run, found string) {
	if !a.fine(rule, r) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found, o.cause = o.found+found, ""
		return
	}
	d := c.s.compare(ref.Result, ref.readings, r.Result, r.readings, 0)
	if d == nil {
		return
	}
	o := a.refuted(rule, r, d.op, d.left+", as in a course alone", "%s is %s at %s s%s", d.name,
		d.right, short(d.t), found)
	if d.relative < 1e-9 {
		o.as(finding.Note)
	}
}

func (a *attempt) courseAfterReset(c *course, ref *run) {
	p := c.s.newPlay()
	other := *c
	other.other = 7
	other.start(p, 0)
	other.run(p, 0, 0, (len(c.events)+1)/2)
	p.call(0, "Reset")
	c.initialize(p, 0)
	visits := c.run(p, 0, 0, len(c.events))
	p.end(0)
	a.compareCourse("R6", c, ref, a.play(p, readingsOf(visits)...),
		" after a reset and events before it")
}

// courseRestored restores states that were taken in Step Mode and in Event Mode, with clocks that
// are active.
func (a *attempt) courseRestored(c *course) {
	if !c.s.canSave() {
		return
	}
	half := len(c.events) / 2
	for _, inEvent := range []bool{false, true} {
		p := c.s.newPlay()
		c.start(p, 0)
		c.run(p, 0, 0, half)
		mode := "Step Mode"
		if inEvent {
			mode = "Event Mode"
			c.arrive(p, 0, half)
			c.begin(p, 0, half)
		}
		before := p.states[0]
		taken := p.stateCall("Get", 0)
		first := readingsOf(c.goOn(p, half, inEvent))
		set := p.stateCall("Set", 0)
		p.states[0] = before
		second := readingsOf(c.goOn(p, half, inEvent))
		p.stateCall("Free", 0)
		p.end(0)
		r := a.play(p)
		found := " after a state was restored that was taken in " + mode
		if !a.fine("R9", r) {
			o := &a.outcomes[len(a.outcomes)-1]
			o.found, o.cause = o.found+found, ""
			return
		}
		if d := c.s.compare(r.Result, first, r.Result, second, 0); d != nil {
			o := a.refuted("R9", r, d.op, d.left+" as in the first pass", "%s is %s at %s s"+found,
				d.name, d.right, short(d.t))
			o.evidence = o.passes(taken, set, first, second)
			return
		}
	}
}

// goOn appends a course from the event with the given index on: from the step that leads to it, or
// from within the event.
func (c *course) goOn(p *play, k int, inEvent bool) []visit {
	if !inEvent {
		return c.run(p, 0, k, len(c.events))
	}
	v := visit{reading: c.read(p, 0, &c.events[k])}
	c.complete(p, 0, k, &v)
	return append([]visit{v}, c.run(p, 0, k+1, len(c.events))...)
}

// courseBeside makes the course while another instance has other events.
func (a *attempt) courseBeside(c *course, ref *run) {
	if c.s.once() {
		return
	}
	p := c.s.newPlay()
	other := *c
	other.other, other.blind = 9, true
	other.start(p, 1)
	other.run(p, 1, 0, 1)
	c.start(p, 0)
	var visits []visit
	for k := range c.events {
		if k > 0 {
			other.run(p, 1, k, k+1)
		}
		visits = append(visits, c.run(p, 0, k, k+1)...)
	}
	p.end(0)
	p.end(1)
	a.compareCourse("R5", c, ref, a.play(p, readingsOf(visits)...),
		" beside another instance that has other events")
}
