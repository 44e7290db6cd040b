package trial

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// TestReasonIn: the author's reason is a text, or the first text under one of the names for
// reasons; anything else is not a reason.
func TestReasonIn(t *testing.T) {
	for data, want := range map[string]string{
		`"too close"`: "too close", `{"gap":2,"reason":"too close"}`: "too close",
		`{"text":"a","cause":"b"}`: "b", `{"message":"c"}`: "c", `{"text":"d"}`: "d",
		`{"reason":5,"text":"e"}`: "e", `{"reason":5}`: "", `{"gap":2}`: "", `[1]`: "", `5`: "",
		`null`: "", ``: "", `{`: "",
	} {
		require.Equal(t, want, reasonIn(json.RawMessage(data)), data)
	}
}

func TestJudgment_Why(t *testing.T) {
	j := Judgment{Machine: "judge", Cause: "from a to b"}
	require.Equal(t, "judge: from a to b", j.why())
	j.Reason = "too close"
	require.Equal(t, "judge: from a to b; too close", j.why())
}

func TestCauseText(t *testing.T) {
	moved := scxml.Record{Kind: scxml.Followed, State: "a", Text: "b", Line: 7,
		Time: 2 * timebase.Second}
	require.Equal(t, "from a to b in c.scxml:7 at 2 s", causeText("c.scxml", moved, scxml.Record{}))
	require.Equal(t, "from a to b in c.scxml:7 at 2 s by hit", causeText("c.scxml", moved,
		scxml.Record{Event: "hit"}))
	require.Equal(t, "from a to b in c.scxml:7 at 2 s by hit {lead}", causeText("c.scxml", moved,
		scxml.Record{Event: "hit", Text: "{lead}"}))
	moved.Kind = scxml.Took
	require.Empty(t, causeText("c.scxml", moved, scxml.Record{Event: "hit"}))
}

// TestVerdict_JUnitOfEachOutcome: there is a case for each judge, an error for each missing
// judgement, and the cause among the properties if something is wrong.
func TestVerdict_JUnitOfEachOutcome(t *testing.T) {
	written := func(v *Verdict) string {
		var b bytes.Buffer
		require.NoError(t, v.WriteJUnit(&b))
		return b.String()
	}
	judge := func(role, outcome string, notRun bool) Judgment {
		return Judgment{Machine: "m", Role: role, Outcome: outcome, NotRun: notRun,
			Cause: "because", File: "m.scxml", Line: 4, Data: json.RawMessage(`{"gap":2}`),
			Reason: "too close"}
	}
	inputs := []Input{{File: "a.exc", SHA256: "12"}, {File: "m.scxml", SHA256: "34"}}
	for _, c := range []struct {
		v       Verdict
		has, no []string
	}{
		{Verdict{Outcome: Passed, Judgments: []Judgment{judge(evaluation, success, false),
			judge(control, Undecided, false)}},
			[]string{`tests="1"`, `failures="0"`, `errors="0"`, `name="m"`},
			[]string{"<failure", "<error", `name="cause"`, "(control)"}},
		{Verdict{Outcome: Failure, Cause: "hit", Judgments: []Judgment{
			judge(evaluation, failure, false)}},
			[]string{`failures="1"`, `errors="0"`, "failure: too close", "m.scxml:4: because",
				`{&#34;gap&#34;:2}`, `name="cause" value="hit"`, `name="sha256 m.scxml" value="34"`,
				`file="a.exc"`}, []string{"<error"}},
		{Verdict{Outcome: Undecided, Cause: "open", Judgments: []Judgment{
			judge(control, Undecided, true)}},
			[]string{`failures="0"`, `errors="1"`, "m (control)"}, []string{"<failure"}},
		{Verdict{Outcome: Faulty, Cause: "FMU", Judgments: []Judgment{
			judge(evaluation, success, false)}},
			[]string{`tests="2"`, `errors="1"`, `name="run"`, ": FMU"}, []string{"<failure"}},
		{Verdict{Outcome: Timeout, Cause: "late"}, []string{`tests="1"`, `errors="1"`,
			"timeout: late"}, nil},
		{Verdict{Outcome: Finished}, []string{`tests="1"`, `errors="0"`, `failures="0"`},
			[]string{"<failure", "<error", `name="cause"`}},
	} {
		c.v.Experiment, c.v.Inputs = "a.exc", inputs
		text := written(&c.v)
		for _, has := range c.has {
			require.Contains(t, text, has, c.v.Outcome)
		}
		for _, no := range c.no {
			require.NotContains(t, text, no, c.v.Outcome)
		}
	}
	require.NotContains(t, written(&Verdict{Outcome: Finished}), "file=", "without inputs")
}
