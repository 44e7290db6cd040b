package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
	"gosmp/scenario"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
	"gosmp/sweep"
)

// onPlane is a scenario on a plane, in which a pedestrian walks at $v m/s. ACTION stands for an
// action in one of its events.
const onPlane = `<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="2" date="2026-11-26T12:00:00" description="" author=""/>
<ParameterDeclarations><ParameterDeclaration name="v" parameterType="double" value="1">
<ConstraintGroup>
<ValueConstraint rule="lessThan" value="3"/></ConstraintGroup></ParameterDeclaration>
</ParameterDeclarations>
<CatalogLocations/><RoadNetwork/>
<Entities><ScenarioObject name="Walker">
<Pedestrian name="p" mass="80" pedestrianCategory="pedestrian">
<BoundingBox><Center x="0" y="0" z="0.9"/><Dimensions width="0.5" length="0.5" height="1.8"/>
</BoundingBox><Properties/></Pedestrian></ScenarioObject></Entities>
<Storyboard><Init><Actions><Private entityRef="Walker"><PrivateAction><TeleportAction><Position>
<WorldPosition x="0" y="0"/></Position></TeleportAction></PrivateAction>
<PrivateAction><LongitudinalAction><SpeedAction>
<SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time" value="0"/><SpeedActionTarget>
<AbsoluteTargetSpeed value="$v"/></SpeedActionTarget></SpeedAction></LongitudinalAction>
</PrivateAction>
</Private></Actions></Init>
<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="Walker"/></Actors><Maneuver name="M">
<Event name="E" priority="override"><Action name="a">ACTION</Action><StartTrigger><ConditionGroup>
<Condition name="second" conditionEdge="rising" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="1"/></ByValueCondition></Condition>
</ConditionGroup></StartTrigger></Event></Maneuver></ManeuverGroup><StartTrigger><ConditionGroup>
<Condition name="start" conditionEdge="none" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="0"/></ByValueCondition></Condition>
</ConditionGroup></StartTrigger></Act></Story>
<StopTrigger><ConditionGroup><Condition name="end" conditionEdge="none" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="2"/></ByValueCondition></Condition>
</ConditionGroup></StopTrigger></Storyboard></OpenSCENARIO>`

const command = `<UserDefinedAction><CustomCommandAction type="exitFailure"/></UserDefinedAction>`

const hide = `<PrivateAction><VisibilityAction graphics="true" sensors="false" traffic="true"/>` +
	`</PrivateAction>`

func scenarioFile(t *testing.T, action string) string {
	name := filepath.Join(t.TempDir(), "walk.xosc")
	text := strings.Replace(onPlane, "ACTION", action, 1)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// onLine is a writer that calls a function for each line.
type onLine func(line string)

func (f onLine) Write(line []byte) (int, error) { f(string(line)); return len(line), nil }

// TestRun_ScenarioTellsWhatHappens: a program receives each transition when it happens, so that it
// can end a run that would take days.
func TestRun_ScenarioTellsWhatHappens(t *testing.T) {
	name := scenarioFile(t, hide)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	endless := strings.Replace(string(text), `rule="greaterOrEqual" value="2"`,
		`rule="greaterOrEqual" value="1e9"`, 1)
	require.NoError(t, os.WriteFile(name, []byte(endless), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o, duration := Defaults(name), 1e8
	o.Duration, o.Journal = &duration, onLine(func(line string) {
		if strings.Contains(line, "event E: endTransition") {
			cancel()
		}
	})
	r, err := Run(ctx, o)
	require.NoError(t, err)
	require.Equal(t, play.Interrupted, r.Scenario.Outcome)
	require.Less(t, r.Scenario.Time, 1.1)
}

// TestRun_Scenario: the run returns the result of the scenario, and a negative verdict is not an
// error.
func TestRun_Scenario(t *testing.T) {
	o := Defaults(scenarioFile(t, hide))
	o.Require = []string{"final speed = 1", "traveled <= 2"}
	r, err := Run(context.Background(), o)
	require.NoError(t, err)
	require.True(t, r.Passed, "%+v", r.Scenario)
	require.Equal(t, play.Passed, r.Scenario.Outcome)
	require.Len(t, r.Scenario.SHA256, 64)
	o.Require = []string{"speed > 1"}
	r, err = Run(context.Background(), o)
	require.NoError(t, err)
	require.False(t, r.Passed)
	r, err = Run(context.Background(), Defaults(scenarioFile(t, command)))
	require.NoError(t, err)
	require.False(t, r.Passed)
	require.InDelta(t, 1, r.Scenario.Time, 1e-9)
}

// TestRun_ScenarioRefuses: errors in options or in the file have the exit code for invalid input.
func TestRun_ScenarioRefuses(t *testing.T) {
	name := scenarioFile(t, hide)
	zero, point := 0.0, 1
	for want, change := range map[string]func(*Options){
		"--duration":        func(o *Options) { o.Duration = &zero },
		"--output-interval": func(o *Options) { o.OutputInterval = &zero },
		"--step-size":       func(o *Options) { o.StepSize = &zero },
		"--point":           func(o *Options) { o.Point = &point },
		"bad requirement":   func(o *Options) { o.Require = []string{"speed"} },
		"no-such-file":      func(o *Options) { o.Require = []string{"@no-such-file"} },
		"--connect":         func(o *Options) { o.Connections = []Connection{{"a", "b"}} },
		"violated":          func(o *Options) { o.Set = settings("v", "4") },
	} {
		o := Defaults(name)
		change(&o)
		_, err := Run(context.Background(), o)
		require.ErrorContains(t, err, want)
		require.Equal(t, Invalid, ExitCode(err), "%v", err)
	}
}

// TestRun_RefusesUnknownPartsOfCatalogEntries: no part of a catalog entry is ever ignored.
func TestRun_RefusesUnknownPartsOfCatalogEntries(t *testing.T) {
	folder := t.TempDir()
	entry, err := os.ReadFile("../scenario/check/testdata/catalogs/vehicles.xosc")
	require.NoError(t, err)
	text, err := os.ReadFile("../scenario/check/testdata/clean.xosc")
	require.NoError(t, err)
	road, err := os.ReadFile("../scenario/check/testdata/road.xodr")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "catalogs"), 0o700))
	name := filepath.Join(folder, "s.xosc")
	require.NoError(t, os.WriteFile(name, text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "road.xodr"), road, 0o600))
	catalog := filepath.Join(folder, "catalogs", "v.xosc")
	o := Defaults(name)
	duration := 0.1
	o.Duration = &duration
	for old, refused := range map[string]bool{"": false, "<Axles>": true,
		"<Performance": true} {
		written := entry
		if old != "" {
			written = []byte(strings.Replace(string(entry), old, "<Power/>"+old, 1))
		}
		require.NoError(t, os.WriteFile(catalog, written, 0o600))
		_, err = OpenScenario(o)
		if !refused {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, scenario.ErrDocument)
		require.ErrorContains(t, err, "v.xosc:")
		require.ErrorContains(t, err, "found the element Power in Vehicle")
	}
}

