package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/experiment"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/proto/osi3"
)

// TestDecide_IsNeverBetterThanTheTruth tries all combinations of the outcomes of two judges and a
// control machine, of ends and errors; the conditions here state the expected outcome a second
// time.
func TestDecide_IsNeverBetterThanTheTruth(t *testing.T) {
	type state struct {
		outcome        string
		notRun, broken bool
	}
	states := []*state{nil, {outcome: success}, {outcome: failure}, {outcome: Undecided},
		{outcome: "done"},
		{outcome: Undecided, notRun: true}, {outcome: Undecided, broken: true}}
	seen := map[string]int{}
	for _, c := range states {
		for _, a := range states {
			for _, b := range states {
				for _, endedBy := range []string{"", "decision", byTimeout, "stop: reason", stopped,
					"a participant"} {
					for _, left := range [][]MachineError{nil,
						{{Machine: "m", Event: "error.execution", Text: "typo"}}} {
						for _, cause := range []error{nil, errors.New("FMU"),
							fmt.Errorf("%w: signal", errInterrupted)} {
							var machines []Judgment
							for k, s := range []*state{c, a, b} {
								if s != nil {
									machines = append(machines, Judgment{Machine: fmt.Sprint("m",
										k), Cause: "because",
										Role:    []string{control, evaluation, evaluation}[k],
										Outcome: s.outcome, NotRun: s.notRun, broken: s.broken})
								}
							}
							outcome, why := decide(cause, endedBy, machines, left, "")
							seen[outcome]++
							check(t, fmt.Sprint(machines, endedBy, left, cause), outcome, why,
								cause, endedBy, machines, left)
						}
					}
				}
			}
		}
	}
	require.Len(t, seen, len(Outcomes), "all outcomes occur, and no others: %v", seen)
}

// Besides the undecided judge, only a control machine that ended with an error is named.
func TestDecide_NamesTheControlMachineThatFailed(t *testing.T) {
	judge := Judgment{Machine: "judge", Role: evaluation, Outcome: Undecided, byError: true,
		Cause: "open"}
	for _, failed := range []bool{false, true} {
		driver := Judgment{Machine: "driver", Role: control, Outcome: Undecided, byError: failed,
			Cause: "broken"}
		outcome, why := decide(nil, "decision", []Judgment{driver, judge}, nil, "")
		require.Equal(t, Undecided, outcome)
		require.Equal(t, failed, strings.Contains(why, "broken"), why)
		require.Equal(t, 1, strings.Count(why, "open"), why)
	}
}

// An error of the run itself is not an interruption, even if the run was also canceled.
func TestEnded_OnlyByTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signal, broken := errors.New("signal"), errors.New("FMU")
	require.NotErrorIs(t, ended(ctx, signal), errInterrupted)
	cancel(signal)
	require.ErrorIs(t, ended(ctx, fmt.Errorf("at 1 s: %w", signal)), errInterrupted)
	require.NotErrorIs(t, ended(ctx, broken), errInterrupted)
	late, stop := context.WithTimeout(context.Background(), 0)
	defer stop()
	<-late.Done()
	require.NotErrorIs(t, ended(late, late.Err()), errInterrupted, "a limit, not an interruption")
}

func check(t *testing.T, given, outcome, why string, cause error, endedBy string,
	machines []Judgment, left []MachineError) {
	t.Helper()
	judges := slices.DeleteFunc(slices.Clone(machines),
		func(j Judgment) bool { return j.Role == control })
	failed := slices.ContainsFunc(judges, func(j Judgment) bool { return j.Outcome == failure })
	open := slices.ContainsFunc(judges, func(j Judgment) bool { return j.Outcome != success })
	absent := slices.ContainsFunc(machines, func(j Judgment) bool { return j.NotRun })
	broken := slices.ContainsFunc(machines, func(j Judgment) bool { return j.broken })
	whole := cause == nil && !failed && !absent && !broken && len(left) == 0 && endedBy != byTimeout
	require.Contains(t, Outcomes, outcome)
	require.Equal(t, whole && len(judges) > 0 && !open, outcome == Passed, given)
	require.Equal(t, whole && len(judges) == 0 && endedBy != "" && endedBy != stopped,
		outcome == Finished, given)
	require.Equal(t, cause == nil && failed, outcome == Failure, given)
	require.Equal(t, cause == nil && !failed && !absent && endedBy == byTimeout, outcome == Timeout,
		given)
	require.Equal(t, cause != nil, outcome == Faulty || outcome == Interrupted, given)
	if !Good(outcome) {
		require.NotEmpty(t, why, given)
	}
	if absent && outcome == Undecided {
		require.Contains(t, why, "because")
	}
}

func TestVerdict_ExitCodes(t *testing.T) {
	codes := map[string]int{}
	for _, o := range Outcomes {
		codes[o] = (&Verdict{Outcome: o}).ExitCode()
	}
	require.Equal(t, map[string]int{Passed: 0, Finished: 0, Failure: 1, Undecided: 1, Timeout: 3,
		Faulty: 4, Interrupted: 130}, codes)
	require.Equal(t, 4, (&Verdict{Outcome: "unknown"}).ExitCode(), "what is not known is not good")
}

