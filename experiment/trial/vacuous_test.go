package trial_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
)

const script = `from smach import StateMachine
sm = StateMachine(outcomes=['FINISHED'])
`

// scripted returns the experiment of testdata with one of its machines as a script.
func scripted(t *testing.T, role, id string) fstest.MapFS {
	t.Helper()
	m := files(t, true)
	text := string(m["demo.exc"].Data)
	changed := strings.Replace(text, `id="`+id+`" xsi:type="SCXMLStateMachine" src="`+id+`.scxml"`,
		`id="`+id+`" xsi:type="SMACHStateMachine" src="`+id+`.exd"`, 1)
	require.NotEqual(t, text, changed, role)
	m["demo.exc"], m[id+".exd"] = &fstest.MapFile{Data: []byte(changed)},
		&fstest.MapFile{Data: []byte(script)}
	return m
}

func written(t *testing.T, v *trial.Verdict) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, v.WriteJUnit(&b))
	return b.String()
}

// TestRun_MachineThatDoesNotRun: if one of the described machines did not run, nothing passes, and
// all outputs state why.
func TestRun_MachineThatDoesNotRun(t *testing.T) {
	for role, id := range map[string]string{"control": "traffic", "evaluation": "stops"} {
		v, err := open(t, scripted(t, role, id), trial.Options{}).Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, trial.Undecided, v.Outcome, role)
		require.False(t, v.Passed)
		require.Equal(t, 1, v.ExitCode())
		require.Contains(t, v.Cause,
			id+": did not run: gosmp does not execute machines of the type SMACHStateMachine")
		require.Contains(t, v.Cause, "gosmp convert "+id+".exd")
		require.Contains(t, strings.Join(v.Notes(), "\n"), "did not run")
		require.Contains(t, strings.Join(v.Warnings, "\n"), id)
		xml := written(t, v)
		require.Contains(t, xml, `failures="0" errors="`)
		require.Contains(t, xml, `<error message="undecided: did not run`)
		require.Contains(t, xml, ">demo.exc:")
	}
}

// TestRun_WithoutJudges: such an experiment cannot pass. It is finished when a machine stops it,
// and undecided when its user does.
func TestRun_WithoutJudges(t *testing.T) {
	without := func(machine string) fstest.MapFS {
		m := files(t, false)
		text := string(m["demo.exc"].Data)
		from, to := strings.Index(text, "<experimentEvaluation>"), strings.Index(text,
			"</experimentEvaluation>")
		m["demo.exc"] = &fstest.MapFile{Data: []byte(text[:from] +
			text[to+len("</experimentEvaluation>"):])}
		if machine != "" {
			m["traffic.scxml"] = &fstest.MapFile{Data: []byte(machine)}
		}
		return m
	}
	const stopping = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">
	<onentry><send event="now" delay="1s"/></onentry>
	<transition event="now"><send type="experiment" event="stop"/></transition></state></scxml>`
	v, err := open(t, without(stopping), trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{trial.Finished, false, 0, ""}, []any{v.Outcome, v.Passed, v.ExitCode(),
		v.Cause})
	require.Contains(t, written(t, v), `<testcase name="run"`)
	require.NotContains(t, written(t, v), "<error")

	waits := without(strings.Replace(stopping, "<transition ", `<transition event="bridge.go"/>`+
		"<transition ", 1))
	v, err = open(t, waits, trial.Options{Examine: true}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Finished, v.Outcome, "what no machine judges cannot be missed")
	require.Contains(t, strings.Join(v.Warnings, "\n"), "bridge.go")

	v, err = open(t, without(""), trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{trial.Timeout, 3}, []any{v.Outcome, v.ExitCode()})

	x := open(t, without(""), trial.Options{})
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Stop(t.Context()))
	require.Equal(t, trial.Undecided, x.Verdict().Outcome)
}

// TestOpen_NothingToExecute: an experiment with neither a map nor an FMU nor a machine cannot be
// run.
func TestOpen_NothingToExecute(t *testing.T) {
	m := scripted(t, "evaluation", "stops")
	text := string(m["demo.exc"].Data)
	from, to := strings.Index(text, "<experimentControl>"), strings.Index(text,
		"</experimentControl>")
	text = text[:from] + text[to+len("</experimentControl>"):]
	m["demo.exc"] = &fstest.MapFile{Data: []byte(strings.Replace(text, "road.xodr", "room.sdf", 1))}
	m["room.sdf"] = &fstest.MapFile{}
	m["demo.bibi"] = &fstest.MapFile{Data: []byte(`<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI">
	<brainModel><file>brain.py</file></brainModel><bodyModel robotId="ego">robot.sdf</bodyModel></bibi>`)}
	_, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m})
	require.ErrorIs(t, err, trial.ErrInvalid)
	for _, cause := range []string{"nothing executable", "room.sdf", "stops",
		"brain models", "robot.sdf",
		"a map (.xodr), a scenario (.xosc), an FMU or an SCXML machine"} {
		require.ErrorContains(t, err, cause)
	}
}

// TestOpen_VehiclesOfAWorldThatIsNoMap: errors about connections to vehicles state that the world
// is the cause.
func TestOpen_VehiclesOfAWorldThatIsNoMap(t *testing.T) {
	m := files(t, true, "road.xodr", "room.sdf")
	m["room.sdf"] = &fstest.MapFile{}
	_, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
		FMU: func(p experiment.Participant) (trial.Maker, error) {
			return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant,
				error) {
				return newBrake(), nil
			}}, nil
		}})
	require.ErrorIs(t, err, trial.ErrInvalid)
	require.ErrorContains(t, err,
		`the environment "room.sdf", which gosmp cannot execute [EX23], so `+
			`there is no "ego.`)
	require.ErrorContains(t, err, "an OpenDRIVE map (.xodr)")
}

