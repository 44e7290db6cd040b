package entities_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
)

// road is a straight road along x with two lanes on each side.
const road = `<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="1000"
junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="1000"><line/></geometry></planView><lanes>
<laneSection s="0">
<left><lane id="2" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
</lane>
<lane id="1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
</left>
<center><lane id="0" type="none" level="false"/></center>
<right><lane id="-1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
</lane>
<lane id="-2" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>
</right>
</laneSection></lanes></road></OpenDRIVE>`

// car returns a vehicle with the center of its box 1.4 m ahead of the rear axle.
func car(name, rest string) string {
	return `<ScenarioObject name="` + name + `"><Vehicle name="v" vehicleCategory="car">
<BoundingBox><Center x="1.4" y="0" z="0.75"/><Dimensions width="2" length="5" height="1.5"/>
</BoundingBox>
<Performance maxSpeed="70" maxAcceleration="` + rest + `" maxDeceleration="` + rest + `"/><Axles>
<FrontAxle maxSteering="0.5" wheelDiameter="0.8" trackWidth="1.7" positionX="2.98" positionZ="0.4"/>
<RearAxle maxSteering="0" wheelDiameter="0.8" trackWidth="1.7" positionX="0" positionZ="0.4"/>
</Axles><Properties/></Vehicle></ScenarioObject>`
}

const (
	walker = `<ScenarioObject name="P"><Pedestrian name="p" mass="80"
pedestrianCategory="pedestrian"><BoundingBox><Center x="0" y="0" z="0.9"/><Dimensions width="0.5"
length="0.6" height="1.8"/></BoundingBox><Properties/></Pedestrian></ScenarioObject>`
	box = `<ScenarioObject name="O"><MiscObject name="o" mass="100" miscObjectCategory="barrier">
<BoundingBox><Center x="0" y="0" z="0.5"/><Dimensions width="1" length="2" height="1"/>
</BoundingBox><Properties/></MiscObject></ScenarioObject>`
)

// teleport returns an action of Init that puts an entity into a lane.
func teleport(lane int, s float64) string {
	return fmt.Sprintf(`<PrivateAction><TeleportAction><Position><LanePosition roadId="1"
laneId="%d" s="%v"/></Position></TeleportAction></PrivateAction>`,
		lane, s)
}

func speed(v float64) string {
	return fmt.Sprintf(`<PrivateAction><LongitudinalAction><SpeedAction><SpeedActionDynamics
dynamicsShape="step" dynamicsDimension="time" value="0"/><SpeedActionTarget><AbsoluteTargetSpeed
value="%v"/></SpeedActionTarget></SpeedAction></LongitudinalAction></PrivateAction>`, v)
}

// private returns an entity's part of Init.
func private(name, actions string) string {
	return `<Private entityRef="` + name + `">` + actions + `</Private>`
}

// story returns a story with an action of A that starts at 1 s.
func story(action string) string {
	return `<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1"><Actors
selectTriggeringEntities="false"><EntityRef entityRef="A"/></Actors><Maneuver name="M"><Event
name="E" priority="override"><Action name="X"><PrivateAction>` +
		action + `</PrivateAction></Action><StartTrigger><ConditionGroup><Condition name="c"
delay="0" conditionEdge="none"><ByValueCondition><SimulationTimeCondition value="1"
rule="greaterOrEqual"/></ByValueCondition></Condition></ConditionGroup></StartTrigger></Event>
</Maneuver></ManeuverGroup>` +
		`<StartTrigger><ConditionGroup><Condition name="c" delay="0" conditionEdge="none">
<ByValueCondition><SimulationTimeCondition value="0" rule="greaterOrEqual"/></ByValueCondition>
</Condition></ConditionGroup></StartTrigger></Act></Story>`
}

// run is a running scenario.
type run struct {
	t     testing.TB
	world *entities.World
	board *storyboard.Board
	step  int
	ends  map[string]float64 // of actions
	notes []storyboard.Note
}

