package examine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// stateTrials returns the trials of saved states.
func stateTrials() []trial {
	saves := func(x *exam) string {
		if !x.s.canSave() {
			return "canGetAndSetFMUstate is not true"
		}
		return compared(x)
	}
	serializes := func(x *exam) string {
		if why := saves(x); why != "" {
			return why
		}
		return unless((*subject).canSerialize, "canSerializeFMUstate is not true")(x)
	}
	return []trial{
		{rules: []string{"R8"}, make: statesLive, lacks: saves},
		{rules: []string{"R9", "R8"}, make: restored, lacks: saves},
		{rules: []string{"R10"}, make: serialized, lacks: serializes},
		{rules: []string{"I9"}, make: damagedState, lacks: serializes},
	}
}

// stateCall appends a call of a function for saved states, which the standards spell differently.
func (p *play) stateCall(verb string, state int) int {
	name := map[int]map[string]string{
		2: {"Get": "GetFMUstate", "Set": "SetFMUstate", "Free": "FreeFMUstate",
			"Size": "SerializedFMUstateSize", "Serialize": "SerializeFMUstate",
			"Deserialize": "DeSerializeFMUstate"},
		3: {"Get": "GetFMUState", "Set": "SetFMUState", "Free": "FreeFMUState",
			"Size": "SerializedFMUStateSize", "Serialize": "SerializeFMUState",
			"Deserialize": "DeserializeFMUState"},
	}[p.s.major][verb]
	return p.add(probe.Op{Code: p.s.function(name), State: state})
}

// isOfStates reports whether an operation calls a function for saved states.
func isOfStates(o *probe.Op) bool {
	return strings.HasSuffix(strings.ToLower(o.Code), "fmustate")
}

// statesLive saves states, reuses a state handle, and frees the states.
func statesLive(a *attempt) {
	p := a.s.newPlay()
	p.live(life{begin: a.s.usual(), n: 1})
	first := p.stateCall("Get", 0)
	p.stateCall("Get", 0)
	p.stateCall("Get", 1)
	p.stateCall("Set", 1)
	freed := p.stateCall("Free", 0)
	p.stateCall("Free", 1)
	p.stateCall("Free", 2) // NULL
	p.end(0)
	r := a.play(p)
	if !a.fine("R8", r) {
		return
	}
	switch {
	case r.Records[first].Y[0] == 0:
		a.refuted("R8", r, first, "a state", "%s answers OK and leaves NULL", p.ops[first].Code)
	case r.Records[freed].Y[0] != 0:
		a.refuted("R8", r, freed, "NULL", "%s answers OK and does not set the state to NULL",
			p.ops[freed].Code)
	case a.statesEarly():
		a.proved("R8")
	}
}

// statesEarly saves and restores a state before and during initialization.
func (a *attempt) statesEarly() bool {
	s := a.s
	p := s.newPlay()
	turn := func() {
		p.stateCall("Get", 0)
		p.stateCall("Set", 0)
		p.stateCall("Free", 0)
	}
	p.instantiate(0, 0)
	turn()
	b := s.usual()
	b.afterEnter = turn
	p.initialize(0, b)
	p.step(0, s.start, s.step)
	if s.events {
		p.call(0, "EnterEventMode")
		turn()
		p.add(probe.Op{Code: probe.Settle})
		p.call(0, "EnterStepMode")
	}
	p.end(0)
	r := a.play(p)
	if a.fine("R8", r) {
		return true
	}
	if o := &a.outcomes[len(a.outcomes)-1]; !r.Crashed() { // few importers do so
		o.severity = finding.Warning
	}
	return false
}

// Ways in which a state is restored.
const (
	twoStates       = "two states"
	otherInstance   = "another instance"
	otherParameters = "other parameters"
	otherLife       = "another life of the instance"
)

// restored makes steps, saves the state, makes more steps, restores the state, and repeats these
// steps.
func restored(a *attempt) {
	for _, way := range []string{"", "terminated", twoStates, otherParameters, otherLife,
		otherInstance} {
		if way == otherInstance && manyInstances(a.x) != "" {
			continue
		}
		if !restoredBy(a, way) {
			return
		}
	}
	a.proved("R9")
}

// restoredBy does so in one way, and reports whether the restored state was the same as before.
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
	p.stateCall("Get", 0)
	state := p.states[0]
	saved := []reading{p.read(0, a.s.sum(l.begin.start, half))}
	first := p.more(l, half)
	switch way {
	case "terminated":
		p.call(0, "Terminate")
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
	p.stateCall("Set", 0)
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
		return true // for R6, and some tools restore states of the running life only
	}
	if !a.fine("R9", r) || !a.untouched(r, before[len(before)-1:], saved) {
		return false
	}
	return a.repeated(r, first, second, way) && a.isBack("R9", r, r, saved, again)
}

// untouched reports whether taking a state has changed no value.
func (a *attempt) untouched(r *run, before, after []reading) bool {
	before, after = withoutMessages(before), withoutMessages(after)
	d := a.s.compare(r.Result, before, r.Result, after, 0)
	if d == nil {
		return true
	}
	o := a.refuted("R8", r, d.op, d.left+" as before", "%s is %s right after a state was taken",
		d.name, d.right)
	o.unless = "R21" // which changes values whenever they are read
	return false
}

// repeated reports whether the steps after a state was restored lead to the same values as before.
func (a *attempt) repeated(r *run, first, second []reading, way string) bool {
	d := a.s.compare(r.Result, first, r.Result, second, 0)
	if d == nil {
		return true
	}
	with := map[string]string{twoStates: ", with a second state that was taken later",
		otherLife:     ", after a reset and an initialization with other values",
		otherInstance: ", with states of another instance"}[way]
	o := a.refuted("R9", r, d.op, d.left+" as in the first pass",
		"%s is %s at %s s after a state was restored%s", d.name, d.right, short(d.t), with)
	if d.relative < 1e-9 {
		o.as(finding.Warning)
	}
	return false
}

