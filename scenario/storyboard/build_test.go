package storyboard_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/internal/line"
	"gosmp/scenario/storyboard"
)

// TestRefusals checks that everything impossible is detected before the run, with its place.
func TestRefusals(t *testing.T) {
	one := func(events string) string { return basis + story(act("Act", always, events)) }
	custom := func(condition string) string {
		return one(event("E", "parallel", 1, speed(1), start(condition)))
	}
	for _, c := range []struct {
		name, board string
		want        []string // one text for each error
	}{
		{"actions and conditions that the world does not know",
			one(event("E", "parallel", 1, `<PrivateAction><VisibilityAction graphics="true"`+
				` sensors="true" traffic="true"/></PrivateAction>`, start(byEntity("none", 0,
				"any", "A",
				`<EndOfRoadCondition duration="1"/>`)))),
			[]string{"VisibilityAction", "EndOfRoadCondition"}},
		{"entities", custom(byEntity("none", 0, "any", "D",
			`<SpeedCondition rule="lessThan" value="1"/>`)),
			[]string{`"D"`}},
		{"actors, once for each group, also if its actions need none", basis +
			story(actOf("Act", always, "D", 1, event("E", "parallel", 1, setSpeedOfB, ""))+
				actOf("Act2", always, "F", 1, event("E1", "parallel", 1, speed(1), "")+
					event("E2", "parallel", 1, speed(1), ""))), []string{`"D"`, `"F"`}},
		{"elements", custom(state("none", 0, "event", "F", "runningState")), []string{`"F"`}},
		{"elements of another type", custom(state("none", 0, "act", "E", "runningState")),
			[]string{"of type act"}},
		{"references to several elements", basis + story(act("Act", always,
			event("E", "parallel", 1, speed(1), ""))+act("Act2", always,
			event("E", "parallel", 1, speed(1), start(state("none", 0, "event", "E",
				"runningState"))))),
			[]string{"S::Act::GAct::MAct::E and 1 others"}},
		{"parameters, variables, monitors, phases", one(event("E", "parallel", 1,
			`<GlobalAction><SetMonitorAction monitorRef="m" value="true"/></GlobalAction>`,
			start(condition("none", 0, byValue(`<VariableCondition variableRef="v" rule="lessThan"`+
				` value="1"/>`)), condition("none", 0,
				byValue(`<ParameterCondition parameterRef="p"`+
					` rule="lessThan" value="1"/>`)), condition("none", 0,
				byValue(`<TrafficSignalControllerCondition trafficSignalControllerRef="t"`+
					` phase="x"/>`))))),
			[]string{"a monitor", "a variable", "a parameter", "a TrafficSignalController"}},
		{"counts that are none", one(strings.Replace(event("E", "parallel", 1, speed(1), ""),
			`maximumExecutionCount="1"`, `maximumExecutionCount="-1"`, 1) +
			strings.Replace(event("F", "parallel", 1, speed(1), ""),
				`maximumExecutionCount="1"`, `maximumExecutionCount="2.5"`, 1)),
			[]string{"-1", "2.5"}},
		{"states that are none", custom(state("none", 0, "event", "E", "idle") +
			state("none", 0, "event", "E", "")), []string{`"idle"`, `""`}},
		{"rules that are none", custom(at("none", 0, "above", 1)), []string{"above"}},
		{"conditions that are none", one(event("E", "parallel", 1, speed(1),
			start(condition("none", 0, ""), condition("none", 0, byValue(`<Weather/>`)),
				byEntity("none", 0, "any", "A", ""),
				byEntity("none", 0, "any", "A", `<Mood value="1"/>`)))),
			[]string{"without content", "Weather", "no EntityCondition", "Mood"}},
		{"dates that are none", one(event("E", "parallel", 1, `<GlobalAction><EnvironmentAction>`+
			`<Environment name="e"><TimeOfDay animation="true" dateTime="noon"/></Environment>`+
			`</EnvironmentAction></GlobalAction>`, start(condition("none", 0,
			byValue(`<TimeOfDayCondition rule="lessThan" dateTime="today"/>`))))),
			[]string{"noon", "today"}},
		{"a delay below 0", custom(at("none", -1, "lessThan", 1)), []string{"-1 s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs := prepare(t, document("", c.board))
			require.Len(t, errs, len(c.want), "%v", errs)
			for _, want := range c.want {
				found := false
				for _, err := range errs {
					found = found || strings.Contains(err.Error(), want)
					e := (*scenario.Error)(nil)
					require.ErrorAs(t, err, &e)
					require.Positive(t, e.Place.Line)
					require.Positive(t, e.Place.Column)
				}
				require.True(t, found, "%v lacks %s", errs, want)
			}
		})
	}
}

