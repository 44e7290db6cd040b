package examine

import (
	"encoding/binary"
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/worker/probe"
)

// valueTrials returns the trials of inputs and dependencies.
func valueTrials() []trial {
	inputs := unless(func(s *subject) bool { return len(s.floats()) > 0 },
		"there is no scalar floating-point input")
	return []trial{
		{rules: []string{"R13"}, make: dependencies, lacks: unless(func(s *subject) bool {
			return slices.ContainsFunc(s.model.InitialUnknowns, func(u archive.Unknown) bool {
				return u.Stated
			})
		}, "no unknown of the initialization declares its dependencies")},
		{rules: []string{"S10", "R22"}, make: limits, lacks: inputs},
		{rules: []string{"S11"}, make: notNumbers, lacks: inputs},
		{rules: []string{"C6"}, make: configuration, lacks: unless(func(s *subject) bool {
			return len(s.structural()) > 0
		}, "there are no structural parameters")},
		{rules: []string{"C6"}, make: reconfiguration, lacks: unless(func(s *subject) bool {
			return len(s.reconfigurable()) > 0
		}, "there are no structural parameters that are tunable")},
	}
}

// floats returns the scalar floating-point inputs.
func (s *subject) floats() (list []*variable) {
	for _, v := range s.inputs() {
		settable := s.settable(v, fmi.StepComplete)
		if v.Type.IsFloat() && v.n == 1 && len(v.Dimensions) == 0 && settable {
			list = append(list, v)
		}
	}
	return list
}

func (s *subject) structural() (list []*variable) {
	for k := range s.variables {
		if v := &s.variables[k]; v.Causality == fmi.StructuralParameter {
			list = append(list, v)
		}
	}
	return list
}

// dependencies changes one known after another in Initialization Mode, and checks which unknowns
// change as a result.
func dependencies(a *attempt) {
	s, p := a.s, a.s.newPlay()
	const most = 100
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	var knowns []*variable
	var sets []int
	unknowns := s.unknowns()
	readings := []reading{p.readSome(0, unknowns)}
	for k := range s.variables {
		v := &s.variables[k]
		harmless := v.Causality == fmi.Input || slices.Contains(s.parameters(), v)
		if !harmless || !s.settable(v, fmi.InitializationMode) || len(knowns) == most {
			continue
		}
		if other := s.different(v); other != nil {
			knowns = append(knowns, v)
			sets = append(sets, p.add(s.setOp(0, group{s.typeName(v.Type), v.size,
				[]*variable{v}}, other)))
			readings = append(readings, p.readSome(0, unknowns))
		}
	}
	p.leave(0)
	p.call(0, "FreeInstance")
	r := a.play(p, readings...)
	if r.Crashed() {
		a.crash("R13", r)
		return
	}
	for k, known := range knowns {
		if r.Records[sets[k]].Status > warning || r.Records[sets[k]].Runs == 0 {
			break // the FMU refuses this value and enters the error state
		}
		before, after := readings[k:k+1], readings[k+1:k+2]
		if d := s.compareUndeclared(r.Result, before, after, known); d != nil {
			a.refuted("R13", r, d.op, "no change, or a declared dependency",
				"%s changes from %s to %s when %s is set, although it is declared not "+
					"to depend on it",
				d.name, d.left, d.right, known.Name)
			return
		}
	}
	if len(knowns) == 0 {
		a.untested("R13", "there is nothing to set in Initialization Mode")
		return
	}
	a.proved("R13")
}

// unknowns returns the unknowns with declared dependencies.
func (s *subject) unknowns() (list []*variable) {
	for _, u := range s.model.InitialUnknowns {
		for k := range s.variables {
			v := &s.variables[k]
			if v.index == u.Variable && u.Stated && s.readable(v, fmi.InitializationMode) {
				list = append(list, v)
			}
		}
	}
	return list
}

// readSome appends calls that read these variables.
func (p *play) readSome(slot int, list []*variable) (r reading) {
	r.groups = p.s.grouped(list)
	for k := range r.groups {
		r.ops = append(r.ops, p.add(p.s.getOp(slot, &r.groups[k])))
	}
	return r
}

