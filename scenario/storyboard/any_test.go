package storyboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawn returns a random storyboard of up to three acts with up to four events each.
func drawn(t *rapid.T) string {
	var names []string
	acts := rapid.IntRange(1, 3).Draw(t, "acts")
	for a := range acts {
		names = append(names, fmt.Sprintf("act A%d", a))
		for e := range 4 {
			names = append(
				names,
				fmt.Sprintf("event E%d%d", a, e),
				fmt.Sprintf("action E%d%dA", a, e),
			)
		}
	}
	anyCondition := func() string {
		edge := rapid.SampledFrom([]string{"none", "rising", "falling", "risingOrFalling"}).
			Draw(t, "edge")
		delay := rapid.SampledFrom([]float64{0, 0, 0.01, 0.05}).Draw(t, "delay")
		switch rapid.IntRange(0, 2).Draw(t, "condition") {
		case 0:
			return at(
				edge,
				delay,
				rapid.SampledFrom([]string{"greaterThan", "lessThan", "equalTo"}).Draw(
					t, "rule"),
				float64(rapid.IntRange(0, 40).Draw(t, "time"))/100,
			)
		case 1:
			return byEntity(
				edge,
				delay,
				rapid.SampledFrom([]string{"any", "all"}).Draw(t, "rule"),
				"A B",
				`<SpeedCondition rule="greaterThan" value="15"/>`,
			)
		}
		kind, name, _ := strings.Cut(rapid.SampledFrom(names).Draw(t, "name"), " ")
		return state(edge, delay, kind, name, rapid.SampledFrom([]string{"standbyState",
			"runningState", "completeState", "startTransition", "endTransition", "stopTransition",
			"skipTransition"}).Draw(t, "state"))
	}
	var b strings.Builder
	for a := range acts {
		var events string
		for e := range 4 {
			action := rapid.SampledFrom([]string{speed(20), speed(1), changeLane,
				ramping(
					30,
					"linear",
					"time",
					0.1,
				), ramping(3, "linear", "rate", 70)}).Draw(t, "action")
			trigger := ""
			if rapid.IntRange(0, 4).Draw(t, "with trigger") > 0 {
				trigger = start(anyCondition())
			}
			events += event(fmt.Sprintf("E%d%d", a, e), rapid.SampledFrom([]string{"override",
				"parallel", "skip"}).Draw(t, "priority"), rapid.IntRange(0, 3).Draw(t, "count"),
				action,
				trigger)
		}
		triggers := start(anyCondition())
		if rapid.Bool().Draw(t, "with stop") {
			triggers += stop(anyCondition())
		}
		b.WriteString(actOf(fmt.Sprintf("A%d", a), triggers, rapid.SampledFrom([]string{"A", "B",
			"AB"}).Draw(t, "actors"), rapid.IntRange(1, 2).Draw(t, "executions"), events))
	}
	return document("", initial(private("A", speed(10))+private("B", speed(5)))+story(b.String()))
}

// TestAnyStoryboard checks that in all cases parents end after their children, transitions are
// legal, and the same storyboard behaves the same way again.
func TestAnyStoryboard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawn(t)
		p, errs := prepare(t, text)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if err := p.board.Start(); err != nil {
			t.Fatal(err)
		}
		for k := 1; k < 50; k++ {
			if err := p.board.Step(float64(k) * 0.01); err != nil {
				t.Fatal(err)
			}
			consistent(t, p.board)
		}
		again := run(t, text, 0.49)
		if !slices.Equal(p.log, again.log) {
			t.Fatalf("%v\n%v", p.log, again.log)
		}
		followed(t, p.log)
	})
}

// followed checks the transitions of each element. A complete element restarts only as part of a
// parent that restarts.
func followed(t *rapid.T, log []string) {
	now := map[string]string{}
	for _, l := range log {
		words := strings.Fields(l)
		name, transition := strings.Join(words[1:len(words)-1], " "), words[len(words)-1]
		running := now[name] == "runs"
		switch {
		case transition == "start" && running, transition == "end" && !running,
			transition == "skip" && running:
			t.Fatalf("%s after %s:\n%s", l, now[name], strings.Join(log, "\n"))
		}
		now[name] = map[string]string{"start": "runs", "end": "ended", "stop": "stopped",
			"skip": "skipped"}[transition]
	}
}

// TestEachTransitionIsSeenOnce checks that regardless of a listener's position relative to its
// source, it is started as often as the transition occurs.
func TestEachTransitionIsSeenOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 6).Draw(t, "count")
		source := event("E", "parallel", count, speed(1), start(condition("none", 0,
			byValue(fmt.Sprintf(`<SimulationTimeCondition rule="greaterThan" value="%g"/>`,
				float64(rapid.IntRange(0, 9).Draw(t, "from"))/100)))))
		listener := event("L", "parallel", 99, changeNothing, start(state("none", 0, "event", "E",
			rapid.SampledFrom([]string{"startTransition", "endTransition"}).Draw(t, "transition"))))
		events := source + listener
		if rapid.Bool().Draw(t, "listener first") {
			events = listener + source
		}
		p := run(
			t,
			document(`<VariableDeclarations><VariableDeclaration name="v" variableType="int"`+
				` value="0"/></VariableDeclarations>|`, basis+story(act("Act", always, events))),
			0.5,
		)
		starts := 0
		for _, l := range p.of("L") {
			if strings.HasSuffix(l, "start") {
				starts++
			}
		}
		if starts != count {
			t.Fatalf("%d starts of the listener, expected %d:\n%s", starts, count,
				strings.Join(p.log, "\n"))
		}
	})
}

var changeNothing = setVariable("1")
