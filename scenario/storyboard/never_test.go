package storyboard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
)

// TestCounts_Zero checks that an event or a group with the execution count 0 is never executed: it
// has no transitions, and what contains it does not wait for it.
func TestCounts_Zero(t *testing.T) {
	runs := event("E", "parallel", 1, speed(1), "")
	waits := event("E", "parallel", 1, speed(1), start(from(0.5)))
	for name, act := range map[string]string{
		"group":         actOf("A", always, "A", 0, runs),
		"waiting group": actOf("A", always, "A", 0, waits),
		"event":         actOf("A", always, "A", 1, event("E", "parallel", 0, speed(1), "")),
		"waiting event": actOf("A", always, "A", 1, event("E", "parallel", 0, speed(1),
			start(from(0.5)))),
		"all groups": strings.Replace(actOf("A", always, "A", 0, waits), "<StartTrigger>",
			`<ManeuverGroup name="H" maximumExecutionCount="0"><Actors `+
				`selectTriggeringEntities="false"/><Maneuver name="N">`+
				strings.ReplaceAll(waits, `"E`, `"F`)+`</Maneuver></ManeuverGroup><StartTrigger>`, 1),
	} {
		p := run(t, document("", basis+story(act+actOf("After", start(state("none", 0, "act", "A",
			"endTransition")), "A", 1, event("Last", "parallel", 1, speed(3), "")))), 1)
		require.Empty(t, p.of("E EA F FA H"), name)
		if strings.Contains(name, "group") {
			require.Empty(t, p.of("GA MA"), name)
		}
		require.Equal(t, []string{"0.00 A start", "0.00 A end", "0.00 Last start", "0.00 Last end"},
			p.of("A Last"), name)
		require.Equal(t, []float64{3}, []float64{p.world.Entities[0].V}, name)
		for _, e := range p.board.Elements()[1:] {
			require.Equal(t, storyboard.Complete, e.Status(), "%s: %s", name, e)
		}
	}
}

// TestControllers_After checks when controllers start that follow each other in any order, and that
// a reference to an unknown controller or in a ring is refused.
func TestControllers_After(t *testing.T) {
	controller := func(name, delay, reference string) string {
		return `<TrafficSignalController name="` + name + `" delay="` + delay + `" reference="` +
			reference + `"><Phase name="p" duration="9"/></TrafficSignalController>`
	}
	signals := func(all ...string) string {
		return "|<TrafficSignals>" + strings.Join(all, "") + "</TrafficSignals>"
	}
	starts := func(name string) string {
		return event(name, "parallel", 1, custom1, start(condition("none", 0, byValue(
			`<TrafficSignalControllerCondition trafficSignalControllerRef="`+name+`" phase="p"/>`))))
	}
	board := basis + story(act("Act", always, starts("T")+starts("U")+starts("V")))
	p := run(t, document(signals(controller("T", "0.2", "U"), controller("U", "0.3", "V"),
		controller("V", "0.1", "")), board), 1)
	require.Equal(t, []string{"0.10 V start", "0.40 U start", "0.60 T start"},
		[]string{p.of("V")[0], p.of("U")[0], p.of("T")[0]})
	others := controller("U", "0", "") + controller("V", "0", "")
	for refused, want := range map[string]string{
		signals(controller("T", "0", "X"), others): `"X"`,
		signals(controller("T", "0", "T"), others): "itself",
		signals(controller("T", "0", "V"), controller("U", "0", "T"),
			controller("V", "0", "U")): "itself",
		signals(controller("T", "0", "U"), controller("U", "0", "V"),
			controller("V", "0", "U")): `"V", which starts after U itself`,
	} {
		_, errs := prepare(t, document(refused, board))
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], want)
	}
}
