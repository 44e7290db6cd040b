package examine

import (
	"encoding/binary"
	"math"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// derivativeTrials returns the trials of partial derivatives.
func derivativeTrials() []trial {
	return []trial{{rules: []string{"R14"}, make: derivatives, lacks: func(x *exam) string {
		s := x.s
		switch {
		case !s.has("providesDirectionalDerivative", "providesDirectionalDerivatives"):
			return "providesDirectionalDerivative is not true"
		case len(s.derivable()) == 0 || len(s.smoothInputs()) == 0:
			return "no initial unknown is a continuous output, or no input is continuous"
		}
		return ""
	}}, {rules: []string{"R14"}, make: jointDerivatives, lacks: func(x *exam) string {
		unknowns, knowns := x.s.jointly()
		if !x.s.has("providesDirectionalDerivative", "providesDirectionalDerivatives") {
			return "providesDirectionalDerivative is not true"
		}
		return unless(func(*subject) bool { return len(unknowns) > 0 && len(knowns) > 0 },
			"no initial unknown is a continuous output, or no input is continuous")(x)
	}}, {rules: []string{"C8"}, make: elementDependencies, lacks: unless(func(s *subject) bool {
		return s.major == 3 && s.slave.Capabilities.Has("providesPerElementDependencies")
	}, "providesPerElementDependencies is not true")}}
}

// derivable returns the scalar continuous outputs that are initial unknowns. The standards do not
// define derivatives of discrete variables.
func (s *subject) derivable() (list []*variable) {
	for k := range s.variables {
		v := &s.variables[k]
		scalar := v.n == 1 && len(v.Dimensions) == 0 && v.size == 8
		if scalar && s.isDerivable(v) {
			list = append(list, v)
		}
	}
	return list
}

// isDerivable reports whether a variable is a continuous output and an initial unknown.
func (s *subject) isDerivable(v *variable) bool {
	return v.Type.IsFloat() && v.Causality == fmi.Output && s.initially[v.index] &&
		v.Variability == fmi.Continuous
}

// smoothInputs returns the scalar continuous inputs of 8 bytes that have a start value. The
// standards do not define derivatives by discrete variables.
func (s *subject) smoothInputs() (list []*variable) {
	for _, v := range s.floats() {
		if v.size == 8 && v.Variability == fmi.Continuous && s.startOf(v) != nil {
			list = append(list, v)
		}
	}
	return list
}

// quotient holds the operations that read an output for four values of an input, and the
// derivatives that the FMU returns at the middle value.
type quotient struct {
	unknown, known  *variable
	before          int // reads the unknown
	given, adjoint  int // indices of the derivatives; adjoint is -1 without one
	again           int // reads the unknown after them
	low, near, high int
	step            float64
}

// derivatives compares directional and adjoint derivatives with difference quotients, in
// Initialization Mode, where outputs follow inputs immediately.
func derivatives(a *attempt) {
	s, p := a.s, a.s.newPlay()
	const most = 6 // of the outputs and inputs
	adjoints := s.major == 3 && s.slave.Capabilities.Has("providesAdjointDerivatives")
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	var list []quotient
	unknowns, knowns := s.derivable(), s.smoothInputs()
	for _, known := range knowns[:min(most, len(knowns))] {
		list = append(list, p.quotients(unknowns[:min(most, len(unknowns))], known,
			s.number(known, s.startOf(known)), adjoints)...)
	}
	p.leave(0)
	p.call(0, "FreeInstance")
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 && strings.HasSuffix(p.ops[r.Stopped].Code, "Derivative") {
		a.fine("R14", r)
		return
	}
	compared := 0
	for k := range list {
		fits, smooth := a.derivative(r, &list[k])
		if !fits {
			return
		}
		if smooth {
			compared++
		}
	}
	if !a.laterDerivative(unknowns[0], knowns[0]) {
		return
	}
	if compared == 0 {
		a.untested("R14", "outputs cannot be read, or are not smooth, at the start values")
		return
	}
	a.proved("R14")
}

// laterDerivative asks for a derivative after a step.
func (a *attempt) laterDerivative(unknown, known *variable) bool {
	s, p := a.s, a.s.newPlay()
	p.live(life{begin: s.usual(), n: 1})
	p.add(s.derivativeOp("GetDirectionalDerivative", unknown, known))
	p.end(0)
	return a.fine("R14", a.play(p))
}

// quotients reads outputs at four values of an input, around x, and asks for the derivatives at x.
func (p *play) quotients(unknowns []*variable, known *variable, x float64, adjoints bool,
) (list []quotient) {
	s := p.s
	h := float64(1e-5 * max(1, math.Abs(x)))
	set := func(x float64) { p.add(s.setOp(0, s.single(known), s.made(known, x))) }
	get := func(v *variable) int { g := s.single(v); return p.add(s.getOp(0, &g)) }
	set(x)
	for _, unknown := range unknowns {
		q := quotient{unknown: unknown, known: known, step: h, adjoint: -1}
		q.before = get(unknown)
		q.given = p.add(s.derivativeOp("GetDirectionalDerivative", unknown, known))
		if adjoints {
			q.adjoint = p.add(s.derivativeOp("GetAdjointDerivative", unknown, known))
		}
		q.again = get(unknown)
		list = append(list, q)
	}
	set(x - h)
	for k := range list {
		list[k].low = get(list[k].unknown)
	}
	set(x + float64(nearby*h))
	for k := range list {
		list[k].near = get(list[k].unknown)
	}
	set(x + h)
	for k := range list {
		list[k].high = get(list[k].unknown)
	}
	set(x)
	return list
}

func (s *subject) single(v *variable) group {
	return group{s.typeName(v.Type), v.size, []*variable{v}}
}

// seed is the direction of derivatives.
const seed = 2.0

// derivativeOp returns the call for one unknown and one known.
func (s *subject) derivativeOp(name string, unknown, known *variable) probe.Op {
	e := binary.NativeEndian
	return probe.Op{Code: s.function(name), References: []uint32{unknown.ValueReference},
		Data:  e.AppendUint32(nil, known.ValueReference),
		Data2: e.AppendUint64(nil, math.Float64bits(seed)), Values: 1}
}

// derivative judges one derivative: fits is false if it differs from the quotient; smooth is false
// if the quotients on both sides differ, so that the derivative cannot be judged.
func (a *attempt) derivative(r *run, q *quotient) (fits, smooth bool) {
	number := func(at int) float64 {
		if r.Records[at].Runs == 0 || len(r.Records[at].Out) < 8 {
			return math.NaN()
		}
		return math.Float64frombits(binary.NativeEndian.Uint64(r.Records[at].Out))
	}
	low, middle, high := number(q.low), number(q.before), number(q.high)
	if after := number(q.again); middle != after && !math.IsNaN(middle) && !math.IsNaN(after) {
		a.refuted("R14", r, q.given, short(middle)+", as before", "%s changes %s to %s",
			r.play.ops[q.given].Code, q.unknown.Name, short(after))
		return false, true
	}
	expected, slack, is := points{low, middle, number(q.near), high}.slope(q.step / seed)
	if !is {
		return true, false
	}
	for _, at := range []int{q.given, q.adjoint} {
		if at < 0 {
			continue
		}
		found := number(at)
		if !(math.Abs(found-expected) <= slack) {
			a.refuted("R14", r, at, "about "+short(expected)+", from differences",
				"%s of %s by %s with the seed %s is %s", r.play.ops[at].Code,
				q.unknown.Name, q.known.Name, short(seed), short(found)).ofStatus(r, at)
			return false, true
		}
	}
	return true, true
}
