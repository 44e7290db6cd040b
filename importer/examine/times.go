package examine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// timeTrials returns the trials of times and steps.
func timeTrials() []trial {
	variable := unless(func(s *subject) bool { return s.variableStep },
		"canHandleVariableCommunicationStepSize is not true")
	return []trial{
		{rules: []string{"S1"}, make: startTimes},
		{rules: []string{"S2"}, make: roundedTimes},
		{rules: []string{"S3"}, make: lastStep},
		{rules: []string{"S4"}, make: differentSteps, lacks: variable},
		{rules: []string{"R11"}, make: halfSteps, lacks: variable},
		{rules: []string{"S9", "Q1"}, make: longRun},
	}
}

// startTimes starts at different times, with and without a stop time and a tolerance. Times within
// the default experiment must work; outside it, a model may be invalid (FMI 2.0.5, 2.1.6).
func startTimes(a *attempt) {
	s := a.s
	span := s.stop - s.start
	middle := s.start + float64(s.step*math.Round(span/2/s.step))
	for _, c := range []struct {
		start             float64
		noStop, tolerance bool
		severity          finding.Severity
	}{
		{s.start, !s.hasStop, true, finding.Error},
		{s.start, true, false, finding.Error},
		{s.start, false, false, finding.Error},
		{middle, true, false, finding.Error},
		{middle, false, false, finding.Error},
		{s.start + float64(0.3*s.step), true, false, finding.Warning},
		{s.start + 5, true, false, finding.Warning},
		{s.start - 5, true, false, finding.Warning},
		{s.start + 1e6, true, false, finding.Warning},
		{s.start + 1e9, true, false, finding.Warning},
	} {
		if c.start >= 1e9 && s.step < 1e-3 {
			continue // the difference of two times would hardly be a number
		}
		b := begin{start: c.start, stop: max(s.stop, c.start+s.step), noStop: c.noStop,
			tolerance: c.tolerance}
		until := "stop time " + short(b.stop)
		if c.noStop {
			b.stop, b.undefined = c.start-1, true // an undefined stop time, which no FMU may use
			until = "no stop time"
		}
		n := 1
		if c.start == s.start || span > 10*s.step {
			n = min(3, a.x.n)
		}
		p := s.newPlay()
		p.live(life{begin: b, n: n, end: true})
		r := a.play(p)
		if !a.fine("S1", r) {
			o := &a.outcomes[len(a.outcomes)-1]
			o.severity = c.severity
			if c.start != s.start && !r.Crashed() && r.Stopped >= 0 &&
				!strings.HasSuffix(p.ops[r.Stopped].Code, "DoStep") {
				o.severity = finding.Warning // it reports in time that it is not valid there
			}
			o.found += fmt.Sprintf("; the start time is %s, with %s", short(c.start), until)
			if c.tolerance {
				o.found += " and a tolerance"
			}
			return
		}
	}
	if a.survivesTolerance() {
		a.proved("S1")
	}
}

// survivesTolerance makes a life with a tolerance as for accurate reference results. The FMU may
// refuse it or take long, but must not end the process.
func (a *attempt) survivesTolerance() bool {
	const small = 1e-12
	p, b := a.s.newPlay(), a.s.usual()
	b.tolerance, b.relative = true, small
	p.live(life{begin: b, n: 1, end: true})
	r := a.play(p)
	if !r.Crashed() || r.TimedOut {
		return true
	}
	o := a.crash("S1", r)
	o.found += "; the tolerance is " + short(small)
	return false
}

// grid returns the beginning and the length of step k.
type grid func(k int) (t, h float64)

// grids returns ways to compute times with step h from start: accumulated, multiplied, and
// multiplied with their differences as step sizes.
func grids(start, h float64) map[string]grid {
	at := func(k int) float64 { return start + float64(float64(k)*h) }
	sum := start
	return map[string]grid{
		"sums of h": func(int) (float64, float64) {
			t := sum
			sum += h
			return t, h
		},
		"k·h":           func(k int) (float64, float64) { return at(k), h },
		"t(k+1) − t(k)": func(k int) (float64, float64) { return at(k), at(k+1) - at(k) },
	}
}

