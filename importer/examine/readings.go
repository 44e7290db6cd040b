package examine

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"time"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// readingTrials returns the trials that examine how values are read and set.
func readingTrials() []trial {
	return []trial{
		{rules: []string{"R20"}, make: regrouped, lacks: compared},
		{rules: []string{"R21"}, make: unread, lacks: compared},
		{rules: []string{"R22"}, make: readBack, lacks: compared},
		{rules: []string{"V23"}, make: times, lacks: unless(func(s *subject) bool {
			return s.independent() != nil
		}, "there is no independent variable")},
	}
}

// compared is the condition for trials that are judged by comparison with the reference life.
func compared(x *exam) string {
	if x.driven == nil {
		return "two lives with the same values do not work, see " + full(x.s.major, "R12")
	}
	return ""
}

// startsOf judges whether the FMU has the start values that it declares, based on the values at the
// first communication point of a life in which nothing was set.
func (a *attempt) startsOf(r *run, first []cell) {
	for _, c := range first {
		if c.v == nil || !a.s.keepsStart(c.v) || a.s.dead[c.name] {
			continue
		}
		start := a.s.startOf(c.v)
		if len(start) == 0 || r.Records[c.op].Flags&probe.Unwritten != 0 { // which is for S6
			continue
		}
		declared := cell{name: c.name, v: c.v, bytes: start}
		if c.v.size == 0 {
			if c.v.n != 1 {
				continue
			}
			if a.s.major == 2 {
				declared.bytes = blob(bytes.TrimSuffix(start, []byte{0}))
			}
			given, _ := payload(declared.bytes)
			if found, ok := payload(c.bytes); !ok || bytes.Equal(given, found) {
				continue // R16 judges values that are not texts
			}
		}
		if a.s.distance(declared, c) <= 1e-6 {
			continue
		}
		o := a.refuted("V21", r, c.op, "its start value "+a.s.text(declared), "%s is %s", c.name,
			a.s.text(c))
		if c.v.size == 0 {
			o.as(finding.Warning) // it may stand for a default known only to the FMU
		}
		return
	}
	a.proved("V21")
}

// keepsStart reports whether a variable keeps its start value until the environment sets it.
func (s *subject) keepsStart(v *variable) bool {
	switch v.Causality {
	case fmi.Parameter, fmi.StructuralParameter, fmi.Input:
		return true
	}
	return v.Variability == fmi.Constant
}

// constancyOf judges whether variables that nobody sets, and that cannot change by themselves,
// remain constant from the first communication point on.
func (a *attempt) constancyOf(r *run, first []cell) {
	for k := range r.readings {
		list, ok := r.readings[k].cells(r.Result)
		if !ok {
			break
		}
		for n, c := range list {
			if c.v == nil || n >= len(first) || !a.s.stays(c.v) || c.name != first[n].name ||
				a.s.dead[c.name] || a.s.distance(first[n], c) == 0 {
				continue
			}
			a.s.drifting[c.name] = true
			a.refuted("V22", r, c.op, a.s.text(first[n])+", as after initialization",
				"%s is %s at %s s, although its variability is %s", c.name, a.s.text(c),
				short(r.readings[k].t), c.v.Variability)
			return
		}
	}
	a.proved("V22")
}

// stays reports whether only the environment can change a variable after initialization.
func (s *subject) stays(v *variable) bool {
	switch v.Variability {
	case fmi.Constant, fmi.Fixed:
		return true
	}
	return v.Causality == fmi.Parameter || v.Causality == fmi.Input
}

// times makes many steps, from a late start if the FMU accepts one, and compares the independent
// variable with the time of each communication point. An FMU with steps of its own lags by up to
// one of these steps, and by less at some points; a constant lag of one host step is a mistake.
func times(a *attempt) {
	s := a.s
	const late, single = 5, 20
	most := 2000 // as many as fit into one second
	if each := a.x.stepTime(); each > 0 {
		most = min(most, int(time.Second/each))
	}
	for _, start := range []float64{s.start + late, s.start} {
		p := s.newPlay()
		b := s.usual()
		b.start, b.stop = start, start+s.stop-s.start
		p.instantiate(0, 0)
		p.initialize(0, b)
		var at []int
		var points []float64
		n, t := s.steps(most, s.step), start
		for k := range n + 1 {
			if k > 0 {
				p.step(0, t, s.step)
				t += s.step
			}
			if k <= single || k == n {
				g := s.single(s.independent())
				at, points = append(at, p.add(p.s.getOp(0, &g))), append(points, t)
			}
		}
		p.end(0)
		r := a.play(p)
		if start != s.start && r.Stopped >= 0 && !r.ended() {
			continue // for S1
		}
		if a.fine("V23", r) && a.timesOf(r, at, points) {
			a.proved("V23")
		}
		return
	}
}