// TestDecide_Cause: the cause consists of the reason why a judge did not decide, the first
// unhandled error, and the control machine that ended with an error, as far as they exist.
func TestDecide_Cause(t *testing.T) {
	judge := func(outcome string) Judgment {
		return Judgment{Machine: "judge", Role: evaluation, Outcome: outcome, Cause: "still in a"}
	}
	left := []MachineError{{Machine: "m", Event: "error.execution", Text: "no", Count: 1}}
	broken := Judgment{Machine: "traffic", Role: control, Outcome: "broken",
		Cause: "from a to broken", byError: true}
	expected := broken
	expected.Outcome = success
	for _, c := range []struct {
		machines []Judgment
		left     []MachineError
		outcome  string
		want     string
	}{
		{[]Judgment{judge(success)}, nil, Passed, ""},
		{[]Judgment{judge(success), broken}, nil, Undecided, "traffic: from a to broken"},
		{[]Judgment{judge(success), expected}, nil, Passed, ""}, // it handled its error
		{[]Judgment{broken}, nil, Undecided, "traffic: from a to broken"},
		{[]Judgment{judge(success)}, left, Undecided, left[0].String()},
		{[]Judgment{judge(Undecided)}, nil, Undecided, "judge: still in a"},
		{[]Judgment{judge(Undecided)}, left, Undecided, "judge: still in a; " + left[0].String()},
		{[]Judgment{judge(Undecided), broken}, nil, Undecided,
			"judge: still in a; traffic: from a to broken"},
	} {
		outcome, why := decide(nil, "decision", c.machines, c.left, "")
		require.Equal(t, []string{c.outcome, c.want}, []string{outcome, why})
	}
}

// TestNotes: the notes list the judges that did not pass and the machines that did not run or broke
// down, but neither judges that passed nor control machines that are still running.
func TestNotes(t *testing.T) {
	v := &Verdict{Judgments: []Judgment{
		{Machine: "passed", Role: evaluation, Outcome: success},
		{Machine: "goes-on", Role: control, Outcome: Undecided},
		{Machine: "failed", Role: evaluation, Outcome: failure, Cause: "a"},
		{Machine: "script", Role: control, Outcome: Undecided, NotRun: true, Cause: "b"},
		{Machine: "broken", Role: control, Outcome: Undecided, broken: true, Cause: "c"},
		{Machine: "gave-up", Role: control, Outcome: "lost", byError: true, Cause: "d"},
	}}
	require.Equal(t, []string{"failed: failure: a", "script: undecided: b", "broken: undecided: c",
		"gave-up: lost: d"}, v.Notes())
}

// TestDecide_ScenarioThatEndsItself: the scenario's own failure counts if no state machine judges
// the run.
func TestDecide_ScenarioThatEndsItself(t *testing.T) {
	judge := func(outcome string) []Judgment {
		return []Judgment{{Machine: "judge", Role: evaluation, Outcome: outcome, Cause: "open"}}
	}
	control := []Judgment{{Machine: "traffic", Role: control, Outcome: Undecided}}
	for _, c := range []struct {
		end      string
		machines []Judgment
		want     string
	}{
		{"exitFailure", nil, Failure}, {"exitFailure", control, Failure},
		{"exitSuccess", nil, Finished}, {"exitSuccess", control, Finished},
		{"exitFailure", judge(success), Passed}, {"exitFailure", judge(failure), Failure},
		{"exitFailure", judge(Undecided), Undecided}, {"exitSuccess", judge(Undecided), Undecided},
	} {
		outcome, why := decide(nil, ofScenario+": "+c.end, c.machines, nil, "")
		require.Equal(t, c.want, outcome, "%s %v", c.end, c.machines)
		require.Equal(t, !Good(outcome), why != "", "%s %v", c.end, c.machines)
	}
}

// TestEndOf: a run whose caller ends it is interrupted, and one with an error broke off.
func TestEndOf(t *testing.T) {
	require.Equal(t, "error", endOf(errors.New("FMU")))
	require.Equal(t, "interruption", endOf(fmt.Errorf("%w: signal", errInterrupted)))
	ctx, cancel := context.WithCancel(context.Background())
	require.EqualError(t, ended(ctx, errors.New("FMU")), "FMU", "an error without an interruption")
	cancel()
	require.EqualError(t, ended(ctx, errors.New("FMU")), "FMU", "an error of its own")
}