// roundedTimes takes steps on grids used by importers, for 2 s if the FMU is fast enough.
func roundedTimes(a *attempt) {
	const span, few, limit = 2.0, 60, 500 * time.Millisecond
	s := a.s
	sizes := []float64{s.step}
	if s.variableStep {
		sizes = append(sizes, 1.0/60, 1.0/30, 1.0/24, 0.1, 0.001)
	}
	for _, h := range sizes {
		// not up to the stop time, at which some models end the simulation
		n := min(int(span/h), int((s.stop-s.start)/h)-1)
		if time.Duration(n)*a.x.stepTime() > limit {
			n = min(n, few)
		}
		if n < 1 {
			continue
		}
		for _, name := range []string{"k·h", "t(k+1) − t(k)", "sums of h"} {
			g := grids(s.start, h)[name]
			p := s.newPlay()
			p.instantiate(0, 0)
			b := s.usual()
			p.initialize(0, b)
			for k := range n {
				t, h := g(k)
				p.step(0, t, h)
			}
			p.end(0)
			r := a.play(p)
			if !a.fine("S2", r) {
				o := &a.outcomes[len(a.outcomes)-1]
				o.found += "; times are " + name + " with h = " + short(h)
				return
			}
		}
	}
	a.proved("S2")
}

// lastStep accumulates step sizes until the stop time is reached, up to rounding.
func lastStep(a *attempt) {
	s := a.s
	if !s.variableStep {
		a.untested("S3", "canHandleVariableCommunicationStepSize is not true")
		return
	}
	const n = 20
	span := min(2, s.stop-s.start)
	h := span / n
	p := s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, begin{start: s.start, stop: s.start + span, tolerance: s.tolerant})
	t, last := s.start, 0
	for range n {
		last = p.step(0, t, h)
		t += h
	}
	p.end(0)
	r := a.play(p)
	switch {
	case r.Stopped == last && !r.Crashed() && !r.ended():
		a.refuted("S3", r, last, "OK", "%s, although the stop time is %s and "+
			"%d steps of %s were added up",
			r.describe(last), short(s.start+span), n, short(h))
	case a.fine("S3", r):
		a.proved("S3")
	}
}

// differentSteps changes the step size with every step.
func differentSteps(a *attempt) {
	s := a.s
	p := s.newPlay()
	p.instantiate(0, 0)
	b := s.usual()
	p.initialize(0, b)
	t := s.start
	for _, factor := range []float64{1, 0.5, 0.25, 1, 0.75, 0.5} {
		h := float64(factor * s.step)
		if t+h > s.stop {
			break
		}
		p.step(0, t, h)
		t += h
	}
	p.end(0)
	if r := a.play(p); a.fine("S4", r) && a.longerSteps() && a.shorterSteps() &&
		a.lengthsMatter() {
		a.proved("S4")
	}
}

// halfSteps compares one step with two steps of half its length.
func halfSteps(a *attempt) {
	s := a.s
	h := s.step
	whole := func(parts int) *run {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		for k := range parts {
			p.step(0, s.start+float64(k)*h/float64(parts), h/float64(parts))
		}
		reading := p.read(0, s.start+h)
		p.end(0)
		return a.play(p, reading)
	}
	one, two := whole(1), whole(2)
	if !a.fine("R11", one) || !a.fine("R11", two) {
		return
	}
	if d := s.compare(one.Result, one.readings, two.Result, two.readings, 1e-3); d != nil {
		a.remark("R11", d.name+" is "+d.left+" after one step and "+d.right+" after two halves")
		return
	}
	a.proved("R11")
}

