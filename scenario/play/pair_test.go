package play_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
)

// bends is two roads that curve to the left with a radius of 100 m, one after the other. The s of
// the second one runs the other way.
const bends = `<OpenDRIVE><header revMajor="1" revMinor="6"/>
<road id="1" length="100" junction="-1"><link><successor elementType="road" elementId="2"
contactPoint="end"/></link><planView><geometry s="0" x="0" y="0" hdg="0" length="100">
<arc curvature="0.01"/></geometry></planView><lanes><laneSection s="0"><left><lane id="1"
type="driving"><link><successor id="-1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
</left><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving"><link>
<successor id="1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection>
</lanes></road>
<road id="2" length="100" junction="-1"><link><successor elementType="road" elementId="1"
contactPoint="end"/></link><planView><geometry s="0" x="90.92974268256817" y="141.61468365471424"
hdg="-1.1415926535897931" length="100"><arc curvature="-0.01"/></geometry></planView><lanes>
<laneSection s="0"><left><lane id="1" type="driving"><link><successor id="-1"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></left><center><lane id="0" type="none"/>
</center><right><lane id="-1" type="driving"><link><successor id="1"/></link><width sOffset="0"
a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road></OpenDRIVE>`

// following is a car at 15 m/s that follows another one, 30 m ahead along its lane in the bend.
const following = `<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-01-01T00:00:00" description="" author=""/>
<RoadNetwork/><Entities>CARS</Entities><Storyboard><Init><Actions>PLACES</Actions></Init>
<StopTrigger><ConditionGroup><Condition name="end" conditionEdge="none" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="1"/></ByValueCondition></Condition>
</ConditionGroup></StopTrigger></Storyboard></OpenSCENARIO>`

// judged runs the two cars and returns the verdicts on requirements of Ego with respect to Target.
func judged(t *testing.T, road string, lane int, s, turn, speed float64,
	demands ...string) []play.Verdict {
	cars, places := "", ""
	for _, c := range []struct {
		name, road string
		lane       int
		s, turn, v float64
	}{{"Ego", "1", -1, 60, turn, 15}, {"Target", road, lane, s, 0, speed}} {
		cars += `<ScenarioObject name="` + c.name + `"><Vehicle name="v" vehicleCategory="car">
<BoundingBox><Center x="1.4" y="0" z="0.75"/><Dimensions width="2" length="5" height="1.5"/>
</BoundingBox><Performance maxSpeed="70" maxAcceleration="10" maxDeceleration="10"/><Axles>
<RearAxle maxSteering="0" wheelDiameter="0.8" trackWidth="1.7" positionX="0" positionZ="0.4"/></Axles>
<Properties/></Vehicle></ScenarioObject>`
		places += fmt.Sprintf(`<Private entityRef="%s"><PrivateAction><TeleportAction><Position>
<LanePosition roadId="%s" laneId="%d" s="%g"><Orientation type="relative" h="%g"/></LanePosition>
</Position></TeleportAction></PrivateAction><PrivateAction><LongitudinalAction><SpeedAction>
<SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time" value="0"/><SpeedActionTarget>
<AbsoluteTargetSpeed value="%g"/></SpeedActionTarget></SpeedAction></LongitudinalAction>
</PrivateAction></Private>`, c.name, c.road, c.lane, c.s, c.turn, c.v)
	}
	d, err := scenario.Parse("following.xosc", []byte(strings.NewReplacer("CARS", cars, "PLACES",
		places).Replace(following)))
	require.NoError(t, err)
	resolved, err := d.Resolve(nil)
	require.NoError(t, err)
	m, err := opendrive.Read("bends.xodr", strings.NewReader(bends))
	require.NoError(t, err)
	w, err := entities.New(resolved, entities.Options{Map: m})
	require.NoError(t, err)
	defer w.Close()
	var list []play.Requirement
	for _, text := range demands {
		r, err := play.ParseRequirement(text)
		require.NoError(t, err)
		list = append(list, r)
	}
	p, err := play.New(resolved, w, play.Options{Requirements: list})
	require.NoError(t, err)
	result, err := p.Run(context.Background())
	require.NoError(t, err)
	return result.Verdicts
}

// TestPair_InABend checks that headway and time to collision follow a bend, although the other
// entity is not on the axis of the first one, and also across the end of the road.
func TestPair_InABend(t *testing.T) {
	const pace = 1 / 1.0175 // of s on the lane
	for _, c := range []struct {
		road string
		lane int
		s    float64
	}{{"1", -1, 90}, {"2", 1, 90}} {
		ahead := 30.0
		if c.road == "2" {
			ahead = 50
		}
		v := judged(t, c.road, c.lane, c.s, 0, 10, "min headway > 99", "min ttc > 99")
		require.InDelta(t, (ahead-5-5*pace)/15, *v[0].Value, 1e-6, "%+v", v)
		require.InDelta(t, (ahead-5-5*pace)/(5*pace), *v[1].Value, 1e-6, "%+v", v)
	}
	// A car in the other lane is not ahead, nor is one that is behind on the axis only.
	v := judged(t, "1", 1, 90, 0, 10, "min headway > 99")
	require.Nil(t, v[0].Value)
	// A car across the road has what is on its axis ahead.
	v = judged(t, "1", -1, 90, 0.5, 10, "min headway > 99")
	require.Nil(t, v[0].Value)
}

// TestCollision_WithinAStep: the time of a collision of boxes is interpolated, also after many
// steps.
func TestCollision_WithinAStep(t *testing.T) {
	const gap = 2.05 // m, after 5 m between the reference points of the cars
	v := judged(t, "1", -1, 60+(5+gap)/1.0175, 0, 5, "no collision")
	require.False(t, v[0].Passed)
	require.InDelta(t, gap/10, *v[0].Time, 0.02)
	require.InDelta(t, 15, *v[0].Value, 1e-6)
	require.Equal(t, "Target", v[0].Other)
}
