package storyboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// basis places A at 0, moving at 10 m/s.
var basis = initial(private("A", teleport(0)+speed(10)))

// always is a start trigger that fires at 0.
var always = start(from(0))

// listening returns an act that starts at a time, with an event that listens to the start of each
// source.
func listening(name string, time float64, sources ...string) string {
	events := ""
	for _, source := range sources {
		events += event(name+source, "parallel", 1, speed(1), start(state("none", 0, "event",
			source, "startTransition")))
	}
	return act(name, start(from(time)), events)
}

// TestOrder checks what storyboards do and when. Most cases come from section 8 of the user guide
// and from runs of another engine.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name, board, of string
		want            []string
	}{
		{"instant events are repeated in the next evaluations, a rising edge rises once",
			story(act("Act", always,
				event("E1", "parallel", 3, speed(11), start(from(1)))+
					event("E2", "parallel", 3, speed(12), start(at("rising", 0, "greaterOrEqual",
						2))))),
			"E1 E2 Act",
			[]string{"0.00 Act start", "1.00 E1 start", "1.00 E1 end", "1.01 E1 start",
				"1.01 E1 end",
				"1.02 E1 start", "1.02 E1 end", "2.00 E2 start", "2.00 E2 end"}},
		{"true from the start never rises",
			story(act("Act", always, event("E", "parallel", 1, speed(11),
				start(at("rising", 0, "greaterOrEqual", 0))))),
			"E", nil},
		{"an Act that is false at 0 and true at the next step",
			story(act("Act", start(at("none", 0, "greaterThan", 0)),
				event("E", "parallel", 1, speed(11), ""))),
			"Act E EA S", []string{"0.00 S start", "0.01 Act start", "0.01 E start",
				"0.01 EA start",
				"0.01 EA end", "0.01 E end", "0.01 Act end", "0.01 S end"}},
		{"an end is a result of the evaluation in which the goal is reached, and is seen in it",
			story(act("Act", always,
				event("E2", "parallel", 1, speed(1), start(state("none", 0, "action", "E1A",
					"endTransition")))+
					event("E1", "parallel", 1, ramping(20, "linear", "rate", 4), start(from(1)))+
					event("E3", "parallel", 1, speed(1), start(state("none", 0, "event", "E1",
						"completeState"))))),
			"E1 E2 E3", []string{"1.00 E1 start", "3.50 E1 end", "3.50 E2 start", "3.50 E2 end",
				"3.50 E3 start", "3.50 E3 end"}},
		{"a start is seen at once later in the pass, and in the next evaluation earlier in it",
			story(act("Act", always,
				event("E1", "parallel", 9, speed(1), start(state("none", 0, "event", "E2",
					"startTransition")))+
					event("E2", "parallel", 1, speed(2), start(from(1)))+
					event("E3", "parallel", 9, speed(3), start(state("none", 0, "event", "E2",
						"startTransition")))+
					event("E4", "parallel", 9, speed(3), start(state("none", 0.5, "event", "E2",
						"startTransition"))))),
			"E1 E2 E3 E4", []string{"1.00 E2 start", "1.00 E2 end", "1.00 E3 start", "1.00 E3 end",
				"1.01 E1 start", "1.01 E1 end", "1.50 E4 start", "1.50 E4 end"}},
		{"override stops the sibling that runs, the later of two overrides wins",
			story(act("Act", always,
				event("E1", "parallel", 1, ramping(30, "linear", "time", 10), start(from(1)))+
					event("E2", "override", 1, changeLane, start(from(2)))+
					event("E3", "override", 1, changeLane, start(from(2))))),
			"E1 E2 E3 E1A", []string{"1.00 E1 start", "1.00 E1A start", "2.00 E1A stop",
				"2.00 E1 stop",
				"2.00 E2 start", "2.00 E2 stop", "2.00 E3 start", "3.00 E3 end"}},
		{"skip is counted while a sibling runs",
			story(act("Act", always,
				event("E1", "parallel", 1, ramping(30, "linear", "time", 1), start(from(1)))+
					event("E2", "skip", 3, changeLane, start(at("rising", 0, "greaterOrEqual",
						1.5)))+
					event("E3", "skip", 3, changeLane, start(from(1.99)))+
					event("E4", "skip", 2, changeLane, start(from(1.99))))),
			"E1 E2 E3 E4", []string{"1.00 E1 start", "1.50 E2 skip", "1.99 E3 skip", "1.99 E4 skip",
				"2.00 E1 end", "2.00 E3 start", "2.00 E4 skip", "3.00 E3 end", "3.00 E3 start",
				"4.00 E3 end"}},
		{"a conflict stops the older action, and its event ends by that",
			story(act("Act", always,
				event("E1", "parallel", 1, ramping(30, "linear", "time", 10), start(from(1)))+
					event("E2", "parallel", 1, ramping(0, "linear", "time", 10), start(from(2)))+
					event("E3", "parallel", 1, changeLane, start(from(3))))),
			"E1 E1A E2 E3 E2A", []string{"1.00 E1 start", "1.00 E1A start", "2.00 E2 start",
				"2.00 E2A start", "2.00 E1A stop", "2.00 E1 end", "3.00 E3 start", "4.00 E3 end"}},
		{"a step ends a ramp",
			story(act("Act", always,
				event("E1", "parallel", 1, ramping(30, "linear", "time", 10), start(from(1)))+
					event("E2", "parallel", 1, speed(5), start(from(2))))),
			"E1 E2", []string{"1.00 E1 start", "2.00 E2 start", "2.00 E1 end", "2.00 E2 end"}},
		{"a group starts anew in the evaluation in which it has ended",
			story(actOf("Act", start(at("none", 0, "greaterThan", 0)), "A", 3,
				event("E1", "parallel", 1, ramping(20, "linear", "time", 1.5), "")+
					event("E2", "parallel", 1, speed(10), start(state("none", 0, "event", "E1",
						"completeState"))))),
			"GAct", []string{"0.01 GAct start", "1.51 GAct end", "1.52 GAct start", "3.02 GAct end",
				"3.03 GAct start", "4.53 GAct end"}},
		{"counts and edges are those of one run of the group",
			story(actOf("Act", always, "A", 2,
				event("E1", "parallel", 1, ramping(20, "linear", "time", 1), "")+
					event("E2", "parallel", 1, changeLane,
						start(byEntity("rising", 0, "any", "A",
							`<SpeedCondition rule="greaterThan"`+
								` value="15"/>`))))),
			"GAct E2", []string{"0.00 GAct start", "0.51 E2 start", "1.51 E2 end", "1.51 GAct end",
				"1.51 GAct start"}},
		{"the stop trigger of an act stops all in it, also what is in standby",
			story(act("Act", always+stop(from(2)),
				event("E1", "parallel", 1, ramping(30, "linear", "time", 10), start(from(1)))+
					event("E2", "parallel", 1, changeLane, start(from(5)))) +
				act("Act2", start(from(1))+stop(from(1)), event("E3", "parallel", 1, speed(1),
					""))),
			"S Act GAct MAct E1 E1A E2 Act2 E3", []string{"0.00 S start", "0.00 Act start",
				"0.00 GAct start", "0.00 MAct start", "1.00 E1 start", "1.00 E1A start",
				"1.00 Act2 stop",
				"2.00 E1A stop", "2.00 E1 stop", "2.00 E2 stop", "2.00 MAct stop", "2.00 GAct stop",
				"2.00 Act stop", "2.00 S end"}},
		{"two conditions that rise together in one group",
			story(act("Act", always, event("E", "parallel", 1, speed(1),
				start(at("rising", 0, "greaterOrEqual", 2), at("rising", 0, "greaterOrEqual",
					2))))),
			"E", []string{"2.00 E start", "2.00 E end"}},
		{"the groups of a trigger are alternatives",
			story(act("Act", always,
				event("E1", "parallel", 1, speed(1), `<StartTrigger><ConditionGroup>`+from(9)+
					`</ConditionGroup><ConditionGroup>`+from(2)+`</ConditionGroup></StartTrigger>`))),
			"E1", []string{"2.00 E1 start", "2.00 E1 end"}},
		{"an empty start trigger fires immediately, an empty stop trigger never",
			story(act("Act0", `<StartTrigger/><StopTrigger/>`,
				event("E0", "parallel", 2, ramping(30, "linear", "time", 1), `<StartTrigger/>`)) +
				act("Act", start(from(2))+`<StopTrigger/>`,
					event("E1", "parallel", 1, speed(1), `<StartTrigger/>`))),
			"Act0 E0 Act E1", []string{"0.00 Act0 start", "0.00 E0 start", "1.00 E0 end",
				"1.00 E0 start", "2.00 E0 end", "2.00 Act0 end", "2.00 Act start",
				"2.00 E1 start", "2.00 E1 end", "2.00 Act end"}},
		{"a standstill that lasts as long as it should fires; a delay comes on top",
			story(act("Act", always,
				event("E0", "parallel", 1, ramping(0, "linear", "time", 2), start(from(1)))+
					event("E1", "parallel", 1, speed(3), start(byEntity("none", 0.5, "any", "A",
						`<StandStillCondition duration="1"/>`))))),
			"E0 E1", []string{"1.00 E0 start", "3.00 E0 end", "4.50 E1 start", "4.50 E1 end"}},
		{"all events that wait for a standstill start, although the first one ends it",
			story(act("Act", always,
				event("E0", "parallel", 1, speed(0), start(from(1)))+
					event("E1", "parallel", 1, speed(3), start(byEntity("none", 0, "any", "A",
						`<StandStillCondition duration="1"/>`)))+
					event("E2", "parallel", 2, changeLane, start(byEntity("none", 0, "any", "A",
						`<StandStillCondition duration="1"/>`))))),
			"E1 E2", []string{"2.00 E1 start", "2.00 E1 end", "2.00 E2 start", "3.00 E2 end"}},
		{"what waits for a speed sees that of a step of the same pass",
			story(act("Act", always,
				event("E0", "parallel", 1, speed(33), start(from(1)))+
					event("E1", "parallel", 1, changeLane, start(byEntity("rising", 0, "any", "A",
						`<SpeedCondition rule="greaterThan" value="32"/>`))))),
			"E1", []string{"1.00 E1 start", "2.00 E1 end"}},
		{"what happens at the start is seen",
			story(act("Act", always,
				event("E1", "parallel", 1, speed(1), "")+
					event("E2", "parallel", 1, speed(2), start(state("none", 0, "event", "E1",
						"startTransition")))+
					event("E3", "parallel", 1, speed(3), start(state("none", 0, "story", "S",
						"startTransition"))))),
			"E2 E3", []string{"0.00 E2 start", "0.00 E2 end", "0.00 E3 start", "0.00 E3 end"}},
		{"a condition that is looked at for the first time sees what happened since its turn " +
			"in the last pass",
			story(listening("L1", 2, "E1", "E2", "E3") +
				act("Act", always,
					event("E1", "parallel", 1, changeLane, start(from(1.98)))+
						event("E2", "parallel", 1, changeLane, start(from(1.99)))+
						event("E3", "parallel", 1, changeLane, start(from(2)))) +
				listening("L2", 2, "E1", "E2", "E3")),
			"L1E1 L1E2 L1E3 L2E1 L2E2 L2E3", []string{"2.00 L1E2 start", "2.00 L1E2 end",
				"2.00 L2E3 start", "2.00 L2E3 end", "2.01 L1E3 start", "2.01 L1E3 end"}},
		{"a group without maneuvers ends at once, and so does its act",
			story(`<Act name="Act"><ManeuverGroup name="G" maximumExecutionCount="1"><Actors` +
				` selectTriggeringEntities="false"/></ManeuverGroup>` + always + `</Act>`),
			"Act G S", []string{"0.00 S start", "0.00 Act start", "0.00 G start", "0.00 G end",
				"0.00 Act end", "0.00 S end"}},
		{"states of actions are those of one run of the group",
			story(actOf("Act", always, "A", 2,
				event("E2", "parallel", 1, speed(0), start(state("none", 0, "action", "E1A",
					"completeState")))+
					event("E1", "parallel", 1, changeLane, start(from(0.5))))),
			"E1 E2", []string{"0.50 E1 start", "1.50 E1 end", "1.50 E2 start", "1.50 E2 end",
				"1.51 E1 start", "2.51 E1 end", "2.51 E2 start", "2.51 E2 end"}},
		{"a group that starts anew has seen nothing that could rise",
			story(actOf("Act", always, "A", 2,
				event("E1", "parallel", 1, speed(20), start(from(1)))+
					event("E2", "parallel", 1, changeLane, `<StartTrigger><ConditionGroup>`+
						byEntity("rising", 0, "any", "A",
							`<SpeedCondition rule="greaterThan" value="15"/>`)+
						`</ConditionGroup><ConditionGroup>`+at("none", 0, "equalTo", 0.5)+
						`</ConditionGroup></StartTrigger>`))),
			"GAct E2", []string{"0.00 GAct start", "0.50 E2 start", "1.50 E2 end", "1.50 GAct end",
				"1.50 GAct start"}},
		{"nor anything that a delay could bring back",
			story(actOf("Act", always, "A", 2,
				event("E", "parallel", 1, changeLane, start(at("none", 0.2, "lessThan", 0.6))))),
			"E", []string{"0.20 E start", "1.20 E end"}},
		{"an event has all its executions in each run of the group",
			story(actOf("Act", always, "A", 2,
				event("E", "parallel", 2, speed(1), start(from(1))))),
			"E", []string{"1.00 E start", "1.00 E end", "1.01 E start", "1.01 E end",
				"1.02 E start", "1.02 E end", "1.03 E start", "1.03 E end"}},
		{"a duration counts from before the condition is looked at",
			story(act("Act", start(from(2.5)),
				event("E", "parallel", 1, speed(5), start(byEntity("none", 0, "any", "A",
					`<StandStillCondition duration="1"/>`)))) +
				act("Act2", always, event("E0", "parallel", 1, speed(0), start(from(1.5))))),
			"E", []string{"2.50 E start", "2.50 E end"}},
		{"a duration counts anew after what interrupts it",
			story(act("Act", always,
				event("E0", "parallel", 1, speed(0), start(from(1)))+
					event("E1", "parallel", 1, speed(5), start(from(1.5)))+
					event("E2", "parallel", 1, speed(0), start(from(2)))+
					event("E", "parallel", 1, speed(5), start(byEntity("none", 0, "any", "A",
						`<StandStillCondition duration="1"/>`))))),
			"E", []string{"3.00 E start", "3.00 E end"}},
		{"a duration that has passed counts, although what happens earlier in the pass ends it",
			story(act("Act", always,
				event("E0", "parallel", 1, speed(0), start(from(1)))+
					event("E1", "parallel", 1, speed(5), start(from(2)))+
					event("E", "parallel", 1, speed(5), start(byEntity("none", 0, "any", "A",
						`<StandStillCondition duration="1"/>`))))),
			"E", []string{"2.00 E start", "2.00 E end"}},
		{"what an event stops itself is seen when its trigger is looked at again",
			story(act("Act", always,
				event("E", "parallel", 1, ramping(30, "linear", "time", 10), start(from(0.5)))+
					event("L", "override", 2, speed(1), `<StartTrigger><ConditionGroup>`+
						at("none", 0, "equalTo", 1)+`</ConditionGroup><ConditionGroup>`+
						state("none", 0, "event", "E", "stopTransition")+
						`</ConditionGroup></StartTrigger>`))),
			"L", []string{"1.00 L start", "1.00 L end", "1.01 L start", "1.01 L end"}},
		{"what reached its goal before the last pass is not seen by what starts now",
			story(act("Act", start(from(2.01)), event("L", "parallel", 1, speed(1),
				start(state("none", 0, "event", "E", "endTransition")))) +
				act("Act2", always, event("E", "parallel", 1, changeLane, start(from(1))))),
			"E L", []string{"1.00 E start", "2.00 E end"}},
		{"actors do not compete with each other",
			story(actOf("Act0", always, "B", 1, event("E0", "parallel", 1, `<GlobalAction>`+
				`<EntityAction entityRef="B"><AddEntityAction><Position>`+
				`<WorldPosition x="1" y="0"/>`+
				`</Position></AddEntityAction></EntityAction></GlobalAction>`, "")) +
				act("Act", always, event("E1", "parallel", 1, ramping(30, "linear", "time", 1),
					start(from(1)))) + actOf("Act2", always, "B", 1,
				event("E2", "parallel", 1, ramping(30, "linear", "time", 1), start(from(1.5))))),
			"E1 E2", []string{"1.00 E1 start", "1.50 E2 start", "2.00 E1 end", "2.50 E2 end"}},
		{"a group without conditions never fires",
			story(act("Act", always, event("E", "parallel", 1, speed(1),
				`<StartTrigger><ConditionGroup/></StartTrigger>`))),
			"E", nil},
		{"all of no entities is nothing",
			story(act("Act", always, event("E", "parallel", 1, speed(1), start(byEntity("none", 0,
				"all", "", `<SpeedCondition rule="greaterThan" value="1"/>`))))),
			"E", nil},
		{"any entity has to be one",
			story(act("Act", always, event("E", "parallel", 1, speed(1), start(byEntity("none", 0,
				"any", "A", `<SpeedCondition rule="greaterThan" value="99"/>`))))),
			"E", nil},
		{"an event that is allowed no execution is complete",
			story(act("Act", always, event("E0", "parallel", 0, speed(33), start(from(0)))+
				event("E1", "parallel", 1, speed(33), start(from(1))))),
			"E0 E1 Act", []string{"0.00 Act start", "1.00 E1 start", "1.00 E1 end",
				"1.00 Act end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := run(t, document("", basis+c.board), 4.6)
			require.Equal(t, c.want, p.of(c.of))
		})
	}
}