// TestRefusals_Selections checks that a selection needs members that exist and may not contain
// itself.
func TestRefusals_Selections(t *testing.T) {
	selection := func(name, member string) string {
		return `<EntitySelection name="` + name + `"><Members><EntityRef entityRef="` + member +
			`"/></Members></EntitySelection>`
	}
	for members, want := range map[string]int{
		selection("S1", "S2") + selection("S2", "S3") + selection("S3", "B"): 0,
		selection("S1", "S2") + selection("S2", "S1"):                        1,
		selection("S1", "nobody"):                                            1,
	} {
		text := document("", basis+story(actOf("Act", always, "S1", 1,
			event("E", "parallel", 1, speed(7), ""))))
		_, errs := prepare(t, strings.Replace(text, `</Entities>`, members+`</Entities>`, 1))
		require.Len(t, errs, want, members)
	}
}

// TestRefusals_Triggering checks that only the first 64 entities can become actors through a
// trigger.
func TestRefusals_Triggering(t *testing.T) {
	for count, want := range map[int]int{61: 0, 62: 1} { // in addition to A, B and C
		more, names := "", []string{"A"}
		for k := range count {
			name := fmt.Sprint("X", k)
			names = append(names, name)
			more += `<ScenarioObject name="` + name + `"><ExternalObjectReference name="` + name +
				`"/></ScenarioObject>`
		}
		text := document("", basis+story(strings.Replace(act("Act", always,
			event("E", "parallel", 1, speed(3), start(byEntity("none", 0, "any",
				strings.Join(names, " "), `<SpeedCondition rule="greaterThan" value="5"/>`)))),
			`selectTriggeringEntities="false"`, `selectTriggeringEntities="true"`, 1)))
		_, errs := prepare(t, strings.Replace(text, `<EntitySelection`, more+`<EntitySelection`, 1))
		require.Len(t, errs, want, "%d: %v", count, errs)
	}
}

// TestRefusals_NoStoryboard checks that a document without a storyboard is refused, and that the
// error says what it is.
func TestRefusals_NoStoryboard(t *testing.T) {
	text, _, _ := strings.Cut(document("", ""), "<Storyboard>")
	for content, want := range map[string]string{
		"": "found no scenario, catalog or distribution, expected a scenario with a Storyboard",
		`<Catalog name="c"/>`: "found a catalog, expected a scenario with a Storyboard; scenarios " +
			"refer to its entries by CatalogReference; gosmp inspect lists them",
	} {
		_, errs := prepare(t, text+content+"</OpenSCENARIO>")
		require.Len(t, errs, 1)
		require.ErrorContains(t, errs[0], want)
	}
}

// TestRefusals_Values checks that impossible changes of declared values are detected before the
// run.
func TestRefusals_Values(t *testing.T) {
	declared := func(kind, value string) string {
		return `<VariableDeclarations><VariableDeclaration name="v" variableType="` + kind +
			`" value="` + value + `"/></VariableDeclarations>|<TrafficSignals>` +
			`<TrafficSignalController name="c"><Phase name="go" duration="1"/>` +
			`</TrafficSignalController></TrafficSignals>`
	}
	change := func(content string) string {
		return `<GlobalAction><VariableAction variableRef="v">` + content +
			`</VariableAction></GlobalAction>`
	}
	set := func(text string) string { return change(`<SetAction value="` + text + `"/>`) }
	add := change(`<ModifyAction><Rule><AddValue value="1"/></Rule></ModifyAction>`)
	phase := func(controller, name string) string {
		return `<GlobalAction><InfrastructureAction><TrafficSignalAction>` +
			`<TrafficSignalControllerAction trafficSignalControllerRef="` + controller +
			`" phase="` + name + `"/></TrafficSignalAction></InfrastructureAction></GlobalAction>`
	}
	for _, c := range []struct{ kind, value, action, want string }{
		{"unsignedInt", "0", set("-1"), "-1"},
		{"unsignedInt", "0", set("1"), ""},
		{"unsignedInt", "1", set("0"), ""},
		{"int", "0", set("-1"), ""},
		{"int", "0", set("1.5"), "1.5"},
		{"int", "0", set("one"), "one"},
		{"double", "0", set("1.5"), ""},
		{"double", "0", set("fast"), "fast"},
		{"boolean", "0", set("maybe"), "maybe"},
		{"boolean", "0", set("1"), ""},
		{"string", "red", set("blue"), ""},
		{"string", "red", add, "not a number"},
		{"double", "1", add, ""},
		{"double", "1", change(`<ModifyAction><Rule/></ModifyAction>`), "neither SetAction"},
		{"double", "1", phase("c", "go"), ""},
		{"double", "1", phase("c", "stop"), `"stop"`},
		{"double", "1", phase("d", "go"), `"d"`},
		{"double", "1", speed(1), "off"},
	} {
		t.Run(c.kind+" "+c.want, func(t *testing.T) {
			_, errs := prepare(t, document(declared(c.kind, c.value), basis+story(act("Act", always,
				event("E", "parallel", 1, c.action, start(condition("none", 0,
					byValue(`<TrafficSignalControllerCondition trafficSignalControllerRef="c"`+
						` phase="`+map[bool]string{true: "go", false: "off"}[c.want != "off"]+
						`"/>`))))))))
			if c.want == "" {
				require.Empty(t, errs)
				return
			}
			require.Len(t, errs, 1)
			require.ErrorContains(t, errs[0], c.want)
		})
	}
}

