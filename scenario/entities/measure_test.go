package entities_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
)

// quantity returns the current value of a condition on an entity.
func quantity(t testing.TB, w *entities.World, entity storyboard.Entity, text string) (float64,
	bool) {
	d, err := scenario.Parse("test.xosc", []byte(
		`<OpenSCENARIO><FileHeader revMajor="1" revMinor="3"/>`+text+`</OpenSCENARIO>`))
	require.NoError(t, err)
	e := d.Root.Children[1]
	m, err := w.Measure(e, entity)
	require.NoError(t, err, text)
	return m.Value()
}

// scene contains the entities of these tests: A at (100, -1.75) at 20 m/s along s, B at (160,
// -5.25) at 10 m/s, P at (180, 1.75) at 2 m/s against s, and O at (130, -5.25).
func scene(t testing.TB) *run {
	return start(t, car("A", "10")+car("B", "10")+walker+box, private("A", teleport(-1,
		100)+speed(20))+
		private("B", teleport(-2, 160)+speed(10))+private("P", teleport(1, 180)+speed(2))+
		private("O", teleport(-2, 130)), "")
}

// TestMeasures checks that each entity condition has the value that follows from the positions of
// the entities.
func TestMeasures(t *testing.T) {
	w := scene(t).world
	const a = storyboard.Entity(0)
	straight := math.Hypot(60, 3.5)
	for _, c := range []struct {
		text string
		want float64
	}{
		{`<SpeedCondition rule="equalTo" value="0"/>`, 20},
		{`<SpeedCondition rule="equalTo" value="0" direction="lateral"/>`, 0},
		{`<SpeedCondition rule="equalTo" value="0" direction="longitudinal"/>`, 20},
		{`<RelativeSpeedCondition entityRef="B" rule="equalTo" value="0"/>`, 10},
		{`<RelativeSpeedCondition entityRef="P" rule="equalTo" value="0" ` +
			`direction="longitudinal"/>`, 22},
		{`<AccelerationCondition rule="equalTo" value="0"/>`, 0},
		{`<StandStillCondition duration="1"/>`, 20},
		{`<TraveledDistanceCondition value="1"/>`, 0},
		{`<EndOfRoadCondition duration="1"/>`, 0},
		{`<OffroadCondition duration="1"/>`, 0},
		{`<CollisionCondition><EntityRef entityRef="B"/></CollisionCondition>`, 0},
		{`<CollisionCondition><ByType type="vehicle"/></CollisionCondition>`, 0},
		{`<RelativeDistanceCondition entityRef="B" freespace="false"
relativeDistanceType="longitudinal" rule="equalTo" value="0"/>`, 60},
		{`<RelativeDistanceCondition entityRef="B" freespace="true"
relativeDistanceType="longitudinal" rule="equalTo" value="0"/>`, 55},
		{`<RelativeDistanceCondition entityRef="B" freespace="true" relativeDistanceType="lateral"
rule="equalTo" value="0"/>`, 1.5},
		{`<RelativeDistanceCondition entityRef="B" freespace="false" relativeDistanceType="lateral"
coordinateSystem="road" rule="equalTo" value="0"/>`, 3.5},
		{`<RelativeDistanceCondition entityRef="B" freespace="true"
relativeDistanceType="longitudinal" coordinateSystem="road" rule="equalTo" value="0"/>`, 55},
		{`<RelativeDistanceCondition entityRef="B" freespace="false"
relativeDistanceType="euclidianDistance" rule="equalTo" value="0"/>`, straight},
		{`<RelativeDistanceCondition entityRef="B" freespace="true"
relativeDistanceType="euclidianDistance" rule="equalTo" value="0"/>`, math.Hypot(55, 1.5)},
		{`<DistanceCondition freespace="false" relativeDistanceType="longitudinal" rule="equalTo"
value="0"><Position><LanePosition roadId="1" laneId="2" s="90"/></Position></DistanceCondition>`,
			10},
		{`<DistanceCondition freespace="true" relativeDistanceType="longitudinal" rule="equalTo"
value="0"><Position><LanePosition roadId="1" laneId="-1" s="150"/></Position></DistanceCondition>`, 46.1},
		{`<DistanceCondition freespace="true" rule="equalTo" value="0"><Position><LanePosition
roadId="1" laneId="-1" s="150"/></Position></DistanceCondition>`, 46.1},
		{`<DistanceCondition freespace="true" rule="equalTo" value="0"><Position><LanePosition
roadId="1" laneId="-1" s="101"/></Position></DistanceCondition>`, 0},
		{`<ReachPositionCondition tolerance="1"><Position><RelativeObjectPosition entityRef="B"
dx="0" dy="3.5"/></Position></ReachPositionCondition>`, 60},
		{`<TimeHeadwayCondition entityRef="B" freespace="false" relativeDistanceType="longitudinal"
rule="equalTo" value="0"/>`, 3},
		{`<TimeToCollisionCondition freespace="false" relativeDistanceType="longitudinal"
rule="equalTo" value="0"><TimeToCollisionConditionTarget><EntityRef entityRef="B"/>
</TimeToCollisionConditionTarget></TimeToCollisionCondition>`, 6},
		{`<TimeToCollisionCondition freespace="false" relativeDistanceType="longitudinal"
coordinateSystem="road" rule="equalTo" value="0"><TimeToCollisionConditionTarget><EntityRef
entityRef="P"/></TimeToCollisionConditionTarget></TimeToCollisionCondition>`, 80.0 / 22},
		{`<TimeToCollisionCondition freespace="false" rule="equalTo" value="0">
<TimeToCollisionConditionTarget><Position><LanePosition roadId="1" laneId="-1" s="150"/></Position>
</TimeToCollisionConditionTarget></TimeToCollisionCondition>`, 2.5},
		{`<AngleCondition angleType="heading" angle="0.5" angleTolerance="0.1"/>`, 0.5},
		{`<RelativeAngleCondition entityRef="P" angleType="heading" angle="3" ` +
			`angleTolerance="0.1"/>`, math.Pi - 3},
		{`<RelativeClearanceCondition oppositeLanes="false" distanceForward="40"
distanceBackward="10" freeSpace="false"><RelativeLaneRange from="-1" to="-1"/>
</RelativeClearanceCondition>`, 0},
		{`<RelativeClearanceCondition oppositeLanes="false" distanceForward="20"
distanceBackward="10" freeSpace="false"><RelativeLaneRange from="-1" to="-1"/>
</RelativeClearanceCondition>`, 1},
		{`<RelativeClearanceCondition oppositeLanes="false" distanceForward="20"
distanceBackward="10" freeSpace="false"><RelativeLaneRange from="-5" to="-4"/>
</RelativeClearanceCondition>`, 0},
	} {
		x, ok := quantity(t, w, a, c.text)
		require.True(t, ok, c.text)
		require.InDelta(t, c.want, x, 1e-9, c.text)
	}
	for _, text := range []string{ // the other entity is behind or moving away
		`<TimeHeadwayCondition entityRef="A" freespace="false" relativeDistanceType="longitudinal"
rule="equalTo" value="0"/>`,
		`<TimeToCollisionCondition freespace="false" relativeDistanceType="longitudinal"
rule="equalTo" value="0"><TimeToCollisionConditionTarget><EntityRef entityRef="O"/>
</TimeToCollisionConditionTarget></TimeToCollisionCondition>`,
	} {
		_, ok := quantity(t, w, 1, text)
		require.False(t, ok, text)
	}
}

