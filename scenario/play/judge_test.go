package play

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/internal/line"
	"gosmp/scenario/storyboard"
)

// chase has an Ego that drives at 10 m/s towards a Target at 4 m/s, 30 m ahead. In CRITERIA, the
// StopTrigger may have more conditions, and in EVENTS, the story more events.
const chase = `<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-01-01T00:00:00" description="" author=""/>
<ParameterDeclarations/><CatalogLocations/><RoadNetwork/>
<Entities><ScenarioObject name="Target"><ExternalObjectReference name="T"/></ScenarioObject>
<ScenarioObject name="Ego"><ExternalObjectReference name="E"/></ScenarioObject>
<ScenarioObject name="Other"><ExternalObjectReference name="O"/></ScenarioObject></Entities>
<Storyboard><Init><Actions>PLACES</Actions></Init>
<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="Ego"/></Actors><Maneuver name="M">
EVENTS</Maneuver></ManeuverGroup></Act></Story><StopTrigger><ConditionGroup>
<Condition name="end" conditionEdge="none" delay="0"><ByValueCondition><SimulationTimeCondition
rule="greaterOrEqual" value="6"/></ByValueCondition></Condition></ConditionGroup>CRITERIA
</StopTrigger></Storyboard></OpenSCENARIO>`

// placed returns the initial actions of an entity.
func placed(name, x, speed string) string {
	return `<Private entityRef="` + name + `"><PrivateAction><TeleportAction><Position>
<WorldPosition x="` + x + `" y="0"/></Position></TeleportAction></PrivateAction><PrivateAction>
<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time"
value="0"/><SpeedActionTarget><AbsoluteTargetSpeed value="` + speed + `"/></SpeedActionTarget>
</SpeedAction></LongitudinalAction></PrivateAction></Private>`
}

// eventAt returns an event at 1 s that does not change anything.
func eventAt(name string) string {
	return `<Event name="` + name + `" priority="parallel"><Action name="a"><PrivateAction>
<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time"
value="0"/><SpeedActionTarget><AbsoluteTargetSpeed value="10"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction></PrivateAction></Action><StartTrigger><ConditionGroup><Condition name="one"
conditionEdge="rising" delay="0"><ByValueCondition><SimulationTimeCondition rule="greaterOrEqual"
value="1"/></ByValueCondition></Condition></ConditionGroup></StartTrigger></Event>`
}

// criterionOf returns a criterion in the notation of CARLA.
func criterionOf(name, value string) string {
	return `<ConditionGroup><Condition name="` + name + `" conditionEdge="rising" delay="0">
<ByValueCondition><ParameterCondition parameterRef="" value="` + value + `" rule="lessThan"/>
</ByValueCondition></Condition></ConditionGroup>`
}

// chased prepares the scenario.
func chased(t *testing.T, criteria, events string, demands ...string) (*Player, error) {
	t.Helper()
	text := strings.NewReplacer("PLACES", placed("Target", "30", "4")+placed("Ego", "0", "10")+
		placed("Other", "-500", "0"), "EVENTS", events, "CRITERIA", criteria).Replace(chase)
	if events == "" {
		from, to := strings.Index(text, "<Story "), strings.Index(text, "<StopTrigger>")
		text = text[:from] + text[to:]
	}
	d, err := scenario.Parse("chase.xosc", []byte(text))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	var o Options
	for _, text := range demands {
		r, err := ParseRequirement(text)
		require.NoError(t, err)
		o.Requirements = append(o.Requirements, r)
	}
	return New(s, line.New(s), o)
}

func chasing(t *testing.T, criteria, events string, demands ...string) *Result {
	t.Helper()
	p, err := chased(t, criteria, events, demands...)
	require.NoError(t, err)
	r, err := p.Run(t.Context())
	require.NoError(t, err)
	return r
}

