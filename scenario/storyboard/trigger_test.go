package storyboard_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pulse returns a storyboard with a variable that is 1 from rise to fall, and an event E that is
// started by a condition on the variable.
func pulse(rise, fall float64, edge string, delay float64, count int) string {
	return document(`<VariableDeclarations><VariableDeclaration name="v" variableType="double"`+
		` value="0"/></VariableDeclarations>|`,
		basis+story(act("Act", always,
			event("Rise", "parallel", 1, setVariable("1"), start(from(rise)))+
				event("Fall", "parallel", 1, setVariable("0"), start(from(fall)))+
				event("E", "parallel", count, speed(1), start(condition(edge, delay,
					byValue(`<VariableCondition variableRef="v" rule="equalTo" value="1.0"/>`)))))))
}

func setVariable(text string) string {
	return `<GlobalAction><VariableAction variableRef="v"><SetAction value="` + text +
		`"/></VariableAction></GlobalAction>`
}

// TestEdgesAndDelays compares the first start with the closed form: the edge is at the rise or the
// fall, and the delay uses the latest evaluation that is at least that old.
func TestEdgesAndDelays(t *testing.T) {
	for _, c := range []struct {
		edge       string
		rise, fall float64
		delay      float64
		want       string
	}{
		{"none", 1, 1.5, 0, "1.00"}, {"none", 1, 1.5, 2, "3.00"}, {"rising", 1, 1.5, 2, "3.00"},
		{"falling", 1, 1.5, 0, "1.50"}, {"falling", 1, 1.5, 2.005, "3.51"},
		{"risingOrFalling", 1, 1.5, 0.1, "1.10"}, {"rising", 0, 1.5, 0, ""},
		{"falling", 0, 0.3, 0.3, "0.60"}, {"none", 0, 9, 0.1, "0.10"},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			p := run(t, pulse(c.rise, c.fall, c.edge, c.delay, 1), 4)
			first := ""
			if list := p.of("E"); len(list) > 0 {
				first, _, _ = strings.Cut(list[0], " ")
			}
			require.Equal(t, c.want, first)
		})
	}
}

// TestDelayProperty checks that on any time grid, the event starts at the first evaluation at or
// after edge plus delay.
func TestDelayProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rise := rapid.IntRange(1, 100).Draw(t, "rise")
		length := rapid.IntRange(1, 100).Draw(t, "length")
		delay := rapid.IntRange(0, 1500).Draw(t, "delay ms")
		edge := rapid.SampledFrom([]string{"none", "rising", "falling", "risingOrFalling"}).
			Draw(t, "edge")
		at := rise
		if edge == "falling" {
			at = rise + length
		}
		want := at + int(math.Ceil(float64(delay)/10))
		p := run(t, pulse(float64(rise)/100, float64(rise+length)/100, edge,
			float64(delay)/1000, 1), 4)
		list := p.of("E")
		if len(list) == 0 {
			t.Fatalf("no start, expected one at step %d", want)
		}
		if begin, expected := list[0], fmt.Sprintf("%.2f E start",
			float64(want)/100); begin != expected {
			t.Fatalf("%s, expected %s", begin, expected)
		}
	})
}

// TestByEntity checks the rules for several entities.
func TestByEntity(t *testing.T) {
	init := initial(private("A", teleport(0)+speed(10)) + private("B", teleport(0)+
		ramping(20, "linear", "time", 2)))
	faster := func(edge, rule, names string, than float64) string {
		return start(byEntity(edge, 0, rule, names,
			fmt.Sprintf(`<SpeedCondition rule="greaterOrEqual" value="%g"/>`, than)))
	}
	for _, c := range []struct {
		name, trigger string
		want          []string
	}{
		{"any", faster("none", "any", "A B", 5), []string{"0.00 E start"}},
		{"all", faster("none", "all", "A B", 5), []string{"0.50 E start"}},
		{"a selection", faster("none", "all", "AB", 5), []string{"0.50 E start"}},
		{"the edge of all", faster("rising", "all", "A B", 5), []string{"0.50 E start"}},
		{"the edge of any does not rise again", faster("rising", "any", "A B", 5), nil},
		{"one that does not exist", faster("none", "all", "A C", 5), nil},
		{"one that does not exist, any", faster("none", "any", "A C", 5), []string{"0.00 E start"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := run(t, document("", init+story(act("Act", always,
				event("E", "parallel", 1, changeLane, c.trigger)))), 0.9)
			require.Equal(t, c.want, p.of("E"))
		})
	}
}

