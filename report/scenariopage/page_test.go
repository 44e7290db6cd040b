package scenariopage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	pages "gosmp/report/internal/page"
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

// TestWrite: the page has a verdict, a timeline, curves and a playback, escapes names, and works
// offline.
func TestWrite(t *testing.T) {
	text := page(t, "3")
	require.Contains(t, text, `<span class="outcome failed">failed</span>`)
	require.Contains(t, text, "max speed of W&lt;b&gt; is 2 m/s")
	require.NotContains(t, text, "<b>is")
	require.NotContains(t, text, "%!", "a value that cannot be formatted")
	require.NotContains(t, text, "0xc0", "an address")
	require.NotContains(t, text, "http")
	match := regexp.MustCompile(`(?m)id="data">(.*)</script>`).FindStringSubmatch(text)
	require.Len(t, match, 2)
	var p pages.Playback
	p.Scene = &pages.Scene{}
	require.NoError(t, json.Unmarshal([]byte(match[1]), &p))
	require.Equal(t, []pages.Lane{{Name: "story S", Bars: []pages.Bar{
		{To: 2, Text: "act A"}, {To: 2, Text: "event Go", Order: 1},
		{To: 2, Text: "action go", Order: 2}}}}, p.Lanes)
	s := p.Scene.(*pages.Scene)
	require.Equal(t, "W<b>", s.Bodies[0].Name)
	require.InDelta(t, 0.6, s.Bodies[0].Length, 0)
	require.Len(t, s.Frames, 61)
	require.Equal(t, s.Frames[20].Pose, s.Frames[20].Objects[1:4])
	require.InDelta(t, 1, s.Frames[20].Objects[4], 0.02, "half of the speed after half of the time")
	require.Equal(t, "W<b> speed, m/s", p.Curves.List[0].Path)
	require.InDelta(t, 1, p.Curves.List[0].Values[20], 0.02)
	require.Contains(t, p.Changes, 2.)
}

// TestWrite_IsBounded: a long run has as many samples as a short one.
func TestWrite_IsBounded(t *testing.T) {
	require.Less(t, len(page(t, "400")), 300_000)
}
