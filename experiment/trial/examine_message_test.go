package trial_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
)

// TestRun_JudgeThatReadsFieldsThatDoNotExist: fields of OSI messages, names of their values and
// members of texts that do not exist are undefined, so a judge never sees what it looks for. Lists
// and texts have members of their own.
func TestRun_JudgeThatReadsFieldsThatDoNotExist(t *testing.T) {
	const view, truth = `event="data.ego.view" cond="`, "_event.data.value.global_ground_truth"
	for transition, want := range map[string]string{
		view + `_event.data.value.globalGroundTruth"`: `a message of the type SensorView has no ` +
			`field "globalGroundTruth"; did you mean "global_ground_truth"?`,
		view + truth + ` &amp;&amp; ` + truth + `.moving_objects"`: `a message of the type ` +
			`GroundTruth has no field "moving_objects"; did you mean "moving_object"?`,
		view + truth + `.moving_object[0].base.positoin"`: `a message of the type BaseMoving has no ` +
			`field "positoin"; did you mean "position"?`,
		view + truth + `.moving_object[0].type == 'VEHICLE'"`: `no value of type has the name ` +
			`"VEHICLE"`,
		view + `['TYPE_CAR'].includes(` + truth + `.moving_object[1].type)"`: `no value of type ` +
			`has the name "TYPE_CAR"`,
		view + truth + `.moving_object[0].type == 2"`: `no value of type has the name "2"`,

		view + truth + `.moving_object.length &gt; 30"`:                                   "",
		view + truth + `.moving_object.some(function(o) { return o.base.nothing; })"`:     "",
		view + truth + `.moving_object[0].base.position.x &gt; 1e6"`:                      "",
		view + truth + `.moving_object[0].type == 'TYPE_OTHER'"`:                          "",
		view + truth + `.moving_object[0].type != 'TYPE_VEHICLE' &amp;&amp; 1 &gt; 2"`:    "",
		view + truth + `.moving_object[0].type.length &gt; 99"`:                           "",
		view + truth + `.map_reference &amp;&amp; ` + truth + `.map_reference[0] == 'x'"`: "",
		view + `_event.data.value['global_ground' + '_truths']"`:                          "",

		`event="collision" cond="_event.data.other.name == 'lead'"`: `_event.data.other is a text, ` +
			`which has no "name"; compare the text itself`,
		`event="collision.end" cond="_event.data.actor.length &gt; 99"`:                   "",
		`event="collision.end" cond="_event.data.actor.toUpperCase() == 'X'"`:             "",
		`event="collision" cond="_event.data.side.hasOwnProperty('x') &amp;&amp; 1 == 2"`: "",

		`event="silent"`:    `the event "silent" never occurs: no FMU drives a vehicle`,
		`event="dismissed"`: `the event "dismissed" never occurs: no FMU drives a vehicle`,
		`event="arrived"`:   "",
		`event="jump"`:      "",
	} {
		m := withJudge(t, "", `<transition `+transition+` target="failure"/>`)
		var lines []string
		for _, f := range trial.Examine("demo.exc", m["demo.exc"].Data,
			trial.Options{Files: m, FMU: brakeMaker}) {
			if f.ID == "EX24" {
				lines = append(lines, f.Place.String()+": "+f.Message+"; "+f.Remedy)
			}
		}
		if want == "" {
			require.Empty(t, lines, transition)
			continue
		}
		require.Len(t, lines, 1, transition)
		require.Contains(t, lines[0], "stops.scxml:4:", transition)
		require.Contains(t, lines[0], want, transition)
	}
	v := judgedWith(t, "", `<transition event="collision" cond="_event.data.other.name == 'lead'" `+
		`target="failure"/>`)
	require.Equal(t, trial.Undecided, v.Outcome)
	require.Contains(t, v.Cause, `_event.data.other is a text, which has no "name"`)
}