// TestMeasuresInMotion checks that collisions, ends of roads and leaving the road are detected when
// they happen.
func TestMeasuresInMotion(t *testing.T) {
	r := start(t, car("A", "10")+car("B", "10"), private("A", teleport(-1, 950)+speed(10))+
		private("B", `<PrivateAction><TeleportAction><Position><RoadPosition roadId="1" s="980"
t="-9"/></Position></TeleportAction></PrivateAction>`), "")
	x, ok := quantity(t, r.world, 1, `<OffroadCondition duration="0"/>`)
	require.True(t, ok)
	require.InDelta(t, 1, x, 0)
	r.until(4.99, 0)
	x, _ = quantity(t, r.world, 0, `<EndOfRoadCondition duration="0"/>`)
	require.Zero(t, x)
	r.until(5.02, 0)
	x, _ = quantity(t, r.world, 0, `<EndOfRoadCondition duration="0"/>`)
	require.InDelta(t, 1, x, 0)
	x, _ = quantity(t, r.world, 0, `<TraveledDistanceCondition value="1"/>`)
	require.InDelta(t, 50, x, 1e-9)
	r = start(t, car("A", "10")+car("B", "10"), private("A", teleport(-1,
		100)+speed(10))+private("B", teleport(-1, 120)), "")
	hit := `<CollisionCondition><EntityRef entityRef="B"/></CollisionCondition>`
	r.until(1.49, 0)
	x, _ = quantity(t, r.world, 0, hit)
	require.Zero(t, x)
	r.until(1.51, 0)
	x, _ = quantity(t, r.world, 0, hit)
	require.InDelta(t, 1, x, 0)
	require.Equal(t, "collision", r.notes[0].Kind)
}

