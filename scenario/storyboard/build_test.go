package storyboard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/internal/line"
	"gosmp/scenario/storyboard"
)

// TestRefusals: what cannot be done is found before the run, all of it, with its place.
func TestRefusals(t *testing.T) {
	one := func(events string) string { return basis + story(act("Act", always, events)) }
	custom := func(condition string) string {
		return one(event("E", "parallel", 1, speed(1), start(condition)))
	}
	for _, c := range []struct {
		name, board string
		want        []string // of one error each
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

// TestInit: entities that others refer to come first; otherwise the order is the order of the
// document. Actions that go on are stopped by later ones of the same domain.
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

// TestInit_GlobalActions: an action that adds an entity relative to others comes after the actions
// for those, even if they are added, too; all other global actions come first.
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

// TestCommands: the two commands with which scenarios for other engines state their verdict end a
// run.
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

// TestWaits lists what has not ended, with the last value of each open condition.
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

// TestAbsent: an action of an entity that does not exist ends at once, with a note.
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

// TestTrouble: an action that cannot be done as things are ends the run with its error.
func TestTrouble(t *testing.T) {
	p, errs := prepare(t, document("", basis+story(act("Act", always,
		event("E", "parallel", 1, speed(1), start(from(0.01)))))))
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, p.board.Start())
	p.world.Trouble = errors.New("no lane there")
	require.ErrorIs(t, p.board.Step(0.01), p.world.Trouble)
}

// TestStepAllocates: once it runs, an evaluation allocates nothing.
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

// FuzzStoryboard: whatever a document contains, New refuses it or it runs; parents end after their
// children, and an element is never in two states.
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
