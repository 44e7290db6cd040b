package storyboard_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/internal/line"
	"gosmp/scenario/storyboard"
)

// TestStop_EndsWhatGoesOn checks that an action that has been stopped has no further effect.
func TestStop_EndsWhatGoesOn(t *testing.T) {
	p := run(t, document("", basis+story(act("Act", always,
		event("E1", "parallel", 1, ramping(30, "linear", "time", 10), start(from(1)))+
			event("E2", "override", 1, changeLane, start(from(2)))))), 4)
	require.InDelta(t, 12, p.world.Entities[0].V, 0.03, "the ramp had a second")
}

// TestEnd checks that the end of the storyboard stops actions of Init, and that Waits still returns
// what was waiting.
func TestEnd(t *testing.T) {
	init := initial(private("A", teleport(0)+speed(10)+ramping(50, "linear", "time", 100)))
	p := run(t, document("", init+story(act("Act", always,
		event("E", "parallel", 1, speed(1), start(at("none", 0, "greaterThan", 9)))))+
		stop(from(1))), 2)
	require.True(t, p.board.Ended())
	require.Contains(t, p.log, "1.00 Init A SpeedAction stop")
	require.Equal(t, "end of the storyboard: c", p.cause[len(p.cause)-1])
	var waited []string
	for _, w := range p.board.Waits() {
		waited = append(waited, w.Element.String())
	}
	require.Equal(t, []string{"action Init A SpeedAction", "event S::Act::GAct::MAct::E"}, waited)
}

// TestStandby checks that entering standby is reported, although it is not a transition.
func TestStandby(t *testing.T) {
	d, err := scenario.Parse("test.xosc", []byte(document("", basis+story(act("Act", start(from(1)),
		event("E", "parallel", 1, changeLane, start(from(9))))))))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	var waiting []string
	board, errs := storyboard.New(s, line.New(s), storyboard.Options{
		Observe: func(o storyboard.Occurrence) {
			if o.Transition == storyboard.NoTransition {
				waiting = append(waiting, fmt.Sprintf("%g %s %s", o.Time, o.Element.Name, o.Status))
			}
		}})
	require.Empty(t, errs)
	require.NoError(t, board.Start())
	require.NoError(t, board.Step(1))
	require.Equal(t, []string{"0 Act standbyState", "1 E standbyState"}, waiting)
}

// TestTriggeringEntities_Delay checks that the actors are the triggering entities at the time to
// which the delay looks back.
func TestTriggeringEntities_Delay(t *testing.T) {
	p := run(t, document("", initial(private("A", speed(10))+
		private("B", ramping(20, "linear", "time", 1)))+
		story(`<Act name="Act"><ManeuverGroup name="G" maximumExecutionCount="1">`+
			`<Actors selectTriggeringEntities="true"/><Maneuver name="M">`+
			event("E", "parallel", 1, speed(3), start(byEntity("none", 0.2, "any", "A B",
				`<SpeedCondition rule="greaterThan" value="5"/>`), from(0.6)))+
			`</Maneuver></ManeuverGroup>`+always+`</Act>`)), 1)
	require.Equal(t, []float64{3, 3}, []float64{p.world.Entities[0].V, p.world.Entities[1].V})
}

// TestReference_Nearest checks that a reference that fits several elements denotes the only one in
// the innermost element around the condition that has any, as in a maneuver of a catalog that
// several groups use.
func TestReference_Nearest(t *testing.T) {
	both := func(group, from string) string {
		return `<ManeuverGroup name="` + group + `" maximumExecutionCount="1">` +
			`<Actors selectTriggeringEntities="false"/><Maneuver name="M">` +
			event("E", "parallel", 1, custom1, from) + event(group+"2", "parallel", 1, custom1,
			start(state("none", 0, "event", "E", "startTransition"))) + `</Maneuver></ManeuverGroup>`
	}
	p := run(t, document("", basis+story(`<Act name="A">`+both("G", start(from(0.1)))+
		both("H", start(from(0.3)))+always+`</Act>`)), 1)
	require.Equal(t, "0.10 G2 start", p.of("G2")[0])
	require.Equal(t, "0.30 H2 start", p.of("H2")[0])
}

// custom1 is an action without effect.
const custom1 = `<UserDefinedAction><CustomCommandAction type="x">y</CustomCommandAction>` +
	`</UserDefinedAction>`