// TestDeterminism checks that the same scenario produces the same states, to the last bit.
func TestDeterminism(t *testing.T) {
	final := func() [3]storyboard.State {
		r := scene(t)
		r.until(3, 0)
		var out [3]storyboard.State
		for k := range out {
			out[k] = *r.world.State(storyboard.Entity(k))
		}
		return out
	}
	require.Equal(t, final(), final())
}

// diamond returns roads with two ways from road 1 to road 4: a short one over two slow roads of a
// junction, and a long one over one of its roads.
func diamond() string {
	road := func(id string, length, speed float64, junction, links string) string {
		return fmt.Sprintf(`<road id="%s" length="%v" junction="%s"><link>%s</link>
<type s="0" type="rural"><speed max="%v" unit="m/s"/></type><planView><geometry s="0" x="0" y="0"
hdg="0" length="%v"><line/></geometry></planView><lanes><laneSection s="0"><center><lane id="0"
type="none"/></center><right><lane id="-1" type="driving"><link><predecessor id="-1"/>
<successor id="-1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>`, id, length, junction, links, speed, length)
	}
	link := func(at, kind, id, contact string) string {
		return `<` + at + ` elementType="` + kind + `" elementId="` + id + `" ` + contact + `/>`
	}
	const start, end = `contactPoint="start"`, `contactPoint="end"`
	from, to := link("predecessor", "road", "1", end), link("successor", "road", "4", start)
	return `<OpenDRIVE><header revMajor="1" revMinor="6"/>` +
		road("1", 100, 10, "-1", link("successor", "junction", "9", "")) +
		road("2", 20, 5, "9", from+link("successor", "road", "6", start)) +
		road("6", 30, 5, "9", link("predecessor", "road", "2", end)+to) +
		road("3", 30, 10, "9", from+link("successor", "road", "5", start)) +
		road("5", 60, 40, "-1", link("predecessor", "road", "3", end)+to) +
		road("4", 200, 10, "-1", link("predecessor", "junction", "9", "")) +
		`<junction id="9"><connection id="0" incomingRoad="1" connectingRoad="2" contactPoint="start">
<laneLink from="-1" to="-1"/></connection><connection id="1" incomingRoad="1" connectingRoad="3"
contactPoint="start"><laneLink from="-1" to="-1"/></connection></junction></OpenDRIVE>`
}

// overRoad5 assigns the long way through the diamond.
func overRoad5() string {
	waypoint := func(road string) string {
		return `<Waypoint routeStrategy="shortest"><Position><LanePosition roadId="` + road +
			`" laneId="-1" s="20"/></Position></Waypoint>`
	}
	return `<PrivateAction><RoutingAction><AssignRouteAction><Route name="r" closed="false">` +
		waypoint("1") + waypoint("5") + waypoint("4") + `</Route></AssignRouteAction></RoutingAction>
</PrivateAction>`
}

