package examine

import (
	"bytes"
	"maps"
	"slices"

	"gosmp/internal/finding"
)

// readBack sets inputs and parameters and reads them back. Some FMUs adopt inputs only in the next
// step, so inputs are checked after that step.
func readBack(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	var sent settings
	p.set(0, s.parameters(), sent.value(s, 1))
	b := s.usual()
	var soon reading
	b.afterEnter = func() {
		p.set(0, s.parameters(), sent.value(s, 2))
		p.set(0, s.inputs(), sent.value(s, 3))
		soon = p.read(0, s.start) // illegal after a Set between steps
	}
	p.initialize(0, b)
	early := p.read(0, s.start)
	begun := sent.all()
	last := len(p.ops)
	p.step(0, s.start, s.step)
	first := p.read(0, s.start+s.step)
	readings, given := []reading{first}, []map[string][]byte{begun}
	if s.sum(s.start, 2) <= s.stop*(1+1e-9) {
		p.setReversed(0, append(s.inputs(), s.parameters()...), sent.value(s, 4))
		p.step(0, s.sum(s.start, 1), s.step)
		readings = append(readings, p.read(0, s.sum(s.start, 2)))
		given = append(given, sent.all())
	}
	for k := 2; k < 5 && s.sum(s.start, k+1) <= s.stop*(1+1e-9); k++ { // nothing is set any more
		p.step(0, s.sum(s.start, k), s.step)
		readings = append(readings, p.read(0, s.sum(s.start, k+1)))
		given = append(given, sent.all())
	}
	p.end(0)
	if len(begun) == 0 {
		a.untested("R22", "there is no number to set")
		return
	}
	r := a.play(p, append([]reading{soon, early}, readings...)...)
	if r.Stopped >= 0 && r.Stopped < last {
		a.untested("R22", "%s", r.describe(r.Stopped))
		return
	}
	if !a.fine("R22", r) || !a.chosenBefore() {
		return
	}
	for k := range readings {
		if l := s.lost(r, &readings[k], given[k]); l != nil {
			a.loses(r, l, "the value that was set, ")
			return
		}
	}
	for _, at := range []*reading{&soon, &early} {
		if l := s.lost(r, at, begun); l != nil {
			a.remark("R22", "inputs are taken over in the next step only: "+l.found+" before")
			return
		}
	}
	a.proved("R22")
}

// chosenBefore sets parameters only before the initialization and reads them afterwards.
func (a *attempt) chosenBefore() bool {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	var sent settings
	p.set(0, s.parameters(), sent.value(s, 1))
	p.initialize(0, s.usual())
	begun := p.read(0, s.start)
	p.end(0)
	r := a.play(p, begun)
	if r.Crashed() || r.Stopped >= 0 {
		return true // for other rules
	}
	l := s.lost(r, &begun, sent.all())
	if l != nil {
		a.loses(r, l, "the value that was set before the initialization, ")
	}
	return l == nil
}

// loses refutes R22 because a variable has lost its value. A parameter without declared bounds may
// have others, to which it limits its value.
func (a *attempt) loses(r *run, l *loss, expected string) {
	o := a.refuted("R22", r, l.op, expected+l.given, "%s", l.found)
	if a.s.loose[l.name] {
		o.as(finding.Warning)
		o.expected += ", or declared bounds"
	}
}

// settings holds the values that were last set, by the names of the variables.
type settings struct{ values map[string][]byte }

// value returns a function that returns the k-th value in a variable's sequence and records it.
func (l *settings) value(s *subject, k int) func(v *variable) []byte {
	return func(v *variable) []byte {
		x := s.other(v, k)
		if x != nil {
			if l.values == nil {
				l.values = map[string][]byte{}
			}
			l.values[v.Name] = x
		}
		return x
	}
}

func (l *settings) all() map[string][]byte { return maps.Clone(l.values) }

// setReversed sets variables with one call per type, with the last variable first.
func (p *play) setReversed(slot int, list []*variable, value func(v *variable) []byte) {
	list = slices.Clone(list)
	slices.Reverse(list)
	p.set(slot, list, value)
}

// loss is a variable that does not have the value that was set.
type loss struct {
	name, given, found string
	op                 int // that read it
}

// lost returns the first variable in a reading that does not have its set value; nil if there is
// none.
func (s *subject) lost(r *run, at *reading, set map[string][]byte) *loss {
	const tolerance = 1e-12
	list, _ := at.cells(r.Result)
	for _, c := range list {
		if c.v == nil || set[c.name] == nil || s.drifting[c.name] {
			continue
		}
		was := cell{name: c.name, v: c.v, bytes: set[c.name]}
		if c.v.size == 0 {
			given, _ := payload(was.bytes)
			if found, _ := payload(c.bytes); bytes.Equal(given, found) {
				continue
			}
		}
		if s.distance(was, c) > tolerance {
			given, found := s.both(was, c, tolerance)
			return &loss{c.name, given, c.name + " is " + found, c.op}
		}
	}
	return nil
}
