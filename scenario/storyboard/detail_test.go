package storyboard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDetails checks rules that differ from similar ones in a single evaluation or transition.
func TestDetails(t *testing.T) {
	for _, c := range []struct {
		name, events, of string
		want             []string
	}{
		{"overwrite is the older name of override",
			event("E1", "parallel", 1, ramping(30, "linear", "time", 10), start(from(1))) +
				event("E2", "overwrite", 1, changeLane, start(from(2))),
			"E1 E2", []string{"1.00 E1 start", "2.00 E1 stop", "2.00 E2 start"}},
		{"risingOrFalling sees both edges",
			event("E", "parallel", 3, speed(1), start(at("risingOrFalling", 0, "equalTo", 1))),
			"E", []string{"1.00 E start", "1.00 E end", "1.01 E start", "1.01 E end"}},
		{"a duration is over in the evaluation in which the entity moves again",
			event("E1", "parallel", 1, speed(0), start(from(0.2))) +
				event("E2", "parallel", 1, ramping(10, "linear", "time", 1), start(from(1.2))) +
				event("E3", "parallel", 1, changeLane, start(byEntity("none", 0, "any", "A",
					`<StandStillCondition duration="1.01"/>`))),
			"E1 E2 E3", []string{"0.20 E1 start", "0.20 E1 end", "1.20 E2 start", "2.20 E2 end"}},
		{"a command that ends the run prevents the other actions of its event",
			strings.Replace(event("E", "parallel", 1, `<UserDefinedAction><CustomCommandAction`+
				` type="exitSuccess"/></UserDefinedAction>`, start(from(1))), "</Action>",
				`</Action><Action name="B">`+speed(1)+`</Action>`, 1),
			"E EA B", []string{"1.00 E start", "1.00 EA start", "1.00 EA stop", "1.00 E stop"}},
		{"a deleted entity stops what it does",
			event("E1", "parallel", 1, ramping(30, "linear", "time", 10), start(from(1))) +
				event("E2", "parallel", 1, `<GlobalAction><EntityAction entityRef="A">`+
					`<DeleteEntityAction/></EntityAction></GlobalAction>`, start(from(2))),
			"E1 E1A E2", []string{"1.00 E1 start", "1.00 E1A start", "2.00 E2 start", "2.00 E1A stop",
				"2.00 E1 end", "2.00 E2 end"}},
		{"the delay of an edge does not prolong it",
			event("E", "parallel", 5, speed(1), start(at("rising", 0.5, "greaterOrEqual", 1))),
			"E", []string{"1.50 E start", "1.50 E end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := run(t, document("", basis+story(act("Act", always, c.events))), 2.5)
			require.Equal(t, c.want, p.of(c.of))
		})
	}
}

// TestCause_FirstGroup checks that the first of two groups that are true is the cause.
func TestCause_FirstGroup(t *testing.T) {
	named := func(name, c string) string {
		return `<ConditionGroup>` + strings.Replace(c, `name="c"`, `name="`+name+`"`, 1) +
			`</ConditionGroup>`
	}
	p := run(t, document("", basis+story(act("Act", always, event("E", "parallel", 1, changeLane,
		`<StartTrigger>`+named("first", from(0.2))+named("second", from(0.2))+
			`</StartTrigger>`)))), 0.3)
	var causes []string
	for k, l := range p.log {
		if l == "0.20 E start" {
			causes = append(causes, p.cause[k])
		}
	}
	require.Equal(t, []string{"first"}, causes)
}