func open(t testing.TB, objects, init, stories, plan string) (*entities.World, *scenario.Scenario,
	error) {
	text := `<OpenSCENARIO><FileHeader revMajor="1" revMinor="3" date="2026-01-01T00:00:00"
description="" author=""/><RoadNetwork/><Entities>` +
		objects + `</Entities><Storyboard><Init><Actions>` + init + `</Actions></Init>` +
		stories + `<StopTrigger/>
</Storyboard></OpenSCENARIO>`
	d, err := scenario.Parse("test.xosc", []byte(text))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	o := entities.Options{}
	if plan != "" {
		o.Map, err = opendrive.Read("test.xodr", strings.NewReader(plan))
		require.NoError(t, err)
	}
	w, err := entities.New(s, o)
	return w, s, err
}

// straight returns the road of these tests.
func straight(t testing.TB) *opendrive.Map {
	m, err := opendrive.Read("test.xodr", strings.NewReader(road))
	require.NoError(t, err)
	return m
}

func start(t testing.TB, objects, init, stories string) *run {
	return startOn(t, objects, init, stories, road)
}

func startOn(t testing.TB, objects, init, stories, plan string) *run {
	w, s, err := open(t, objects, init, stories, plan)
	require.NoError(t, err)
	r := &run{t: t, world: w, ends: map[string]float64{}}
	var errs []error
	r.board, errs = storyboard.New(s, w, storyboard.Options{Observe: func(o storyboard.Occurrence) {
		if o.Note != nil {
			r.notes = append(r.notes, *o.Note)
		} else if o.Transition == storyboard.EndTransition {
			r.ends[o.Element.Name] = o.Time
		}
	}})
	require.Empty(t, errs)
	require.NoError(t, r.board.Start())
	return r
}

// until runs the scenario to a time and returns the state of an entity.
func (r *run) until(now float64, entity int) storyboard.State {
	for float64(r.step+1)/100 < now+0.001 {
		r.step++
		require.NoError(r.t, r.board.Step(float64(r.step)/100))
	}
	s := r.world.State(storyboard.Entity(entity))
	require.NotNil(r.t, s)
	return *s
}

func dynamics(name, shape, dimension string, value float64) string {
	return fmt.Sprintf(`<%s dynamicsShape="%s" dynamicsDimension="%s" value="%v"/>`, name, shape,
		dimension, value)
}

func speedAction(shape, dimension string, value, to float64) string {
	return `<LongitudinalAction><SpeedAction>` + dynamics("SpeedActionDynamics", shape, dimension,
		value) +
		fmt.Sprintf(`<SpeedActionTarget><AbsoluteTargetSpeed value="%v"/></SpeedActionTarget>
</SpeedAction></LongitudinalAction>`, to)
}

func one(v float64) string { return private("A", teleport(-1, 100)+speed(v)) }

// TestDefault checks that without an action, an entity keeps speed, lane and offset.
func TestDefault(t *testing.T) {
	r := start(t, car("A", "10"), one(10), "")
	a := r.until(5, 0)
	require.InDelta(t, 150, a.X, 1e-9)
	require.InDelta(t, -1.75, a.Y, 1e-9)
	require.InDelta(t, 50, a.Traveled, 1e-9)
	require.Equal(t, "1", a.Road)
	require.Equal(t, -1, a.Lane)
	// The middle of the box is at the offset given in the catalog.
	v, err := r.world.Simulation().Actor("A")
	require.NoError(t, err)
	require.InDelta(t, 151.4, v.State().Position.X, 1e-9)
	require.InDelta(t, 10, v.State().Velocity.X, 1e-9)
	// At the end of the road the entity stands still.
	a = r.until(91, 0)
	require.InDelta(t, 1000, a.X, 1e-9)
	require.Zero(t, a.Speed)
	require.InDelta(t, 900, a.Traveled, 1e-9)
	require.Equal(t, "end of road", r.notes[len(r.notes)-1].Kind)
}

