package examine

import (
	"math"
	"slices"
)

// schedule determines when the clocks of a subject tick.
type schedule struct {
	s      *subject
	clocks []*variable
	first  []float64 // of periodic clocks
	period []float64
	ticks  []int
	next   []float64 // infinite if it is not known

	announced float64 // the next event that the FMU has announced; infinite if there is none
}

// newSchedule determines the first ticks. r is a run with inquiries of the intervals and shifts
// that the model description does not state, at operations at and shift; nil if there are none.
func (s *subject) newSchedule(r *run, at, shift int, asked, shifted []*variable) *schedule {
	w := &schedule{s: s, clocks: s.timedClocks(), announced: math.Inf(1)}
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

// learn takes over the event that an FMU has announced in an event at time t, and the intervals
// that it has returned. ok is false if an interval is 0: the clock ticks again at once.
func (w *schedule) learn(r *run, v *visit, t float64) (ok bool) {
	w.announced = math.Inf(1)
	if time, is := r.announced(v); is {
		w.announced = time
	}
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

// announced returns the next event that the FMU has announced in an event.
func (r *run) announced(v *visit) (t float64, is bool) {
	rec := &r.Records[v.settle]
	return rec.Y[3], rec.Runs > 0 && rec.Y[2] == 1
}

const mostEvents = 14 // of a course

// point returns the next communication point: the next tick, the event that the FMU has announced,
// or the end of an ordinary step. Steps of one length may lead beyond an announced event.
func (w *schedule) point(t, h float64) float64 {
	next, times := t+h, w.next
	if w.s.variableStep {
		times = append(slices.Clone(times), w.announced)
	}
	for _, tick := range times {
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

// newCourse finds a course. why explains why there is none. If own, only the clocks that the FMU
// activates are read.
func (a *attempt) newCourse(s *subject, own bool) (c *course, why string) {
	dynamic := len(s.clocksThat((*variable).isAperiodic)) > 0
	c, why = a.planCourse(s, own, dynamic)
	if why == "" && !dynamic && s.variableStep && a.announces(c) {
		c, why = a.planCourse(s, own, true)
	}
	if why == "" {
		a.observeClocks(c)
	}
	return c, why
}

// announces reports whether an FMU announces events in a course.
func (a *attempt) announces(c *course) bool {
	r, visits := a.tryCourse(c)
	return slices.ContainsFunc(visits, func(v visit) bool {
		_, is := r.announced(&v)
		return is
	})
}

// planCourse determines the events of a course. If dynamic, it tries longer and longer ones: the
// intervals of some clocks, and events of the FMU, are known only in earlier events.
func (a *attempt) planCourse(s *subject, own, dynamic bool) (c *course, why string) {
	c = &course{s: s, own: own}
	w := a.firstTicks(c)
	h := s.step
	if !s.variableStep {
		if h = w.stepLength(); h == 0 {
			return nil, "no step length leads to all ticks of the clocks, and it must not vary"
		}
	}
	c.events = []event{{t: s.start, inputs: append(w.at(s.start), c.triggered(0)...)}}
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