// TestCollision_OfMovingEntities: the time and both speeds of a collision belong to the moment at
// which the points are within 1 m of each other, and a requirement on another entity does not
// change which collisions the result lists.
func TestCollision_OfMovingEntities(t *testing.T) {
	r := chasing(t, "", "", "no collision", "collision with Target", "collision of Target",
		"impact speed < 3", "no collision of Other")
	require.Len(t, r.Collisions, 1)
	c := r.Collisions[0]
	require.Equal(t, []string{"Ego", "Target"}, []string{c.Entity, c.Other})
	require.InDelta(t, 29.0/6, c.Time, 0.011)
	require.Equal(t, []float64{10, 4}, []float64{c.ImpactSpeed, c.OtherSpeed})
	for k, passed := range []bool{false, true, true, false, true} {
		require.Equal(t, passed, r.Verdicts[k].Passed, "%+v", r.Verdicts[k])
	}
	for _, k := range []int{0, 1, 3} {
		v := r.Verdicts[k]
		require.Equal(t, []float64{c.Time, 10}, []float64{*v.Time, *v.Value}, "%+v", v)
		require.Equal(t, "Target", v.Other)
	}
	require.Equal(t, "Ego", r.Verdicts[2].Other)
	require.Equal(t, 4.0, *r.Verdicts[2].Value)
}

// TestImpact_WorstOfSeveral: among several collisions, the fastest one counts.
func TestImpact_WorstOfSeveral(t *testing.T) {
	c := &collisions{requirement: &Requirement{kind: "impact", rule: "<", limit: 7},
		found: []Collision{{Time: 1, Other: "a", ImpactSpeed: 3}, {Time: 2, Other: "b",
			ImpactSpeed: 9}, {Time: 3, Other: "c", ImpactSpeed: 5}}}
	v := c.impact(Verdict{})
	require.False(t, v.Passed)
	require.Equal(t, "b", v.Other)
	require.Equal(t, []float64{2, 9}, []float64{*v.Time, *v.Value})
	c.found = nil
	v = c.impact(Verdict{})
	require.True(t, v.Passed)
	require.Zero(t, *v.Value)
	require.Nil(t, v.Time, "without a collision")
}

// TestCriteria_AreJudged: the criteria of a scenario are requirements, and one that cannot be
// judged makes the run undecided.
func TestCriteria_AreJudged(t *testing.T) {
	r := chasing(t, criterionOf("criteria_CollisionTest", ""), "")
	require.Equal(t, Failed, r.Outcome)
	require.Equal(t, "no collision", r.Verdicts[0].Requirement)
	r = chasing(t, criterionOf("criteria_DrivenDistanceTest", "59"), "", "collision")
	require.Equal(t, Passed, r.Outcome)
	require.Len(t, r.Verdicts, 2)
	r = chasing(t, criterionOf("criteria_KeepLaneTest", ""), "", "collision")
	require.Equal(t, Undecided, r.Outcome)
	v := r.Verdicts[1]
	require.True(t, v.Undecided && !v.Passed, "%+v", v)
	require.Equal(t, "criteria_KeepLaneTest", v.Requirement)
	require.Regexp(t, `^chase\.xosc:\d+:\d+: criteria_KeepLaneTest: gosmp does not judge`, v.Cause)
}

// TestDismissals: the first dismissal by the entity of the requirement counts.
func TestDismissals(t *testing.T) {
	p, err := chased(t, "", eventAt("E"), "no dismissal", "no dismissal of Target",
		"no dismissal of Other")
	require.NoError(t, err)
	_, err = p.Start(t.Context())
	require.NoError(t, err)
	p.last = &Event{Element: "event E", Transition: "startTransition", Time: 0.5}
	for _, n := range []storyboard.Note{{Time: 1, Entity: 0, Kind: "limited", Text: "x"},
		{Time: 2, Entity: 1, Kind: "dismissed", Text: "the first"},
		{Time: 3, Entity: 0, Kind: "dismissed", Text: "the second"},
		{Time: 4, Entity: 0, Kind: "dismissed", Text: "the third"}} {
		p.note(&n)
	}
	require.NoError(t, p.Finish(nil))
	list := p.Result().Verdicts
	for k, want := range []string{"the driver of Ego dismisses the first at 2 s",
		"the driver of Target dismisses the second at 3 s"} {
		v := list[k]
		require.Equal(t, want, v.Cause)
		require.False(t, v.Passed || v.Undecided)
		require.NotNil(t, v.Time)
		require.Contains(t, v.After, "startTransition of event E at 0.5 s (")
	}
	require.Equal(t, "Target", list[1].Entity)
	require.True(t, list[2].Undecided, "its driver has dismissed nothing so far: %+v", list[2])
}

