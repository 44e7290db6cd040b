package examine

import (
	"slices"
	"strings"

	"gosmp/internal/finding"
)

// byReading are the rules whose trials compare values of lives in which different numbers of
// variables are read. They say nothing about the values of an FMU that reading changes (R21);
// outcomes with a cause are not about values.
var byReading = map[string]bool{"R5": true, "R6": true, "R9": true, "R10": true}

// merged returns the outcomes by rule. A crash counts only for the first rule that it refutes, and
// an outcome that another refuted rule explains does not count.
func (x *exam) merged(outcomes []outcome) map[string][]outcome {
	causes := map[string]string{}
	byRule := map[string][]outcome{}
	refuted := map[string]bool{}
	for _, o := range outcomes {
		if first, known := causes[o.cause]; known && o.cause != "" && first != o.rule {
			o = outcome{rule: o.rule, outcome: NotTested,
				why: o.cause + ", as in " + full(x.s.major, first)}
		} else if o.cause != "" && o.outcome == Refuted {
			causes[o.cause] = o.rule
		}
		if byReading[o.rule] && o.unless == "" && o.cause == "" {
			o.unless = "R21"
		}
		byRule[o.rule] = append(byRule[o.rule], o)
		refuted[o.rule] = refuted[o.rule] || o.outcome == Refuted && o.severity != finding.Note
	}
	for _, list := range byRule {
		for k, o := range list {
			if o.outcome == Refuted && refuted[o.unless] {
				list[k] = outcome{rule: o.rule, outcome: NotTested,
					why: o.found + "; see " + full(x.s.major, o.unless)}
			}
		}
	}
	return byRule
}

// verdicts returns the verdicts in the order of the rules.
func (x *exam) verdicts(outcomes []outcome) (list []Verdict) {
	byRule := x.merged(outcomes)
	for _, r := range Rules(x.s.major) {
		v, worst, ok := x.verdict(r, byRule[bareID(r.ID)])
		if !ok {
			continue
		}
		if v.Outcome == Refuted && worst.play != nil {
			x.shorten(worst)
			v.Calls = worst.play.calls(worst.at)
			v.Program = worst.program(r)
		}
		list = append(list, v)
	}
	return list
}

// verdict returns the verdict for one rule, before its calls are shortened, and the outcome that
// determines it; ok is false if the rule does not apply to this FMU or was not requested.
func (x *exam) verdict(r Rule, outcomes []outcome) (v Verdict, worst *outcome, ok bool) {
	v = Verdict{Rule: r, Outcome: NotTested}
	if len(x.o.Only) > 0 && !x.wanted(&trial{rules: []string{strings.TrimPrefix(r.ID,
		full(x.s.major, ""))}}) {
		return v, nil, false
	}
	for k := range outcomes {
		o := &outcomes[k]
		for _, text := range []*string{&o.found, &o.expected, &o.why} {
			*text = x.unlocated(*text)
		}
		if o.severity < 0 {
			o.severity = r.Severity
		}
		if worst == nil || rank(o) > rank(worst) {
			worst = o
		}
	}
	if worst == nil {
		return v, nil, false
	}
	v.Outcome, v.Why = worst.outcome, worst.why
	if v.Outcome == Proved {
		v.Why = remarks(outcomes)
		if v.Why != "" && r.ID == full(x.s.major, "I1") {
			v.Why =
				"it accepts, as the Reference FMUs do, calls that the standard does not allow: " +
					v.Why
		}
	}
	if v.Outcome == Refuted {
		v.Found, v.Expected, v.Severity = worst.found, worst.expected, worst.severity
		if worst.play != nil {
			v.shown = lastCall(worst.play.calls(worst.at))
		}
	}
	return v, worst, true
}

// remarks joins the remarks of the proofs of one rule.
func remarks(outcomes []outcome) string {
	var list []string
	for _, o := range outcomes {
		if o.outcome == Proved && o.why != "" && !slices.Contains(list, o.why) {
			list = append(list, o.why)
		}
	}
	return strings.Join(list, "; ")
}

// rank orders outcomes: refuted first, then proved, then not tested; more severe ones come first. A
// rule of which a part could not be tested for lack of time is not proved.
func rank(o *outcome) int {
	switch o.outcome {
	case Refuted:
		return 10 + int(o.severity)
	case Proved:
		return 2
	}
	if o.timeless {
		return 3
	}
	return 0
}
