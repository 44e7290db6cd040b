package examine

import (
	"fmt"
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// unknownGet returns a call that reads a value reference that no variable has.
func (s *subject) unknownGet() probe.Op {
	name := map[int]string{2: "Real", 3: "Float64"}[s.major]
	return probe.Op{Code: s.function("Get" + name), Flags: probe.MayFail,
		References: []uint32{s.unknownReference()}, Values: 1}
}

// unknownReference returns a value reference that no variable has.
func (s *subject) unknownReference() uint32 {
	used := map[uint32]bool{}
	for k := range s.model.Variables {
		used[s.model.Variables[k].ValueReference] = true
	}
	const first = 987654
	for r := uint32(first); ; r++ {
		if !used[r] {
			return r
		}
	}
}

// wrongReferences reads and sets variables that do not exist, and sets variables that may not be
// set.
func wrongReferences(a *attempt) {
	s := a.s
	types := map[int][]fmi.Type{2: {fmi.Real, fmi.Integer, fmi.Boolean, fmi.String},
		3: {fmi.Float64, fmi.Int32, fmi.Boolean, fmi.String}}[s.major]
	state := func(p *play) {
		p.instantiate(0, probe.LoggingOn)
		p.initialize(0, s.usual())
	}
	if a.x.plain == nil { // the calls that are possible without an ordinary life
		state = func(p *play) {
			p.instantiate(0, probe.LoggingOn)
			p.enter(0, s.usual())
		}
	}
	for _, t := range types {
		for _, reference := range s.unknownReferences() {
			if !a.unknownStays(state, t, reference) {
				return
			}
			if a.judged == 0 { // other calls will not be reached, either
				a.refusedAll("I5")
				return
			}
		}
	}
	if a.x.plain != nil && !a.fixedStay(state) {
		return
	}
	a.refusedAll("I5")
}

// unknownReferences returns value references that no variable has: a large one and the largest
// possible one. FMUs may have variables that their model description omits.
func (s *subject) unknownReferences() []uint32 {
	list := []uint32{s.unknownReference()}
	if !slices.ContainsFunc(s.model.Variables, func(v archive.Variable) bool {
		return v.ValueReference == math.MaxUint32
	}) {
		list = append(list, math.MaxUint32)
	}
	return list
}

// unknownStays reads and sets a value reference that no variable has as a variable of the given
// type. It returns false if this refutes I5.
func (a *attempt) unknownStays(state func(p *play), t fmi.Type, reference uint32) bool {
	s := a.s
	for _, verb := range []string{"Get", "Set"} {
		p := s.newPlay()
		state(p)
		o := probe.Op{Code: s.function(verb + t.String()), References: []uint32{reference},
			Values: 1}
		if verb == "Set" {
			o.Data = s.encode(&variable{size: s.width(t), n: 1}, map[fmi.Type]any{
				fmi.Boolean: true, fmi.String: "x", fmi.Integer: int32(1), fmi.Int32: int32(1),
				fmi.Real: 1.0, fmi.Float64: 1.0}[t])
		}
		k := p.wrongly(o)
		what := fmt.Sprintf("%s of the unknown value reference %d", o.Code, reference)
		if r := a.play(p); !a.judgeRefusal("I5", r, k, finding.Error, what) {
			return false
		}
	}
	return true
}

const fixedParameter = "a fixed parameter after initialization"

// fixedStay sets variables that cannot be set after initialization, one of each kind.
func (a *attempt) fixedStay(state func(p *play)) bool {
	s := a.s
	kinds := map[string]bool{}
	for k := range s.variables {
		v := &s.variables[k]
		kind := ""
		switch {
		case v.partial || v.clocked || v.size == 0 || v.n != 1:
		case v.Variability == fmi.Constant:
			kind = "a constant"
		case v.Causality == fmi.Output && v.Initial == fmi.Calculated:
			kind = "a calculated output"
		case v.Causality == fmi.Independent:
			kind = "the independent variable"
		case v.Causality == fmi.StructuralParameter && v.Variability == fmi.Fixed:
			kind = "a structural parameter outside Configuration Mode"
		case v.Causality == fmi.Parameter && v.Variability == fmi.Fixed:
			kind = fixedParameter
		}
		if kind == "" || kinds[kind] {
			continue
		}
		kinds[kind] = true
		p := s.newPlay()
		state(p)
		value := s.startOf(v)
		if len(value) != v.size {
			value = make([]byte, v.size)
		}
		o := s.setOp(0, group{s.typeName(v.Type), v.size, []*variable{v}}, value)
		n := p.wrongly(o)
		what := fmt.Sprintf("%s of %s, %s,", o.Code, v.Name, kind)
		r := a.play(p)
		if kind == fixedParameter && !r.Crashed() && r.Stopped < 0 &&
			r.Records[n].Status <= warning {
			a.remark("I5", "fixed parameters can be set after initialization")
			continue
		}
		if !a.judgeRefusal("I5", r, n, finding.Warning, what) {
			return false
		}
	}
	return true
}
