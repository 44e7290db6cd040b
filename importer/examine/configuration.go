package examine

import (
	"bytes"

	"gosmp/fmi"
)

// configuration sets structural parameters to their current values and to others.
func configuration(a *attempt) {
	s := a.s
	p := s.newPlay()
	p.instantiate(0, 0)
	p.call(0, "EnterConfigurationMode")
	p.set(0, s.structural(), s.startOf)
	p.call(0, "ExitConfigurationMode")
	p.initialize(0, s.usual())
	p.step(0, s.start, s.step)
	p.read(0, s.start)
	p.end(0)
	if r := a.play(p); !a.fine("C6", r) {
		return
	}
	for _, v := range s.structural() {
		for _, other := range s.sizes(v) {
			if !a.resized(v, other) {
				return
			}
		}
	}
	a.proved("C6")
}

// sizes returns values to try for a structural parameter: a different value, and the bounds.
func (s *subject) sizes(v *variable) (list [][]byte) {
	const most = 4096 // elements
	if v.n != 1 {
		return nil
	}
	try := func(b []byte) {
		if b != nil && s.number(v, b) <= most && !bytes.Equal(b, s.startOf(v)) {
			list = append(list, b)
		}
	}
	try(s.other(v, 1))
	for _, text := range []string{v.Max, v.Min} {
		if x, ok := v.bound(text); ok {
			try(s.made(v, x))
		}
	}
	return list
}

// resized sets a structural parameter to another value, and arrays of the new size to values; it
// returns false if this refutes C6.
func (a *attempt) resized(v *variable, other []byte) bool {
	s := a.s
	q := s.newPlay()
	q.instantiate(0, 0)
	q.call(0, "EnterConfigurationMode")
	q.set(0, []*variable{v}, func(*variable) []byte { return other })
	q.may()
	set := len(q.ops) - 1
	q.call(0, "ExitConfigurationMode")
	q.may()
	list := s.resizedArrays(v, int(s.number(v, other)))
	var sent settings
	b := s.usual()
	b.afterEnter = func() { q.set(0, inputsOf(list), sent.value(s, 1)) }
	q.initialize(0, b)
	q.step(0, s.start, s.step)
	last := q.readSome(0, list)
	q.call(0, "FreeInstance")
	r := a.play(q, last)
	_, low := v.bound(v.Min)
	_, high := v.bound(v.Max)
	switch {
	case r.Records[set].Runs > 0 && r.Records[set].Status > warning && low && high:
		a.refuted("C6", r, set, "OK, because it is between minimum and maximum",
			"%s; %s is set to %s", r.describe(set), v.Name, short(s.number(v, other)))
		return false
	case r.Records[set].Runs > 0 && r.Records[set].Status > warning:
		return true // the FMU has bounds that it does not declare
	case !a.fine("C6", r):
		return false
	}
	l := s.lost(r, &last, sent.all())
	if l != nil {
		a.refuted("C6", r, l.op, "the value that was set, "+l.given, "%s, where %s is set to %s",
			l.found, v.Name, short(s.number(v, other)))
	}
	return l == nil
}

// inputsOf returns the inputs among variables.
func inputsOf(list []*variable) (inputs []*variable) {
	for _, v := range list {
		if v.Causality == fmi.Input {
			inputs = append(inputs, v)
		}
	}
	return inputs
}

// resizedArrays returns the arrays sized by a structural parameter, with the sizes that they have
// after its value has changed.
func (s *subject) resizedArrays(parameter *variable, size int) (list []*variable) {
	for k := range s.variables {
		v := s.variables[k] // a copy
		old, n := s.number(parameter, s.startOf(parameter)), v.n
		for _, d := range v.Dimensions {
			if d.ValueReference != nil && *d.ValueReference == parameter.ValueReference &&
				old > 0 {
				n = n / int(old) * size
			}
		}
		if n != v.n && n > 0 && s.readable(&v, fmi.StepComplete) {
			v.n = n
			list = append(list, &v)
		}
	}
	return list
}
