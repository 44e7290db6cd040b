package examine

import (
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// wrongCounts passes too many or too few values.
func wrongCounts(a *attempt) {
	s := a.s
	state := func(p *play) {
		p.instantiate(0, probe.LoggingOn)
		p.initialize(0, s.usual())
	}
	tried := 0
	seen := map[string]bool{}
	for k := range s.variables {
		v := &s.variables[k]
		key := s.typeName(v.Type) + fmt.Sprint(v.n > 1)
		if v.clocked || seen[key] || v.Causality == fmi.Independent {
			continue
		}
		seen[key] = true
		for _, more := range []float64{1, -1} {
			g := group{s.typeName(v.Type), v.size, []*variable{v}}
			tried++
			if !a.wrongCount(state, s.getOp(0, &g), v, more) {
				return
			}
		}
	}
	for _, when := range []fmi.State{fmi.StepComplete, fmi.InitializationMode} {
		in := state
		if when == fmi.InitializationMode {
			in = func(p *play) {
				p.instantiate(0, probe.LoggingOn)
				p.enter(0, s.usual())
			}
		}
		for _, v := range s.oneSettable(when) {
			for _, more := range []float64{1, -1} {
				o := s.setOp(0, s.single(v), s.startOf(v))
				if !a.wrongCount(in, o, v, more) {
					return
				}
			}
		}
	}
	if tried > 0 && a.nothingIsLegal(state) {
		a.refusedAll("I6")
	}
}

// wrongCount makes a call with a wrong number of values.
func (a *attempt) wrongCount(state func(p *play), o probe.Op, v *variable, more float64) bool {
	o.X[0] = more
	p := a.s.newPlay()
	p.placement(probe.Roomy)
	state(p)
	n := p.wrongly(o)
	what := fmt.Sprintf("%s of %s with nValues = %v, where %d are right,", o.Code, v.Name,
		float64(v.n)+more, v.n)
	severity := finding.Error
	if v.size == 0 && o.Data == nil {
		severity = finding.Warning // nothing beyond the values is accessed
	}
	return a.judgeRefusal("I6", a.play(p), n, severity, what)
}

// oneSettable returns one variable of each type that may be set in the given state.
func (s *subject) oneSettable(in fmi.State) (list []*variable) {
	seen := map[string]bool{}
	for k := range s.variables {
		v := &s.variables[k]
		if name := s.typeName(v.Type); !seen[name] && s.settable(v, in) &&
			s.startOf(v) != nil {
			seen[name] = true
			list = append(list, v)
		}
	}
	return list
}

// typeNames returns the types of the variables, as used in function names.
func (s *subject) typeNames() (names []string) {
	for k := range s.variables {
		if name := s.typeName(s.variables[k].Type); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nothingIsLegal reads and sets zero variables, with NULL for the arrays, for each type of the FMU.
func (a *attempt) nothingIsLegal(state func(p *play)) bool {
	s := a.s
	var calls []string
	for _, name := range s.typeNames() {
		calls = append(calls, s.function("Get"+name))
	}
	for _, v := range s.oneSettable(fmi.StepComplete) {
		calls = append(calls, s.function("Set"+s.typeName(v.Type)))
	}
	for _, call := range calls {
		p := s.newPlay()
		state(p)
		p.add(probe.Op{Code: call, Flags: probe.NoArrays})
		p.call(0, "FreeInstance")
		r := a.play(p)
		if r.Crashed() {
			a.crash("I6", r).found += ", for no variable"
			return false
		}
		if r.Stopped >= 0 {
			a.refuted("I6", r, r.Stopped, "OK", "%s for no variable", r.describe(r.Stopped))
			return false
		}
	}
	return true
}