// isBack judges the values that are read directly after a state was restored, before anything is
// set: they must be the values at the time when it was saved. According to the standard, parameters
// and inputs belong to a state; some FMUs restore other values only in the next step.
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

// withoutMessages omits notional binary variables: their bytes are in memory that the next step
// overwrites.
func withoutMessages(list []reading) []reading {
	list = slices.Clone(list)
	for k := range list {
		list[k].triples, list[k].fetches = nil, nil
	}
	return list
}

// named returns the variable with this name.
func (s *subject) named(name string) *variable {
	for k := range s.variables {
		if s.variables[k].Name == name {
			return &s.variables[k]
		}
	}
	return nil
}

// more appends the steps of a life from number from on.
func (p *play) more(l life, from int) (readings []reading) {
	for k := from; k < l.n; k++ {
		readings = append(readings, p.stepAndRead(l, k))
	}
	return readings
}

// serialized continues from a serialized state in another process.
func serialized(a *attempt) {
	s, p := a.s, a.s.newPlay()
	other := a.otherBegin()
	l := a.x.reference()
	l.n = s.steps(2*a.x.n, s.step)
	half := l.n / 2
	p.instantiate(0, 0)
	begin := l
	begin.n = half
	begin.begin.parameters, begin.begin.texts = other.parameters, other.texts
	p.run(begin)
	p.stateCall("Get", 0)
	size := p.stateCall("Size", 0)
	out := p.stateCall("Serialize", 0)
	again := p.stateCall("Serialize", 0)
	saved := []reading{p.read(0, s.sum(l.begin.start, half))}
	first := p.more(l, half)
	p.stateCall("Free", 0)
	p.end(0)
	r := a.play(p, first...)
	if !a.fine("R10", r) {
		return
	}
	state := r.Records[out].Out
	if len(state) != int(r.Records[size].Y[1]) || len(state) == 0 {
		a.refuted("R10", r, size, "the size of the bytes", "%s says %v bytes", p.ops[size].Code,
			r.Records[size].Y[1])
		return
	}
	for _, fresh := range []bool{false, true} {
		if !a.continued(l, half, state, r, saved, first, fresh) {
			return
		}
	}
	if !bytes.Equal(state, r.Records[again].Out) {
		a.refuted("R10", r, again, "the same bytes", "%s gives different bytes when it is called "+
			"for one state again", p.ops[again].Code).as(finding.Warning)
		return
	}
	a.proved("R10")
}

// continued restores a serialized state in another process, in a new or an initialized instance,
// and repeats the steps of the first process from step half on.
func (a *attempt) continued(l life, half int, state []byte, r *run, saved, first []reading,
	fresh bool) bool {
	s := a.s
	q := s.newPlay()
	q.instantiate(0, 0)
	if !fresh {
		q.initialize(0, s.usual())
	}
	k := q.stateCall("Deserialize", 0)
	q.ops[k].Data = state
	q.stateCall("Set", 0)
	q.states[0] = fmi.StepComplete
	back := []reading{q.read(0, saved[0].t)}
	second := q.more(l, half)
	q.stateCall("Free", 0)
	q.end(0)
	r2 := a.play(q, second...)
	with := ""
	if fresh {
		with = ", without an initialization before"
	}
	if !a.fine("R10", r2) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found += with
		if fresh && !r2.Crashed() { // some tools require an initialization before
			o.severity = finding.Warning
		}
		return false
	}
	if d := s.compare(r.Result, first, r2.Result, second, 0); d != nil {
		o := a.refuted("R10", r2, d.op, d.left+" as in the first process",
			"%s is %s at %s s after a serialized state was restored%s", d.name, d.right,
			short(d.t), with)
		if d.relative < 1e-9 || fresh {
			o.as(finding.Warning)
		}
		return false
	}
	return fresh || a.isBack("R10", r, r2, saved, back)
}

// damagedState deserializes bytes that are not a state.
func damagedState(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.live(life{begin: s.usual(), n: 1})
	p.stateCall("Get", 0)
	out := p.stateCall("Serialize", 0)
	p.end(0)
	r := a.play(p)
	if !r.Crashed() && r.Stopped >= 0 {
		a.untested("I9", "%s, which is for R10", r.describe(r.Stopped))
		return
	}
	if !a.fine("I9", r) {
		return
	}
	state := r.Records[out].Out
	var damaged [][]byte
	for _, n := range []int{0, 1, len(state) / 2, len(state) - 1} {
		damaged = append(damaged, bytes.Clone(state[:min(n, len(state))]))
	}
	for k := range 8 {
		flipped := bytes.Clone(state)
		if len(flipped) > 0 {
			flipped[(k*len(flipped)/8+k)%len(flipped)] ^= 0xff
		}
		damaged = append(damaged, flipped)
	}
	accepted := 0
	for _, bad := range damaged {
		q := s.newPlay()
		q.instantiate(0, 0)
		q.initialize(0, s.usual())
		k := q.stateCall("Deserialize", 0)
		q.ops[k].Data = append(bad, 0)[:len(bad)]
		q.ops[k].Values = len(bad)
		q.may()
		r := a.play(q)
		if r.Crashed() {
			a.crash("I9", r)
			return
		}
		if r.Records[k].Status <= warning {
			accepted++
		}
	}
	if accepted > 0 {
		a.remark("I9", fmt.Sprintf("%d of %d damaged states are accepted; no clause requires "+
			"FMUs to detect them", accepted, len(damaged)))
		return
	}
	a.proved("I9")
}
