package trial_test

import (
	"strings"
	"testing"

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
	for change, want := range map[string]string{
		`<transition event="collision"/><transition event="collision" target="failure"/>`: "the " +
			"transition is never taken",
		`<transition event="*" cond="true"/><transition event="collision" target="failure"/>`: "the " +
			"transition is never taken",
		`<transition event="collision" cond="1 &gt; 2" target="failure"/>`: "the cond is always false",
		`<transition event="collision" cond="false" target="success"/>`:    "",
		`<transition event="collision" target="failure"/>`:                 "",
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
		require.Contains(t, v.Cause, "[SX21]")
	}
}