// TestTriggeringEntities checks that the actors are the entities that satisfy the condition when it
// fires.
func TestTriggeringEntities(t *testing.T) {
	board := initial(private("A", speed(10))+private("B", speed(1))+private("C", speed(12))) +
		story(`<Act name="Act"><ManeuverGroup name="G" maximumExecutionCount="1">`+
			`<Actors selectTriggeringEntities="true"/><Maneuver name="M">`+
			event("E", "parallel", 1, speed(3), start(byEntity("none", 0.2, "any", "A B C",
				`<SpeedCondition rule="greaterThan" value="5"/>`)))+
			`</Maneuver></ManeuverGroup>`+always+`</Act>`)
	p := run(t, document("", board), 1)
	require.Equal(t, []string{"0.20 E start", "0.20 E end"}, p.of("E"))
	var speeds []float64
	for _, x := range p.world.Entities {
		speeds = append(speeds, x.V)
	}
	require.Equal(t, []float64{3, 1, 3}, speeds)
}

// TestValues checks the conditions on values.
func TestValues(t *testing.T) {
	head := `<ParameterDeclarations><ParameterDeclaration name="p" parameterType="string"` +
		` value="low"/></ParameterDeclarations><VariableDeclarations>` +
		`<VariableDeclaration name="v"` +
		` variableType="double" value="2"/></VariableDeclarations><MonitorDeclarations>` +
		`<MonitorDeclaration name="m" value="false"/></MonitorDeclarations>|<TrafficSignals>` +
		`<TrafficSignalController name="c1"><Phase name="go" duration="1"><TrafficSignalState` +
		` trafficSignalId="1" state="off;on"/></Phase><Phase name="stop" duration="0.5">` +
		`<TrafficSignalState trafficSignalId="1" state="on;off"/></Phase>` +
		`</TrafficSignalController><TrafficSignalController name="c2" reference="c1" delay="0.7">` +
		`<Phase name="x" duration="9">` +
		`<TrafficSignalState trafficSignalId="2" state="on"/></Phase></TrafficSignalController>` +
		`</TrafficSignals>`
	global := func(action string) string { return `<GlobalAction>` + action + `</GlobalAction>` }
	change := func(name, action string, t float64) string {
		return event(name, "parallel", 1, global(action), start(from(t)))
	}
	modify := func(rule string) string {
		return `<VariableAction variableRef="v"><ModifyAction><Rule>` + rule +
			`</Rule></ModifyAction></VariableAction>`
	}
	noon := `<EnvironmentAction><Environment name="e"><TimeOfDay animation="true"` +
		` dateTime="2026-06-01T11:59:59"/></Environment></EnvironmentAction>`
	for _, c := range []struct{ name, events, condition, want string }{
		{"a parameter that is set", change("X", `<ParameterAction parameterRef="p"><SetAction`+
			` value="high"/></ParameterAction>`, 1),
			`<ParameterCondition parameterRef="p" rule="equalTo" value="high"/>`, "1.00"},
		{"a parameter as it is", "", `<ParameterCondition parameterRef="p" rule="notEqualTo"` +
			` value="high"/>`, "0.00"},
		{"texts have no order", "", `<ParameterCondition parameterRef="p" rule="lessThan"` +
			` value="zzz"/>`, ""},
		{"a variable that is multiplied and added to", change("X",
			modify(`<MultiplyByValue value="3"/>`),
			1) + change("Y", modify(`<AddValue value="-1"/>`), 1.2),
			`<VariableCondition variableRef="v" rule="equalTo" value="5"/>`, "1.20"},
		{"a phase", "", `<TrafficSignalControllerCondition trafficSignalControllerRef="c1"` +
			` phase="stop"/>`, "1.00"},
		{"the phase after a delay", "", `<TrafficSignalControllerCondition` +
			` trafficSignalControllerRef="c2" phase="x"/>`, "0.70"},
		{"a signal", "", `<TrafficSignalCondition name="1" state="on;off"/>`, "1.00"},
		{"a signal that is set", change("X", `<InfrastructureAction><TrafficSignalAction>`+
			`<TrafficSignalStateAction name="9" state="red"/></TrafficSignalAction>`+
			`</InfrastructureAction>`, 0.4), `<TrafficSignalCondition name="9" state="red"/>`,
			"0.40"},
		{"a phase that is set", change("X", `<InfrastructureAction><TrafficSignalAction>`+
			`<TrafficSignalControllerAction trafficSignalControllerRef="c1" phase="stop"/>`+
			`</TrafficSignalAction></InfrastructureAction>`, 0.3),
			`<TrafficSignalCondition name="1" state="on;off"/>`, "0.30"},
		{"a user defined value that nobody sets", "", `<UserDefinedValueCondition name="u"` +
			` rule="notEqualTo" value="1"/>`, ""},
		{"a text is no number", "", `<ParameterCondition parameterRef="p" rule="equalTo"` +
			` value="0"/>`, ""},
		{"a state that is set lasts for the phase", change("X", `<InfrastructureAction>`+
			`<TrafficSignalAction><TrafficSignalStateAction name="1" state="red"/>`+
			`</TrafficSignalAction></InfrastructureAction>`, 0.3),
			`<TrafficSignalCondition name="1" state="red"/></ByValueCondition></Condition>` +
				`<Condition name="d" conditionEdge="none" delay="0"><ByValueCondition>` +
				`<SimulationTimeCondition value="0.6" rule="equalTo"/>`, "0.60"},
		{"a variable within the tolerance",
			change("X", modify(`<AddValue value="2000000.0000005"/>`),
				0.3), `<VariableCondition variableRef="v" rule="equalTo" value="2000002"/>`,
			"0.30"},
		{"a variable that is not above", change("X", modify(`<AddValue value="-3"/>`), 0.3),
			`<VariableCondition variableRef="v" rule="lessOrEqual" value="1"/>`, "0.30"},
		{"a variable that is equal is not above", "",
			`<VariableCondition variableRef="v" rule="lessOrEqual" value="2"/>`, "0.00"},
		{"a phase of the second cycle", change("X", modify(`<AddValue value="-3"/>`), 2),
			`<TrafficSignalCondition name="1" state="on;off"/></ByValueCondition></Condition>` +
				`<Condition name="d" conditionEdge="none" delay="0"><ByValueCondition>` +
				`<VariableCondition variableRef="v" rule="equalTo" value="-1"/>`, "2.50"},
		{"the phase after one that is set", change("X", `<InfrastructureAction>`+
			`<TrafficSignalAction><TrafficSignalControllerAction trafficSignalControllerRef="c1"`+
			` phase="stop"/></TrafficSignalAction></InfrastructureAction>`, 0.3) +
			change("Y", modify(`<AddValue value="-3"/>`), 0.4),
			`<TrafficSignalCondition name="1" state="off;on"/></ByValueCondition></Condition>` +
				`<Condition name="d" conditionEdge="none" delay="0"><ByValueCondition>` +
				`<VariableCondition variableRef="v" rule="equalTo" value="-1"/>`, "0.80"},
		{"a fraction of a second of the day", change("X", noon, 0.5),
			`<TimeOfDayCondition rule="greaterOrEqual" dateTime="2026-06-01T12:00:00.5Z"/>`,
			"2.00"},
		{"a time of day", change("X", noon, 0.5),
			`<TimeOfDayCondition rule="greaterOrEqual" dateTime="2026-06-01T12:00:00Z"/>`, "1.50"},
		{"a time of day that nobody sets", "",
			`<TimeOfDayCondition rule="greaterOrEqual" dateTime="2026-06-01T12:00:00"/>`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := run(t, document(head, basis+story(act("Act", always, c.events+
				event("E", "parallel", 1, changeLane, start(condition("none", 0,
					byValue(c.condition))))))), 2.6)
			got := ""
			if list := p.of("E"); len(list) > 0 {
				got, _, _ = strings.Cut(list[0], " ")
			}
			require.Equal(t, c.want, got)
			require.Equal(t, "on", p.world.Signals["2"])
		})
	}
}