// TestNotes_Errors: up to ten errors of state machines are listed, and the rest are counted.
func TestNotes_Errors(t *testing.T) {
	for n, more := range map[int]int{0: 0, 1: 0, 10: 0, 11: 1, 13: 3} {
		for _, uncounted := range []int{0, 4} {
			v := &Verdict{MoreErrors: uncounted}
			for range n {
				v.Errors = append(v.Errors, MachineError{Machine: "m", Event: "error.execution",
					Text: "no", Count: 1})
			}
			lines := v.Notes()
			rest := more
			if uncounted > 0 && n >= 10 {
				rest += uncounted
			}
			want := min(n, 10)
			if rest > 0 {
				want++
				require.Equal(t, fmt.Sprintf("%d more errors, which --json lists", rest),
					lines[len(lines)-1])
			}
			require.Len(t, lines, want, "%d errors and %d", n, uncounted)
			if n > 0 {
				require.Equal(t, v.Errors[0].String(), lines[0])
			}
		}
	}
}

// TestSummary: one line with the outcome, the time if it matters, and the cause.
func TestSummary(t *testing.T) {
	for want, v := range map[string]*Verdict{
		"a.exc: undecided at 2.5 s: one; two": {Outcome: Undecided, Cause: "one\ntwo"},
		"a.exc: failed: hit":                  {Outcome: Failure, Cause: "hit"},
		"a.exc: failed":                       {Outcome: Failure},
		"a.exc: timeout of simulation time at 2.5 s, undecided: open": {Outcome: Timeout,
			TimeoutClock: "simulation", Cause: "open"},
	} {
		v.Experiment, v.Time = "a.exc", 2.5
		require.Equal(t, want, v.Summary())
	}
}

// TestDecide_FirstReason: the first judge that has not decided gives the reason.
func TestDecide_FirstReason(t *testing.T) {
	outcome, why := decide(nil, "decision", []Judgment{
		{Machine: "a", Role: evaluation, Outcome: success, Cause: "1"},
		{Machine: "b", Role: evaluation, Outcome: Undecided, Cause: "2"},
		{Machine: "c", Role: evaluation, Outcome: Undecided, Cause: "3"}}, nil, "")
	require.Equal(t, []string{Undecided, "b: 2"}, []string{outcome, why})
}

// TestDecide_Blind: a watch that never had a number keeps a run from passing, finishing, or failing
// by the end of its scenario, and is part of the reasons of a timeout; failures count first.
func TestDecide_Blind(t *testing.T) {
	judge := func(outcome string) []Judgment {
		return []Judgment{{Machine: "a", Role: evaluation, Outcome: outcome, Cause: "1"}}
	}
	for _, c := range []struct {
		end, outcome, why string
		machines          []Judgment
	}{
		{"decision", Undecided, "b", judge(success)},
		{"decision", Failure, "a: 1", judge(failure)},
		{"decision", Undecided, "a: 1; b", judge(Undecided)},
		{byTimeout, Timeout, "b", judge(success)},
		{"a participant", Undecided, "b", nil},
		{ofScenario + ": exitFailure", Undecided, "b", nil},
	} {
		outcome, why := decide(nil, c.end, c.machines, nil, "b")
		require.Equal(t, []string{c.outcome, c.why}, []string{outcome, why}, c.end)
	}
	all := []Undefined{{Variable: "x", Steps: 2, Of: 2},
		{Variable: "y", Places: []string{"a:1"}, Steps: 1, Of: 2},
		{Variable: "z", Places: []string{"a:2", "b:3"}, Watch: "w", Steps: 2, Of: 2},
		{Variable: "v", Places: []string{"a:4"}, Steps: 2, Of: 2, Handled: true},
		{Variable: "u", Places: []string{"a:5"}, Watch: "w", Steps: 1, Of: 1, Since: 3}}
	require.Equal(t, []string{`a:2, b:3: the watch "w" of z had no number in any of 2 steps, ` +
		`first at 0 s, where no limit was crossed`, `a:5: the watch "w" of u had no number in ` +
		`the only step, first at 3 s, where no limit was crossed`}, blindness(all))
}

// TestObject_Finite: numbers of a message that are not finite are absent, and null in a list.
func TestObject_Finite(t *testing.T) {
	nan := math.NaN()
	m := &osi3.Vector3D{X: proto.Float64(1), Y: &nan, Z: proto.Float64(math.Inf(1))}
	require.Equal(t, map[string]any{"x": 1.0}, object(m.ProtoReflect()))
	list := &osi3.MovingObject_MovingObjectClassification{AssignedLanePercentage: []float64{1, nan, 2}}
	require.Equal(t, map[string]any{"assigned_lane_percentage": []any{1.0, nil, 2.0}},
		object(list.ProtoReflect()))
}

// TestChanging: a verdict repeats what changes the simulation, and nothing else.
func TestChanging(t *testing.T) {
	of := func(id string, s finding.Severity) finding.Finding {
		return finding.Finding{ID: id, Severity: s, Place: fault.Place{File: "a.exc", Line: 3},
			Message: "no"}
	}
	require.Equal(t, []string{"a.exc:3: no [EX17]", "a.exc:3: no [BI03]", "a.exc:3: no [BI03]"},
		changing(experiment.Findings{of("EX17", finding.Warning), of("EX17", finding.Note),
			of("EX17", finding.Error), of("EX21", finding.Warning), of("BI03", finding.Note),
			of("BI03", finding.Warning), of("BI03", finding.Error)}))
}