func TestSpeedActions(t *testing.T) {
	for _, c := range []struct {
		shape, dimension string
		value            float64
		end, half        float64 // time and speed at half the change
		way              float64 // distance up to the end
	}{{"linear", "rate", 2, 6, 15, 75}, {"linear", "time", 4, 5, 15, 60}, {"sinusoidal", "time",
		5, 6, 15, 75},
		{"cubic", "rate", 3, 6, 15, 75}, {"linear", "distance", 75, 6, 15, 75},
		{"sinusoidal", "distance", 150, 11, 15, 150}} {
		r := start(t, car("A", "10"), one(10), story(speedAction(c.shape, c.dimension, c.value,
			20)))
		require.InDelta(t, c.half, r.until(1+(c.end-1)/2, 0).Speed, 1e-9, c)
		a := r.until(c.end, 0)
		require.InDelta(t, 20, a.Speed, 0, c)
		require.InDelta(t, 110+c.way, a.X, 1e-9, c)
		require.InDelta(t, c.end, r.ends["X"], 1e-9, c)
	}
}

// TestPerformance checks that limits lengthen a change and add a note.
func TestPerformance(t *testing.T) {
	r := start(t, car("A", "3"), one(10), story(speedAction("sinusoidal", "time", 1, 20)))
	require.Less(t, r.until(6.22, 0).Speed, 20.0)
	r.until(6.25, 0)
	require.InDelta(t, 6.24, r.ends["X"], 1e-9) // 10 pi/2 / 3 = 5.236 s
	require.Equal(t, "limited", r.notes[0].Kind)
}

// TestRelativeSpeed_Stretched checks that the limits stretch the shape of a continuous change. The
// peak slope of 8 m/s2 is twice the limit. In the middle of the shape, sin x > 1/2, the speed changes
// by 10 cos(pi/6) at the limit; the rest takes a third of the duration.
func TestRelativeSpeed_Stretched(t *testing.T) {
	r := start(t, car("A", "4")+car("B", "7"), one(10)+private("B", teleport(-1, 300)+speed(20)),
		story(`<LongitudinalAction><SpeedAction>`+dynamics("SpeedActionDynamics", "sinusoidal",
			"rate", 8)+`<SpeedActionTarget><RelativeTargetSpeed entityRef="B" value="0"
speedTargetValueType="delta" continuous="true"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction>`))
	whole := math.Pi/2*10/8/3 + 10*math.Cos(math.Pi/6)/4
	require.InDelta(t, 15, r.until(1+whole/2, 0).Speed, 0.04)
	require.Less(t, r.until(1+whole-0.05, 0).Speed, 19.99)
	require.InDelta(t, 20, r.until(1+whole+0.02, 0).Speed, 1e-9)
}

func TestLaneChange(t *testing.T) {
	change := func(shape, dimension string, value float64) string {
		return `<LateralAction><LaneChangeAction>` + dynamics("LaneChangeActionDynamics", shape,
			dimension, value) +
			`<LaneChangeTarget><RelativeTargetLane entityRef="A" value="-1"/></LaneChangeTarget>
</LaneChangeAction></LateralAction>`
	}
	r := start(t, car("A", "10"), one(20), story(change("sinusoidal", "time", 5)))
	a := r.until(3.5, 0)
	require.InDelta(t, -3.5, a.Y, 1e-9)
	require.InDelta(t, 2*math.Pi-math.Asin(3.5*math.Pi/2/5/20), a.H, 1e-3)
	a = r.until(6, 0)
	require.InDelta(t, -5.25, a.Y, 1e-12)
	require.Zero(t, a.H)
	require.Equal(t, -2, a.Lane)
	require.InDelta(t, 6, r.ends["X"], 1e-9)
	require.InDelta(t, 120, a.Traveled, 1e-9)
	// The distance is measured along the curve. It is longer than x, by the integral of the slope.
	long := 0.0
	const n = 100000
	for k := range n {
		v := 3.5 * math.Pi / 2 / 5 * math.Sin(math.Pi*(float64(k)+0.5)/n)
		long += math.Sqrt(400-v*v) * 5 / n
	}
	require.InDelta(t, 120+long, a.X, 1e-4)
	for shape, end := range map[string]float64{"sinusoidal": 2.748894, "cubic": 2.625,
		"linear": 1.75} {
		r := start(t, car("A", "10"), one(20), story(change(shape, "rate", 2)))
		r.until(5, 0)
		require.InDelta(t, 1+math.Ceil(end*100-1e-6)/100, r.ends["X"], 1e-9, shape)
	}
	r = start(t, car("A", "10"), one(10), story(change("cubic", "distance", 40)))
	require.InDelta(t, -3.5, at(r, 130), 1e-3)
}

