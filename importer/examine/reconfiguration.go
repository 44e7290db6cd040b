package examine

import (
	"gosmp/fmi"
	"gosmp/internal/finding"
)

// reconfigurable returns the structural parameters that may change between steps.
func (s *subject) reconfigurable() (list []*variable) {
	for _, v := range s.structural() {
		if v.Variability == fmi.Tunable && s.startOf(v) != nil {
			list = append(list, v)
		}
	}
	return list
}

// reconfiguration enters Reconfiguration Mode between two steps, and sets structural parameters to
// their current values, and to others.
func reconfiguration(a *attempt) {
	s := a.s
	confirmed, fits := a.sizesConfirmed()
	if !fits {
		return
	}
	for _, v := range s.reconfigurable() {
		for _, other := range s.sizes(v) {
			changed, fits := a.sizeChanged(v, other)
			if !fits {
				return
			}
			confirmed = confirmed || changed
		}
	}
	if !confirmed {
		a.untested("C6", "two steps do not work, also without a reconfiguration between them")
		return
	}
	a.proved("C6")
}

// twoSteps appends a life of two steps with other calls between them. Inputs have other values than
// at the start, so that states differ from theirs.
func (a *attempt) twoSteps(p *play, parameters bool, between func()) reading {
	s := p.s
	b := s.usual()
	b.parameters = parameters
	if a.x.isDriven() {
		b.inputs = 1
	}
	p.instantiate(0, 0)
	p.initialize(0, b)
	p.step(0, s.start, s.step)
	between()
	p.step(0, s.sum(s.start, 1), s.step)
	return p.read(0, s.sum(s.start, 2))
}

const reconfiguring = ", in a reconfiguration between two steps"

// sizesConfirmed sets structural parameters to their current values between two steps, which must
// not change any other value; parameters have other values than at the start, if possible. A solver
// may begin anew, with other rounding errors. tested is false if two steps do not work anyway.
func (a *attempt) sizesConfirmed() (tested, fits bool) {
	const tolerance = 1e-3
	s := a.s
	for _, parameters := range []bool{true, false} {
		p := s.newPlay()
		plain := a.play(p, a.twoSteps(p, parameters, func() {}))
		if plain.Crashed() || plain.Stopped >= 0 {
			continue // for other rules
		}
		p = s.newPlay()
		at := a.twoSteps(p, parameters, func() {
			p.call(0, "EnterConfigurationMode")
			p.set(0, s.reconfigurable(), s.startOf)
			p.call(0, "ExitConfigurationMode")
		})
		p.end(0)
		r := a.play(p, at)
		if !a.fine("C6", r) {
			a.outcomes[len(a.outcomes)-1].found += reconfiguring
			return true, false
		}
		d := s.compare(plain.Result, plain.readings, r.Result, r.readings, tolerance)
		if d != nil {
			a.refuted("C6", r, d.op, d.left+", as without it", "%s is %s after a reconfiguration "+
				"that changes no size", d.name, d.right).as(finding.Warning)
			return true, false
		}
		return true, true
	}
	return false, true
}

// sizeChanged sets a structural parameter to another value between two steps. tested is false if
// the FMU has ended before, or does not accept this value.
func (a *attempt) sizeChanged(v *variable, other []byte) (tested, fits bool) {
	s, p := a.s, a.s.newPlay()
	begin, set := 0, 0
	a.twoSteps(p, false, func() {
		begin = len(p.ops)
		p.resize(size{v, other})
		set = len(p.ops) - 2 // before the end of Configuration Mode
	})
	p.ops = p.ops[:lastIndex(p, "DoStep")+1] // arrays have other sizes now
	p.event(0, s.sum(s.start, 2))
	p.readResized(size{v, other})
	p.end(0)
	r := a.play(p)
	switch failed := r.failsAt(); {
	case r.ended() || failed >= 0 && failed < begin:
		return false, true // for other rules
	case failed == set && !r.Crashed() && !v.isBounded():
		return false, true // the FMU has bounds that it does not declare
	case !a.fine("C6", r):
		o := &a.outcomes[len(a.outcomes)-1]
		o.found += "; " + v.Name + " is set to " + short(s.number(v, other)) + reconfiguring
		return true, false
	}
	return true, true
}