// TestInit checks that entities that others refer to come first, and that the order is otherwise
// that of the document. Running actions are stopped by later ones in the same domain.
func TestInit(t *testing.T) {
	relative := strings.Replace(teleport(5), `<WorldPosition x="5" y="0"/>`,
		`<RelativeObjectPosition entityRef="C" dx="5" dy="0"/>`, 1)
	p := run(t, document("", initial(private("A", relative+ramping(50, "linear", "time", 100))+
		private("B", teleport(1))+private("C", teleport(2)))+
		story(act("Act", always, event("E", "parallel", 1, speed(1), start(from(1)))))), 2)
	var order []string
	for _, l := range p.log[:4] {
		order = append(order, strings.Fields(l)[2])
	}
	require.Equal(t, []string{"C", "C", "A", "A"}, order)
	require.Contains(t, p.log, "1.00 Init A SpeedAction stop")
	require.InDelta(t, 1, p.world.Entities[0].V, 0)
}

// TestInit_GlobalActions checks that an action that adds an entity relative to others comes after
// the actions for these entities, even if those are also added, and that all other global actions
// come first.
func TestInit_GlobalActions(t *testing.T) {
	add := func(name, of string) string {
		return `<GlobalAction><EntityAction entityRef="` + name + `"><AddEntityAction><Position>` +
			`<RelativeObjectPosition entityRef="` + of + `" dx="5" dy="0"/></Position>` +
			`</AddEntityAction></EntityAction></GlobalAction>`
	}
	p := run(t, document("", initial(add("A", "B")+add("B", "C")+private("C", teleport(2)))+
		story(act("Act", always, event("E", "parallel", 1, speed(1), start(from(1)))))), 2)
	var order []string
	for _, l := range p.log[:6] {
		if words := strings.Fields(l); words[len(words)-1] == "start" {
			order = append(order, strings.Join(words[2:len(words)-1], " "))
		}
	}
	require.Equal(t, []string{"C TeleportAction", "AddEntityAction", "AddEntityAction"}, order)
	require.Equal(t, []bool{true, true}, []bool{p.world.Entities[0].Exists,
		p.world.Entities[1].Exists})
}

// TestCommands checks that either of the two commands by which scenarios for other engines state
// their verdict ends a run.
func TestCommands(t *testing.T) {
	for _, c := range []struct{ content, exit string }{
		{`<CustomCommandAction type="exitSuccess"/>`, "exitSuccess"},
		{`<CustomCommandAction type="script">exitFailure</CustomCommandAction>`, "exitFailure"},
		{`<CustomCommandAction type="shell">rm -rf /</CustomCommandAction>`, ""},
	} {
		t.Run(c.exit, func(t *testing.T) {
			p := run(t, document("", basis+story(act("Act", always, event("E", "parallel", 1,
				`<UserDefinedAction>`+c.content+`</UserDefinedAction>`, start(from(1)))))), 2)
			require.Equal(t, c.exit, p.board.Exit())
			require.Equal(t, c.exit != "", p.board.Ended())
			require.Len(t, p.notes, 1)
			require.Equal(t, "custom command", p.notes[0].Kind)
			if c.exit != "" {
				require.InDelta(t, 1, p.board.Now(), 1e-9)
			}
		})
	}
}