// TestFinished checks that a storyboard is finished unless something is running or can still start.
func TestFinished(t *testing.T) {
	init := initial(private("A", teleport(0)+speed(10)+ramping(11, "linear", "time", 1)))
	p, errs := prepare(t, document("", init+story(act("Act", always,
		event("E", "parallel", 1, changeLane, start(from(0.5)))))))
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, p.board.Start())
	for k := 1; k <= 160; k++ {
		require.NoError(t, p.board.Step(float64(k)*0.01))
		require.Equal(t, k >= 150, p.board.Finished(), "at %d", k)
	}
	p = run(t, document("", init+story(act("Act", always,
		event("E", "parallel", 1, speed(1), start(from(0.5)))))), 0.4)
	require.False(t, p.board.Finished(), "an event waits")
	p = run(t, document("", init+story(act("Act", always,
		event("E", "parallel", 1, setSpeedOfB, "")))), 0.4)
	require.False(t, p.board.Finished(), "an action of Init goes on")
}

// setSpeedOfB is an action that does not affect A.
const setSpeedOfB = `<GlobalAction><EntityAction entityRef="B"><DeleteEntityAction/></EntityAction>` +
	`</GlobalAction>`

// TestSkip_Completes checks that an event whose last execution is skipped is complete, with
// everything in it.
func TestSkip_Completes(t *testing.T) {
	p := run(t, document("", basis+story(act("Act", always,
		event("E1", "parallel", 1, ramping(30, "linear", "time", 1), "")+
			event("E2", "skip", 1, speed(1), start(from(0.5)))))), 0.6)
	require.Equal(t, []string{"0.50 E2 skip"}, p.of("E2"))
	for _, e := range p.board.Elements() {
		if e.Name == "E2" || e.Name == "E2A" {
			require.Equal(t, storyboard.Complete, e.Status(), e.Name)
		}
	}
}

// TestCause checks that the cause of a start names the conditions that fired.
func TestCause(t *testing.T) {
	named := func(name, c string) string {
		return strings.Replace(c, `name="c"`, `name="`+name+`"`, 1)
	}
	p := run(t, document("", basis+story(act("Act", always, event("E", "parallel", 1, changeLane,
		`<StartTrigger><ConditionGroup>`+named("never", from(9))+`</ConditionGroup>`+
			`<ConditionGroup>`+named("late", from(0.2))+named("soon", from(0.1))+
			`</ConditionGroup></StartTrigger>`)))), 0.3)
	for k, l := range p.log {
		if l == "0.20 E start" {
			require.Equal(t, "late and soon", p.cause[k])
			return
		}
	}
	require.Fail(t, "E has not started", "%v", p.log)
}

// TestReferences checks that an element can be referred to by its name or by the end of its path.
func TestReferences(t *testing.T) {
	for reference, want := range map[string]bool{"E": true, "MAct::E": true,
		"S::Act::GAct::MAct::E": true, "Act::E": false, "Q::S::Act::GAct::MAct::E": false,
		"MAct::F": false} {
		_, errs := prepare(t, document("", basis+story(act("Act", always,
			event("E", "parallel", 1, speed(1), "")+event("L", "parallel", 1, speed(1),
				start(state("none", 0, "event", reference, "runningState")))))))
		require.Equal(t, want, len(errs) == 0, "%s: %v", reference, errs)
	}
}

// TestDescribe checks the readable descriptions of condition values.
func TestDescribe(t *testing.T) {
	p := run(t, document(`<VariableDeclarations><VariableDeclaration name="v"`+
		` variableType="int" value="7"/></VariableDeclarations>|`, basis+story(act("Act", always,
		event("E", "parallel", 1, speed(1), start(from(9)))+
			event("L", "parallel", 1, speed(1), start(
				state("none", 0, "event", "E", "runningState"),
				state("none", 0, "event", "E", "skipTransition"),
				condition("none", 0, byValue(`<VariableCondition variableRef="v" rule="lessThan"`+
					` value="1"/>`))))))), 0.1)
	var got []string
	var evaluated []bool
	for _, c := range p.board.Conditions() {
		got = append(got, p.board.Last(c).Value)
		evaluated = append(evaluated, p.board.Last(c).Evaluated)
	}
	require.Equal(t, []bool{false, true, true, true, true}, evaluated)
	e := "event S::Act::GAct::MAct::E standbyState, awaited "
	require.Equal(t, []string{"time 0 s >= 0 s", "time 0.1 s >= 9 s", e + "runningState",
		e + "skipTransition", "variable v 7 < 1"}, got)
}

// TestInit_Circle checks that if entities are placed relative to each other, the first one is
// placed last.
func TestInit_Circle(t *testing.T) {
	to := func(name string) string {
		return strings.Replace(teleport(5), `<WorldPosition x="5" y="0"/>`,
			`<RelativeObjectPosition entityRef="`+name+`" dx="5" dy="0"/>`, 1)
	}
	p := run(t, document("", initial(private("B", to("A"))+private("A", to("B"))+
		`<GlobalAction><EntityAction entityRef="C"><DeleteEntityAction/></EntityAction>`+
		`</GlobalAction>`)+story(act("Act", always, event("E", "parallel", 1, speed(1), "")))), 0)
	var order []string
	for _, l := range p.log[:6] {
		if name, is := strings.CutSuffix(l, " start"); is {
			order = append(order, strings.TrimPrefix(name, "0.00 Init "))
		}
	}
	require.Equal(t, []string{"DeleteEntityAction", "A TeleportAction", "B TeleportAction"}, order)
}

