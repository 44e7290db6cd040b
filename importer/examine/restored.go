package examine

import (
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// Ways in which a state is restored.
const (
	secondTime      = "a second time"
	twoStates       = "two states"
	otherInstance   = "another instance"
	otherParameters = "other parameters"
	otherLife       = "another life of the instance"
)

// restored takes steps, saves the state, takes more steps, restores the state, and repeats these
// steps.
func restored(a *attempt) {
	for _, way := range []string{"", "terminated", secondTime, twoStates, otherParameters,
		otherLife, otherInstance} {
		if way == otherInstance && manyInstances(a.x) != "" {
			continue
		}
		if !restoredBy(a, way) {
			return
		}
	}
	if a.sizeRestored() {
		a.proved("R9")
	}
}

// restoredBy does so in one way and reports whether the restored state equals the saved one.
func restoredBy(a *attempt, way string) bool {
	p := a.s.newPlay()
	l := a.x.reference()
	l.n = a.s.steps(2*a.x.n, a.s.step)
	l.stepFlags = probe.KeepState
	half := l.n / 2
	if way == otherInstance {
		p.live(life{slot: 1, begin: a.s.usual(), n: 1, blind: true})
		p.stateCall("Get", 1)
		p.ops[len(p.ops)-1].Slot = 1
	}
	p.instantiate(0, 0)
	begin := l
	begin.n = half
	before := p.run(begin)
	taken := p.stateCall("Get", 0)
	state := p.states[0]
	saved := []reading{p.read(0, a.s.sum(l.begin.start, half))}
	first := p.more(l, half)
	a.between(p, way, half)
	set := p.stateCall("Set", 0)
	p.states[0] = state
	again := []reading{p.read(0, saved[0].t)}
	second := p.more(l, half)
	if way == twoStates {
		p.stateCall("Free", 1)
	}
	p.stateCall("Free", 0)
	p.end(0)
	r := a.play(p, first...)
	if way == otherInstance {
		defer a.explained("R5", len(a.outcomes))
	}
	if way == otherLife && !r.Crashed() && r.Stopped >= 0 {
		return true // covered by R6; some tools restore only the running life's states
	}
	if !a.fine("R9", r) || !a.untouched(r, before[len(before)-1:], saved) {
		return false
	}
	from := len(a.outcomes)
	if a.repeated(r, first, second, way) && a.isBack("R9", r, r, saved, again) {
		return true
	}
	for k := range a.outcomes[from:] {
		o := &a.outcomes[from+k]
		o.evidence = o.passes(taken, set, slices.Concat(saved, first), slices.Concat(again, second))
	}
	return false
}

// passes returns the evidence of a refutation by a value that differs between two passes of the
// same calls, which begin after a state was taken and after it was restored.
func (o *outcome) passes(taken, restored int, first, second []reading) *evidence {
	twin := restored - taken
	find := func(list []reading, op int) *reading {
		for _, g := range list {
			if k := slices.Index(g.ops, op); k >= 0 {
				return &reading{groups: g.groups[k : k+1]}
			}
		}
		return nil
	}
	s, left, right := o.play.s, find(first, o.at-twin), find(second, o.at)
	if left == nil || right == nil {
		return nil
	}
	return &evidence{keep: []int{taken, o.at - twin, restored}, first: taken, twin: twin,
		shown: func(r *run, at func(k int) int) (string, bool) {
			left.ops, right.ops = []int{at(o.at - twin)}, []int{at(o.at)}
			d := s.compare(r.Result, []reading{*left}, r.Result, []reading{*right}, 0)
			if d == nil || r.Crashed() {
				return "", false
			}
			return d.name + " is " + d.right + " after the state was restored, and " + d.left +
				" before", true
		}}
}

// between appends the calls between the two passes.
func (a *attempt) between(p *play, way string, half int) {
	switch way {
	case "terminated":
		p.call(0, "Terminate")
	case secondTime:
		p.stateCall("Set", 0)
		k := p.step(0, a.s.sum(a.s.start, half), a.s.step)
		p.ops[k].Flags |= probe.KeepState
	case otherParameters:
		k := len(p.ops)
		p.setParameters(0) // the tunable ones
		p.mayFrom(k)
	case otherLife:
		p.call(0, "Reset")
		b := a.otherBegin()
		p.initialize(0, b)
	case twoStates:
		p.stateCall("Get", 1)
	case otherInstance:
		p.stateCall("Set", 1)
		p.ops[len(p.ops)-1].Slot = 1
		p.stateCall("Free", 1)
		p.ops[len(p.ops)-1].Slot = 1
		p.call(1, "FreeInstance")
	}
}

// untouched reports whether saving a state has left all values unchanged.
func (a *attempt) untouched(r *run, before, after []reading) bool {
	before, after = withoutMessages(before), withoutMessages(after)
	d := a.s.compare(r.Result, before, r.Result, after, 0)
	if d == nil {
		return true
	}
	o := a.refuted("R8", r, d.op, d.left+" as before", "%s is %s right after a state was taken",
		d.name, d.right)
	o.unless = "R21" // R21: values change whenever they are read
	return false
}

// repeated reports whether the steps after a state was restored lead to the same values as before.
func (a *attempt) repeated(r *run, first, second []reading, way string) bool {
	d := a.s.compare(r.Result, first, r.Result, second, 0)
	if d == nil {
		return true
	}
	with := map[string]string{
		secondTime:    " for the second time",
		twoStates:     ", with a second state that was taken later",
		otherLife:     ", after a reset and an initialization with other values",
		otherInstance: ", with states of another instance",
	}[way]
	o := a.refuted("R9", r, d.op, d.left+" as in the first pass",
		"%s is %s at %s s after a state was restored%s", d.name, d.right, short(d.t), with)
	if d.relative < 1e-9 {
		o.as(finding.Warning)
	}
	return false
}

// isBack judges the values that are read directly after a state was restored, before anything is
// set: they must equal the values at the time of saving. According to the standard, parameters and
// inputs belong to a state; some FMUs restore other values only in the next step.
func (a *attempt) isBack(rule string, left, right *run, saved, again []reading) bool {
	s := a.s
	saved, again = withoutMessages(saved), withoutMessages(again)
	d := s.compare(left.Result, saved, right.Result, again, 0)
	if d == nil || d.relative < 1e-9 {
		return true
	}
	o := a.refuted(rule, right, d.op, d.left+" as when it was taken",
		"%s is %s right after a state was restored", d.name, d.right)
	if v := s.named(d.name); v.Causality != fmi.Input && v.Causality != fmi.Parameter {
		o.as(finding.Warning)
	}
	return false
}

// withoutMessages omits notional binary variables: the next step overwrites the memory with their
// bytes.
func withoutMessages(list []reading) []reading {
	list = slices.Clone(list)
	for k := range list {
		list[k].triples, list[k].fetches = nil, nil
	}
	return list
}

// named returns the variable with the given name.
func (s *subject) named(name string) *variable {
	for k := range s.variables {
		if s.variables[k].Name == name {
			return &s.variables[k]
		}
	}
	return nil
}

// more appends the steps of a life beginning with step from.
func (p *play) more(l life, from int) (readings []reading) {
	for k := from; k < l.n; k++ {
		readings = append(readings, p.stepAndRead(l, k))
	}
	return readings
}
