package trial_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/trial"
)

// endless is a chart that does not come to rest after an event.
func endless(event string) string {
	return `<state id="a"><transition event="` + event + `" target="b"/></state>
<state id="b"><transition target="c"/></state><state id="c"><transition target="b"/></state>
<final id="success"/>`
}

// TestRun_AChartThatDoesNotRest: a judge that does not come to rest is undecided, whatever event it
// happens at, although it has a final state.
func TestRun_AChartThatDoesNotRest(t *testing.T) {
	for _, event := range []string{"sim.started", "step", "data.ego.x", "soon"} {
		m := files(t, true)
		body := endless(event)
		if event == "soon" {
			body = strings.Replace(body, `<state id="a">`,
				`<state id="a"><onentry><send event="soon" delay="50ms"/></onentry>`, 1)
		}
		m["stops.scxml"].Data = []byte(
			`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a">` + body +
				`</scxml>`)
		v, err := open(t, m, trial.Options{}).Run(t.Context())
		require.NoError(t, err, event)
		require.Equal(t, trial.Undecided, v.Outcome, event)
		require.Equal(t, 1, v.ExitCode(), event)
		require.Contains(t, v.Cause, "stops: ", event)
		require.Contains(t, v.Cause, scxml.ErrBounds.Error(), event)
	}
}

// TestReset_ForgetsErrors: errors of machines before a reset are not part of the verdict after it.
func TestReset_ForgetsErrors(t *testing.T) {
	m := files(t, true, `time="simulation">30`, `time="simulation">0.1`)
	m["traffic.scxml"].Data = []byte(
		`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">
<transition event="sim.started"><log expr="missing.name"/></transition></state></scxml>`)
	once, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Len(t, once.Errors, 1)
	require.EqualValues(t, 5, once.Steps)

	x := open(t, m, trial.Options{})
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Start())
	_, err = x.Step(t.Context())
	require.NoError(t, err)
	require.NoError(t, x.Reset(t.Context()))
	again, err := x.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, once.Errors, again.Errors)
	require.Equal(t, once.Steps, again.Steps)
}

// TestStep_IsNotForWildcards: the event step goes only to transitions that name it, because a
// wildcard would match in each step.
func TestStep_IsNotForWildcards(t *testing.T) {
	for event, want := range map[string]string{"*": "success", "step": "failure"} {
		v := judged(t, `<state id="a"><transition event="sim.started" target="b"/></state>
<state id="b"><onentry><send event="done" delay="90ms"/></onentry>
<transition event="done" target="success"/><transition event="`+event+`" cond="_event.name=='step'"
 target="failure"/></state><final id="success"/><final id="failure"/>`, "")
		require.Equal(t, want, v.Judgments[1].Outcome, event)
	}
}

// TestCheck_BuildsTheSimulation: Check finds what only building the simulation shows, and leaves a
// trial that can still run.
func TestCheck_BuildsTheSimulation(t *testing.T) {
	err := open(t, files(t, true), trial.Options{FMU: making(nil, errors.New("no memory"))}).Check()
	require.ErrorContains(t, err, "no memory")
	x := open(t, files(t, true), trial.Options{})
	require.NoError(t, x.Check())
	v, err := x.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Passed, v.Outcome)
	require.Error(t, x.Check(), "it has ended")
}

// TestStep_AfterTheDecision: a trial that has been decided makes no further steps.
func TestStep_AfterTheDecision(t *testing.T) {
	x := open(t, files(t, true), trial.Options{})
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Start())
	for more := true; more; {
		var err error
		more, err = x.Step(t.Context())
		require.NoError(t, err)
	}
	end := x.Now()
	more, err := x.Step(t.Context())
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, end, x.Now())
	require.NoError(t, x.Stop(t.Context()))
}
