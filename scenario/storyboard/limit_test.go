package storyboard_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDelay_OneEvaluation checks that a condition that is true in one evaluation is true in one
// evaluation after each delay, although the times are rounded.
func TestDelay_OneEvaluation(t *testing.T) {
	for k := 1; k <= 200; k++ {
		p := run(t, document("", basis+story(act("Act", always, event("E", "parallel", 9, speed(1),
			start(at("none", float64(k)/100, "equalTo", 0.29)))))), 2.6)
		start := float64(29+k) / 100
		require.Equal(t, []string{fmt.Sprintf("%.2f E start", start), fmt.Sprintf("%.2f E end",
			start)}, p.of("E"))
	}
}

// TestDelay_ManyChanges checks a delay across many changes of a condition, first slow and then
// fast, so that more results are kept than before.
func TestDelay_ManyChanges(t *testing.T) {
	phase := func(name string, duration float64) string {
		return fmt.Sprintf(`<Phase name="%s" duration="%g"/>`, name, duration)
	}
	cycle := phase("a", 1) + phase("b", 1) + strings.Repeat(phase("a", 0.05)+phase("b", 0.05), 10)
	p := run(t, document(`|<TrafficSignals><TrafficSignalController name="c">`+cycle+
		`</TrafficSignalController></TrafficSignals>`, basis+story(act("Act", always, event("E",
		"parallel", 999, speed(1), start(condition("rising", 0.6, byValue(
			`<TrafficSignalControllerCondition trafficSignalControllerRef="c" phase="a"/>`))))))),
		7)
	var want []string
	for round := range 2 {
		for k := range 10 {
			want = append(want, fmt.Sprintf("%.2f E start", 2.6+3*float64(round)+
				0.1*float64(k)))
		}
		want = append(want, fmt.Sprintf("%.2f E start", 3.6+3*float64(round)))
	}
	var got []string
	for _, l := range p.of("E") {
		if strings.HasSuffix(l, "start") {
			got = append(got, l)
		}
	}
	require.Equal(t, want, got)
}

// TestControllers_InAnyOrder checks controllers that each start after the next one in the document.
func TestControllers_InAnyOrder(t *testing.T) {
	controller := func(name, reference string) string {
		return `<TrafficSignalController name="` + name + `" ` + reference + `><Phase name="go"` +
			` duration="9"/></TrafficSignalController>`
	}
	p := run(t, document(`|<TrafficSignals>`+controller("c3", `reference="c2" delay="0.3"`)+
		controller("c2", `reference="c1" delay="0.2"`)+controller("c1", `delay="0.1"`)+
		`</TrafficSignals>`, basis+story(act("Act", always, event("E", "parallel", 1, speed(1),
		start(condition("none", 0, byValue(`<TrafficSignalControllerCondition`+
			` trafficSignalControllerRef="c3" phase="go"/>`))))))), 1)
	require.Equal(t, []string{"0.60 E start", "0.60 E end"}, p.of("E"))
}

// TestComparisons_OfUnlikeValues checks a number against a text, and infinities.
func TestComparisons_OfUnlikeValues(t *testing.T) {
	for _, c := range []struct {
		kind, value, with string
		equal             bool
	}{{"string", "0", "x", false}, {"string", "x", "0", false}, {"string", "0", "0.0", true},
		{"double", "INF", "INF", true}, {"double", "INF", "-INF", false},
		{"double", "1", "INF", false}, {"double", "-INF", "1", false}} {
		p := run(t, document(`<VariableDeclarations><VariableDeclaration name="v" variableType="`+
			c.kind+`" value="`+c.value+`"/></VariableDeclarations>|`, basis+story(act("Act", always,
			event("E", "parallel", 1, speed(1), start(condition("none", 0, byValue(
				`<VariableCondition variableRef="v" rule="equalTo" value="`+c.with+`"/>`))))))),
			0.1)
		require.Equal(t, c.equal, len(p.of("E")) > 0, "%s and %s", c.value, c.with)
	}
}

// TestConflict_WithAnEndedPart checks that an action that has ended for one of its actors goes on
// for the other if a newer action takes over the first.
func TestConflict_WithAnEndedPart(t *testing.T) {
	group := func(name, actors string, time float64, action string) string {
		return `<Act name="` + name + `"><ManeuverGroup name="G` + name +
			`" maximumExecutionCount="1"><Actors selectTriggeringEntities="false">` + actors +
			`</Actors><Maneuver name="M">` + event(name+"E", "parallel", 1, action, "") +
			`</Maneuver></ManeuverGroup>` + start(from(time)) + `</Act>`
	}
	a, b := `<EntityRef entityRef="A"/>`, `<EntityRef entityRef="B"/>`
	p := run(t, document("", initial(private("A", speed(10))+private("B", speed(1)))+
		story(group("Both", a+b, 0, ramping(20, "linear", "rate", 10))+
			group("One", a, 1.5, speed(5)))), 3)
	require.Equal(t, []string{"0.00 BothE start", "1.50 OneE start", "1.50 OneE end",
		"1.90 BothE end"}, p.of("BothE OneE"))
	require.InDelta(t, 0, math.Hypot(p.world.Entities[0].V-5, p.world.Entities[1].V-20), 1e-9)
}

// TestWaits_ForADelay checks that a condition whose delay has not passed is listed as open.
func TestWaits_ForADelay(t *testing.T) {
	p := run(t, document("", basis+story(act("Act", always, event("E", "parallel", 1, speed(1),
		start(at("none", 5, "greaterOrEqual", 1)))))), 2)
	for _, w := range p.board.Waits() {
		if w.Element.Name == "E" {
			require.Len(t, w.Conditions, 1)
			return
		}
	}
	require.Fail(t, "E does not wait")
}

// TestNew_ManyReferences: the time to find the elements that conditions refer to grows with their
// number, also if all events and actions have the same names. If it grew with the square, this would
// take half a minute.
func TestNew_ManyReferences(t *testing.T) {
	const acts = 10_000
	var b strings.Builder
	for k := range acts {
		b.WriteString(act(fmt.Sprint("Act", k), always,
			event("F", "parallel", 1, speed(1), start(from(0)))+
				event("E", "parallel", 1, speed(1), start(
					state("none", 0, "event", "F", "completeState"), // the nearest
					state("none", 0, "action", fmt.Sprintf("MAct%d::F::FA", (k+1)%acts),
						"completeState")))))
	}
	_, errs := prepare(t, document("", basis+story(b.String())))
	require.NoError(t, errors.Join(errs...))
}

// TestNew_ManyUnknownNames: only the first references to elements that do not exist are compared with
// the names of all elements. If all were, this would take minutes.
func TestNew_ManyUnknownNames(t *testing.T) {
	const acts = 10_000
	var b strings.Builder
	for k := range acts {
		b.WriteString(act(fmt.Sprint("Act", k), always, event("E", "parallel", 1, speed(1), start(
			state("none", 0, "act", fmt.Sprint("Akt", k), "completeState")))))
	}
	_, errs := prepare(t, document("", basis+story(b.String())))
	require.Len(t, errs, acts)
	require.ErrorContains(t, errs[0], `did you mean "Act0"`)
	require.NotContains(t, errs[acts-1].Error(), "did you mean")
}
