package play_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/scenario"
	"gosmp/scenario/internal/line"
	"gosmp/scenario/play"
	"gosmp/timebase"
)

// approach has an Ego that drives at 10 m/s towards a Target standing 30 m ahead. At the time
// $Brake Ego brakes to 0 in 1 s, and the scenario ends at $End.
const approach = `<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-01-01T00:00:00" description="" author=""/>
<ParameterDeclarations><ParameterDeclaration name="Brake" parameterType="double" value="2"/>
<ParameterDeclaration name="End" parameterType="double" value="5"/></ParameterDeclarations>
<MonitorDeclarations><MonitorDeclaration name="braked" value="false"/></MonitorDeclarations>
<CatalogLocations/><RoadNetwork/>
<Entities><ScenarioObject name="Target"><ExternalObjectReference name="T"/></ScenarioObject>
<ScenarioObject name="Ego"><ExternalObjectReference name="E"/></ScenarioObject></Entities>
<Storyboard><Init><Actions>
<Private entityRef="Target"><PrivateAction><TeleportAction><Position><WorldPosition x="30" y="0"/>
</Position></TeleportAction></PrivateAction></Private>
<Private entityRef="Ego"><PrivateAction><TeleportAction><Position><WorldPosition x="0" y="0"/>
</Position></TeleportAction></PrivateAction><PrivateAction><LongitudinalAction><SpeedAction>
<SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time" value="0"/>
<SpeedActionTarget><AbsoluteTargetSpeed value="10"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction></PrivateAction></Private></Actions></Init>
<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="Ego"/></Actors><Maneuver name="M">
<Event name="Stop" priority="parallel"><Action name="brake"><PrivateAction><LongitudinalAction>
<SpeedAction><SpeedActionDynamics dynamicsShape="linear" dynamicsDimension="time" value="1"/>
<SpeedActionTarget><AbsoluteTargetSpeed value="0"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction></PrivateAction></Action><Action name="note"><GlobalAction>
<SetMonitorAction monitorRef="braked" value="true"/></GlobalAction></Action>
<StartTrigger><ConditionGroup><Condition name="time to brake" conditionEdge="rising" delay="0">
<ByValueCondition><SimulationTimeCondition rule="greaterOrEqual" value="$Brake"/></ByValueCondition>
</Condition></ConditionGroup></StartTrigger></Event></Maneuver></ManeuverGroup></Act></Story>
<StopTrigger><ConditionGroup><Condition name="end" conditionEdge="none" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="$End"/></ByValueCondition></Condition>
</ConditionGroup></StopTrigger></Storyboard></OpenSCENARIO>`

type setup struct {
	values  scenario.Values
	options play.Options
	require []string
}

func player(t require.TestingT, x setup) (*play.Player, error) {
	d, err := scenario.Parse("approach.xosc", []byte(approach))
	require.NoError(t, err)
	s, err := d.Resolve(x.values)
	require.NoError(t, err)
	for _, text := range x.require {
		r, err := play.ParseRequirement(text)
		require.NoError(t, err)
		x.options.Requirements = append(x.options.Requirements, r)
	}
	return play.New(s, line.New(s), x.options)
}

func run(t require.TestingT, x setup) *play.Result {
	p, err := player(t, x)
	require.NoError(t, err)
	r, err := p.Run(context.Background())
	require.NoError(t, err)
	return r
}

// TestOutcomes checks how a run ends, and with which exit code.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name    string
		setup   setup
		outcome play.Outcome
		code    int
		endedBy string
	}{
		{"nothing is required", setup{}, play.Finished, 0, "StopTrigger"},
		{"no step, so nothing was judged", setup{require: []string{"no collision"},
			values: scenario.Values{"End": "0"}}, play.Undecided, 1, "StopTrigger"},
		{"no step, nothing required", setup{values: scenario.Values{"End": "0"}}, play.Finished, 0,
			"StopTrigger"},
		{"satisfied", setup{require: []string{"no collision"}}, play.Passed, 0, "StopTrigger"},
		{"not satisfied", setup{require: []string{"no collision"},
			values: scenario.Values{"Brake": "3"}}, play.Failed, 1, "StopTrigger"},
		{"never ends", setup{values: scenario.Values{"End": "1e9"},
			options: play.Options{Duration: 3.5}},
			play.TimedOut, 3, "duration"},
		{"a failure before the end of time", setup{values: scenario.Values{"End": "1e9",
			"Brake": "9"},
			options: play.Options{Duration: 7}, require: []string{"no collision"}}, play.Failed, 1,
			"duration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, c.setup)
			require.Equal(t, c.outcome, r.Outcome, r.Cause)
			require.Equal(t, c.code, r.ExitCode)
			require.Equal(t, c.endedBy, r.EndedBy)
			require.Equal(t, c.code != 0, r.Cause != "")
		})
	}
}