// TestTriggeringEntities_Past checks that a delayed condition triggers for the entities that
// satisfied it before the delay, and not for those that satisfy it now.
func TestTriggeringEntities_Past(t *testing.T) {
	set := func(entity string, time, v float64) string {
		return `<Act name="` + entity + `"><ManeuverGroup name="G" maximumExecutionCount="1">` +
			`<Actors selectTriggeringEntities="false"><EntityRef entityRef="` + entity +
			`"/></Actors><Maneuver name="M">` + event("E", "parallel", 1, speed(v), "") +
			`</Maneuver></ManeuverGroup>` + start(from(time)) + `</Act>`
	}
	p := run(t, document("", initial(private("A", speed(13))+private("B", speed(1)))+
		story(`<Act name="Act"><ManeuverGroup name="G" maximumExecutionCount="1">`+
			`<Actors selectTriggeringEntities="true"/><Maneuver name="M">`+
			event("X", "parallel", 1, speed(3), start(byEntity("none", 1, "any", "A B",
				`<SpeedCondition rule="greaterThan" value="12"/>`)))+
			`</Maneuver></ManeuverGroup>`+always+`</Act>`+set("A", 0.5, 2)+set("B", 0.8, 20))), 1.2)
	require.Equal(t, []string{"1.00 X start", "1.00 X end"}, p.of("X"))
	require.Equal(t, []float64{3, 20}, []float64{p.world.Entities[0].V, p.world.Entities[1].V})
}

// TestConflict_OnlyWithActorsOnTheWay: an action that has ended for one of its actors is not
// stopped by a newer action of this actor; it goes on for the others.
func TestConflict_OnlyWithActorsOnTheWay(t *testing.T) {
	p := run(t, document("", initial(private("A", speed(0))+private("B", speed(5)))+
		story(actOf("X", start(from(0)), "AB", 1,
			event("E", "parallel", 1, ramping(10, "linear", "rate", 5), start(from(0))))+
			actOf("Y", start(from(0)), "B", 1,
				event("F", "parallel", 1, ramping(20, "linear", "time", 1), start(from(1.5)))))),
		3)
	require.Equal(t, []string{"0.00 E start", "1.50 F start", "2.00 E end", "2.50 F end"},
		p.of("E F"))
	p = run(t, document("", initial(private("A", speed(0))+private("B", speed(5)))+
		story(actOf("X", start(from(0)), "AB", 1,
			event("E", "parallel", 1, ramping(10, "linear", "rate", 5), start(from(0))))+
			actOf("Y", start(from(0)), "B", 1,
				event("F", "parallel", 1, ramping(20, "linear", "time", 1), start(from(0.5)))))),
		3)
	require.Equal(t, []string{"0.00 EA start", "0.50 EA stop"}, p.of("EA"))
}

// TestStandStill_EndsBetweenEvaluations: motion interrupts a standstill even if another action has
// stopped the entity again before any condition sees it.
func TestStandStill_EndsBetweenEvaluations(t *testing.T) {
	p := run(t, document("", initial(private("A", teleport(0)+speed(0)))+
		story(act("X", start(from(0)),
			event("E", "parallel", 1, ramping(10, "linear", "time", 5), start(from(1)))+
				event("F", "parallel", 1, speed(0), start(from(1.01)))+
				event("H", "parallel", 1, speed(3), start(byEntity("none", 0, "any", "A",
					`<StandStillCondition duration="1.5"/>`)))))), 4)
	require.Equal(t, "2.51 H start", p.of("H")[0])
}

// TestTriggeringEntities_Digits checks that 1 selects triggering entities as true does, and that 0
// does not.
func TestTriggeringEntities_Digits(t *testing.T) {
	for text, want := range map[string]float64{"true": 3, "1": 3, "0": 13, "false": 13} {
		p := run(t, document("", initial(private("A", speed(13)))+
			story(`<Act name="Act"><ManeuverGroup name="G" maximumExecutionCount="1">`+
				`<Actors selectTriggeringEntities="`+text+`"/><Maneuver name="M">`+
				event("X", "parallel", 1, speed(3), start(byEntity("none", 0, "any", "A",
					`<SpeedCondition rule="greaterThan" value="12"/>`)))+
				`</Maneuver></ManeuverGroup>`+always+`</Act>`)), 0.2)
		require.InDelta(t, want, p.world.Entities[0].V, 0, text)
	}
}
