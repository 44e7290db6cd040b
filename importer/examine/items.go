package examine

import (
	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// itemTrials returns the trial of the items of enumerations.
func itemTrials() []trial {
	return []trial{{rules: []string{"S10"}, make: items, lacks: unless(func(s *subject) bool {
		return len(s.enumerations()) > 0
	}, "there is no enumeration to set")}}
}

// enumerations returns the scalar inputs and parameters with items.
func (s *subject) enumerations() (list []*variable) {
	for k := range s.variables {
		v := &s.variables[k]
		if v.Type == fmi.Enumeration && v.n == 1 && !v.clocked && s.startOf(v) != nil &&
			s.settable(v, fmi.InitializationMode) && len(s.itemsOf(v)) > 1 {
			list = append(list, v)
		}
	}
	return list
}

// itemsOf returns the values of all items of an enumeration that are within its bounds.
func (s *subject) itemsOf(v *variable) (list [][]byte) {
	const most = 64
	for _, t := range s.model.Types {
		for k := range min(most, len(t.Items)) {
			if t.Name == v.DeclaredType {
				if b := s.item(v, k); b != nil {
					list = append(list, b)
				}
			}
		}
	}
	return list
}

// items sets enumerations to each of their items, and at last to their start values.
func items(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, probe.LoggingOn)
	p.enter(0, s.usual())
	set := map[int]cell{}
	for _, v := range s.enumerations() {
		for _, b := range append(s.itemsOf(v), s.startOf(v)) {
			set[p.add(s.setOp(0, s.single(v), b))] = cell{name: v.Name, v: v, bytes: b}
		}
	}
	p.leave(0)
	p.step(0, s.start, s.step)
	p.end(0)
	r := a.play(p)
	switch c, sets := set[max(0, r.Stopped)]; {
	case r.Crashed():
		a.crash("S10", r)
	case sets && !r.ended():
		a.refuted("S10", r, r.Stopped, "OK, because this is an item of its type", "%s; %s is set "+
			"to %s", r.describe(r.Stopped), c.name, s.text(c))
	default: // a step that does not work is for R2
		a.proved("S10")
	}
}
