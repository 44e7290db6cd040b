package storyboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// basis places A at 0 with 10 m/s.
var basis = initial(private("A", teleport(0)+speed(10)))

// always is a start trigger that fires at 0.
var always = start(from(0))

// TestOrder has storyboards with what they have to do when, mostly from section 8 of the user guide
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
		{"a group is alternatives of conditions; an empty trigger never fires",
			story(act("Act", always,
				event("E1", "parallel", 1, speed(1), `<StartTrigger><ConditionGroup>`+from(9)+
					`</ConditionGroup><ConditionGroup>`+from(2)+`</ConditionGroup></StartTrigger>`)+
					event("E2", "parallel", 1, speed(1), `<StartTrigger/>`))),
			"E1 E2", []string{"2.00 E1 start", "2.00 E1 end"}},
		{"a standstill that lasts as long as it should fires; a delay comes on top",
			story(act("Act", always,
				event("E0", "parallel", 1, ramping(0, "linear", "time", 2), start(from(1)))+
					event("E1", "parallel", 1, speed(3), start(byEntity("none", 0.5, "any", "A",
						`<StandStillCondition duration="1"/>`))))),
			"E0 E1", []string{"1.00 E0 start", "3.00 E0 end", "4.50 E1 start", "4.50 E1 end"}},
		{"what waits for a speed sees that of a step of the same pass",
			story(act("Act", always,
				event("E0", "parallel", 1, speed(33), start(from(1)))+
					event("E1", "parallel", 1, changeLane, start(byEntity("rising", 0, "any", "A",
						`<SpeedCondition rule="greaterThan" value="32"/>`))))),
			"E1", []string{"1.00 E1 start", "2.00 E1 end"}},
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
