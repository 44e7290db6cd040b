package examine

import (
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// otherProcesses makes the reference life in several processes whose differences must not matter.
// Its inputs change if the FMU accepts this.
func otherProcesses(a *attempt) {
	s := a.s
	clear(s.volatile) // of an earlier attempt
	clear(s.loose)
	live := func(driven bool, env ...string) *run {
		p := s.newPlay()
		readings := p.live(life{begin: s.usual(), n: a.x.n, driven: driven, end: true})
		return a.playWith(p, probe.Options{Env: env}, readings...)
	}
	driven := true
	one := live(true)
	if one.Crashed() || one.Stopped >= 0 && !one.ended() {
		driven = false
		one = live(false)
	}
	if one.Crashed() || one.Stopped >= 0 && !one.ended() {
		a.fine("R12", one)
		return
	}
	names, at, first := []string(nil), (*run)(nil), (*difference)(nil)
	for _, filled := range []string{"165", "90", "255"} { // two values may be equal by chance
		two := live(driven, "MALLOC_PERTURB_="+filled, "TZ=Asia/Kolkata", "GOSMP_EXAMINATION=1")
		if !a.fine("R12", two) {
			return
		}
		for d := s.compare(one.Result, one.readings, two.Result, two.readings, 0); d != nil; d =
			s.compare(one.Result, one.readings, two.Result, two.readings, 0) {
			if first == nil {
				at, first = two, d
			}
			s.volatile[d.name] = true
			names = append(names, d.name)
		}
	}
	a.x.driven = one
	a.limitsOf(one)
	a.textsOf(one)
	a.loosen()
	if first == nil {
		a.proved("R12")
		return
	}
	o := a.refuted("R12", at, first.op, "the same values", "%s; %d variables differ: %s",
		first, len(names), listed(names))
	if _, counts := a.first(names); !counts {
		o.as(finding.Note)
	}
	o.unless = "R16" // R16: the values come from released memory
}

// first returns the first output whose name is in a list; ok is false if there is none.
func (a *attempt) first(names []string) (name string, ok bool) {
	for k := range a.s.variables {
		v := &a.s.variables[k]
		if slices.Contains(names, v.Name) && v.Causality != fmi.Parameter {
			return v.Name, true
		}
	}
	for _, t := range a.s.triples {
		if slices.Contains(names, t.Name) {
			return t.Name, true
		}
	}
	return "", false
}

func listed(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// same judges a rule by comparing a run with the reference life.
func (a *attempt) same(rule string, r *run, readings []reading) bool {
	return a.sameAs(a.x.driven, rule, r, readings)
}

// sameAs judges a rule by comparing a run with another one.
func (a *attempt) sameAs(ref *run, rule string, r *run, readings []reading) bool {
	if d := a.s.compare(ref.Result, ref.readings, r.Result, readings, 0); d != nil {
		o := a.refuted(rule, r, d.op, "the values of a life alone, "+d.left,
			"%s is %s at %s s", d.name, d.right, short(d.t))
		if d.relative < 1e-9 {
			o.as(finding.Note)
		}
		return false
	}
	return true
}

// reference returns the reference life, with which other lives are compared.
func (x *exam) reference() life {
	return life{begin: x.s.usual(), n: x.n, driven: x.isDriven()}
}

// isDriven reports whether inputs change in the reference life.
func (x *exam) isDriven() bool {
	return x.driven != nil && len(x.driven.play.ops) > 0 && x.driven.play.hasInputs()
}

func (p *play) hasInputs() bool {
	for _, o := range p.ops {
		if strings.HasPrefix(o.Code, p.s.function("Set")) && !strings.HasSuffix(o.Code, "tate") {
			return true
		}
	}
	return false
}