// compareUndeclared finds an unknown that differs between two readings but does not declare a
// dependency on known.
func (s *subject) compareUndeclared(r *probe.Result, a, b []reading, known *variable) *difference {
	declared := map[string]bool{}
	for _, u := range s.model.InitialUnknowns {
		if slices.ContainsFunc(u.Dependencies, func(d int) bool {
			// an alias is equivalent
			return s.model.Variables[d].ValueReference == known.ValueReference
		}) {
			declared[s.model.Variables[u.Variable].Name] = true
		}
	}
	left, okLeft := a[0].cells(r)
	right, okRight := b[0].cells(r)
	if !okLeft || !okRight {
		return nil
	}
	for k := range left {
		l, m := left[k], right[k]
		if declared[l.name] || s.volatile[l.name] || l.v == known {
			continue
		}
		if s.distance(l, m) > 0 {
			before, after := s.both(l, m, 0)
			return &difference{name: l.name, left: before, right: after, op: m.op}
		}
	}
	return nil
}

// limits sets inputs to their bounds, 0 and -0.
func limits(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	var readings []reading
	var sent []map[string][]byte
	for k, pick := range []func(v *variable) []byte{
		func(v *variable) []byte { return s.limit(v, v.Min) },
		func(v *variable) []byte { return s.limit(v, v.Max) },
		s.startOf,
		func(v *variable) []byte { return s.zeroOf(v, 0) },
		func(v *variable) []byte { return s.zeroOf(v, math.Copysign(0, -1)) },
	} {
		if s.sum(s.start, k+1) > s.stop*(1+1e-9) {
			break
		}
		set := map[string][]byte{}
		for _, v := range s.floats() {
			set[v.Name] = pick(v)
		}
		p.set(0, s.floats(), pick)
		p.step(0, s.sum(s.start, k), s.step)
		readings = append(readings, p.readSome(0, s.floats()))
		sent = append(sent, set)
	}
	p.end(0)
	r := a.play(p, readings...)
	if !a.fine("S10", r) {
		return
	}
	a.proved("S10")
	for k := range readings {
		if l := s.lost(r, &readings[k], sent[k]); l != nil {
			a.refuted("R22", r, l.op, "the value that was set, "+l.given, "%s", l.found)
			return
		}
	}
}

// zeroOf returns a zero, with its sign, as a value of v; nil if it is outside the bounds.
func (s *subject) zeroOf(v *variable, zero float64) []byte {
	low, hasLow := v.bound(v.Min)
	high, hasHigh := v.bound(v.Max)
	if hasLow && low > 0 || hasHigh && high < 0 {
		return nil
	}
	if v.size == 4 {
		return binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(zero)))
	}
	return binary.NativeEndian.AppendUint64(nil, math.Float64bits(zero))
}

// limit returns a bound of v as a value; nil if there is none.
func (s *subject) limit(v *variable, text string) []byte {
	x, ok := v.bound(text)
	if !ok || math.IsInf(x, 0) || math.Abs(x) > 1e30 {
		return nil
	}
	return s.made(v, x)
}

// notNumbers sets inputs to values that are not numbers, and to numbers again.
func notNumbers(a *attempt) {
	s := a.s
	healed := true
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		p.set(0, s.floats(), func(v *variable) []byte {
			if v.size == 4 {
				return binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(x)))
			}
			return binary.NativeEndian.AppendUint64(nil, math.Float64bits(x))
		})
		for k := range p.ops {
			if p.ops[k].References != nil {
				p.ops[k].Flags |= probe.MayFail
			}
		}
		p.step(0, s.start, s.step)
		p.may()
		r := a.play(p)
		if r.Crashed() {
			a.crash("S11", r)
			return
		}
		healed = healed && r.Records[len(r.Records)-1].Status <= warning
	}
	if !healed {
		a.remark("S11", "the FMU refuses them")
		return
	}
	a.proved("S11")
}