// TestRun_ErrorsOfMachines: an error that a machine does not handle is part of the verdict, with
// its place, and keeps the run from passing; a handled error is not.
func TestRun_ErrorsOfMachines(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">
	<onentry><send type="experiment" event="drive"><content expr="({name: 'laed', speed: 20})"/></send></onentry>
	<transition event="data.lead.speed" cond="misspelt &gt; 1" target="b"/></state><state id="b"/></scxml>`
	m := files(t, true)
	text := string(m["traffic.scxml"].Data)
	m["more.scxml"] = &fstest.MapFile{Data: []byte(chart)}
	m["demo.exc"] = &fstest.MapFile{Data: []byte(strings.Replace(string(m["demo.exc"].Data),
		"<experimentControl>",
		`<experimentControl><stateMachine id="more" xsi:type="SCXMLStateMachine" `+
			`src="more.scxml"/>`, 1))}
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Undecided, v.Outcome, text)
	require.Equal(t, "success", v.Judgments[2].Outcome)
	require.Len(t, v.Errors, 2)
	require.Equal(t, "error.communication", v.Errors[0].Event)
	require.Equal(t, []any{"more", "more.scxml", 1}, []any{v.Errors[0].Machine, v.Errors[0].File,
		v.Errors[0].Count})
	require.Contains(t, v.Errors[0].Text, "laed")
	require.Equal(t, []any{"error.execution", 3}, []any{v.Errors[1].Event, v.Errors[1].Line})
	require.Greater(t, v.Errors[1].Count, 10)
	require.Contains(t, v.Cause, "more: error.communication in more.scxml:")
	require.Contains(t, written(t, v), "misspelt")
	require.Contains(t, written(t, v), `<testcase name="run"`, "the judge has succeeded")

	handled := strings.Replace(chart, "<onentry>", `<transition event="error"/><onentry>`, 1)
	m["more.scxml"] = &fstest.MapFile{Data: []byte(handled)}
	v, err = open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{trial.Passed, 0}, []any{v.Outcome, len(v.Errors)}, v.Cause)
}

// TestRun_ErrorsSurviveASave: a resumed trial has the errors of its first part.
func TestRun_ErrorsSurviveASave(t *testing.T) {
	m := files(t, false)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">
	<onentry><script>misspelt()</script></onentry></state></scxml>`)}
	x := open(t, m, trial.Options{})
	require.NoError(t, x.Initialize(t.Context()))
	require.NoError(t, x.Start())
	_, err := x.Step(t.Context())
	require.NoError(t, err)
	saved, err := x.AppendState(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, x.Stop(t.Context()))
	y := open(t, m, trial.Options{})
	require.NoError(t, y.Resume(t.Context(), saved))
	require.Len(t, y.Verdict().Errors, 1)
	require.Equal(t, x.Verdict().Errors, y.Verdict().Errors)
}

// TestRun_SaysWhatItWaitsFor: for a machine that did not end, the verdict names its state and what
// it waits for.
func TestRun_SaysWhatItWaitsFor(t *testing.T) {
	v, err := open(t, files(t, true, `event="step" cond`, `event="never" cond`),
		trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Timeout, v.Outcome)
	require.Equal(t, []string{"moving"}, v.Judgments[1].States)
	for _, text := range []string{v.Cause, strings.Join(v.Notes(), "\n"), written(t, v)} {
		require.Contains(t, text, "still in moving")
		require.Contains(t, text, "never if ")
	}
	require.Contains(t, v.Summary(),
		"timeout of simulation time at 30 s, undecided: stops: still in moving")
}

// TestRun_Interrupted: the end of the context is not a failure of gosmp, whatever its cause.
func TestRun_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	steps := 0
	x := open(t, files(t, true), trial.Options{Log: func(string) {
		if steps++; steps == 20 {
			cancel(context.Canceled)
		}
	}})
	v, err := x.Run(ctx)
	require.Error(t, err)
	require.Equal(t, []any{trial.Interrupted, 130}, []any{v.Outcome, v.ExitCode()})
	require.Contains(t, written(t, v), `<error message="interrupted: `)
}