// TestSetFromOutside checks that variables and user-defined values can be set from outside.
func TestSetFromOutside(t *testing.T) {
	p, errs := prepare(t, document(`<VariableDeclarations><VariableDeclaration name="v"`+
		` variableType="int" value="1"/></VariableDeclarations><MonitorDeclarations>`+
		`<MonitorDeclaration name="m" value="false"/></MonitorDeclarations>|`,
		basis+story(act("Act", always, event(
			"E",
			"parallel",
			1,
			`<GlobalAction><SetMonitorAction monitorRef="m" value="true"/></GlobalAction>`,
			start(
				condition(
					"none",
					0,
					byValue(`<VariableCondition variableRef="v" rule="greaterThan"`+
						` value="1"/>`),
				),
				condition("none", 0, byValue(`<UserDefinedValueCondition name="u"`+
					` rule="equalTo" value="on"/>`)),
			),
		)))))
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, p.board.Start())
	require.True(t, p.board.SetVariable("v", "2"))
	require.False(t, p.board.SetVariable("w", "2"))
	require.NoError(t, p.board.Step(0.01))
	require.Empty(t, p.of("E"))
	require.False(t, p.board.Monitors()[0].Value.Bool)
	p.board.SetUserDefined("u", "on")
	require.NoError(t, p.board.Step(0.02))
	require.Equal(t, []string{"0.02 E start", "0.02 E end"}, p.of("E"))
	require.True(t, p.board.Monitors()[0].Value.Bool)
	text, is := p.board.Variable("v")
	require.True(t, is)
	require.Equal(t, "2", text)
	_, is = p.board.Variable("w")
	require.False(t, is)
}

