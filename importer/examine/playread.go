package examine

import (
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// reading is a point in a script at which all variables are read.
type reading struct {
	t       float64
	groups  []group
	ops     []int // of groups
	triples []triple
	fetches []int // of triples
}

// last returns the last operation of a reading.
func (r *reading) last() int {
	return max(slices.Max(append(r.ops, 0)), slices.Max(append(r.fetches, 0)))
}

// read appends calls that read all variables that may be read.
func (p *play) read(slot int, t float64) (r reading) {
	r.t, r.groups = t, p.s.grouped(p.readable(slot))
	for k := range r.groups {
		r.ops = append(r.ops, p.add(p.s.getOp(slot, &r.groups[k])))
	}
	for k, v := range p.s.triples {
		if v.Causality == fmi.Output {
			r.triples = append(r.triples, v)
			r.fetches = append(r.fetches,
				p.add(probe.Op{Code: probe.Fetch, Slot: slot, State: k % 32,
					Count: oneCall, References: v.references}))
		}
	}
	return r
}

const oneCall = 6 // order of a Fetch: all three in one call

func (s *subject) getOp(slot int, g *group) probe.Op {
	return probe.Op{Code: s.function("Get" + g.typeName), Slot: slot, References: g.references(),
		Values: g.values()}
}

// readAs reads all variables in the way specified by a life.
func (p *play) readAs(l life, t float64) reading {
	if !l.apart {
		return p.read(l.slot, t)
	}
	r := reading{t: t}
	for _, g := range p.s.grouped(p.readable(l.slot)) {
		for _, v := range g.variables {
			r.groups = append(r.groups, p.s.single(v))
		}
	}
	for k := range r.groups {
		r.ops = append(r.ops, p.add(p.s.getOp(l.slot, &r.groups[k])))
	}
	return r
}

// readable returns the variables that may be read now.
func (p *play) readable(slot int) (list []*variable) {
	for k := range p.s.variables {
		if v := &p.s.variables[k]; p.s.readable(v, p.states[slot]) {
			list = append(list, v)
		}
	}
	return list
}
