package examine

import (
	"math"
	"time"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// judgeRefusal judges a call that must be refused; it returns false if the trial is over.
func (a *attempt) judgeRefusal(rule string, r *run, k int, severity finding.Severity,
	what string) bool {
	switch {
	case r.Crashed() && r.Last >= k:
		a.crash(rule, r).as(finding.Error)
		return false
	case r.Crashed() || r.Stopped >= 0 && r.Stopped < k:
		return true // for other rules
	}
	a.judged++
	if r.Records[k].Status <= warning {
		a.refuted(rule, r, k, "Error", "%s returns %s", what,
			statusName(r.Records[k].Status)).as(severity)
		return false
	}
	return true
}

// refusedAll proves a rule, if any call could be made that had to be refused.
func (a *attempt) refusedAll(rule string) {
	if a.judged == 0 {
		a.untested(rule, "no life gets as far as the calls that have to be refused")
		return
	}
	a.proved(rule)
}

// wrongSteps tries impossible steps.
func wrongSteps(a *attempt) {
	s := a.s
	t := s.start + s.step // after one step
	for _, c := range []struct {
		t, h float64
		what string
	}{
		{t, 0, "a step of length 0"},
		{t, -s.step, "a step backwards"},
		{t, math.NaN(), "a step of length NaN"},
		{t + float64(10*s.step), s.step, "a step that does not begin where the last one ended"},
		{t - float64(100*s.step), s.step, "a step that begins in the past"},
		{math.NaN(), s.step, "a step that begins at NaN"},
	} {
		if s.major == 3 && c.h == 0 {
			continue // in FMI 3.0, some FMUs interpret it as an event
		}
		p := s.newPlay()
		p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: 1})
		k := p.wrongly(probe.Op{Code: s.function("DoStep"), X: [4]float64{c.t, c.h}})
		r := a.playWith(p, probe.Options{Limit: 3 * time.Second})
		if r.TimedOut && r.Last == k && (math.IsNaN(c.t) || math.IsNaN(c.h)) {
			// no standard specifies what happens, and a loop over times would not end
			a.remark("I2", c.what+" never ends")
			continue
		}
		if !a.judgeRefusal("I2", r, k, finding.Warning, c.what) {
			return
		}
	}
	a.refusedAll("I2")
}

// beyondStop takes a step beyond a defined stop time.
func beyondStop(a *attempt) {
	s := a.s
	p := s.newPlay()
	b := s.usual()
	b.noStop, b.stop = false, s.start+s.step
	p.live(life{flags: probe.LoggingOn, begin: b, n: 1})
	k := p.wrongly(probe.Op{Code: s.function("DoStep"), X: [4]float64{b.stop, s.step}})
	if r := a.play(p); a.judgeRefusal("I3", r, k, finding.Warning, "a step beyond the stop time") {
		a.refusedAll("I3")
	}
}
