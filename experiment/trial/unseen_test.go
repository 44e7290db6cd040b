package trial_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/trial"
)

// TestRun_PostedEventsMayCome: while a user can post events, a run may wait for any event.
func TestRun_PostedEventsMayCome(t *testing.T) {
	for _, event := range []string{"bridge.go", "zone.entered", "colision"} {
		m := files(t, true, `event="error"`, `event="`+event+`"`)
		x, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
			FMU: brakeMaker, Seed: 1, Examine: true,
			Posted: func() []scxml.Event { return nil }})
		require.NoError(t, err)
		v, err := x.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, trial.Passed, v.Outcome, "%s: %s", event, v.Cause)
	}
}

// TestRun_JudgeWithATransitionThatIsNeverTaken: such a judge decides without it, so the run does
// not pass, unless the transition only leads to success.
func TestRun_JudgeWithATransitionThatIsNeverTaken(t *testing.T) {
	const first = `<state id="first"><transition event="sim.started" target="driving"/></state>`
	for change, want := range map[string]string{
		`<transition event="collision"/><transition event="collision" target="failure"/>`: "the " +
			"transition is never taken",
		`<transition event="*" cond="true"/><transition event="collision" target="failure"/>`: "the " +
			"transition is never taken",
		`<transition event="collision" cond="1 &gt; 2" target="failure"/>`: "the cond is always false",
		`<transition event="collision" cond="false" target="success"/>`:    "",
		`<transition event="collision" target="failure"/>`:                 "",
		// states that are never entered
		first + `<state id="second"><transition event="collision" target="failure"/></state>`: "state " +
			`"second" cannot be reached`,
		first + `<state id="second"><state id="third"><transition event="collision" ` +
			`target="failure"/></state></state>`: `"second" cannot be reached`,
		first + `<state id="second"><transition event="collision" target="success"/></state>`: "",
		first + `<state id="second"><transition event="collision" target="driving"/></state>`: "",
		first + `<state id="second"><transition event="collision"><log label="c"/></transition>` +
			`</state>`: "",
		// a state inside takes the event
		`<transition event="collision" target="failure"/><state id="first"><transition event="*"/>` +
			`<transition event="sim.started" target="driving"/></state>`: "the transition is never taken",
		`<transition event="collision" target="failure"/><state id="first"><transition ` +
			`event="sim.started" target="driving"/><transition event="*"/></state>`: `takes the event ` +
			`"collision" and stays in the state "first"`,
		`<transition event="collision" target="failure"/><state id="first"><transition ` +
			`event="sim.started" target="driving"/><transition event="collision"/></state>`: "",
	} {
		m := files(t, true)
		m["stops.scxml"].Data = []byte(strings.Replace(string(m["stops.scxml"].Data),
			`<transition event="collision" target="failure"/>`, change, 1))
		x, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
			FMU: brakeMaker, Seed: 1, Examine: true})
		require.NoError(t, err, change)
		v, err := x.Run(t.Context())
		require.NoError(t, err, change)
		if want == "" {
			require.Equal(t, trial.Passed, v.Outcome, "%s: %s", change, v.Cause)
			continue
		}
		require.NotEqual(t, trial.Passed, v.Outcome, change)
		require.Contains(t, v.Cause, want)
		require.Regexp(t, `\[SX2[01]\]`, v.Cause)
	}
}

// TestRun_ChartsInFiles: a judge that invokes a chart in a file is examined like one that contains
// the chart, including what the chart sends and waits for.
func TestRun_ChartsInFiles(t *testing.T) {
	const head = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">`
	for inner, want := range map[string]string{
		`<state id="i"><transition event="og" target="i"/></state>`: `the event "og" is never raised`,
		`<state id="i"><onentry><send type="experiment" event="controlz"><param name="name" ` +
			`expr="'ego'"/></send></onentry></state>`: `the event "controlz" is unknown`,
		`<state id="i"><onentry><send target="#_parent" event="on"/></onentry></state>`: "",
	} {
		for _, invoke := range []string{`<invoke src="inner.scxml"/>`, "<invoke><content>" + head + inner +
			"</scxml></content></invoke>"} {
			m := files(t, true)
			m["inner.scxml"] = &fstest.MapFile{Data: []byte(head + inner + "</scxml>")}
			m["stops.scxml"].Data = []byte(strings.Replace(string(m["stops.scxml"].Data),
				`<transition event="collision" target="failure"/>`,
				`<transition event="collision" target="failure"/><transition event="error"/>`+invoke, 1))
			why := ""
			x, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
				FMU: brakeMaker, Seed: 1, Examine: true})
			require.NoError(t, err)
			v, err := x.Run(t.Context())
			if err != nil {
				why = err.Error()
			} else if v.Outcome != trial.Passed {
				why = v.Cause
			}
			if want == "" {
				require.Empty(t, why, invoke)
				continue
			}
			require.Contains(t, why, want, invoke)
			if strings.Contains(invoke, "src") {
				require.Contains(t, why, "inner.scxml:1:")
			}
		}
	}
}

// TestRun_SeesMisspeltEventsDespiteFiles: what a judge waits for is examined although a machine
// invokes a chart in a file.
func TestRun_SeesMisspeltEventsDespiteFiles(t *testing.T) {
	m := files(t, true)
	m["inner.scxml"] = &fstest.MapFile{Data: []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" ` +
		`version="1.0"><state id="i"/></scxml>`)}
	m["stops.scxml"].Data = []byte(strings.Replace(string(m["stops.scxml"].Data),
		`<transition event="collision" target="failure"/>`,
		`<transition event="colision" target="failure"/><transition event="error"/>`+
			`<invoke src="inner.scxml"/>`, 1))
	v, err := open(t, m, trial.Options{Seed: 1, Examine: true}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Undecided, v.Outcome)
	require.Contains(t, v.Cause, `the event "colision" is never raised`)
}
