package examine

import (
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// longerSteps takes steps that are longer than usual. If a much longer step is too long for a
// solver, this is a warning; the step may also be discarded.
func (a *attempt) longerSteps() bool {
	s := a.s
	for _, factor := range []float64{2, 5} {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		if s.start+float64((2+factor)*s.step) > s.stop*(1+1e-9) {
			break
		}
		t := s.start
		p.step(0, t, s.step)
		t += s.step
		k := p.step(0, t, factor*s.step)
		t += float64(factor * s.step)
		p.step(0, t, s.step)
		p.end(0)
		r := a.play(p)
		if r.Stopped == k && r.Records[k].Status == discard && !r.Crashed() {
			continue
		}
		if !a.fine("S4", r) {
			o := &a.outcomes[len(a.outcomes)-1]
			if factor > 2 && !r.Crashed() {
				o.severity = finding.Warning
			}
			return false
		}
	}
	return true
}

// shorterSteps takes steps that are much shorter than usual, which may be too short for a solver.
func (a *attempt) shorterSteps() bool {
	s := a.s
	for _, factor := range []float64{1e-3, 1e-6} {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		t := s.start
		for _, h := range []float64{s.step, factor * s.step, s.step} {
			if t+h > s.stop*(1+1e-9) {
				return true
			}
			p.step(0, t, h)
			t += h
		}
		p.end(0)
		r := a.play(p)
		if r.Stopped >= 0 && r.Records[r.Stopped].Status == discard && !r.Crashed() {
			continue
		}
		if !a.fine("S4", r) {
			o := &a.outcomes[len(a.outcomes)-1]
			o.found += "; a step of " + short(factor*s.step) + " is among them"
			if !r.Crashed() {
				o.severity = finding.Warning
			}
			return false
		}
	}
	return true
}

// lengthsMatter compares n steps, 2 n steps, and 2 n steps of half the length, each after a usual
// step and with the same inputs. If the last two agree but differ from the first in everything that
// changes, the FMU counts steps and ignores their length.
func (a *attempt) lengthsMatter() bool {
	s := a.s
	n := min(a.x.n, (s.steps(2*a.x.n+1, s.step)-1)/2)
	if n < 1 {
		return true
	}
	walk := func(steps int, h float64) (*run, []cell) {
		p := s.newPlay()
		p.instantiate(0, 0)
		b := s.usual()
		b.inputs = 1
		p.initialize(0, b)
		p.step(0, s.start, s.step)
		t := s.start + s.step
		for range steps {
			p.step(0, t, h)
			t += h
		}
		reading := p.read(0, t)
		p.end(0)
		r := a.play(p, reading)
		list, ok := reading.cells(r.Result)
		if !ok || r.Crashed() {
			return nil, nil
		}
		return r, list
	}
	_, once := walk(n, s.step)
	_, twice := walk(2*n, s.step)
	r, halves := walk(2*n, s.step/2)
	if once == nil || twice == nil || halves == nil {
		return true // for other rules
	}
	moved := ""
	for k, c := range once {
		if c.v == nil || !c.v.Type.IsFloat() || s.volatile[c.name] || k >= len(twice) ||
			k >= len(halves) || s.distance(c, twice[k]) < 1e-9 {
			continue
		}
		if s.distance(twice[k], halves[k]) > 1e-12 {
			return true
		}
		moved = c.name
	}
	if moved == "" {
		return true
	}
	a.refuted("S4", r, lastOf(r.play, probe.Op{Code: s.function("DoStep")}),
		"values of that time",
		"%d steps of %s give the same values as %d steps of %s, such as %s: the "+
			"length of a step has no effect", 2*n, short(s.step/2), 2*n,
		short(s.step), moved)
	return false
}

// lastOf returns the index of the last operation with the same code as another operation.
func lastOf(p *play, o probe.Op) (at int) {
	for k := range p.ops {
		if p.ops[k].Code == o.Code {
			at = k
		}
	}
	return at
}