// TestVerdicts compares verdicts with closed forms: the distance to stop from 10 m/s in 1 s is 5 m.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		text, brake string
		passed      bool
		value, time float64 // -1: none
	}{
		{"no collision", "2", true, -1, -1},
		{"collision", "2", false, -1, -1},
		{"no collision", "3", false, -1, -1},
		{"no collision with Target", "2", true, -1, -1},
		{"no collision of Target with Ego", "2", true, -1, -1},
		{"min distance > 4.9", "2", true, 5, 3},
		{"min distance to Target > 5.1", "2", false, 5, 3},
		{"min ttc >= 0.5", "2", true, 1, 2},
		{"speed <= 36 km/h", "2", true, 10, 0},
		{"speed < 9 m/s", "2", false, 10, 0},
		{"speed of Target = 0", "2", true, 0, 0},
		{"final speed = 0", "2", true, 0, 5},
		{"initial speed = 10", "2", true, 10, 0},
		{"max deceleration <= 10.001", "2", true, 10, -1},
		{"max deceleration < 1 g", "2", false, 10, -1},
		{"mean speed > 4.9", "2", true, -1, -1},
		{"traveled <= 25", "2", true, -1, -1},
		{"event Stop complete", "2", true, -1, 3},
		{"event Stop started", "9", false, -1, -1},
		{"not event Stop started", "9", true, -1, -1},
		{"action brake ended", "2", true, -1, 3},
		{"monitor braked", "2", true, -1, -1},
		{"no monitor braked", "2", false, -1, -1},
		{"impact speed < 1", "2", true, 0, -1},
		{"reaction to event Stop < 0.02", "2", true, 0.01, 2.01},
		{"reaction of Ego to event Stop <= 0.001 s", "2", false, 0.01, 2.01},
		{"reaction of Target to event Stop < 9", "2", false, -1, -1},
		{"reaction of Target to event Stop > 9", "2", true, -1, -1},
		{"impact speed < 36 km/h", "9", false, 10, -1},
	} {
		t.Run(c.text+" "+c.brake, func(t *testing.T) {
			r := run(t, setup{require: []string{c.text}, values: scenario.Values{"Brake": c.brake}})
			require.Len(t, r.Verdicts, 1)
			v := r.Verdicts[0]
			require.Equal(t, c.passed, v.Passed, "%+v", v)
			require.False(t, v.Undecided)
			if c.value > 0 && c.text != "no collision" && c.brake == "2" {
				require.NotNil(t, v.Value)
				require.InDelta(t, c.value, *v.Value, 0.01)
			}
			if c.time > 0 && c.brake == "2" {
				require.NotNil(t, v.Time)
				require.InDelta(t, c.time, *v.Time, 0.02)
			}
			if !c.passed {
				require.NotEmpty(t, v.Cause)
			}
		})
	}
}

// TestCause checks that a failed requirement states what failed and when, and the previous event
// with its place.
func TestCause(t *testing.T) {
	r := run(t, setup{require: []string{"no collision"}, values: scenario.Values{"Brake": "2.5"}})
	v := r.Verdicts[0]
	require.Regexp(t, `^Ego collides with Target at 3\.06 s, impact speed 4\.4 m/s$`, v.Cause)
	require.Regexp(t, `^endTransition of action S::A::G::M::Stop::note at 2\.5 s `+
		`\(approach\.xosc:\d+:\d+: Action\)$`, v.After)
	require.Len(t, r.Collisions, 1)
	require.Equal(t, "Target", r.Collisions[0].Other)
}

// TestUndecided checks that a requirement on a value that was never defined does not pass.
func TestUndecided(t *testing.T) {
	r := run(t, setup{require: []string{"max ttc < 1e9", "min ttc of Target > 1"}})
	require.True(t, r.Verdicts[0].Passed) // it is defined for the Ego
	require.True(t, r.Verdicts[1].Passed, "nothing is ahead of the Target")
	r = run(t, setup{require: []string{"max ttc of Target < 9"}})
	require.Equal(t, play.Undecided, r.Outcome)
	require.Equal(t, 1, r.ExitCode)
	for _, text := range []string{"reaction to event Stop < 1", "overspeed < 1"} {
		r = run(t, setup{require: []string{text}, values: scenario.Values{"Brake": "9"}})
		require.Equal(t, play.Undecided, r.Outcome, text)
	}
}

