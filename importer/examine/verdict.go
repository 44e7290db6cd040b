package examine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// Outcome is the result of an examination for one rule.
type Outcome string

// The outcomes.
const (
	Proved    Outcome = "proved"
	Refuted   Outcome = "refuted"
	NotTested Outcome = "not tested"
)

// Verdict is the outcome for one rule.
type Verdict struct {
	Rule
	Outcome  Outcome
	Why      string   // of NotTested: the reason; of Proved: a remark, often empty
	Found    string   // of Refuted
	Expected string   // of Refuted
	Calls    []string // of Refuted: the calls that demonstrate it, in order; may be empty
	Program  string   // of Refuted: a C program that makes these calls
	shown    string   // of Refuted: the call that shows it, which may be empty
}

// Report is the result of an examination.
type Report struct {
	File     string
	SHA256   string
	Model    string // modelName
	Tool     string // generationTool
	Version  string // fmiVersion
	Platform string // the folder in binaries/ whose library was used
	Verdicts []Verdict
	Time     time.Duration // duration of the examination
	Trials   int           // number of processes started
	mistakes []string      // of the examiner
}

// Count counts the verdicts with the given outcome.
func (r *Report) Count(o Outcome) (n int) {
	for k := range r.Verdicts {
		if r.Verdicts[k].Outcome == o {
			n++
		}
	}
	return n
}

// Summary returns the last line of a report, such as "41 of 43 rules proved, 2 refuted, 5 not
// tested".
func (r *Report) Summary() string {
	proved, refuted := r.Count(Proved), r.Count(Refuted)
	return fmt.Sprintf("%d of %d rules proved, %d refuted, %d not tested", proved, proved+refuted,
		refuted, r.Count(NotTested))
}

// Untested is the id of the finding that no rule was proved or refuted.
const Untested = "examine.untested"

// Findings returns the refuted rules as findings, for the outputs that all checks share. An
// examination that has tested nothing is an error, so that it cannot be mistaken for one of an FMU
// without faults.
func (r *Report) Findings() (list finding.List) {
	if f, is := r.untested(); is {
		list = append(list, f)
	}
	for k := range r.Verdicts {
		v := &r.Verdicts[k]
		if v.Outcome != Refuted {
			continue
		}
		list = append(list, v.finding(r.File))
	}
	return list
}

// untested returns the finding that no rule was tested.
func (r *Report) untested() (f finding.Finding, is bool) {
	if r.Count(NotTested) < len(r.Verdicts) {
		return f, false
	}
	why := "none of the chosen rules applies to this FMU"
	if len(r.Verdicts) > 0 {
		why = r.Verdicts[0].Why
	}
	return finding.Finding{ID: Untested, Severity: finding.Error,
		Place:   fault.Place{File: r.File},
		Message: "found no rule that could be tested, expected at least one: " + why,
		Remedy:  "give a longer --time, or other rules in --only"}, true
}

// finding returns a refuted rule as a finding.
func (v *Verdict) finding(file string) finding.Finding {
	remedy := ""
	if v.shown != "" {
		remedy = "shown by " + v.shown
	}
	return finding.Finding{ID: v.ID, Severity: v.Severity, Place: fault.Place{File: file},
		Message: fmt.Sprintf("%s: %s (%s)", v.Found, expected(v), v.Clause), Remedy: remedy}
}

// lastCall returns the last call of a function of FMI, and no pause or measurement, in one line for
// a finding.
func lastCall(calls []string) string {
	for _, call := range slices.Backward(calls) {
		if strings.Contains(call, "fmi") {
			return brief(call)
		}
	}
	return ""
}

// brief shortens long lists of references and values in a call.
func brief(call string) string {
	before, rest, _ := strings.Cut(call, ", [")
	list, after, closed := strings.Cut(rest, "]")
	if !closed {
		return call
	}
	end := ""
	if cut, is := strings.CutSuffix(after, ")"); is {
		after, end = cut, ")"
	}
	if known, is := strings.CutPrefix(after, ", by ["); is {
		after = ", by [" + few(strings.TrimSuffix(known, "]"), " ", "references") + "]"
	} else if values, is := strings.CutPrefix(after, ", "); is {
		after = ", " + few(values, ", ", "values")
	}
	return before + ", [" + few(list, " ", "references") + "]" + after + end
}

// few shortens a long list to its first items, its last one and their number.
func few(list, separator, what string) string {
	const most, kept = 16, 8
	all := strings.Split(list, separator)
	if len(all) <= most {
		return list
	}
	return fmt.Sprintf("%s%s… %s: %d %s", strings.Join(all[:kept], separator), separator,
		all[len(all)-1], len(all), what)
}

func expected(v *Verdict) string {
	if v.Expected == "" {
		return v.Says
	}
	return "expected " + v.Expected
}

// Verdict returns the verdict for a rule; nil if the report has none.
func (r *Report) Verdict(id string) *Verdict {
	k := slices.IndexFunc(r.Verdicts, func(v Verdict) bool { return v.ID == id })
	if k < 0 {
		return nil
	}
	return &r.Verdicts[k]
}

// Mistakes lists faults of the examiner itself: calls that its own table forbids, except in the
// trials of illegal calls, and outcomes for rules that a trial does not declare. The list is empty
// unless the examiner has a fault.
func (r *Report) Mistakes() []string { return r.mistakes }
