package examine

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"gosmp/internal/finding"
)

// everywhere lists the rules about observations in the runs of all trials. No verdict on them is
// certain before the last trial has ended.
var everywhere = []string{"G2", "G4", "Q7", "Q8", "Q9", "S5", "S6", "S8"}

// ledger collects the outcomes of trials. The trials may end in any order, but their outcomes are
// entered in the order of the trials. So the verdicts that an entry makes certain are the same in
// each examination, and so is the order in which they are reported.
type ledger struct {
	x      *exam
	trials []trial
	last   map[string]int // the last trial that tests a rule

	mu       sync.Mutex
	ended    int
	results  []*result // of the trials that have ended
	entered  int       // the number of trials whose outcomes are entered
	outcomes []outcome
	heard    []outcome
	told     map[string]bool // rules on whose verdict all outcomes were entered
	reported map[string]bool // rules that are refuted
}

// result is what a trial has found.
type result struct {
	outcomes []outcome
	heard    []outcome // observed in its runs
}

func (x *exam) newLedger(trials []trial) *ledger {
	l := &ledger{x: x, trials: trials, last: map[string]int{}, told: map[string]bool{},
		reported: map[string]bool{}, results: make([]*result, len(trials))}
	for k := range trials {
		for _, rule := range trials[k].rules {
			l.last[rule] = k
		}
	}
	return l
}

// make makes a trial, and enters what it and its successors have found as soon as all trials before
// it have ended.
func (l *ledger) make(k int) {
	r := l.x.attempt(&l.trials[k])
	l.mu.Lock()
	defer l.mu.Unlock()
	l.results[k] = r
	for l.entered < len(l.trials) && l.results[l.entered] != nil {
		l.enter()
	}
	l.ended++
	if l.x.o.Progress != nil {
		l.x.o.Progress(l.ended, len(l.trials), strings.Join(l.trials[k].rules, " "))
	}
}

// enter enters the outcomes of the next trial, and reports what they make certain.
func (l *ledger) enter() {
	r := l.results[l.entered]
	for _, o := range r.outcomes {
		l.checkRule(o.rule)
	}
	l.outcomes = append(l.outcomes, r.outcomes...)
	for _, o := range r.heard {
		l.heard = withObservation(l.heard, o)
	}
	l.entered++
	if l.entered == len(l.trials) {
		l.outcomes = append(l.outcomes, l.heard...)
	}
	l.report()
}

// report reports the refuted rules whose verdicts have become certain.
func (l *ledger) report() {
	x := l.x
	if x.o.Found == nil || x.ctx.Err() != nil || x.failure() != nil {
		return // nothing is certain about an FMU if the host has failed
	}
	byRule, last := x.merged(l.outcomes), l.entered == len(l.trials)
	for _, r := range Rules(x.s.major) {
		id := bareID(r.ID)
		if l.reported[id] || l.told[id] && !last || !l.certain(byRule[id], id) {
			continue
		}
		l.told[id] = true
		if v, _, ok := x.verdict(r, byRule[id]); ok && v.Outcome == Refuted {
			l.reported[id] = true
			x.o.Found(v.finding(x.file))
		}
	}
}

// certain reports whether no later trial can change the verdict on a rule that has these outcomes.
func (l *ledger) certain(outcomes []outcome, rule string) bool {
	return l.complete(rule) && !slices.ContainsFunc(outcomes, func(o outcome) bool {
		return o.outcome == Refuted && o.unless != "" && !l.complete(o.unless)
	})
}

// complete reports whether all outcomes for a rule are entered.
func (l *ledger) complete(rule string) bool {
	if l.entered == len(l.trials) {
		return true
	}
	k, tested := l.last[rule] // no trial tests a rule that is not requested
	return (!tested || k < l.entered) && !l.anywhere(rule)
}

// anywhere reports whether any trial may have an outcome for a rule. If the process
// crashes even after an ordinary life, a crash at the end of any trial breaks R15.
func (l *ledger) anywhere(rule string) bool {
	return slices.Contains(everywhere, rule) || rule == "R15" && l.x.plain == nil
}

// checkRule notes a mistake of the examiner if the next trial has an outcome for a rule that it
// does not declare, so that its verdict may have been reported before.
func (l *ledger) checkRule(rule string) {
	x := l.x
	last, tested := l.last[rule]
	if tested && last >= l.entered || l.anywhere(rule) ||
		!x.wanted(&trial{rules: []string{rule}}) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mistakes = append(x.mistakes, fmt.Sprintf("the trial of %s has an outcome for %s",
		strings.Join(l.trials[l.entered].rules, " "), rule))
}

// failure returns the error of the host that has ended the examination.
func (x *exam) failure() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// withObservation adds an observation to those of earlier runs. Only the first one of each rule
// counts, unless a later one is more severe: -1 is the severity of the rule, and a milder one is
// stated.
func withObservation(list []outcome, o outcome) []outcome {
	switch k := slices.IndexFunc(list, func(b outcome) bool { return b.rule == o.rule }); {
	case k < 0:
		return append(list, o)
	case o.severity < 0 && list[k].severity >= 0,
		o.severity == finding.Error && list[k].severity < o.severity:
		list[k] = o
	}
	return list
}