// TestRun_NotesDeviations: a run accepts what the schema forbids but has only one meaning, and says
// so, with the place.
func TestRun_NotesDeviations(t *testing.T) {
	name := scenarioFile(t, hide)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	text = []byte(strings.Replace(string(text), "<Storyboard>",
		"<Storyboard><!-- <!-- -- -->", 1))
	require.NoError(t, os.WriteFile(name, text, 0o600))
	s, err := OpenScenario(Defaults(name))
	require.NoError(t, err)
	r, err := s.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, "deviation", r.Notes[0].Kind)
	require.Contains(t, r.Notes[0].Text, filepath.Base(name)+":")
	require.Contains(t, r.Notes[0].Text, `found "--" in a comment`)
}

// settings returns settings from alternating names and values.
func settings(texts ...string) (list []trial.Setting) {
	for k := 0; k < len(texts); k += 2 {
		list = append(list, trial.Setting{Name: texts[k], Value: texts[k+1]})
	}
	return list
}

// TestCheckScenario: everything that a run would refuse has a finding of the rule
// xosc.engine.unsupported, with line and column; everything else has none.
func TestCheckScenario(t *testing.T) {
	const swarm = `<GlobalAction><TrafficAction><TrafficSwarmAction innerRadius="10"
numberOfVehicles="3" offset="0" semiMajorAxis="50" semiMinorAxis="50"><CentralObject
entityRef="Walker"/><TrafficDefinition name="t"><VehicleCategoryDistribution>
<VehicleCategoryDistributionEntry category="car" weight="1"/></VehicleCategoryDistribution>
<ControllerDistribution><ControllerDistributionEntry weight="1"><Controller name="c"><Properties/>
</Controller></ControllerDistributionEntry></ControllerDistribution></TrafficDefinition>
</TrafficSwarmAction></TrafficAction></GlobalAction>`
	for action, count := range map[string]int{swarm: 1, hide: 0, command: 0} {
		d, err := scenario.Open(scenarioFile(t, action))
		require.NoError(t, err)
		list := CheckScenario(d)
		require.Len(t, list, count, "%v", list)
		for _, f := range list {
			require.Equal(t, "xosc.engine.unsupported", f.ID)
			require.Positive(t, f.Place.Line)
			require.Positive(t, f.Place.Column)
		}
	}
}

