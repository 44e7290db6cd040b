package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment"
	chartcheck "gosmp/experiment/scxml/check"
	"gosmp/internal/finding"
	"gosmp/internal/vacuous"
)

// The outcomes of a trial form a closed set. Only Passed and Finished have the exit code 0.
const (
	// Passed: there is an evaluation machine, all machines of the description ran without an
	// unhandled error, without an error that ended a control machine other than in success, and
	// without a watch that never had a number, no machine waited for something that never comes,
	// there was a step, and all evaluation machines ended in success.
	Passed = "passed"
	// Failure: an evaluation machine ended in failure.
	Failure = "failed"
	// Undecided: nothing failed, but a machine did not run or did not decide, it watched a variable
	// that was never a number, or a condition of Passed is missing.
	Undecided = "undecided"
	// Finished: there is no evaluation machine, and the trial ended by itself.
	Finished = "finished"
	// Timeout: the timeout elapsed before a decision.
	Timeout = "timeout"
	// Faulty: a participant or gosmp itself failed.
	Faulty = "error"
	// Interrupted: the caller ended the trial, for example with Ctrl-C.
	Interrupted = "interrupted"
)

// Outcomes lists all outcomes.
var Outcomes = []string{Passed, Finished, Failure, Undecided, Timeout, Faulty, Interrupted}

// The outcomes of evaluation machines. A machine that has not ended is Undecided.
const (
	success = "success"
	failure = "failure"
)

// stopped marks a trial that its user stopped.
const stopped = "stopped"

// decide is the only function that turns the end of a trial into an outcome; text, JSON, JUnit,
// HTML and sweeps show its result. Nothing passes vacuously: a trial without a decision has not
// passed.
func decide(cause error, endedBy string, machines []Judgment, left []MachineError,
	blind string) (outcome, why string) {
	if cause != nil {
		if errors.Is(cause, errInterrupted) {
			return Interrupted, "the run was interrupted before a decision"
		}
		return Faulty, cause.Error()
	}
	judged, reason := false, ""
	for _, j := range machines {
		if j.Role != evaluation {
			continue
		}
		judged = true
		if j.Outcome == failure {
			return Failure, both(j.why(), left)
		}
		if j.Outcome != success && reason == "" {
			reason = j.why()
		}
	}
	if absent := first(machines, func(j Judgment) bool { return j.NotRun }); absent != "" {
		return Undecided, absent
	}
	why = both(cmp.Or(reason, first(machines, func(j Judgment) bool { return j.broken })), left)
	if troubled := first(machines, Judgment.gaveUp); troubled != "" {
		why = strings.TrimPrefix(why+"; "+troubled, "; ") // the errors may be the reason
	}
	if blind != "" {
		why = strings.TrimPrefix(why+"; "+blind, "; ")
	}
	switch {
	case endedBy == byTimeout:
		return Timeout, cmp.Or(why, "no machine had ended the run by then")
	case !judged && (endedBy == "" || endedBy == stopped):
		return Undecided, "the run was stopped before its end"
	case why != "":
		return Undecided, why
	case !judged && endedBy == ofScenario+": exitFailure":
		return Failure, "the scenario ended with exitFailure"
	case !judged:
		return Finished, ""
	}
	return Passed, ""
}

// unseen returns why machines that judge may not have seen what they should: they look for
// something that does not exist, or the trial ended before its first step.
func (t *Trial) unseen() []string {
	if len(t.description.Evaluation) == 0 {
		return nil
	}
	if t.endedBy != "" {
		if why := vacuous.WithoutStep("experiment", t.endedBy, t.steps); why != "" {
			return append(slices.Clone(t.blinded), why)
		}
	}
	return t.blinded
}

// errInterrupted marks the error of a trial whose caller ended its context.
var errInterrupted = errors.New("interrupted")

// ended marks an error caused by the end of a context.
func ended(ctx context.Context, err error) error {
	if ctx != nil && errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Cause(ctx)) {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return err
}