// TestWaits checks that elements that have not ended are listed, with the last value of each open
// condition.
func TestWaits(t *testing.T) {
	r := run(t, setup{values: scenario.Values{"Brake": "9"}})
	require.Len(t, r.Waits, 1)
	require.Equal(t, "event S::A::G::M::Stop", r.Waits[0].Element)
	require.Equal(t, "time to brake", r.Waits[0].Conditions[0].Name)
	require.Equal(t, "time 4.99 s >= 9 s", r.Waits[0].Conditions[0].Value)
	var text bytes.Buffer
	require.NoError(t, r.Print(&text))
	require.Contains(t, text.String(), "waits for time to brake: time 4.99 s >= 9 s")
	r = run(t, setup{values: scenario.Values{"Brake": "0"}}) // rising, but true from the start
	require.Len(t, r.Waits, 1)
	require.Equal(t, "time 4.99 s >= 0 s (has been true since its last edge or from the start)",
		r.Waits[0].Conditions[0].Value)
}

// TestTrajectories checks the rows of a run, which are written at multiples of the interval.
func TestTrajectories(t *testing.T) {
	var text bytes.Buffer
	run(t, setup{options: play.Options{Trajectories: &text, Interval: 2.5}})
	require.Equal(t, `time,entity,x,y,h,speed,s,t,road,lane
0.0,Target,30.0000,0.0000,0.0000,0.0000,30.0000,0.0000,1,-1
0.0,Ego,0.0000,0.0000,0.0000,10.0000,0.0000,0.0000,1,-1
2.5,Target,30.0000,0.0000,0.0000,0.0000,30.0000,0.0000,1,-1
2.5,Ego,23.7500,0.0000,0.0000,5.0000,23.7500,0.0000,1,-1
5.0,Target,30.0000,0.0000,0.0000,0.0000,30.0000,0.0000,1,-1
5.0,Ego,25.0000,0.0000,0.0000,0.0000,25.0000,0.0000,1,-1
`, text.String())
}

// TestForms checks that JSON can be read back, that JUnit has a case for each requirement and one
// for the end, and that the log has a line for each transition.
func TestForms(t *testing.T) {
	var log, xml bytes.Buffer
	r := run(t, setup{require: []string{"no collision", "monitor braked", "speed < 1"},
		options: play.Options{Log: &log}})
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var back play.Result
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, *r, back)
	require.NoError(t, r.WriteJUnit(&xml))
	require.Equal(t, 4, strings.Count(xml.String(), "<testcase "))
	require.Equal(t, 1, strings.Count(xml.String(), "<failure "))
	require.Contains(t, log.String(),
		"   2.000  event Stop: startTransition (time to brake)\n")
}

// TestReproducible checks that the same run has the same hash, and a different run has a different
// one.
func TestReproducible(t *testing.T) {
	a, b := run(t, setup{}), run(t, setup{})
	require.Equal(t, a, b)
	require.NotEqual(t, a.TraceHash, run(t,
		setup{values: scenario.Values{"Brake": "2.01"}}).TraceHash)
	finer := run(t, setup{options: play.Options{Step: timebase.Every(0.005)}})
	require.EqualValues(t, 2*a.Steps, finer.Steps)
}