// at returns y at the time when x is reached.
func at(r *run, x float64) float64 {
	last := r.until(0, 0)
	for {
		s := r.until(float64(r.step+1)/100, 0)
		if s.X >= x-1e-9 {
			return last.Y + (s.Y-last.Y)*(x-last.X)/(s.X-last.X)
		}
		last = s
	}
}

func TestLaneOffset(t *testing.T) {
	offset := func(shape string, limit, value float64) string {
		return fmt.Sprintf(`<LateralAction><LaneOffsetAction continuous="false">
<LaneOffsetActionDynamics dynamicsShape="%s" maxLateralAcc="%v"/><LaneOffsetTarget>
<AbsoluteTargetLaneOffset value="%v"/></LaneOffsetTarget></LaneOffsetAction></LateralAction>`,
			shape, limit, value)
	}
	for _, c := range []struct {
		shape        string
		limit, value float64
		takes        float64
	}{{"sinusoidal", 1, 1, 2.221441}, {"cubic", 1, 1, 2.449490}, {"sinusoidal", 2, 0.5, 1.110721}} {
		r := start(t, car("A", "10"), one(10), story(offset(c.shape, c.limit, c.value)))
		a := r.until(6, 0)
		require.InDelta(t, -1.75+c.value, a.Y, 1e-12)
		require.InDelta(t, 160, a.X, 1e-9) // s grows by v h
		require.InDelta(t, 1+math.Ceil(c.takes*100)/100, r.ends["X"], 1e-9, c)
	}
	// A standing entity does not move sideways.
	r := start(t, car("A", "10"), one(0), story(offset("cubic", 1, 1)))
	require.InDelta(t, -1.75, r.until(6, 0).Y, 1e-12)
}

// distance returns a LongitudinalDistanceAction of A with respect to B.
func distance(attributes, constraints string) string {
	return `<LongitudinalAction><LongitudinalDistanceAction entityRef="B" ` + attributes + `>` +
		constraints + `</LongitudinalDistanceAction>
</LongitudinalAction>`
}

func TestLongitudinalDistance(t *testing.T) {
	two := one(10) + private("B", teleport(-1, 200)+speed(15))
	r := start(t, car("A", "10")+car("B", "10"), two,
		story(distance(`continuous="true" distance="20" freespace="true"`, "")))
	a, b := r.until(1.5, 0), r.until(1.5, 1)
	require.InDelta(t, 25, b.X-a.X, 1e-9) // 5 m between two reference points, without a gap
	require.InDelta(t, 15, a.Speed, 0)
	r = start(t, car("A", "10")+car("B", "10"), two,
		story(distance(`continuous="false" distance="20" freespace="false" `+
			`displacement="leadingReferencedEntity"`, "")))
	a, b = r.until(1, 0), r.until(1, 1)
	require.InDelta(t, -20, b.X-a.X, 1e-9)
	require.InDelta(t, 1, r.ends["X"], 1e-9)
	r = start(t, car("A", "10")+car("B", "10"), two,
		story(distance(`continuous="true" timeGap="2" freespace="false"`,
			`<DynamicConstraints maxAcceleration="5" maxDeceleration="5" maxSpeed="40"/>`)))
	a, b = r.until(40, 0), r.until(40, 1)
	require.InDelta(t, 2*a.Speed, b.X-a.X, 0.01)
	require.InDelta(t, 15, a.Speed, 0.01)
	// An entity that is faster than the limit slows down as fast as it can.
	r = start(t, car("A", "10")+car("B", "10"), one(30)+private("B", teleport(-1, 400)+speed(15)),
		story(distance(`continuous="true" distance="50" freespace="false"`,
			`<DynamicConstraints maxAcceleration="5" maxDeceleration="5" maxSpeed="20"/>`)))
	require.InDelta(t, 27.5, r.until(1.5, 0).Speed, 0.06)
	require.InDelta(t, 20, r.until(4, 0).Speed, 1e-9)
}