// TestWaits checks that Waits lists the elements that have not ended, with the last value of each
// open condition.
func TestWaits(t *testing.T) {
	p := run(t, document("", basis+story(act("Act", always,
		event("E1", "parallel", 1, ramping(99, "linear", "time", 50), "")+
			event("E2", "parallel", 1, speed(1), start(from(1), byEntity("none", 0, "any", "A",
				`<SpeedCondition rule="lessThan" value="3"/>`)))))+stop(from(7))), 2)
	var got []string
	for _, w := range p.board.Waits() {
		got = append(got, w.Element.String())
		for _, c := range w.Conditions {
			got = append(got, p.board.Last(c).Value)
		}
	}
	require.Equal(t, []string{"action S::Act::GAct::MAct::E1::E1A", "event S::Act::GAct::MAct::E2",
		"speed of A 13.56 m/s, < 3 m/s", "storyboard", "time 2 s >= 7 s"}, got)
	require.False(t, p.board.Finished())
	require.False(t, p.board.Ended())
}

// TestAbsent checks that an action of an entity that does not exist ends at once, with a note.
func TestAbsent(t *testing.T) {
	add := `<GlobalAction><EntityAction entityRef="B"><AddEntityAction><Position>` +
		`<WorldPosition x="1" y="0"/></Position></AddEntityAction></EntityAction></GlobalAction>`
	p := run(t, document("", basis+story(actOf("Act", always, "B", 1,
		event("E", "parallel", 1, speed(1), "")+event("F", "parallel", 1, add, start(from(0.5)))+
			event("G", "parallel", 1, speed(1), start(from(0.5)))))), 1)
	require.Equal(t, []string{"0.00 E start", "0.00 E end", "0.50 F start", "0.50 F end",
		"0.50 G start", "0.50 G end"}, p.of("E F G"))
	require.Len(t, p.notes, 1)
	require.InDelta(t, 1, p.world.Entities[1].V, 0)
}

// TestTrouble checks that an action that is impossible in the current state ends the run with its
// error.
func TestTrouble(t *testing.T) {
	p, errs := prepare(t, document("", basis+story(act("Act", always,
		event("E", "parallel", 1, speed(1), start(from(0.01)))))))
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, p.board.Start())
	p.world.Trouble = errors.New("no lane there")
	require.ErrorIs(t, p.board.Step(0.01), p.world.Trouble)
}

// TestStepAllocates checks that an evaluation of a running storyboard allocates nothing.
func TestStepAllocates(t *testing.T) {
	p, errs := prepare(t, document("", basis+story(act("Act", always,
		event("E", "parallel", 1, speed(1), start(at("rising", 3, "greaterThan", 1e9),
			state("none", 0, "act", "Act", "completeState"), byEntity("none", 1, "all", "A B",
				`<SpeedCondition rule="lessThan" value="-1"/>`)))))+stop(from(1e9))))
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, p.board.Start())
	k := 0
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		k++
		if err := p.board.Step(float64(k) * 0.01); err != nil {
			t.Error(err)
		}
	}))
}

// FuzzStoryboard checks that New either refuses or runs any document, that parents end after their
// children, and that an element is never in two states.
func FuzzStoryboard(f *testing.F) {
	f.Add(
		document(
			"",
			basis+story(act("Act", always, event("E", "skip", 2, speed(1), start(from(0.1))))),
		),
	)
	f.Add(pulse(0.1, 0.2, "risingOrFalling", 0.05, 3))
	f.Add(document("", basis+story(actOf(
		"Act",
		always+stop(from(0.3)),
		"AB",
		3,
		event(
			"E",
			"override",
			2,
			changeLane,
			start(state("none", 0, "event", "F", "endTransition")),
		)+
			event(
				"F",
				"overwrite",
				2,
				ramping(3, "linear", "rate", 9),
				"",
			),
	))))
	f.Fuzz(func(t *testing.T, text string) {
		d, err := scenario.Parse("fuzz.xosc", []byte(text))
		if err != nil || len(text) > 1<<16 {
			return
		}
		d.File = "/nonexistent/fuzz.xosc" // no catalogs
		s, failures := d.ResolveAll(nil)
		if len(failures) > 0 {
			return
		}
		w := line.New(s)
		b, errs := storyboard.New(s, w, storyboard.Options{})
		if len(errs) > 0 || b.Start() != nil {
			return
		}
		for k := 1; k < 40 && !b.Ended(); k++ {
			if b.Step(float64(k)*0.01) != nil {
				return
			}
			consistent(t, b)
		}
		b.Waits()
	})
}

func consistent(t interface{ Fatalf(string, ...any) }, b *storyboard.Board) {
	for _, e := range b.Elements() {
		for _, c := range e.Children() {
			if e.Status() == storyboard.Complete && c.Status() != storyboard.Complete {
				t.Fatalf("%s is complete, but %s is not", e, c)
			}
			if e.Status() == storyboard.Idle && c.Status() != storyboard.Idle {
				t.Fatalf("%s has not started, but %s has", e, c)
			}
		}
	}
}