// TestNumbers checks that comparisons tolerate rounding in sums of steps and nothing more.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := float64(rapid.IntRange(1, 300).Draw(t, "limit")) / 100
		rule := rapid.SampledFrom([]string{"equalTo", "greaterThan", "greaterOrEqual"}).
			Draw(t, "rule")
		p, errs := prepare(t, document("", basis+story(act("Act", always,
			event("E", "parallel", 1, speed(1), start(at("none", 0, rule, limit)))))))
		if len(errs) > 0 || p.board.Start() != nil {
			t.Fatal(errs)
		}
		sum, expected := 0.0, ""
		for range 400 {
			sum += 0.01
			if err := p.board.Step(sum); err != nil {
				t.Fatal(err)
			}
			if expected == "" && (sum > limit+1e-6 || rule != "greaterThan" && sum > limit-1e-6) {
				expected = fmt.Sprintf("%.2f E start", sum)
			}
		}
		if got := p.of("E"); len(got) == 0 || got[0] != expected {
			t.Fatalf("%v, expected %s", got, expected)
		}
	})
}

// TestVariables_ThatAreParameters checks that actions and conditions on a variable use the parameter
// of that name if there is no such variable.
func TestVariables_ThatAreParameters(t *testing.T) {
	text := strings.NewReplacer("VariableDeclaration", "ParameterDeclaration", "variableType",
		"parameterType").Replace(pulse(1, 1.5, "rising", 0, 1))
	require.Equal(t, []string{"1.00 E start", "1.00 E end"}, run(t, text, 2).of("E"))
	both := strings.Replace(pulse(1, 1.5, "rising", 0, 1), "<VariableDeclarations>",
		`<ParameterDeclarations><ParameterDeclaration name="v" parameterType="double" value="1"/>`+
			`</ParameterDeclarations><VariableDeclarations>`, 1)
	require.Equal(t, []string{"1.00 E start", "1.00 E end"}, run(t, both, 2).of("E"))
}

// The schema demands a name of a controller, but it may be empty. Such a controller does not start
// after itself, no controller without a reference starts after it, and nothing can refer to it.
func TestNamelessController(t *testing.T) {
	const phase = `<Phase name="go" duration="1"><TrafficSignalState trafficSignalId="%d" ` +
		`state="on"/></Phase></TrafficSignalController>`
	head := `|<TrafficSignals><TrafficSignalController name="" delay="0.4">` +
		fmt.Sprintf(phase, 1) + `<TrafficSignalController name="other" delay="0.2" reference="">` +
		fmt.Sprintf(phase, 2) + `</TrafficSignals>`
	for signal, want := range map[int]string{1: "0.40 E start", 2: "0.20 E start"} {
		p := run(t, document(head, basis+story(act("Act", always, event("E", "parallel", 1,
			changeLane, start(condition("none", 0, byValue(fmt.Sprintf(
				`<TrafficSignalCondition name="%d" state="on"/>`, signal)))))))), 1)
		require.Equal(t, want, p.of("E")[0])
	}
	_, errs := prepare(t, document(head, basis+story(act("Act", always, event("E", "parallel", 1,
		changeLane, start(condition("none", 0, byValue(`<TrafficSignalControllerCondition `+
			`trafficSignalControllerRef="" phase="go"/>`))))))))
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], `found "", expected the name of a TrafficSignalController`)
}
