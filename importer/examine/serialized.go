package examine

import (
	"bytes"
	"fmt"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// serialized continues from a serialized state in another process. Tunable parameters have other
// values than at the initialization, if the FMU accepts this.
func serialized(a *attempt) {
	if !a.serializedAfter(true) {
		a.serializedAfter(false)
	}
}

// serializedAfter does so, and sets tunable parameters between two steps if tuned is true; it
// returns false if the FMU does not work with these values.
func (a *attempt) serializedAfter(tuned bool) bool {
	s, p := a.s, a.s.newPlay()
	other := a.otherBegin()
	l := a.x.reference()
	l.n = s.steps(2*a.x.n, s.step)
	half := l.n / 2
	p.instantiate(0, 0)
	begin := l
	begin.n = max(half-1, 0)
	begin.begin.parameters, begin.begin.texts = other.parameters, other.texts
	p.run(begin)
	if tuned {
		p.set(0, s.parameters(), func(v *variable) []byte { return s.other(v, 2) })
	}
	for k := begin.n; k < half; k++ {
		p.stepAndRead(l, k)
	}
	taken := p.stateCall("Get", 0)
	size := p.stateCall("Size", 0)
	out := p.stateCall("Serialize", 0)
	again := p.stateCall("Serialize", 0)
	saved := []reading{p.read(0, s.sum(l.begin.start, half))}
	first := p.more(l, half)
	p.stateCall("Free", 0)
	p.end(0)
	r := a.play(p, first...)
	if tuned && r.failsAt() >= 0 && r.failsAt() < taken {
		return false
	}
	if !a.fine("R10", r) || !a.reaches("R10", r, again) {
		return true
	}
	state := r.Records[out].Out
	if len(state) != int(r.Records[size].Y[1]) || len(state) == 0 {
		a.refuted("R10", r, size, "the size of the bytes", "%s says %v bytes", p.ops[size].Code,
			r.Records[size].Y[1])
		return true
	}
	for _, fresh := range []bool{false, true} {
		if !a.continued(l, half, state, r, saved, first, fresh) {
			return true
		}
	}
	if !a.sizeSerialized() {
		return true
	}
	if !bytes.Equal(state, r.Records[again].Out) {
		a.refuted("R10", r, again, "the same bytes", "%s gives different bytes when it is called "+
			"for one state again", p.ops[again].Code).as(finding.Warning)
		return true
	}
	a.proved("R10")
	return true
}

// continued restores a serialized state in another process, in a new instance or an initialized
// one, and repeats the steps of the first process from step half on.
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
		if fresh && !r2.Crashed() { // some tools require initialization first
			o.severity = finding.Warning
		}
		return false
	}
	if d := s.compare(r.Result, first, r2.Result, second, 0); d != nil {
		o := a.refuted("R10", r2, d.op, d.left+" as in the first process",
			"%s is %s at %s s after a serialized state was restored%s", d.name, d.right,
			short(d.t), with)
		if d.relative < rounding || fresh {
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
	if !a.fine("I9", r) || !a.reaches("I9", r, out) {
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
		q.placement(probe.Guarded) // to notice when an FMU reads beyond the bytes
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