// TestElement_Names: an element is found by its name or the end of its path; a name that several
// elements have is refused, as is one that none has, with the names to choose from.
func TestElement_Names(t *testing.T) {
	for _, name := range []string{"E", "M::E", "S::A::G::M::E"} {
		r := chasing(t, "", eventAt("E")+eventAt("F"), "not event "+name+" complete")
		require.False(t, r.Verdicts[0].Passed, name)
		require.Regexp(t, `^event S::A::G::M::E is complete at 1(\.0\d)? s \(chase\.xosc:\d+:\d+: `+
			`Event\)$`, r.Verdicts[0].Cause)
	}
	_, err := chased(t, "", eventAt("E")+eventAt("F"), "action a complete")
	require.ErrorIs(t, err, ErrRequirement)
	require.ErrorContains(t, err, `"action a complete": bad requirement: found "a", expected the `+
		"path of one element, such as S::A::G::M::E::a")
	_, err = chased(t, "", eventAt("E")+eventAt("F"), "event X complete")
	require.ErrorContains(t, err, `"event X complete": bad requirement: found "X", expected the `+
		"name of an element of type event (E, F)")
}

// TestRequirements_AllThatCannotBeJudged: the error names every requirement that is wrong.
func TestRequirements_AllThatCannotBeJudged(t *testing.T) {
	_, err := chased(t, "", "", "speed of X > 1", "no collision", "monitor Y", "speed of Z > 1")
	for _, name := range []string{`"X"`, `"Y"`, `"Z"`} {
		require.ErrorContains(t, err, name)
	}
}

// TestVerdict_String: a verdict states a value only together with its time, and a failure what
// happened before.
func TestVerdict_String(t *testing.T) {
	x := 2.0
	for want, v := range map[string]Verdict{
		"passed: r":                {Requirement: "r", Passed: true, Value: &x},
		"passed: r (2 at 2 s)":     {Requirement: "r", Passed: true, Value: &x, Time: &x},
		"undecided: r: c":          {Requirement: "r", Undecided: true, Cause: "c", After: "a"},
		"failed: r: c; after a":    {Requirement: "r", Cause: "c", After: "a", Value: &x},
		"failed: r: c":             {Requirement: "r", Cause: "c"},
		"passed: only with a time": {Requirement: "only with a time", Passed: true, Time: &x},
	} {
		require.Equal(t, want, v.String())
	}
}

// train is a world in which an Ego tows a Target.
type train struct{ *line.World }

func (train) Names() []string                     { return []string{"Target", "Ego", "Other"} }
func (train) Coupled(a, b storyboard.Entity) bool { return a+b == 1 }
func (train) Tows(a, b storyboard.Entity) bool    { return a == 1 && b == 0 }

func (train) Trailers(of storyboard.Entity) []storyboard.Entity {
	return []storyboard.Entity{0}[:of%2]
}

// TestPair_OfATrain: a trailer is not the nearest entity of its vehicle, but may be named.
func TestPair_OfATrain(t *testing.T) {
	p, err := chased(t, "", "", "min distance > 40", "min distance to Target > 40",
		"min ttc > 10", "min ttc to Target > 10")
	require.NoError(t, err)
	p, err = New(p.scenario, train{line.New(p.scenario)}, p.options)
	require.NoError(t, err)
	r, err := p.Run(t.Context())
	require.NoError(t, err)
	for k, v := range r.Verdicts {
		require.Equal(t, k%2 == 0, v.Passed, "%+v", v)
	}
}