// TestExplain follows conditions through a run.
func TestExplain(t *testing.T) {
	list, _, err := Explain(context.Background(), Defaults(scenarioFile(t, hide)), "second", false)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.InDelta(t, 1, list[0].First.Time, 1e-9)
	require.Len(t, list[0].Readings, 2, "the first evaluation, and the edge")
	require.Equal(t, 101, list[0].Count, "as long as the event is in standby")
	list, _, err = Explain(context.Background(), Defaults(scenarioFile(t, hide)), "", true)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Len(t, list[0].Readings, list[0].Count)
}

// TestCase_Scenario runs a scenario as a case of a plan.
func TestCase_Scenario(t *testing.T) {
	name := scenarioFile(t, hide)
	row := Case(context.Background(), CaseOptions{File: name, Set: settings("v", "2", "--require",
		"max speed < 1.5")})
	require.Equal(t, "failed", row.Outcome)
	require.InDelta(t, 2, row.Metrics["max speed"], 1e-9)
	require.Contains(t, row.Cause, "max speed of Walker")
	row = Case(context.Background(), CaseOptions{File: name, Set: settings("v", "2")})
	require.Equal(t, Finished, row.Outcome)
	require.Error(t, TryCase(CaseOptions{File: name, Set: settings("w", "2")}))
	require.Equal(t, Faulty, Case(context.Background(), CaseOptions{File: name,
		Set: settings("v", "fast")}).Outcome)
}

// The points of a stochastic distribution are the cases of its sweep, and the values of a parameter
// do not depend on the other parameters.
func TestOpenScene_OfAStochasticDistribution(t *testing.T) {
	dir := t.TempDir()
	both := strings.Replace(onPlane, "<ParameterDeclarations>", `<ParameterDeclarations>
<ParameterDeclaration name="w" parameterType="double" value="1"/>`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.xosc"), []byte(both), 0o600))
	distribution := func(name string) string {
		return `<StochasticDistribution parameterName="` + name + `"><UniformDistribution>
<Range lowerLimit="1" upperLimit="2"/></UniformDistribution></StochasticDistribution>`
	}
	write := func(distributions string) string {
		file := filepath.Join(dir, "drawn.xosc")
		require.NoError(t, os.WriteFile(file, []byte(`<OpenSCENARIO><FileHeader revMajor="1"
revMinor="2" date="2026-11-26T12:00:00" description="" author=""/><ParameterValueDistribution>
<ScenarioFile filepath="x.xosc"/><Stochastic numberOfTestRuns="4" randomSeed="7">`+distributions+
			`</Stochastic></ParameterValueDistribution></OpenSCENARIO>`), 0o600))
		return file
	}
	values := map[string]bool{}
	for _, text := range []string{distribution("v"), distribution("w") + distribution("v")} {
		file := write(text)
		for k := range 4 {
			s, err := OpenScene(file, &k)
			require.NoError(t, err)
			values[s.Values["v"]] = true
		}
		k := 4
		_, err := OpenScene(file, &k)
		require.ErrorContains(t, err, "a number from 0 to 3")
	}
	require.Len(t, values, 4)
	k := 0
	_, err := OpenScene(write(""), &k)
	require.ErrorIs(t, err, sweep.ErrPlan)
	require.Equal(t, Invalid, ExitCode(err))
	file := write(distribution("u"))
	_, err = OpenScene(file, &k)
	require.ErrorContains(t, err, file+`:3:106: StochasticDistribution.parameterName: bad parameter: `+
		`found no parameter "u", expected w, v`)
	require.Equal(t, Invalid, ExitCode(err))
	require.NoError(t, os.Remove(filepath.Join(dir, "x.xosc")))
	_, err = OpenScene(write(distribution("v")), &k)
	require.ErrorContains(t, err, file+":3:15: ScenarioFile.filepath: bad distribution: found x.xosc")
	require.Equal(t, Invalid, ExitCode(err))
}

// TestScenario_InterruptedBetweenTheRuns: without the second run there is no comparison of steps, so
// the result is an interruption, whose files are written.
func TestScenario_InterruptedBetweenTheRuns(t *testing.T) {
	o := Defaults(scenarioFile(t, hide))
	duration := 0.2
	o.Duration, o.Halve, o.JUnit = &duration, true, filepath.Join(t.TempDir(), "halved.xml")
	s, err := OpenScenario(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s.Watch(func(b *storyboard.Board) {
		if b.Now() > duration-1e-6 {
			cancel()
		}
	})
	r, err := s.Run(ctx)
	require.NoError(t, err)
	require.Equal(t, "duration", r.EndedBy, "the first run is complete")
	require.Equal(t, []any{play.Interrupted, 1}, []any{r.Outcome, r.ExitCode})
	require.Contains(t, r.Cause, "in the second run")
	require.Nil(t, r.Halved)
	text, err := os.ReadFile(o.JUnit)
	require.NoError(t, err)
	require.Contains(t, string(text), `errors="1"`)
}