// TestInterruption checks that the result states how far an interrupted run got, and that no
// requirement passes, because the rest of the run was never simulated.
func TestInterruption(t *testing.T) {
	p, err := player(t, setup{require: []string{"no collision", "speed < 0"}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := p.Run(ctx)
	require.NoError(t, err)
	require.Equal(t, play.Interrupted, r.Outcome)
	require.True(t, r.Verdicts[0].Undecided)
	require.Equal(t, "undecided: no collision: the run ended early, at 0 s, by an interruption",
		r.Verdicts[0].String())
	require.False(t, r.Verdicts[1].Passed || r.Verdicts[1].Undecided, "what is violated stays so")
}

// TestBrokenRun checks the same for a run that a driver ends by an error.
func TestBrokenRun(t *testing.T) {
	p, err := player(t, setup{require: []string{"no collision"}})
	require.NoError(t, err)
	over, err := p.Start(t.Context())
	require.NoError(t, err)
	require.False(t, over)
	lost := errors.New("the driver is lost")
	require.ErrorIs(t, p.Finish(lost), lost)
	r := p.Result()
	require.Equal(t, "error", r.EndedBy)
	require.True(t, r.Verdicts[0].Undecided)
	var text strings.Builder
	require.NoError(t, r.WriteJUnit(&text))
	require.Contains(t, text.String(), `tests="2" failures="0" errors="2"`)
}

// TestBadRequirements checks that an unintelligible requirement is an error that states what was
// expected.
func TestBadRequirements(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "found the end",
		"min":                    "expected acceleration",
		"min tct > 1":            "ttc",
		"speed":                  "expected <, <=",
		"speed > fast":           "a number in m/s",
		"speed > 1 s":            "found \"s\"",
		"speed > 1 m/s now":      "the end of the requirement",
		"speed of":               "the name of an entity",
		"no speed > 1":           "collision, dismissal, monitor",
		"event E":                "started, ended",
		"impact velocity < 1":    "expected speed",
		"speed of Ego to X > 1":  "a rule",
		"no collision of A to B": "the end of the requirement",
		"reaction to X < 1":      "expected story, act",
		"reaction of A < 1":      "expected to",
		"reaction to event":      "the name of the event",
		"speed < inf":            "a number in m/s",
		"speed != nan":           "a number in m/s",
		"min ttc >= 0":           "found a bound that no run can violate, expected a bound above",
		"distance to B > -1 m":   "no run can violate",
		"pet != -1":              "no run can violate",
		"impact speed >= 0":      "no run can violate",
		"min ttc < 0":            "no run can meet",
		"headway = -1":           "no run can meet",
		"reaction to act A < 0":  "no run can meet",
	} {
		_, err := play.ParseRequirement(text)
		require.ErrorIs(t, err, play.ErrRequirement, text)
		require.ErrorContains(t, err, want)
	}
	for _, text := range []string{"speed >= 0", "acceleration < 0", "overspeed <= 0",
		"deceleration > -9", "distance > 0", "distance = 0", "jerk <= 0", "reaction to act A != -1",
		"impact speed <= 0", "traveled >= 1e-6"} {
		_, err := play.ParseRequirement(text)
		require.NoError(t, err, text)
	}
	for text, want := range map[string]string{"speed of X > 1": `"X"`, "event X complete": `"X"`,
		"monitor X": `"X"`, "no collision with ego": "did you mean",
		"no collision with Ego": "other than itself", "ttc of Ego to Ego > 1": "itself"} {
		_, err := player(t, setup{require: []string{text}})
		require.ErrorIs(t, err, play.ErrRequirement, text)
		require.ErrorContains(t, err, want)
	}
}

// TestReadRequirements checks that a file has one requirement in each line, and that errors state
// the line.
func TestReadRequirements(t *testing.T) {
	list, err := play.ReadRequirements("r.txt", strings.NewReader("\ufeff# all\nno collision\n\n"+
		"min ttc > 0.5 s # of the Ego\n"))
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "min ttc > 0.5 s", list[1].Text)
	require.Equal(t, 4, list[1].Place.Line)
	_, err = play.ReadRequirements("r.txt", strings.NewReader("no collision\nmin speed\n"))
	require.ErrorContains(t, err, "r.txt:2")
	for _, nothing := range []string{"", "\n\n", "# no collision\n"} {
		_, err = play.ReadRequirements("r.txt", strings.NewReader(nothing))
		require.ErrorIs(t, err, play.ErrRequirement)
		require.ErrorContains(t, err, "r.txt: bad requirement: found no requirement")
	}
}

// TestRequirements_AnyText checks that any text is either refused, or read and written back to an
// equal requirement.
func TestRequirements_AnyText(t *testing.T) {
	words := []string{"no", "not", "min", "max", "speed", "ttc", "of", "to", "Ego", "<", ">=", "1",
		"km/h",
		"event", "E", "complete", "reaction", "collision", "with", "monitor", "impact",
		"=", "-3e9", "\x00"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 9).Draw(t, "words"), " ")
		r, err := play.ParseRequirement(text)
		if err != nil {
			if !errors.Is(err, play.ErrRequirement) {
				t.Fatal(err)
			}
			return
		}
		again, err := play.ParseRequirement(r.Text)
		if err != nil || again != r {
			t.Fatalf("%q: %v, %v", text, r, again)
		}
	})
}