// timesOf judges the readings of the independent variable at certain times.
func (a *attempt) timesOf(r *run, at []int, points []float64) bool {
	s := a.s
	v := s.independent()
	behind, exact := 0, 0
	for k, t := range points {
		rec := r.Records[at[k]]
		if rec.Runs == 0 {
			break // the FMU has ended the simulation
		}
		found := s.number(v, rec.Out)
		slack := float64(1e-6 * max(1, math.Abs(t)))
		off, passed := t-found, t-points[0]
		wrong := !(math.Abs(off) <= s.step+passed/4+slack)
		switch {
		case wrong && (k == 0 || k == len(points)-1):
			a.refuted("V23", r, at[k], short(t), "%s is %s at %s s", v.Name, short(found), short(t))
			return false
		case k > 0 && math.Abs(off-s.step) <= slack:
			behind++
		case k > 0:
			exact++
		}
	}
	if behind > 2 && exact == 0 {
		k := len(points) - 1
		a.refuted("V23", r, at[k], short(points[k]), "%s is always one step behind, %s at %s s",
			v.Name, short(s.number(v, r.Records[at[k]].Out)), short(points[k]))
		return false
	}
	return true
}

// independent returns the independent variable; nil if there is none that can be read.
func (s *subject) independent() *variable {
	for k := range s.variables {
		v := &s.variables[k]
		if v.Causality == fmi.Independent && v.n == 1 && v.Type.IsFloat() && !v.clocked {
			return v
		}
	}
	return nil
}

// mostSingle is the maximum number of variables that are read or set individually.
const mostSingle = 200

// regrouped reads and sets variables in different groups and orders than the reference life; values
// must not depend on that.
func regrouped(a *attempt) {
	s := a.s
	l := a.x.reference()
	p := s.newPlay()
	p.instantiate(0, 0)
	single := l
	single.single, single.n = true, min(2, l.n)
	readings := p.run(single)
	at := readings[len(readings)-1]
	one := p.readOther(0, at, false)
	back := p.readOther(0, at, true)
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
	a.proved("R20")
}

// readApart makes a life that reads each variable in a separate call from the beginning.
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

// readOther repeats a reading: each variable alone, or all variables in reverse order.
func (p *play) readOther(slot int, from reading, reverse bool) (r reading) {
	r.t = from.t
	for _, g := range from.groups {
		list := slices.Clone(g.variables)
		if reverse {
			slices.Reverse(list)
			r.groups = append(r.groups, group{g.typeName, g.size, list})
			continue
		}
		for _, v := range list[:min(len(list), mostSingle)] {
			r.groups = append(r.groups, p.s.single(v))
		}
	}
	for k := range r.groups {
		r.ops = append(r.ops, p.add(p.s.getOp(slot, &r.groups[k])))
	}
	return r
}

// unread makes a life that reads nothing before the end, and twice at the end: reading must not
// change anything.
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

// readBack sets inputs and parameters and reads them. Some FMUs adopt inputs only in the next step,
// so inputs are judged by their values after it.
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
		soon = p.read(0, s.start) // which is illegal after a Set between steps
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
		if was, found, at := s.lost(r, &readings[k], given[k]); at >= 0 {
			a.refuted("R22", r, at, "the value that was set, "+was, "%s", found)
			return
		}
	}
	for _, at := range []*reading{&soon, &early} {
		if _, found, op := s.lost(r, at, begun); op >= 0 {
			a.remark("R22", "inputs are taken over in the next step only: "+found+" before")
			return
		}
	}
	a.proved("R22")
}

// chosenBefore sets parameters only before the initialization, and reads them after it.
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
	was, found, at := s.lost(r, &begun, sent.all())
	if at >= 0 {
		a.refuted("R22", r, at, "the value that was set before the initialization, "+was, "%s",
			found)
	}
	return at < 0
}

// settings holds the values that were set last, by the names of the variables.
type settings struct{ values map[string][]byte }

// value returns a function that gives value k of the sequence of a variable, and records it.
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

// lost returns the first variable in a reading that does not have the value that was set.
func (s *subject) lost(r *run, at *reading, set map[string][]byte) (given, found string, op int) {
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
		if s.distance(was, c) > 1e-12 {
			return s.text(was), c.name + " is " + s.text(c), c.op
		}
	}
	return "", "", -1
}