func TestSynchronize(t *testing.T) {
	meet := `<SynchronizeAction masterEntityRef="B"><TargetPositionMaster><LanePosition roadId="1"
laneId="-2" s="300"/></TargetPositionMaster><TargetPosition><LanePosition roadId="1" laneId="-1"
s="250"/></TargetPosition><FinalSpeed><AbsoluteSpeed value="20"><TargetDistanceSteadyState
distance="20"/></AbsoluteSpeed></FinalSpeed></SynchronizeAction>`
	r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-2,
		100)+speed(20)), story(meet))
	a := r.until(10, 0)
	require.InDelta(t, 250, a.X, 0.02)
	require.InDelta(t, 20, a.Speed, 1e-9)
	r.until(10.1, 0)
	require.InDelta(t, 10, r.ends["X"], 0.011)
}

func TestFollowTrajectory(t *testing.T) {
	follow := func(reference string) string {
		return `<RoutingAction><FollowTrajectoryAction><TrajectoryRef><Trajectory name="t"
closed="false"><Shape><Polyline>` +
			`<Vertex time="0"><Position><WorldPosition x="200" y="0"/></Position></Vertex><Vertex
time="2"><Position><WorldPosition x="210" y="0"/></Position></Vertex><Vertex time="3"><Position>
<WorldPosition x="210" y="10"/></Position></Vertex>` +
			`</Polyline></Shape></Trajectory></TrajectoryRef><TimeReference>` + reference +
			`</TimeReference>
<TrajectoryFollowingMode followingMode="position"/></FollowTrajectoryAction></RoutingAction>`
	}
	r := start(t, car("A", "10"), one(10), story(follow(`<None/>`)))
	require.InDelta(t, 200, r.until(1, 0).X, 1e-9)
	require.InDelta(t, 5, r.until(2.5, 0).Y, 1e-9)
	a := r.until(3, 0)
	require.InDelta(t, 10, a.Y, 1e-9)
	require.InDelta(t, math.Pi/2, a.H, 1e-9)
	require.InDelta(t, 3, r.ends["X"], 1e-9)
	r = start(t, car("A", "10"), one(10), story(follow(`<Timing domainAbsoluteRelative="relative"
scale="1" offset="0"/>`)))
	a = r.until(2, 0)
	require.InDelta(t, 205, a.X, 1e-9)
	require.InDelta(t, 5, a.Speed, 1e-9)
	require.InDelta(t, 5, r.until(3.5, 0).Y, 1e-9)
	require.InDelta(t, 10, r.until(3.6, 0).Speed, 1e-9)
	r.until(5, 0)
	require.InDelta(t, 4, r.ends["X"], 1e-9)
}

