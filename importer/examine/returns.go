package examine

import (
	"math"
	"strings"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// wrong is a return value or an output argument that a rule does not allow.
type wrong struct {
	rule, found, expected string
	mild                  bool // a warning, because the time is far outside the default experiment
}

// returned judges the return values and output arguments of all calls of a run.
func (a *attempt) returned(r *run) {
	for k := range r.play.ops {
		if f := a.s.wrongReturn(r, k); f != nil {
			severity := finding.Severity(-1)
			if f.mild {
				severity = finding.Warning
			}
			a.keepAs(severity, r, k, f.rule, f.expected, f.found)
		}
	}
}

// wrongReturn judges what one call has returned; nil if no rule forbids it.
func (s *subject) wrongReturn(r *run, k int) *wrong {
	o, rec := &r.play.ops[k], &r.Records[k]
	if bare(callName(o.Code)) == "" || rec.Runs == 0 || r.play.wrong[k] ||
		o.Flags&(probe.NoInstance|probe.NoArrays) != 0 {
		return nil
	}
	const pending = 5
	allowed := rec.Status == pending && o.Code == "fmi2DoStep" &&
		s.slave.Capabilities.Has("canRunAsynchronuously")
	switch {
	case rec.Flags&probe.Unwritten != 0 && rec.Status <= warning:
		return &wrong{"S6", callName(o.Code) + " returns " + statusName(rec.Status) +
			" and does not set its output arguments", "that all arguments are set", false}
	case !isStatus(rec.Status) && !allowed:
		return &wrong{"S6", r.describe(k), "OK to Fatal, or Pending if that is declared", false}
	case o.Code == "fmi3DoStep" && rec.Status <= warning:
		return s.wrongStep(r, k)
	}
	return nil
}

// wrongStep judges the output arguments of a step of FMI 3.0 that has succeeded.
func (s *subject) wrongStep(r *run, k int) *wrong {
	o, rec := &r.play.ops[k], &r.Records[k]
	event, terminate, early, last := rec.Y[0], rec.Y[1], rec.Y[2], rec.Y[3]
	begin, h := o.X[0], o.X[1]
	if o.Flags&probe.Clocked != 0 {
		return nil // the beginning of the last of many steps is not known
	}
	end := begin + h
	slack := float64(1e-9 * max(1, math.Abs(begin), math.Abs(h)))
	inner := s.fmu.InternalStep()
	given := r.play.birthFlags(k)
	for n, name := range []string{"eventHandlingNeeded", "terminateSimulation", "earlyReturn"} {
		if flag := rec.Y[n]; flag != 0 && flag != 1 {
			return &wrong{"S6", "fmi3DoStep sets " + name + " to " + short(flag), "0 or 1", false}
		}
	}
	const unusual = 1e5 // s
	far := math.Abs(begin-s.start) > max(unusual, 10*(s.stop-s.start))
	text := "lastSuccessfulTime is " + short(last) + " after " + r.describe(k)
	switch {
	case early == 1 && given&probe.EarlyReturn == 0:
		return &wrong{"S5", "fmi3DoStep sets earlyReturn, which is not allowed",
			"a step to its end", false}
	case event == 1 && given&probe.EventMode == 0:
		return &wrong{"S8", "fmi3DoStep sets eventHandlingNeeded outside Event Mode", "false",
			false}
	case early == 1 && !(last >= begin-slack && last < end):
		return &wrong{"S5", text + " with earlyReturn", "a time before the end of the step", far}
	case !(last <= end+max(slack, inner)):
		return &wrong{"S6", text, "no time after the end of the step", far}
	case early == 0 && terminate == 0 && h >= float64(0.99*s.step) &&
		!(last > begin+float64(0.6*h)) && !(last > end-inner-slack && last >= begin-slack):
		// inner steps need not divide h, and may be longer than unusually short steps
		return &wrong{"S6", text, "the end of the step", far}
	}
	return nil
}

// birthFlags returns the flags of the instantiation that an operation follows.
func (p *play) birthFlags(at int) (flags probe.Flag) {
	for k := range at {
		if o := &p.ops[k]; isBirth(o.Code) && o.Slot == p.ops[at].Slot {
			flags = o.Flags
		}
	}
	return flags
}

// endsEarly refutes R2 if the FMU ends the simulation in its first step, or before its default stop
// time, and reports whether it does.
func (a *attempt) endsEarly(r *run) bool {
	at, t, steps := -1, 0.0, 0
	for k, o := range r.play.ops {
		rec := r.Records[k]
		if rec.Runs == 0 {
			continue
		}
		if strings.HasSuffix(o.Code, "DoStep") {
			steps++
			t = o.X[0] + o.X[1]
		}
		asks := (o.Code == "fmi3DoStep" || o.Code == probe.Settle) && rec.Y[1] == 1 ||
			o.Code == "fmi2DoStep" && rec.Status == discard && rec.Y[0] <= 1 && rec.Y[1] != 0
		if asks {
			at = k
			break
		}
	}
	if at < 0 || steps > 1 && !(a.s.hasStop && t < a.s.stop-float64(1e-9*max(1, math.Abs(t)))) {
		return false
	}
	expected := "steps to the stop time"
	if a.s.hasStop {
		expected += " " + short(a.s.stop)
	}
	a.refuted("R2", r, at, expected, "%s asks to end the simulation at %s s",
		callName(r.play.ops[at].Code), short(t)).as(finding.Warning)
	return true
}

// earlyReturns allows early returns. A step that returns early must be declared, and the next one
// begins where it ended.
func earlyReturns(a *attempt) {
	s := a.s
	walk := func(from float64, steps int) *run {
		p := s.newPlay()
		p.instantiate(0, probe.EarlyReturn)
		p.initialize(0, s.usual())
		for t := s.start; steps > 0; steps, t = steps-1, from {
			p.step(0, t, s.step)
		}
		p.end(0)
		return a.play(p)
	}
	r := walk(0, 1)
	if !a.fine("S5", r) {
		return
	}
	k := firstIndex(r.play, "DoStep")
	early, last := r.Records[k].Y[2] == 1, r.Records[k].Y[3]
	switch {
	case !early || r.ended():
	case !s.slave.Capabilities.Has("mightReturnEarlyFromDoStep"):
		a.refuted("S5", r, k, "a step to its end, because mightReturnEarlyFromDoStep is not true",
			"fmi3DoStep sets earlyReturn").as(finding.Warning)
		return
	case last > s.start && !a.fine("S5", walk(last, 2)):
		return
	}
	a.proved("S5")
}

// discardedSets sets inputs to values that the FMU may discard. It must keep the old ones then.
func discardedSets(a *attempt) {
	s, seen := a.s, false
	const most = 8 // inputs
	list := s.floats()
	for _, v := range list[:min(most, len(list))] {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.enter(0, s.usual())
		one := []*variable{v}
		var before, after []reading
		var sets []int
		for _, c := range provocations() {
			if c.input == nil || c.input(s, v) == nil {
				continue
			}
			before = append(before, p.readSome(0, one))
			sets = append(sets, p.add(s.setOp(0, s.single(v), c.input(s, v))))
			p.may()
			after = append(after, p.readSome(0, one))
			p.may()
		}
		p.call(0, "FreeInstance")
		r := a.play(p)
		for k, set := range sets {
			if r.Crashed() || r.Records[set].Status != discard {
				continue // for other rules
			}
			seen = true
			d := s.compare(r.Result, before[k:k+1], r.Result, after[k:k+1], 0)
			if d != nil {
				a.refuted("S7", r, d.op, d.left+", as before",
					"%s is %s after %s has returned Discard", d.name, d.right, p.ops[set].Code)
				return
			}
		}
	}
	if seen {
		a.proved("S7")
	}
}
