package scenariopage_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/report/scenariopage"
	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
)

const walk = `<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-11-26T12:00:00" description="" author=""/>
<CatalogLocations/><RoadNetwork/>
<Entities><ScenarioObject name="W&lt;b&gt;">
<Pedestrian name="p" mass="80" pedestrianCategory="pedestrian">
<BoundingBox><Center x="0" y="0" z="0.9"/><Dimensions width="0.5" length="0.6" height="1.8"/>
</BoundingBox></Pedestrian></ScenarioObject></Entities>
<Storyboard><Init><Actions><Private entityRef="W&lt;b&gt;"><PrivateAction><TeleportAction><Position>
<WorldPosition x="0" y="0"/></Position></TeleportAction></PrivateAction></Private></Actions></Init>
<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="W&lt;b&gt;"/></Actors>
<Maneuver name="M">
<Event name="Go" priority="parallel"><Action name="go"><PrivateAction><LongitudinalAction>
<SpeedAction>
<SpeedActionDynamics dynamicsShape="linear" dynamicsDimension="time" value="2"/><SpeedActionTarget>
<AbsoluteTargetSpeed value="2"/></SpeedActionTarget></SpeedAction></LongitudinalAction>
</PrivateAction></Action></Event></Maneuver></ManeuverGroup></Act></Story>
<StopTrigger><ConditionGroup><Condition name="end" conditionEdge="none" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="END"/></ByValueCondition></Condition>
</ConditionGroup></StopTrigger></Storyboard></OpenSCENARIO>`

func page(t *testing.T, end string) string {
	d, err := scenario.Parse("walk.xosc", []byte(strings.Replace(walk, "END", end, 1)))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	w, err := entities.New(s, entities.Options{})
	require.NoError(t, err)
	r, err := play.ParseRequirement("max speed < 1.5")
	require.NoError(t, err)
	p, err := play.New(s, w, play.Options{Requirements: []play.Requirement{r}})
	require.NoError(t, err)
	rec := scenariopage.NewRecorder(s, w)
	p.Watch(rec.Look)
	result, err := p.Run(context.Background())
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, scenariopage.Write(&text, result, rec, nil))
	return text.String()
}

// TestWrite: the page has verdict, timeline, curves and playback, escapes names, and needs no
// network.
func TestWrite(t *testing.T) {
	text := page(t, "3")
	require.Contains(t, text, `<span class="failed">failed</span>`)
	require.Contains(t, text, "max speed of W&lt;b&gt; is 2 m/s")
	require.Contains(t, text, ">event Go<title>event S::A::G::M::Go</title>")
	require.Contains(t, text, "<title>0 to 2 s</title>")
	require.Equal(t, 2, strings.Count(text, `<path class="line"`))
	require.Contains(t, text, `boxes = [{"Length":0.6,"Width":0.5,"X":0,"Y":0}]`)
	require.NotContains(t, text, "<b>is")
	require.NotContains(t, strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), "http")
}

// TestWrite_IsBounded: a long run has as many samples as a short one.
func TestWrite_IsBounded(t *testing.T) {
	require.Less(t, len(page(t, "400")), 300_000)
}