// TestCommand_Once checks that an action that affects no actor is performed once, regardless of the
// number of actors.
func TestCommand_Once(t *testing.T) {
	p := run(t, document("", basis+story(actOf("Act", always, "AB", 1, event("E", "parallel", 1,
		`<UserDefinedAction><CustomCommandAction type="horn"/></UserDefinedAction>`, "")))), 0.1)
	require.Len(t, p.notes, 1)
}

// catalogs is a catalog file with a maneuver, an environment and a pedestrian.
const catalogs = `<OpenSCENARIO><FileHeader revMajor="1" revMinor="3" date="2026-01-01T00:00:00"` +
	` description="" author=""/><Catalog name="C">` +
	`<Maneuver name="Late"><Event name="Horn" priority="parallel"><Action name="HornA">` +
	`<UserDefinedAction><CustomCommandAction type="horn"/></UserDefinedAction></Action>` +
	`<StartTrigger><ConditionGroup><Condition name="c" delay="0" conditionEdge="none">` +
	`<ByValueCondition><TimeOfDayCondition rule="greaterOrEqual"` +
	` dateTime="2026-06-01T12:00:00.5"/></ByValueCondition></Condition></ConditionGroup>` +
	`</StartTrigger></Event></Maneuver>` +
	`<Environment name="Noon"><TimeOfDay animation="1" dateTime="2026-06-01T11:59:59"/>` +
	`</Environment>` +
	`<Pedestrian name="Walker" mass="80" pedestrianCategory="pedestrian"><BoundingBox>` +
	`<Center x="0" y="0" z="0"/><Dimensions width="1" length="1" height="2"/></BoundingBox>` +
	`<Properties/></Pedestrian></Catalog></OpenSCENARIO>`

// TestCatalogs checks that maneuvers, environments and entities from catalogs work like the ones in
// the document.
func TestCatalogs(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "c"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c", "c.xosc"), []byte(catalogs), 0o600))
	reference := func(entry string) string {
		return `<CatalogReference catalogName="C" entryName="` + entry + `"/>`
	}
	noon := `<GlobalAction><EnvironmentAction>` + reference("Noon") +
		`</EnvironmentAction></GlobalAction>`
	text := document("", basis+story(
		act("Act", always, event("X", "parallel", 1, noon, start(from(0.5))))+
			`<Act name="Act2"><ManeuverGroup name="G2" maximumExecutionCount="1"><Actors`+
			` selectTriggeringEntities="false"/>`+reference("Late")+`</ManeuverGroup>`+always+
			`</Act>`+
			actOf("Act3", always, "Walkers", 1, event("Y", "parallel", 1, speed(1), ""))))
	at := `<Directory path="c"/></`
	text = strings.Replace(text, `<CatalogLocations/>`, `<CatalogLocations><PedestrianCatalog>`+at+
		`PedestrianCatalog><EnvironmentCatalog>`+at+`EnvironmentCatalog><ManeuverCatalog>`+at+
		`ManeuverCatalog></CatalogLocations>`, 1)
	text = strings.Replace(text, `<ExternalObjectReference name="B"/>`, reference("Walker"), 1)
	text = strings.Replace(text, `<ExternalObjectReference name="C"/>`,
		pedestrian, 1)
	text = strings.Replace(text, `</Entities>`, `<EntitySelection name="Walkers"><Members>`+
		`<ByType objectType="pedestrian"/></Members></EntitySelection></Entities>`, 1)
	text = strings.Replace(text, `</Private>`, `</Private>`+private("B", speed(2))+
		private("C", speed(2)), 1)
	p, errs := prepareIn(t, folder, text)
	require.NoError(t, errors.Join(errs...))
	p.until(2.5)
	require.Equal(t, []string{"2.00 Horn start", "2.00 Horn end"}, p.of("Horn"))
	require.Equal(t, []float64{10, 1, 1}, []float64{p.world.Entities[0].V,
		p.world.Entities[1].V, p.world.Entities[2].V})
}

// pedestrian is a pedestrian in the document.
const pedestrian = `<Pedestrian name="Other" mass="80" pedestrianCategory="pedestrian">` +
	`<BoundingBox><Center x="0" y="0" z="0"/><Dimensions width="1" length="1" height="2"/>` +
	`</BoundingBox><Properties/></Pedestrian>`