// endOf returns the kind of end that an error causes.
func endOf(err error) string {
	if errors.Is(err, errInterrupted) {
		return "interruption"
	}
	return "error"
}

// gaveUp reports whether an error ended a control machine, so that its work is incomplete. A
// machine that ends in success expected the error.
func (j Judgment) gaveUp() bool {
	return j.Role == control && j.byError && j.Outcome != success
}

// first returns the cause of the first machine of a kind.
func first(machines []Judgment, is func(Judgment) bool) string {
	for _, j := range machines {
		if is(j) {
			return j.why()
		}
	}
	return ""
}

// both returns why a machine did not decide, together with the first unhandled error, which may be
// the reason.
func both(why string, left []MachineError) string {
	if len(left) == 0 {
		return why
	}
	if why != "" {
		why += "; "
	}
	return why + left[0].String()
}

// ExitCode returns the exit code of the run contract: 0 passed or finished, 1 failed or undecided,
// 3 timeout, 4 a participant or gosmp failed, 130 interrupted.
func (v *Verdict) ExitCode() int {
	switch v.Outcome {
	case Passed, Finished:
		return 0
	case Failure, Undecided:
		return 1
	case Timeout:
		return 3
	case Interrupted:
		return 130
	}
	return 4
}

// Good reports whether an outcome means that nothing is wrong.
func Good(outcome string) bool { return outcome == Passed || outcome == Finished }

// Summary returns the verdict in one line, without the time, as shown on a terminal for a run that
// is not good.
func (v *Verdict) Summary() string {
	text := fmt.Sprintf("%s: %s at %v s", v.Experiment, v.Outcome, v.Time)
	if v.Outcome == Timeout {
		text = fmt.Sprintf("%s: timeout of %s time at %v s, undecided", v.Experiment,
			v.TimeoutClock, v.Time)
	}
	if v.Outcome == Failure {
		text = fmt.Sprintf("%s: failed", v.Experiment)
	}
	if v.Cause != "" {
		text += ": " + strings.ReplaceAll(v.Cause, "\n", "; ")
	}
	return text
}

// Notes returns one line for each reason that keeps a verdict from being good, and for each
// unhandled error.
func (v *Verdict) Notes() (lines []string) {
	for _, j := range v.Judgments {
		if j.NotRun || j.broken || j.gaveUp() || j.Role == evaluation && j.Outcome != success {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", j.Machine, j.Outcome, j.Cause))
		}
	}
	return append(lines, ErrorNotes(v.Errors, v.MoreErrors)...)
}

// ErrorNotes returns one line for each of the first unhandled errors, and one for the others.
func ErrorNotes(list []MachineError, more int) (lines []string) {
	const most = 10
	for _, e := range list[:min(most, len(list))] {
		lines = append(lines, e.String())
	}
	if more += len(list) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more errors, which --json lists", more))
	}
	return lines
}

// blindFindings returns one line for each finding because of which a machine misses what it is
// meant to judge: an event for which it waits although nothing raises, sends or provides it, or a
// transition that it never takes. If a user can post events, any event may come.
func blindFindings(findings experiment.Findings, posted bool) (lines []string) {
	for _, f := range findings {
		ofEvent := f.ID == chartcheck.SX22 || f.ID == chartcheck.SX28
		if f.Blind && (!ofEvent || !posted) {
			lines = append(lines, f.Place.String()+": "+f.Message+"; "+f.Remedy+
				" ["+f.ID+"]")
		}
	}
	return lines
}

// changing returns one line for each finding about a part of an experiment that is not executed
// although this changes the simulation.
func changing(findings experiment.Findings) (lines []string) {
	for _, f := range findings {
		if f.Severity == finding.Error || !slices.Contains([]string{"EX11", "EX14", "EX17", "EX23",
			"BI03", "BI04"}, f.ID) {
			continue
		}
		if f.Severity == finding.Warning || f.ID == "BI03" {
			lines = append(lines, f.Place.String()+": "+f.Message+" ["+f.ID+"]")
		}
	}
	return lines
}
