package examine

import (
	"slices"

	"gosmp/internal/finding"
)

// readingTrials returns the trials that examine how values are read and set.
func readingTrials() []trial {
	return []trial{
		{rules: []string{"R20"}, make: regrouped, lacks: compared},
		{rules: []string{"R21"}, make: unread, lacks: compared},
		{rules: []string{"R22"}, make: readBack, lacks: compared},
		{rules: []string{"R22"}, make: wideValues, lacks: func(x *exam) string {
			if why := compared(x); why != "" || len(x.s.numbers()) > 0 {
				return why
			}
			return "there is no scalar input that is a number"
		}},
		{rules: []string{"V23"}, make: times, lacks: unless(func(s *subject) bool {
			return s.independent() != nil
		}, "there is no independent variable")},
	}
}

// compared is the condition of trials that are judged by comparison with the reference life.
func compared(x *exam) string {
	if x.driven == nil {
		return "two lives with the same values do not work, see " + full(x.s.major, "R12")
	}
	return ""
}

// mostSingle is the maximum number of variables that are read or set individually.
const mostSingle = 200

// regrouped reads and sets variables in groups and orders that differ from the reference life;
// values must not depend on them.
func regrouped(a *attempt) {
	s := a.s
	l := a.x.reference()
	p := s.newPlay()
	p.instantiate(0, 0)
	single := l
	single.single, single.n = true, min(2, l.n)
	readings := p.run(single)
	at := readings[len(readings)-1]
	one, back := p.readOther(0, at, alone), p.readOther(0, at, reversed)
	p.end(0)
	r := a.play(p, readings...)
	if !a.fine("R20", r) || !a.same("R20", r, readings) || !a.readApart() {
		return
	}
	together, ok := at.cells(r.Result)
	if !ok {
		return
	}
	byName := map[string]cell{}
	for _, c := range together {
		byName[c.name] = c
	}
	for _, other := range []reading{one, back} {
		list, ok := other.cells(r.Result)
		if !ok {
			return
		}
		for _, c := range list {
			whole := byName[c.name]
			if s.volatile[c.name] || s.dead[c.name] || s.distance(whole, c) == 0 {
				continue
			}
			a.refuted("R20", r, c.op, s.text(whole)+", as in a call for all",
				"%s is %s when it is read in another order, or alone", c.name, s.text(c))
			return
		}
	}
	if remark, same := a.readTwice(); same {
		a.remark("R20", remark)
	}
}

// readTwice reads each value reference twice in one call, as importers that read aliases do. An FMU
// without aliases may refuse this, but must not return different values.
func (a *attempt) readTwice() (remark string, same bool) {
	s, p := a.s, a.s.newPlay()
	readings := p.live(life{begin: s.usual(), n: 1})
	at := readings[len(readings)-1]
	k := len(p.ops)
	double := p.readOther(0, at, twice)
	p.mayFrom(k)
	r := a.play(p)
	if r.Crashed() {
		o := a.crash("R20", r)
		o.found += ", when each value reference is read twice in one call"
		return "", false
	}
	first, okFirst := at.cells(r.Result)
	second, okSecond := double.cells(r.Result)
	if !okFirst || !okSecond {
		return "calls that read a value reference twice are refused", true
	}
	byName := map[string]cell{}
	for _, c := range first {
		byName[c.name] = c
	}
	for _, c := range second {
		once := byName[c.name]
		if s.volatile[c.name] || s.dead[c.name] || s.distance(once, c) == 0 {
			continue
		}
		o := a.refuted("R20", r, c.op, s.text(once)+", as in a call for all",
			"%s is %s when each value reference is read twice in one call", c.name, s.text(c))
		o.as(finding.Warning)
		o.unless = "R21" // R21: values change whenever they are read
		return "", false
	}
	return "", true
}

// readApart makes a life that reads each variable in a separate call, from the beginning.
func (a *attempt) readApart() bool {
	l := a.x.reference()
	for _, g := range a.x.driven.readings[0].groups {
		if len(g.variables) > mostSingle {
			return true
		}
	}
	p := a.s.newPlay()
	l.n, l.apart, l.end = min(2, l.n), true, true
	readings := p.live(l)
	r := a.play(p, readings...)
	if !a.fine("R20", r) {
		return false
	}
	ref := a.x.driven
	if d := a.s.compare(ref.Result, ref.readings, r.Result, readings, 0); d != nil {
		a.refuted("R20", r, d.op, d.left+", as in a call for all", "%s is %s at %s s when each "+
			"variable is only read alone", d.name, d.right, short(d.t))
		return false
	}
	return true
}

// Ways in which a reading is repeated.
const (
	alone    = iota // each variable in a separate call
	reversed        // all variables in reverse order
	twice           // each variable twice in one call
)

// readOther repeats a reading in another way.
func (p *play) readOther(slot int, from reading, way int) (r reading) {
	r.t = from.t
	for _, g := range from.groups {
		list := slices.Clone(g.variables)
		switch way {
		case alone:
			for _, v := range list[:min(len(list), mostSingle)] {
				r.groups = append(r.groups, p.s.single(v))
			}
			continue
		case reversed:
			slices.Reverse(list)
		case twice:
			list = nil
			for _, v := range g.variables {
				list = append(list, v, v)
			}
		}
		r.groups = append(r.groups, group{g.typeName, g.size, list})
	}
	for k := range r.groups {
		r.ops = append(r.ops, p.add(p.s.getOp(slot, &r.groups[k])))
	}
	return r
}

// unread makes a life that reads values only at the end, twice: reading must not change anything.
func unread(a *attempt) {
	s := a.s
	l := a.x.reference()
	p := s.newPlay()
	p.instantiate(0, 0)
	l.blind = true
	p.run(l)
	end := s.sum(s.start, l.n)
	first, second := p.read(0, end), p.read(0, end)
	p.end(0)
	r := a.play(p, first)
	if !a.fine("R21", r) {
		return
	}
	ref := a.x.driven
	last := ref.readings[len(ref.readings)-1:]
	for k, again := range []reading{first, second} {
		d := s.compare(ref.Result, last, r.Result, []reading{again}, 0)
		if d == nil {
			continue
		}
		how := "when nothing was read before"
		if k > 0 {
			how = "when it is read twice"
		}
		o := a.refuted("R21", r, d.op, d.left+", as when values are read after each step",
			"%s is %s at %s s %s", d.name, d.right, short(d.t), how)
		if d.relative < 1e-9 {
			o.as(finding.Note)
		}
		return
	}
	a.proved("R21")
}
