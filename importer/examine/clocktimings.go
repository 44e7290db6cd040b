package examine

import "gosmp/internal/finding"

// clockTimings compares intervals and shifts with the model description, in Initialization Mode.
func clockTimings(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	type inquiry struct {
		v                   *variable
		at, again, fraction int
		shift, parts        int
	}
	var list []inquiry
	for _, v := range s.timedClocks() {
		one := []*variable{v}
		q := inquiry{v: v, at: p.timing(0, "GetIntervalDecimal", one), fraction: -1, shift: -1,
			parts: -1}
		p.may()
		q.again = p.timing(0, "GetIntervalDecimal", one)
		p.may()
		if v.Timing.SupportsFraction {
			q.fraction = p.timing(0, "GetIntervalFraction", one)
			p.may()
		}
		if !v.isAperiodic() {
			q.shift = p.timing(0, "GetShiftDecimal", one)
			p.may()
			if v.Timing.SupportsFraction {
				q.parts = p.timing(0, "GetShiftFraction", one)
				p.may()
			}
		}
		list = append(list, q)
	}
	p.call(0, "FreeInstance")
	r := a.play(p)
	if r.Crashed() {
		a.crash("C9", r)
		return
	}
	for _, q := range list {
		for _, at := range []int{q.at, q.again, q.fraction, q.shift, q.parts} {
			if at >= 0 && !a.timingFits(r, q.v, at, at == q.again) {
				return
			}
		}
		if !a.fractionFits(r, q.v, q.at, q.fraction) || !a.fractionFits(r, q.v, q.shift, q.parts) {
			return
		}
	}
	a.proved("C9")
}

// fractionFits compares two answers about one clock: a decimal number and a fraction. An interval
// that varies is not compared if the FMU says that it has not changed since the decimal number was
// returned: importers then keep this number.
func (a *attempt) fractionFits(r *run, v *variable, decimal, fraction int) bool {
	if decimal < 0 || fraction < 0 {
		return true
	}
	x, y := r.intervals(decimal, 1), r.intervals(fraction, 1)
	known := x != nil && y != nil && x[0].qualifier != notYetKnown && y[0].qualifier != notYetKnown
	kept := v.isAperiodic() && y != nil && y[0].qualifier == unchanged
	if !known || kept || due(y[0].value, x[0].value) {
		return true
	}
	a.refuted("C9", r, fraction, short(x[0].value)+", as "+r.play.ops[decimal].Code+" returns",
		"%s returns %d / %d for the clock %s", r.play.ops[fraction].Code, y[0].counter,
		y[0].divisor, v.Name)
	return false
}

// timingFits judges one answer about a clock.
func (a *attempt) timingFits(r *run, v *variable, at int, again bool) bool {
	code := r.play.ops[at].Code
	isShift := code == "fmi3GetShiftDecimal" || code == "fmi3GetShiftFraction"
	answer := r.intervals(at, 1)
	if answer == nil {
		if r.Records[at].Runs == 0 {
			return false // an earlier call has ended the instance
		}
		o := a.refuted("C9", r, at, "OK", "%s for the clock %s", r.describe(at), v.Name)
		if v.statesInterval() { // importers need not ask
			o.as(finding.Warning)
		}
		return false
	}
	x, stated := answer[0], v.statesInterval()
	switch {
	case isShift && stated && !due(x.value, v.Timing.Shift):
		a.refuted("C9", r, at, short(v.Timing.Shift)+", the shift in the model description",
			"%s returns %s for the clock %s", code, short(x.value), v.Name)
	case isShift && !(x.value >= 0):
		a.refuted("C9", r, at, "a time from 0 on", "%s returns %s for the clock %s", code,
			short(x.value), v.Name)
	case isShift:
		return true
	case x.qualifier < notYetKnown || x.qualifier > changed:
		a.refuted("C9", r, at, "0, 1 or 2", "%s returns the qualifier %d for the clock %s", code,
			x.qualifier, v.Name)
	case x.qualifier == notYetKnown && v.IntervalVariability != "countdown":
		a.refuted("C9", r, at, "a known interval, because the clock is no countdown clock",
			"%s returns fmi3IntervalNotYetKnown for the clock %s", code, v.Name)
	case x.qualifier == notYetKnown:
		return true
	case stated && !due(x.value, *v.Timing.Interval):
		a.refuted("C9", r, at, short(*v.Timing.Interval)+", the interval in the model description",
			"%s returns %s for the clock %s", code, short(x.value), v.Name)
	case stated && x.qualifier == changed:
		a.refuted("C9", r, at, "fmi3IntervalUnchanged, because the model description states the "+
			"interval", "%s returns fmi3IntervalChanged for the clock %s", code, v.Name).
			as(finding.Warning)
	case !(x.value > 0) && !(v.isAperiodic() && x.value == 0):
		a.refuted("C9", r, at, "an interval above 0", "%s returns %s for the clock %s", code,
			short(x.value), v.Name)
	case again && x.qualifier == changed:
		a.refuted("C9", r, at, "fmi3IntervalUnchanged, because the interval was already returned",
			"%s returns fmi3IntervalChanged twice for the clock %s", code, v.Name).
			as(finding.Warning)
	default:
		return true
	}
	return false
}

// intervalsStay checks that periodic clocks keep their intervals from event to event: no tunable
// parameter changes in a course.
func (a *attempt) intervalsStay(c *course) {
	list := c.s.periodicClocks()
	if len(list) == 0 {
		return
	}
	with := *c
	with.steady, with.blind = true, true
	r, visits := a.tryCourse(&with)
	if r.Crashed() {
		a.crash("C9", r)
		return
	}
	for k := range visits {
		for n, at := range visits[k].steady {
			if !a.intervalStays(r, list[n], visits[0].steady[n], at) {
				return
			}
		}
	}
	a.proved("C9")
}

// intervalStays judges the interval of a clock in an event by the one in the initial event. A
// refusal is a warning: importers need not ask.
func (a *attempt) intervalStays(r *run, v *variable, first, at int) bool {
	if r.Records[at].Runs == 0 {
		return false // an earlier call has ended the instance
	}
	if !a.timingFits(r, v, at, at != first) {
		o := &a.outcomes[len(a.outcomes)-1]
		if o.found += ", in Event Mode"; r.intervals(at, 1) == nil {
			o.as(finding.Warning)
		}
		return false
	}
	old, now := r.intervals(first, 1)[0].value, r.intervals(at, 1)[0].value
	if due(old, now) {
		return true
	}
	a.refuted("C9", r, at, short(old)+", as in the initial event",
		"%s returns %s for the clock %s, which is %s, in Event Mode", r.play.ops[at].Code,
		short(now), v.Name, v.IntervalVariability)
	return false
}
