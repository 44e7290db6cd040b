package examine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gosmp/importer/worker/probe"
)

// After its deadline, an examination begins no process. Trials in progress end as if all their
// further processes did not answer; what they then find is not an outcome.

// limits returns the time limits of a call and of a script. A call that takes much longer than
// the longest call of an ordinary life is considered endless, unless Options.Limit sets the time.
// A trial that wants less gets less. No script runs past the end of the examination.
func (x *exam) limits(wanted time.Duration) (call, all time.Duration) {
	const least, most, times = 3 * time.Second, 10 * time.Second, 50
	call = cmp.Or(wanted, most)
	if x.plain != nil {
		call = min(call, max(least, times*x.longestCall()))
	}
	if x.o.Limit > 0 {
		call = min(x.o.Limit, cmp.Or(wanted, x.o.Limit))
	}
	return call, max(time.Until(x.deadline), time.Millisecond)
}

// longestCall returns how long the longest call of the ordinary life took.
func (x *exam) longestCall() (longest time.Duration) {
	for _, rec := range x.plain.Records {
		longest = max(longest, rec.Most)
	}
	return longest
}

func (x *exam) usedUp() string {
	return fmt.Sprintf("the %v of --time have elapsed", x.o.Time.Round(100*time.Millisecond))
}

// unfinished returns the outcomes of a trial that is not made for lack of time.
func (x *exam) unfinished(t *trial) (list []outcome) {
	for _, rule := range t.rules {
		list = append(list, outcome{rule: rule, outcome: NotTested, why: x.usedUp(),
			timeless: true})
	}
	return list
}

// expire records that the time has elapsed in the middle of a trial.
func (a *attempt) expire() {
	if !a.expired {
		a.expired, a.late = true, len(a.outcomes)
	}
}

// backTo replaces the outcomes by earlier ones, from before the time elapsed.
func (a *attempt) backTo(earlier []outcome) {
	a.outcomes, a.late = earlier, len(earlier)
}

// tooLate returns the result of a script that is not run for lack of time.
func (a *attempt) tooLate(p *play, readings []reading) *run {
	a.expire()
	return &run{Result: &probe.Result{Records: make([]probe.Record, len(p.ops)), Stopped: -1,
		Last: -1, TimedOut: true, Expired: true}, play: p, readings: readings}
}

// unlessExpired withdraws what a trial has found after the time had elapsed.
func (a *attempt) unlessExpired(t *trial) {
	if !a.expired {
		return
	}
	a.outcomes = a.outcomes[:a.late]
	for _, o := range a.x.unfinished(t) {
		if !slices.ContainsFunc(a.outcomes, func(b outcome) bool {
			return b.rule == o.rule && b.outcome == Refuted
		}) {
			a.outcomes = append(a.outcomes, o)
		}
	}
}

// unrepeated returns the outcomes of a trial that there was no time to repeat: it refutes nothing.
func (a *attempt) unrepeated() []outcome {
	for k := range a.outcomes {
		if o := &a.outcomes[k]; o.outcome == Refuted {
			*o = outcome{rule: o.rule, outcome: NotTested, timeless: true,
				why: o.found + "; there was no time to repeat this"}
		}
	}
	return a.outcomes
}
