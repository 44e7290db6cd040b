package examine

import (
	"fmt"
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// A course is a life of an importer that handles events (FMI 3.0.2, 2.3.5): it enters Event Mode at
// each communication point, activates the clocks that are due, sets discrete inputs and clocked
// variables, and reads them.
type course struct {
	s        *subject // with Event Mode
	events   []event
	evaluate bool // fmi3EvaluateDiscreteStates precedes the reading of outputs
	blind    bool // only the last event is read
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
	set       map[string][]byte // inputs without clocks
	settle    int
	inactive  int         // reads all clocks after the update; -1: there are none
	intervals int         // inquires intervals; -1: there is nothing to inquire
	asked     []*variable // the clocks of that inquiry
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

// complete appends the update of event k and the return to Step Mode.
func (c *course) complete(p *play, slot, k int, v *visit) {
	s, e := c.s, &c.events[k]
	v.inactive, v.intervals = -1, -1
	v.settle = p.add(probe.Op{Code: probe.Settle, Slot: slot})
	if len(s.clocks) > 0 {
		g := group{"Clock", 1, s.clocksThat(func(*variable) bool { return true })}
		v.inactive = p.add(s.getOp(slot, &g))
	}
	v.asked = s.clocksThat(func(u *variable) bool {
		return u.IntervalVariability == "countdown" ||
			u.IntervalVariability == "changing" && slices.Contains(e.inputs, u)
	})
	if len(v.asked) > 0 {
		v.intervals = p.timing(slot, "GetIntervalDecimal", v.asked)
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

// schedule determines when the clocks of a subject tick.
type schedule struct {
	s      *subject
	clocks []*variable
	first  []float64 // of periodic clocks
	period []float64
	ticks  []int
	next   []float64 // infinite if it is not known
}

// newSchedule determines the first ticks. r is a run with inquiries of the intervals and shifts
// that the model description does not state, at operations at and shift; nil if there are none.
func (s *subject) newSchedule(r *run, at, shift int, asked, shifted []*variable) *schedule {
	w := &schedule{s: s, clocks: s.timedClocks()}
	for _, v := range w.clocks {
		var begin, period float64
		if v.statesInterval() {
			begin, period = s.start+v.Timing.Shift, *v.Timing.Interval
		} else {
			begin, period = s.inquired(r, at, shift, slices.Index(asked, v),
				slices.Index(shifted, v), len(asked), len(shifted))
		}
		if v.isAperiodic() { // the first interval leads to the first tick
			begin += period
		} else if !(period > 0) {
			begin = math.Inf(1)
		}
		w.first, w.period = append(w.first, begin), append(w.period, period)
		w.ticks, w.next = append(w.ticks, 0), append(w.next, begin)
	}
	return w
}

// inquired returns when the intervals of a clock begin, and the first interval.
func (s *subject) inquired(r *run, at, shift, k, n, asked, shifted int) (begin, period float64) {
	if r == nil || k < 0 {
		return math.Inf(1), 0
	}
	list := r.intervals(at, asked)
	if list == nil || list[k].qualifier == notYetKnown || !(list[k].value >= 0) {
		return math.Inf(1), 0
	}
	begin = s.start
	if n >= 0 {
		if shifts := r.intervals(shift, shifted); shifts != nil {
			begin += shifts[n].value
		}
	}
	return begin, list[k].value
}

// at returns the clocks that tick at a time, and schedules their next ticks as far as known.
func (w *schedule) at(t float64) (list []*variable) {
	for k, v := range w.clocks {
		if !due(w.next[k], t) {
			continue
		}
		list = append(list, v)
		w.ticks[k]++
		w.next[k] = math.Inf(1)
		if !v.isAperiodic() {
			w.next[k] = w.first[k] + float64(float64(w.ticks[k])*w.period[k])
		}
	}
	return list
}

// learn takes over the intervals that an FMU has returned in an event at time t. ok is false if an
// interval is 0: the clock ticks again at once.
func (w *schedule) learn(r *run, v *visit, t float64) (ok bool) {
	if v.intervals < 0 {
		return true
	}
	list := r.intervals(v.intervals, len(v.asked))
	for k := range list {
		at := slices.Index(w.clocks, v.asked[k])
		if list[k].qualifier == changed || v.asked[k].IntervalVariability == "changing" {
			w.next[at] = t + list[k].value
			if !(list[k].value > 0) {
				return false
			}
		}
	}
	return true
}

const mostEvents = 14 // of a course

// point returns the next communication point: the next tick, or the end of an ordinary step.
func (w *schedule) point(t, h float64) float64 {
	next := t + h
	for _, tick := range w.next {
		if tick > t && !due(tick, t) && tick < next {
			next = tick
		}
	}
	return next
}

// stepLength returns the length of steps of an FMU whose steps must have one length, such that they
// reach all ticks of periodic clocks; 0 if there is none.
func (w *schedule) stepLength() float64 {
	s := w.s
	reaches := func(h float64) bool {
		for k := range w.clocks {
			for _, span := range []float64{w.first[k] - s.start, w.period[k]} {
				n := math.Round(span / h)
				if !math.IsInf(span, 0) && !due(float64(n*h), span) {
					return false
				}
			}
		}
		return true
	}
	for _, h := range append([]float64{s.step}, w.period...) {
		if h > 0 && reaches(h) {
			return h
		}
	}
	return 0
}

// newCourse finds a course by trying longer ones: the intervals of some clocks are known only in
// their events. why explains why there is none.
func (a *attempt) newCourse(s *subject) (c *course, why string) {
	c = &course{s: s}
	w := a.firstTicks(c)
	h := s.step
	if !s.variableStep {
		if h = w.stepLength(); h == 0 {
			return nil, "no step length leads to all ticks of the clocks, and it must not vary"
		}
	}
	c.events = []event{{t: s.start, inputs: append(w.at(s.start), c.triggered(0)...)}}
	dynamic := len(s.clocksThat((*variable).isAperiodic)) > 0
	for len(c.events) < mostEvents {
		last := c.events[len(c.events)-1]
		if dynamic {
			r, visits := a.tryCourse(c)
			if r.Crashed() || r.Stopped >= 0 || !w.learn(r, &visits[len(visits)-1], last.t) {
				break
			}
		}
		t := w.point(last.t, h)
		if t > s.stop+float64(1e-9*max(1, math.Abs(s.stop))) || !s.variableStep &&
			!due(t, last.t+h) {
			break
		}
		c.events = append(c.events, event{t: t, h: t - last.t,
			inputs: append(w.at(t), c.triggered(len(c.events))...)})
	}
	a.observeClocks(c)
	return c, ""
}

// firstTicks returns the schedule after the initialization.
func (a *attempt) firstTicks(c *course) *schedule {
	s := c.s
	asked := s.clocksThat(func(v *variable) bool { return v.isTimed() && !v.statesInterval() })
	shifted := s.clocksThat(func(v *variable) bool {
		return v.isTimed() && !v.statesInterval() && !v.isAperiodic()
	})
	if len(asked) == 0 {
		return s.newSchedule(nil, 0, 0, nil, nil)
	}
	p, shift := s.newPlay(), -1
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	at := p.timing(0, "GetIntervalDecimal", asked)
	if len(shifted) > 0 {
		shift = p.timing(0, "GetShiftDecimal", shifted)
	}
	p.call(0, "FreeInstance")
	return s.newSchedule(a.play(p), at, max(0, shift), asked, shifted)
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