// longRun takes many steps in a loop and compares their durations.
func longRun(a *attempt) {
	s := a.s
	p := s.newPlay()
	p.instantiate(0, 0)
	b := s.usual()
	b.noStop = true
	p.initialize(0, b)
	const most, least, parts = 400, 20, 5
	const enough, seconds = 4 * time.Second, 10 // if idle, and for one part if busy
	rounds := most
	if each := a.x.stepTime(); each > enough/(most*parts) {
		rounds = max(least, int(enough/(each*parts)))
	}
	var steps, looks []int
	var gets [][]int // the calls that read in each part
	for k := range parts {
		p.add(probe.Op{Code: probe.Loop, Count: rounds, X: [4]float64{seconds}})
		first := s.start + float64(float64(k*rounds)*s.step)
		at := p.step(0, first, s.step)
		p.ops[at].Flags |= probe.Clocked
		steps = append(steps, at)
		gets = append(gets, p.readFew(0).ops)
		p.add(probe.Op{Code: probe.Next})
		looks = append(looks, p.measure())
	}
	p.end(0)
	r := a.play(p)
	late := slices.IndexFunc(steps, func(k int) bool { return r.Records[k].Runs < rounds })
	if late > 1 && r.Records[steps[late]].Runs > 0 && !r.Crashed() &&
		a.slower(r, steps[:late+1], "steps", rounds) {
		return
	}
	if r.Stopped >= 0 && !r.Crashed() && late >= 0 && r.Records[steps[late]].Runs == 0 {
		a.untested("S9", "the FMU does not run for long: %s", r.describe(r.Stopped))
		return
	}
	if late >= 0 && !r.Crashed() {
		a.untested("S9", "%d steps take longer than %d s", rounds, seconds)
		return
	}
	if !a.fine("S9", r) {
		return
	}
	a.kept(r, looks, rounds)
	if a.slower(r, steps, "steps", rounds) {
		return
	}
	for n := range gets[0] {
		var calls []int
		for _, part := range gets {
			calls = append(calls, part[n])
		}
		if a.slower(r, calls, "calls of "+p.ops[calls[0]].Code, rounds) {
			return
		}
	}
	a.proved("S9")
}

// slower refutes S9 if calls become slower from part to part, and reports whether they do.
func (a *attempt) slower(r *run, calls []int, what string, rounds int) bool {
	const noise = 20000    // nanoseconds that the machine alone can add to a call
	var shortest []float64 // in each part: other load only makes calls longer
	for _, k := range calls {
		shortest = append(shortest, float64(r.Records[k].Least))
	}
	last := len(shortest) - 1
	if !rises(shortest) || shortest[last] <= float64(3*shortest[0])+noise {
		return false
	}
	a.refuted("S9", r, calls[last], what+" that take the same time",
		"the first %d %s take at least %.0f µs each, the last ones %.0f µs", rounds, what,
		shortest[0]/1e3, shortest[last]/1e3)
	return true
}

func rises(list []float64) bool {
	return slices.IsSortedFunc(list, cmp.Compare[float64])
}

// kept refutes Q1 if memory grows in each part of a long run.
func (a *attempt) kept(r *run, looks []int, rounds int) {
	const slack = 32 // bytes a step
	least := math.Inf(1)
	for k := 1; k < len(looks); k++ {
		grown := count(measures(r, looks[k]), "heap") - count(measures(r, looks[k-1]), "heap")
		least = min(least, float64(grown)/float64(rounds))
	}
	if least > slack {
		a.refuted("Q1", r, looks[len(looks)-1], "none", "each step retains %.4g "+
			"bytes of memory, over %d steps", least, rounds*len(looks))
	}
}

// readFew appends calls that read some variables of each type, to find memory leaks.
func (p *play) readFew(slot int) reading {
	const most = 8 // of each type: the values that they return are kept, too
	var list []*variable
	seen := map[string]int{}
	for k := range p.s.variables {
		v := &p.s.variables[k]
		name := p.s.typeName(v.Type)
		if seen[name] < most && v.n <= most && p.s.readable(v, p.states[slot]) {
			seen[name]++
			list = append(list, v)
		}
	}
	return p.readSome(slot, list)
}