// TestFollowTrajectory_WithFewTimes: a trajectory without a first time begins at 0, and between two
// times the speed is constant.
func TestFollowTrajectory_WithFewTimes(t *testing.T) {
	follow := func(shape string) string {
		return `<RoutingAction><FollowTrajectoryAction><TrajectoryRef><Trajectory name="t"
closed="false"><Shape>` + shape + `</Shape></Trajectory></TrajectoryRef><TimeReference><Timing
domainAbsoluteRelative="relative" scale="1" offset="0"/></TimeReference><TrajectoryFollowingMode
followingMode="position"/></FollowTrajectoryAction></RoutingAction>`
	}
	vertex := func(time, x string) string {
		return `<Vertex` + time + `><Position><WorldPosition x="` + x + `" y="0"/></Position></Vertex>`
	}
	for _, shape := range []string{
		`<Polyline>` + vertex("", "200") + vertex("", "210") + vertex(` time="4"`, "220") +
			`</Polyline>`,
		`<ClothoidSpline timeEnd="4"><ClothoidSplineSegment curvatureStart="0" curvatureEnd="0"
length="5"><PositionStart><WorldPosition x="200" y="0"/></PositionStart></ClothoidSplineSegment>
<ClothoidSplineSegment curvatureStart="0" curvatureEnd="0" length="15"/></ClothoidSpline>`} {
		r := start(t, car("A", "10"), one(10), story(follow(shape)))
		a := r.until(3, 0)
		require.InDelta(t, 210, a.X, 1e-9)
		require.InDelta(t, 5, a.Speed, 1e-9)
		r.until(6, 0)
		require.InDelta(t, 5, r.ends["X"], 1e-9)
	}
	for _, shape := range []string{
		`<Polyline>` + vertex(` time="0"`, "200") + vertex("", "210") + `</Polyline>`,
		`<ClothoidSpline><ClothoidSplineSegment curvatureStart="0" curvatureEnd="0" length="5"
timeStart="0"/></ClothoidSpline>`} {
		w, s, err := open(t, car("A", "10"), one(10), story(follow(shape)), road)
		require.NoError(t, err)
		_, errs := storyboard.New(s, w, storyboard.Options{})
		require.NotEmpty(t, errs)
		require.ErrorContains(t, errs[0], "a trajectory without times")
	}
	back := ` time="2"` // before an earlier one
	for text, found := range map[string]string{
		`<Polyline>` + vertex("", "200") + vertex(` time="3"`, "210") + vertex("", "215") +
			vertex(back, "220") + `</Polyline>`: "Vertex.time: not supported: found 2 s after 3 s",
		`<Polyline>` + vertex("", "200") + vertex(` time="-1"`, "210") + vertex(back, "220") +
			`</Polyline>`: "Vertex.time: not supported: found -1 s after 0 s", // where it begins
		`<ClothoidSpline timeEnd="-2"><ClothoidSplineSegment curvatureStart="0" curvatureEnd="0"
length="5"/></ClothoidSpline>`: "ClothoidSpline.timeEnd: not supported: found -2 s after 0 s",
		`<Polyline>` + vertex(` time="3"`, "200") + vertex(back, "210") + vertex(` time="4"`, "220") +
			`</Polyline>`: "Vertex.time: not supported: found 2 s after 3 s",
		`<Clothoid curvature="0" curvatureDot="0" length="5" startTime="3" stopTime="2"><Position>
<WorldPosition x="200" y="0"/></Position></Clothoid>`: "Clothoid.stopTime: not supported: found 2 s",
		`<ClothoidSpline timeEnd="9"><ClothoidSplineSegment curvatureStart="0" curvatureEnd="0"
length="5" timeStart="3"/><ClothoidSplineSegment curvatureStart="0" curvatureEnd="0" length="5"
timeStart="2"/></ClothoidSpline>`: "ClothoidSplineSegment.timeStart: not supported: found 2 s",
		`<ClothoidSpline timeEnd="2"><ClothoidSplineSegment curvatureStart="0" curvatureEnd="0"
length="5" timeStart="3"/></ClothoidSpline>`: "ClothoidSpline.timeEnd: not supported: found 2 s",
	} {
		w, s, err := open(t, car("A", "10"), one(10), story(follow(text)), road)
		require.NoError(t, err)
		_, errs := storyboard.New(s, w, storyboard.Options{})
		require.NotEmpty(t, errs, text)
		require.ErrorContains(t, errs[0], found)
		require.ErrorContains(t, errs[0], "expected times that do not go back")
		untimed := story(strings.Replace(follow(text), `<Timing
domainAbsoluteRelative="relative" scale="1" offset="0"/>`, "<None/>", 1))
		w, s, err = open(t, car("A", "10"), one(10), untimed, road)
		require.NoError(t, err)
		_, errs = storyboard.New(s, w, storyboard.Options{})
		require.Empty(t, errs, "the times are not used")
	}
}

