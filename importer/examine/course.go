package examine

import (
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// A course is a life of an importer that handles events (FMI 3.0.2, 2.3.5): it enters Event Mode at
// each communication point, activates the clocks that are due, sets discrete inputs and clocked
// variables, and reads them.
type course struct {
	s        *subject // with Event Mode
	events   []event
	evaluate bool // fmi3EvaluateDiscreteStates precedes the reading of outputs
	blind    bool // only the last event is read
	own      bool // only the clocks that the FMU activates are read
	twice    bool // everything is read twice in an event
	steady   bool // intervals of periodic clocks are inquired, too
	other    int  // inputs have other values
}

// event is a communication point of a course.
type event struct {
	t, h    float64     // its time, and the length of the step that leads to it
	inputs  []*variable // clocks that the importer activates
	outputs []*variable // clocks that the FMU activates
}

// visit holds the operations of an event in a script.
type visit struct {
	reading
	first     reading           // what was read before that; empty unless everything is read twice
	set       map[string][]byte // inputs without clocks
	settle    int
	inactive  int         // reads the watched clocks after the update; -1: there are none
	intervals int         // inquires intervals; -1: there is nothing to inquire
	asked     []*variable // the clocks of that inquiry
	steady    []int       // inquire the intervals of periodic clocks, one by one
	later     reading     // all variables without clocks, in Step Mode
}

// start appends the calls from the instantiation to the initial event.
func (c *course) start(p *play, slot int) {
	p.instantiate(slot, 0)
	c.initialize(p, slot)
}

// initialize appends the calls from the instantiated state to the initial event.
func (c *course) initialize(p *play, slot int) {
	p.enter(slot, c.s.usual())
	p.call(slot, "ExitInitializationMode")
}

// run appends the events from one index up to another.
func (c *course) run(p *play, slot, from, to int) (visits []visit) {
	for k := from; k < to; k++ {
		c.arrive(p, slot, k)
		v := c.begin(p, slot, k)
		c.complete(p, slot, k, &v)
		visits = append(visits, v)
	}
	return visits
}

// arrive appends the step that leads to event k, and enters Event Mode.
func (c *course) arrive(p *play, slot, k int) {
	if k == 0 {
		return // the initial event
	}
	e := &c.events[k]
	o := p.add(probe.Op{Code: "fmi3DoStep", Slot: slot, X: [4]float64{c.events[k-1].t, e.h}})
	p.ops[o].Flags |= probe.KeepState
	p.call(slot, "EnterEventMode")
}

// begin appends the calls of event k before its update.
func (c *course) begin(p *play, slot, k int) (v visit) {
	s, e := c.s, &c.events[k]
	v.set = map[string][]byte{}
	if n := len(e.inputs); n > 0 {
		p.add(probe.Op{Code: "fmi3SetClock", Slot: slot, References: references(e.inputs),
			Values: n, Data: slices.Repeat([]byte{1}, n)})
	}
	var list []*variable
	for n := range s.variables {
		u := &s.variables[n]
		if u.Causality == fmi.Input && (!u.clocked || u.ticksWith(e.inputs)) {
			list = append(list, u)
		}
	}
	values := func(u *variable) []byte { return s.other(u, k+2+c.other) }
	for _, g := range s.grouped(slices.DeleteFunc(list, func(u *variable) bool {
		return values(u) == nil
	})) {
		var all []byte
		for _, u := range g.variables {
			all = append(all, values(u)...)
			if !u.clocked {
				v.set[u.Name] = values(u)
			}
		}
		p.add(s.setOp(slot, g, all))
	}
	if c.evaluate {
		p.call(slot, "EvaluateDiscreteStates")
	}
	if c.twice {
		v.first = c.read(p, slot, e)
	}
	if !c.blind || k == len(c.events)-1 {
		v.reading = c.read(p, slot, e)
	}
	return v
}

// read appends calls that read all variables and, if the clocks that the FMU activates are known,
// the ones that belong to active clocks.
func (c *course) read(p *play, slot int, e *event) reading {
	list := p.readable(slot)
	for k := range c.s.variables {
		if v := &c.s.variables[k]; v.clocked && v.ticksWith(e.inputs, e.outputs) {
			list = append(list, v)
		}
	}
	r := p.readSome(slot, list)
	r.t = e.t
	if own := c.s.activatedByFMU(); len(own) > 0 {
		g := group{"Clock", 1, own}
		r.groups = append(r.groups, g)
		r.ops = append(r.ops, p.add(c.s.getOp(slot, &g)))
	}
	return r
}

// watched returns the clocks that are read after the update of an event.
func (c *course) watched() []*variable {
	if c.own {
		return c.s.activatedByFMU()
	}
	return c.s.clocksThat(func(*variable) bool { return true })
}

// complete appends the update of event k and the return to Step Mode.
func (c *course) complete(p *play, slot, k int, v *visit) {
	s, e := c.s, &c.events[k]
	v.inactive, v.intervals = -1, -1
	v.settle = p.add(probe.Op{Code: probe.Settle, Slot: slot})
	if list := c.watched(); len(list) > 0 {
		g := group{"Clock", 1, list}
		v.inactive = p.add(s.getOp(slot, &g))
	}
	v.asked = s.clocksThat(func(u *variable) bool {
		return u.IntervalVariability == "countdown" ||
			u.IntervalVariability == "changing" && slices.Contains(e.inputs, u)
	})
	if len(v.asked) > 0 {
		v.intervals = p.timing(slot, "GetIntervalDecimal", v.asked)
	}
	if c.steady {
		for _, u := range s.periodicClocks() {
			v.steady = append(v.steady, p.timing(slot, "GetIntervalDecimal", []*variable{u}))
			p.may()
		}
	}
	p.call(slot, "EnterStepMode")
	if !c.blind || k == len(c.events)-1 {
		v.later = p.readSome(slot, p.readable(slot))
		v.later.t = e.t
	}
}

// readingsOf returns the two readings of each event.
func readingsOf(visits []visit) (list []reading) {
	for k := range visits {
		list = append(list, visits[k].reading, visits[k].later)
	}
	return list
}

func laterOf(visits []visit) (list []reading) {
	for k := range visits {
		list = append(list, visits[k].later)
	}
	return list
}

// tryCourse runs a course that may not be complete yet.
func (a *attempt) tryCourse(c *course) (*run, []visit) {
	p := c.s.newPlay()
	c.start(p, 0)
	visits := c.run(p, 0, 0, len(c.events))
	p.call(0, "FreeInstance")
	return a.play(p, readingsOf(visits)...), visits
}

// triggered returns the triggered input clocks that tick in event k.
func (c *course) triggered(k int) (list []*variable) {
	all := c.s.clocksThat(func(v *variable) bool {
		return v.Causality == fmi.Input && !v.isTimed()
	})
	for n, v := range all {
		if (k+n)%3 != 0 {
			list = append(list, v)
		}
	}
	return list
}

// observeClocks notes which clocks the FMU activates in each event.
func (a *attempt) observeClocks(c *course) {
	own := c.s.activatedByFMU()
	if len(own) == 0 {
		return
	}
	r, visits := a.tryCourse(c)
	for k := range visits {
		list, ok := visits[k].cells(r.Result)
		for n := range list {
			if ok && list[n].v.Type == fmi.Clock && list[n].bytes[0] != 0 {
				c.events[k].outputs = append(c.events[k].outputs, list[n].v)
			}
		}
	}
}

// with describes the clocks of a course for a report.
func (c *course) with() string {
	n := 0
	for k := range c.events {
		n += len(c.events[k].inputs)
	}
	if n == 0 {
		return ", in Event Mode at each communication point"
	}
	return fmt.Sprintf(", with %d ticks of input clocks", n)
}

// courseReadTwice checks that reading in Event Mode, which includes clocks, changes nothing. If
// evaluates is true, fmi3EvaluateDiscreteStates works and comes first where the FMU offers it. An
// output clock that reading deactivates is a warning: FMI 3.0.2 (5.2.2) requires this of Scheduled
// Execution, and some tools export the same function for both.
func (a *attempt) courseReadTwice(c *course, evaluates bool) {
	with := *c
	with.twice = true
	with.evaluate = evaluates && c.s.slave.Capabilities.Has("providesEvaluateDiscreteStates")
	r, visits := a.tryCourse(&with)
	if !a.fine("R21", r) {
		a.outcomes[len(a.outcomes)-1].found += ", when everything is read twice in an event"
		return
	}
	for k := range visits {
		first, second := visits[k].first, visits[k].reading
		if d := c.s.compare(r.Result, []reading{first}, r.Result, []reading{second}, 0); d != nil {
			o := a.refuted("R21", r, d.op, d.left+", as before", "%s is %s when it is read again "+
				"in the event at %s s", d.name, d.right, short(d.t))
			if slices.ContainsFunc(c.s.activatedByFMU(), func(v *variable) bool {
				return v.Name == d.name
			}) {
				o.as(finding.Warning)
			}
			return
		}
	}
}