// TestMeasure_RoutingAlgorithms checks distances along the two ways through a diamond.
func TestMeasure_RoutingAlgorithms(t *testing.T) {
	plan, route := diamond(), overRoad5()
	place := func(name, road, more string) string {
		return private(name, `<PrivateAction><TeleportAction><Position><LanePosition roadId="`+road+
			`" laneId="-1" s="40"/></Position></TeleportAction></PrivateAction>`+more)
	}
	for name, want := range map[string]float64{"shortest": 150, "undefined": 150, "fastest": 190,
		"leastIntersections": 190, "assignedRoute": 190} {
		for _, at := range [][2]string{{"1", "4"}, {"4", "1"}} { // B is ahead, or behind
			w := startOn(t, car("A", "10")+car("B", "10"), place("A", at[0], route)+place("B", at[1],
				""), "", plan).world
			x, ok := quantity(t, w, 0, `<RelativeDistanceCondition entityRef="B" freespace="false"
relativeDistanceType="longitudinal" coordinateSystem="road" rule="equalTo" value="0"
routingAlgorithm="`+name+`"/>`)
			require.True(t, ok, name)
			require.InDelta(t, want, x, 1e-9, "%s %s", name, at)
		}
	}
}

// TestHeadway_Abreast checks that there is no time headway to an entity exactly beside.
func TestHeadway_Abreast(t *testing.T) {
	w := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-2, 100)), "").world
	const headway = `<TimeHeadwayCondition entityRef="B" value="1" rule="greaterThan"
freespace="false" alongRoute="false"/>`
	_, ok := quantity(t, w, 0, headway)
	require.False(t, ok)
	_, ok = quantity(t, w, 0, strings.Replace(headway, `alongRoute="false"`, `alongRoute="true"`, 1))
	require.False(t, ok)
	w = start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-2, 100.1)), "").world
	x, ok := quantity(t, w, 0, headway)
	require.True(t, ok)
	require.InDelta(t, math.Hypot(3.5, 0.1)/10, x, 1e-9)
}

// TestMeasures_FreespaceOfTurnedBoxes checks that freespace depends on the headings of both boxes
// in all coordinate systems. The box of a car is 5 m long and 2 m wide, its middle 1.4 m ahead.
func TestMeasures_FreespaceOfTurnedBoxes(t *testing.T) {
	line := `<PrivateAction><RoutingAction><FollowTrajectoryAction><TrajectoryRef><Trajectory name="t"
closed="false"><Shape><Polyline><Vertex><Position><WorldPosition x="100" y="-1.75" h="0"/></Position>
</Vertex><Vertex><Position><WorldPosition x="300" y="-1.75" h="0"/></Position></Vertex></Polyline>
</Shape></Trajectory></TrajectoryRef><TimeReference><None/></TimeReference>
<TrajectoryFollowingMode followingMode="position"/></FollowTrajectoryAction></RoutingAction>
</PrivateAction>`
	crossing := `<PrivateAction><TeleportAction><Position><WorldPosition x="160" y="-8" h="1.5707963267948966"/>
</Position></TeleportAction></PrivateAction>`
	w := start(t, car("A", "10")+car("Oncoming", "10")+car("Crossing", "10"),
		private("A", teleport(-1, 100)+line)+private("Oncoming", teleport(1, 160))+
			private("Crossing", crossing), "").world
	for other, want := range map[string]struct{ along, aside float64 }{
		"Oncoming": {160 - 1.4 - 2.5 - 103.9, 3.5 - 2},
		"Crossing": {160 - 1 - 103.9, 8 - 1.75 - 1.4 - 2.5 - 1},
	} {
		for _, system := range []string{"entity", "road", "trajectory", "world"} {
			for kind, d := range map[string]float64{"longitudinal": want.along,
				"lateral": want.aside} {
				x, ok := quantity(t, w, 0, `<RelativeDistanceCondition entityRef="`+other+
					`" freespace="true" relativeDistanceType="`+kind+`" coordinateSystem="`+system+
					`" rule="equalTo" value="0"/>`)
				require.True(t, ok)
				require.InDelta(t, d, x, 1e-9, "%s %s in %s", other, kind, system)
			}
		}
	}
}