// TestPlane checks that entities move on a plane if there is no map.
func TestPlane(t *testing.T) {
	r := startOn(t, car("A", "10"), private("A", `<PrivateAction><TeleportAction><Position>
<WorldPosition x="1" y="2" h="0.5"/></Position></TeleportAction></PrivateAction>`+speed(10)), "",
		"")
	a := r.until(2, 0)
	require.InDelta(t, 1+20*math.Cos(0.5), a.X, 1e-9)
	require.InDelta(t, 2+20*math.Sin(0.5), a.Y, 1e-9)
	require.Empty(t, a.Road)
}

// TestMessages checks that entities appear in messages with their types.
func TestMessages(t *testing.T) {
	r := start(t, car("A", "10")+walker+box, one(10)+private("P", teleport(-2, 150))+private("O",
		teleport(-2, 170)), "")
	v, err := r.world.Simulation().Actor("A") // Init has taken effect at time 0
	require.NoError(t, err)
	require.InDelta(t, 10, v.State().Velocity.X, 1e-12)
	r.until(1, 0)
	m, err := truth.New(r.world.Simulation(), truth.Options{Host: "A", Looks: r.world.Looks()})
	require.NoError(t, err)
	bytes, err := m.GroundTruth()
	require.NoError(t, err)
	var g osi3.GroundTruth
	require.NoError(t, proto.Unmarshal(bytes, &g))
	require.Len(t, g.MovingObject, 2)
	a := g.MovingObject[0]
	require.Equal(t, osi3.MovingObject_TYPE_VEHICLE, a.GetType())
	require.InDelta(t, -1.4, a.VehicleAttributes.BbcenterToRear.GetX(), 1e-9)
	require.InDelta(t, 1.58, a.VehicleAttributes.BbcenterToFront.GetX(), 1e-9)
	require.InDelta(t, 111.4, a.Base.Position.GetX(), 1e-9)
	require.Equal(t, osi3.MovingObject_TYPE_PEDESTRIAN, g.MovingObject[1].GetType())
	require.Len(t, g.StationaryObject, 1)
	require.Equal(t, osi3.StationaryObject_Classification_TYPE_BARRIER,
		g.StationaryObject[0].Classification.GetType())
	r.world.Looks()["P"].Hidden = true
	bytes, err = m.GroundTruth()
	require.NoError(t, err)
	require.NoError(t, proto.Unmarshal(bytes, &g))
	require.Len(t, g.MovingObject, 1)
}

