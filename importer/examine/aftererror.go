package examine

import (
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// afterError resets and frees an instance that has returned Error.
func afterError(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, probe.LoggingOn)
	p.initialize(0, s.usual())
	k := p.wrongly(s.unknownGet())
	p.states[0] = fmi.Erroneous
	p.call(0, "Reset")
	p.initialize(0, s.usual())
	p.step(0, s.start, s.step)
	p.end(0)
	r := a.play(p)
	if r.Crashed() && r.Last <= k || r.Stopped >= 0 && r.Stopped <= k ||
		r.Records[k].Status <= discard {
		a.untested("I7", "no error could be provoked")
		return
	}
	if !a.fine("I7", r) || !a.readable("I7") {
		return
	}
	q := s.newPlay()
	q.instantiate(0, probe.LoggingOn)
	q.initialize(0, s.usual())
	q.wrongly(s.unknownGet())
	q.states[0] = fmi.Erroneous
	q.call(0, "FreeInstance")
	if r = a.play(q); r.Crashed() && r.Last == len(q.ops)-1 {
		a.crash("I7", r).as(finding.Error)
		return
	}
	a.proved("I7")
}

// readable reads a variable after an error, if the standard allows that for debugging; it returns
// false if the FMU refuses.
func (a *attempt) readable(rule string) bool {
	s := a.s
	get := slices.IndexFunc(s.variables, func(v variable) bool {
		return s.readable(&v, fmi.StepComplete) && v.size > 0
	})
	if get < 0 || s.major == 3 {
		return true
	}
	g := s.single(&s.variables[get])
	p := s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	p.wrongly(s.unknownGet())
	p.states[0] = fmi.Erroneous
	k := p.add(s.getOp(0, &g))
	p.may()
	p.call(0, "FreeInstance")
	r := a.play(p)
	switch {
	case r.Crashed() && r.Last == k:
		a.crash(rule, r).as(finding.Error)
		return false
	case r.Records[k].Runs > 0 && r.Records[k].Status > warning:
		a.refuted(rule, r, k, "OK, since values may be read for debugging",
			"%s after an error", r.describe(k))
		return false
	}
	return true
}
