package examine

import (
	"gosmp/fmi"
	"gosmp/internal/finding"
)

// size is a value of a structural parameter that differs from its start value.
type size struct {
	of    *variable
	value []byte
}

// allSizes returns values to try for all structural parameters.
func (s *subject) allSizes() (list []size) {
	for _, v := range s.structural() {
		for _, value := range s.sizes(v) {
			list = append(list, size{v, value})
		}
	}
	return list
}

// resize appends a configuration with another size.
func (p *play) resize(z size) {
	p.call(0, "EnterConfigurationMode")
	p.set(0, []*variable{z.of}, func(*variable) []byte { return z.value })
	p.call(0, "ExitConfigurationMode")
}

// resizedLife appends the beginning of a life with another size, whose array inputs have other
// values than at the start, and one step.
func (p *play) resizedLife(z size) {
	s := p.s
	p.instantiate(0, 0)
	p.resize(z)
	b := s.usual()
	b.afterEnter = func() {
		k := len(p.ops)
		p.set(0, inputsOf(s.resizedArrays(z.of, int(s.number(z.of, z.value)))),
			func(v *variable) []byte { return s.other(v, 1) })
		p.mayFrom(k) // for C6
	}
	p.initialize(0, b)
	p.step(0, s.start, s.step)
}

// readResized appends calls that read the arrays of another size.
func (p *play) readResized(z size) reading {
	return p.readSome(0, p.s.resizedArrays(z.of, int(p.s.number(z.of, z.value))))
}

// sizeRestored reports whether a restored state has the array sizes with which it was taken, after
// a life of the instance with other sizes.
func (a *attempt) sizeRestored() bool {
	s := a.s
	for _, z := range s.allSizes() {
		p := s.newPlay()
		p.resizedLife(z)
		got := p.stateCall("Get", 0)
		was := p.readResized(z)
		p.call(0, "Reset")
		begin := len(p.ops)
		p.initialize(0, s.usual())
		p.step(0, s.start, s.step)
		p.stateCall("Set", 0)
		is := p.readResized(z)
		p.stateCall("Free", 0)
		p.end(0)
		r := a.play(p)
		failed := r.failsAt()
		switch {
		case len(was.ops) == 0 || r.ended() || failed >= 0 && failed < begin && failed != got:
			continue // for C6 and R6
		case r.Crashed() || r.Stopped >= 0:
			a.fine("R9", r)
			o := &a.outcomes[len(a.outcomes)-1]
			if failed == got {
				o.found += ", with other array sizes than at the start"
			} else {
				o.found += ", after a state with other array sizes was restored"
			}
			return false
		}
		if d := s.compare(r.Result, []reading{was}, r.Result, []reading{is}, 0); d != nil {
			o := a.refuted("R9", r, d.op, d.left+" as when it was taken", "%s is %s after a "+
				"state with another value of %s was restored", d.name, d.right, z.of.Name)
			o.unlessRounding(d)
			return false
		}
	}
	return true
}

// unlessRounding makes a refutation a warning if numbers differ only by rounding.
func (o *outcome) unlessRounding(d *difference) {
	if d.relative < rounding {
		o.as(finding.Warning)
	}
}

// rounding is the relative difference below which another order of operations may be the reason.
const rounding = 1e-9

// sizeSerialized reports whether a serialized state has the array sizes with which it was taken, in
// another process whose instance has the sizes of the start.
func (a *attempt) sizeSerialized() bool {
	s := a.s
	for _, z := range s.allSizes() {
		p := s.newPlay()
		p.resizedLife(z)
		p.stateCall("Get", 0)
		out := p.stateCall("Serialize", 0)
		was := p.readResized(z)
		p.stateCall("Free", 0)
		p.end(0)
		r := a.play(p)
		switch failed := r.failsAt(); {
		case len(was.ops) == 0 || r.ended() || failed >= 0 && failed < out:
			continue // for C6 and, if the state cannot be taken, R9
		case failed >= 0:
			a.fine("R10", r)
			return false
		}
		q := s.newPlay()
		q.instantiate(0, 0)
		q.initialize(0, s.usual())
		k := q.stateCall("Deserialize", 0)
		q.ops[k].Data = r.Records[out].Out
		q.stateCall("Set", 0)
		q.states[0] = fmi.StepComplete
		is := q.readResized(z)
		q.stateCall("Free", 0)
		q.end(0)
		r2 := a.play(q)
		if !a.fine("R10", r2) {
			o := &a.outcomes[len(a.outcomes)-1]
			o.found += "; the serialized state has other array sizes"
			if !r2.Crashed() && r2.Stopped >= 0 && isOfStates(&q.ops[r2.Stopped]) {
				// some FMUs may need the same configuration first
				o.severity = finding.Warning
			}
			return false
		}
		if d := s.compare(r.Result, []reading{was}, r2.Result, []reading{is}, 0); d != nil {
			o := a.refuted("R10", r2, d.op, d.left+" as in the first process", "%s is %s after "+
				"a serialized state with another value of %s was restored", d.name, d.right,
				z.of.Name)
			o.unlessRounding(d)
			return false
		}
	}
	return true
}