// TestRefused checks that everything impossible is refused before the run with its place.
func TestRefused(t *testing.T) {
	for text, found := range map[string]string{
		`<TeleportAction><Position><LanePosition roadId="9" laneId="1" s="0"/></Position>
</TeleportAction>`: `no road "9"`,
		`<VisibilityAction graphics="true" sensors="false" traffic="true"><SensorReferenceSet>
<SensorReference name="radar"/></SensorReferenceSet></VisibilityAction>`: "visibility for some sensors",
	} {
		w, s, err := open(t, car("A", "10"), one(10), story(text), road)
		require.NoError(t, err)
		_, errs := storyboard.New(s, w, storyboard.Options{})
		require.NotEmpty(t, errs, text)
		require.ErrorContains(t, errs[0], found)
		require.ErrorContains(t, errs[0], "test.xosc:")
	}
	for _, length := range []string{``, `distance="5" timeGap="1"`} {
		w, s, err := open(t, car("A", "10")+car("B", "10"), one(10), story(`<LongitudinalAction>
<LongitudinalDistanceAction entityRef="B" continuous="true" freespace="true" `+length+`/>
</LongitudinalAction>`), road)
		require.NoError(t, err)
		_, errs := storyboard.New(s, w, storyboard.Options{})
		require.NotEmpty(t, errs, length)
		require.ErrorContains(t, errs[0], "both or none of distance and timeGap")
	}
	const ahead = `<WorldPosition x="9" y="0"/>`
	w, s, err := open(t, car("A", "10"), one(10), story(`<SynchronizeAction masterEntityRef="A">
<TargetPositionMaster>`+ahead+`</TargetPositionMaster><TargetPosition>`+ahead+
		`</TargetPosition></SynchronizeAction>`), road)
	require.NoError(t, err)
	_, errs := storyboard.New(s, w, storyboard.Options{})
	require.NotEmpty(t, errs)
	require.ErrorContains(t, errs[0], "found the entity itself, expected another entity")
	w, s, err = open(t, car("A", "10"), one(10), story(`<LateralAction><LaneOffsetAction
continuous="false"><LaneOffsetActionDynamics dynamicsShape="cubic" maxLateralAcc="-1"/>
<LaneOffsetTarget><AbsoluteTargetLaneOffset value="1"/></LaneOffsetTarget></LaneOffsetAction>
</LateralAction>`), road)
	require.NoError(t, err)
	_, errs = storyboard.New(s, w, storyboard.Options{})
	require.NotEmpty(t, errs)
	require.ErrorContains(t, errs[0], "maxLateralAcc")
	for _, x := range []string{"INF", "-INF", "NaN", "1e300"} {
		w, s, err := open(t, car("A", "10"), one(10), story(`<TeleportAction><Position>
<WorldPosition x="`+x+`" y="0"/></Position></TeleportAction>`), road)
		require.NoError(t, err)
		_, errs := storyboard.New(s, w, storyboard.Options{})
		require.NotEmpty(t, errs, x)
		require.ErrorContains(t, errs[0], "WorldPosition.x", x)
	}
	for _, x := range []string{"INF", "-INF", "NaN"} {
		_, _, err = open(t, strings.Replace(car("A", "10"), `positionX="2.98"`,
			`positionX="`+x+`"`, 1), "", "", road)
		require.ErrorIs(t, err, storyboard.ErrUnsupported, x)
		require.ErrorContains(t, err, "expected a finite distance", x)
	}
	_, _, err = open(t, car("A", "10")+car("A", "10"), "", "", road)
	require.ErrorIs(t, err, storyboard.ErrUnsupported)
	require.ErrorContains(t, err, "a second entity A")
	_, _, err = open(t, `<ScenarioObject name="X"><ExternalObjectReference name="y"/>
</ScenarioObject>`, "", "", road)
	require.ErrorIs(t, err, storyboard.ErrUnsupported)
}

// TestRoadID_OfManyDigits checks that the identifier of a road is not limited as a number is.
func TestRoadID_OfManyDigits(t *testing.T) {
	const id = `d="1472558076123"`
	r := startOn(t, car("A", "10"), strings.Replace(one(10), `d="1"`, id, 1), story(speedAction(
		"linear", "time", 1, 20)), strings.Replace(road, `d="1"`, id, 1))
	require.Equal(t, "1472558076123", r.until(0, 0).Road)
}

// TestNoAllocation checks that a step allocates nothing once the scenario is running.
func TestNoAllocation(t *testing.T) {
	for name, action := range map[string]string{
		"distance": distance(`continuous="true" distance="20" freespace="false"`, ""),
		"trajectory": `<RoutingAction><FollowTrajectoryAction><TrajectoryRef>
<Trajectory name="t" closed="false"><Shape><Clothoid curvature="0.001" curvaturePrime="0.0001"
length="100"><Position><WorldPosition x="100" y="-2" h="0"/></Position></Clothoid></Shape>
</Trajectory></TrajectoryRef><TimeReference><None/></TimeReference>
<TrajectoryFollowingMode followingMode="position"/></FollowTrajectoryAction></RoutingAction>`,
	} {
		t.Run(name, func(t *testing.T) { allocatesNothing(t, action) })
	}
}

// allocatesNothing checks the steps of a scenario in which entity A carries out an action.
func allocatesNothing(t *testing.T, action string) {
	r := start(t, car("A", "10")+car("B", "10")+walker, one(10)+private("B", teleport(-2,
		120)+speed(11))+private("P", teleport(2, 300)), story(action))
	r.until(2, 0)
	none := func(storyboard.Note) {}
	now := 2.0
	require.Zero(t, testing.AllocsPerRun(200, func() {
		if err := r.world.Advance(now, now+0.01, none); err != nil {
			t.Fatal(err)
		}
		now += 0.01
		for k := range 3 {
			r.world.State(storyboard.Entity(k))
		}
	}))
}
