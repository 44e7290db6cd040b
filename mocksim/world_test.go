package mocksim_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

const ms = timebase.Millisecond

func load(t testing.TB, name string) *opendrive.Map {
	t.Helper()
	m, err := opendrive.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return m
}

func world(t testing.TB, name string, o mocksim.Options) *mocksim.World {
	t.Helper()
	w, err := mocksim.New(load(t, name), o)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

func create(t testing.TB, w *mocksim.World, name string, kind mocksim.Kind, s mocksim.Start) {
	t.Helper()
	require.NoError(t, w.Create(mocksim.Actor{Name: name, Kind: kind, Start: s}))
}

func view(t testing.TB, w *mocksim.World, name string) mocksim.View {
	t.Helper()
	v, err := w.Actor(name)
	require.NoError(t, err)
	return v
}

// steps makes steps and returns all events.
func steps(t testing.TB, w *mocksim.World, n int, h timebase.Time) (list []mocksim.Event) {
	t.Helper()
	for range n {
		events, err := w.Step(h)
		require.NoError(t, err)
		list = append(list, events...)
	}
	return list
}

func kindsOf(list []mocksim.Event) (names []string) {
	for _, e := range list {
		names = append(names, e.Kind.String()+" "+e.Actor)
	}
	return names
}

func TestRails_KeepToTheMiddleOfTheLane(t *testing.T) {
	for _, lane := range []int{-1, 1} {
		w := world(t, "ring.xodr", mocksim.Options{})
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", lane, 100).WithSpeed(12))
		require.NoError(t, w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 12,
			LateralAccel: 50}}))
		before := view(t, w, "a").State()
		for k := range 4000 {
			steps(t, w, 1, 20*ms)
			v := view(t, w, "a")
			s, p := v.State(), v.Place()
			found := w.Map().Locate(s.Position)
			require.Equal(t, p.Lane, found.Lane, "step %d", k)
			require.InDelta(t, found.Lane.Center(found.S), found.T, 1e-6)
			require.InDelta(t, found.S, p.S, 1e-6)
			require.InDelta(t, found.T, p.T, 1e-6)
			moved := s.Position.Sub(before.Position).Length()
			require.InDelta(t, 0.24, moved, 1e-4)
			if k > 0 && s.Rate.Yaw == before.Rate.Yaw {
				require.InDelta(t, s.Rate.Yaw*0.02,
					frames.WrapAngle(s.Orientation.Yaw-before.Orientation.Yaw), 1e-9)
			}
			before = s
		}
	}
}

func TestRails_WayOnACurve(t *testing.T) {
	// On a lane at distance t from a reference line with curvature k, 100 m correspond to 100/(1 -
	// k t) m of s.
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Car, mocksim.OnRoad("2", -1, 20).WithSpeed(10))
	require.NoError(t, w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 10,
		LateralAccel: 50}}))
	steps(t, w, 500, 20*ms)
	require.InDelta(t, 20+100/(1+1.75/60), view(t, w, "a").Place().S, 1e-6)
}

func TestController_ReturnsToTheMiddleOfItsLane(t *testing.T) {
	for _, offset := range []float64{0.005, -0.8} {
		w := world(t, "ring.xodr", mocksim.Options{})
		create(t, w, "a", mocksim.Car, mocksim.Start{Road: "1", Lane: -1, S: 20, Offset: offset,
			Speed: 10})
		require.NoError(t,
			w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 10}}))
		steps(t, w, 1, 20*ms)
		require.InDelta(t, -1.75+offset, view(t, w, "a").State().Position.Y, 1e-3)
		steps(t, w, 200, 20*ms)
		require.InDelta(t, -1.75, view(t, w, "a").State().Position.Y, 1e-9)
	}
}

func TestController_ReachesItsTarget(t *testing.T) {
	for _, steering := range []bool{false, true} {
		w := world(t, "ring.xodr", mocksim.Options{})
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -1, 10))
		// road 3, lane -2
		target := frames.Vector{X: 100, Y: 120 + 5.25}
		require.NoError(t,
			w.SetController("a",
				mocksim.Controller{Driver: mocksim.Driver{Steering: steering}, Target: &target}))
		events := steps(t, w, 60*50, 20*ms)
		require.Equal(t, []string{"lane_change a", "arrived a"}, kindsOf(events))
		s := view(t, w, "a").State()
		require.Zero(t, s.Speed)
		require.InDelta(t, 0, s.Position.Sub(target).Length(), 1.2)
		require.Equal(t, -2, view(t, w, "a").Place().Lane.ID)
	}
}

func TestController_FollowsALeader(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "slow", mocksim.Truck, mocksim.OnRoad("1", -1, 60))
	create(t, w, "fast", mocksim.Car, mocksim.OnRoad("1", -1, 10))
	require.NoError(t,
		w.SetController("slow", mocksim.Controller{Driver: mocksim.Driver{Speed: 6}}))
	require.NoError(t, w.SetController("fast", mocksim.Controller{}))
	require.Empty(t, steps(t, w, 100*50, 20*ms))
	slow, fast := view(t, w, "slow"), view(t, w, "fast")
	require.InDelta(t, 6, slow.State().Speed, 1e-3)
	require.InDelta(t, 6, fast.State().Speed, 0.05)
}

func TestController_OvertakesWhereItPays(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "slow", mocksim.Truck, mocksim.OnRoad("1", -1, 60))
	create(t, w, "fast", mocksim.Car, mocksim.OnRoad("1", -1, 10))
	require.NoError(t,
		w.SetController("slow", mocksim.Controller{Driver: mocksim.Driver{Speed: 3}}))
	require.NoError(t,
		w.SetController("fast",
			mocksim.Controller{Driver: mocksim.Driver{LaneChange: mocksim.ChangeWithMOBIL}}))
	lateral := 0.0
	for range 60 * 50 {
		events := steps(t, w, 1, 20*ms)
		for _, e := range events {
			require.Equal(t, mocksim.LaneChange, e.Kind)
		}
		s := view(t, w, "fast").State()
		// on the straight
		if math.Abs(s.Position.Y) < 10 && s.Position.X > 5 && s.Position.X < 195 {
			lateral = max(lateral, math.Abs(s.Acceleration.Y))
		}
	}
	require.Greater(t, lateral, 1.5)
	require.Less(t, lateral, 2.001)
	require.Greater(t, view(t, w, "fast").State().Speed, 8.0)
}

// TestCreate_WithoutAMotionStands checks that a motion starts at the speed of the start and that
// only a motion moves an actor.
func TestCreate_WithoutAMotionStands(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(100, 60).WithSpeed(10).Facing(0))
	create(t, w, "b", mocksim.Car, mocksim.AtPosition(100, 80).WithSpeed(10).Facing(0))
	_, err := w.SetControls("b", mocksim.Drive{Controls: []mocksim.Controls{{Gear: 1}}})
	require.NoError(t, err)
	before := view(t, w, "a").State()
	require.Equal(t, frames.Vector{X: 10}, before.Velocity)
	steps(t, w, 10, 20*ms)
	after := view(t, w, "a").State()
	require.Equal(t, before.Position, after.Position)
	require.Zero(t, after.Speed)
	require.Zero(t, after.Velocity)
	require.InDelta(t, 102, view(t, w, "b").State().Position.X, 0.01)
}

func TestControls_Circle(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(100, 60).WithSpeed(10).Facing(0))
	note, err := w.SetControls("a", mocksim.Drive{Controls: []mocksim.Controls{{Gear: 0,
		SteeringWheel: 1.6}}})
	require.NoError(t, err)
	require.Empty(t, note)
	steps(t, w, 50, 20*ms)
	s := view(t, w, "a").State()
	require.InDelta(t, 0.1, s.Steering, 1e-12)
	require.InDelta(t, s.Speed*math.Tan(0.1)/2.7, s.Rate.Yaw, 1e-12)
	radius := math.Hypot(2.7/math.Tan(0.1), 1.35)
	require.InDelta(t, s.Rate.Yaw*radius, s.Velocity.Length(), 1e-9)
	rear, velocity, _ := view(t, w, "a").At(frames.Vector{X: -1.35})
	require.InDelta(t, s.Speed, velocity.Length(), 1e-9)
	require.InDelta(t, 0, velocity.X*math.Sin(s.Orientation.Yaw)-velocity.Y*math.Cos(
		s.Orientation.Yaw), 1e-9, "%v", rear)
}

func TestTrajectory_PointPerStep(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{Step: 10 * ms})
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(0, -1.75))
	points := make([]mocksim.Point, 20)
	for k := range points {
		x := 0.01 * float64(k+1)
		points[k] = mocksim.Point{X: 10*x + 2*x*x, Y: -1.75}
	}
	note, err := w.SetTrajectory("a", mocksim.Trajectory{End: 200 * ms, Points: points})
	require.NoError(t, err)
	require.Empty(t, note)
	for k := range 20 {
		require.Empty(t, steps(t, w, 1, 10*ms))
		s := view(t, w, "a").State()
		require.InDelta(t, points[k].X, s.Position.X, 1e-12)
		if k > 1 {
			require.InDelta(t, 10+4*0.01*float64(k+1), s.Velocity.X, 1e-9, "step %d", k)
			require.InDelta(t, 4, s.Acceleration.X, 1e-8)
		}
		require.NotZero(t, s.Estimated&mocksim.FieldVelocity)
	}
	require.Equal(t, []string{"exhausted a"}, kindsOf(steps(t, w, 3, 10*ms)))
	require.Zero(t, view(t, w, "a").State().Speed)
}

func TestTrajectory_CountsOfPoints(t *testing.T) {
	line := func(n int, last float64) (list []mocksim.Point) {
		for k := range n {
			list = append(list, mocksim.Point{X: last * float64(k) / float64(n-1)})
		}
		return list
	}
	for _, c := range []struct {
		points []mocksim.Point
		x      float64 // after 10 ms
		noted  bool
	}{
		{line(5, 4), 1, false}, // the first one at the start
		{line(4, 3), 0, false}, // the first one a step later
		{line(3, 4), 1, true},  // spread
	} {
		w := world(t, "ring.xodr", mocksim.Options{Step: 10 * ms})
		create(t, w, "a", mocksim.Car, mocksim.AtPosition(0, 0))
		note, err := w.SetTrajectory("a", mocksim.Trajectory{End: 40 * ms, Points: c.points})
		require.NoError(t, err)
		require.Equal(t, c.noted, note != "", note)
		steps(t, w, 1, 10*ms)
		require.InDelta(t, c.x, view(t, w, "a").State().Position.X, 1e-12)
	}
}

func TestTrajectory_ReplacedDroppedAndLate(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{Step: 10 * ms})
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(0, -1.75))
	_, err := w.SetTrajectory("a", mocksim.Trajectory{End: 1000 * ms, Points: []mocksim.Point{{X: 0,
		Y: -1.75}, {X: 10, Y: -1.75}}})
	require.NoError(t, err)
	steps(t, w, 50, 10*ms)
	require.InDelta(t, 5, view(t, w, "a").State().Position.X, 1e-9)
	// A newer trajectory starts at 0.8 s: until then, the old one is used.
	_, err = w.SetTrajectory("a", mocksim.Trajectory{Start: 800 * ms, End: 1000 * ms,
		Points: []mocksim.Point{{X: 8, Y: -1.75}, {X: 8, Y: 0.25}}})
	require.NoError(t, err)
	steps(t, w, 20, 10*ms)
	require.InDelta(t, 7, view(t, w, "a").State().Position.X, 0.05)
	steps(t, w, 20, 10*ms)
	require.InDelta(t, -0.75, view(t, w, "a").State().Position.Y, 1e-9)
	_, err = w.SetTrajectory("a", mocksim.Trajectory{End: 500 * ms, Points: []mocksim.Point{{},
		{X: 1}}})
	require.ErrorIs(t, err, mocksim.ErrTime)
	note, err := w.SetTrajectory("a", mocksim.Trajectory{Start: 800 * ms, End: 1000 * ms,
		Points: make([]mocksim.Point, 21)})
	require.NoError(t, err)
	require.Contains(t, note, "10 of 21 points have passed")
}

func TestCollision_IsTimed(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -1, 10))
	create(t, w, "b", mocksim.Static, mocksim.OnRoad("1", -1, 60))
	_, err := w.SetTrajectory("a", mocksim.Trajectory{End: 10 * timebase.Second,
		Points: []mocksim.Point{{X: 10, Y: -1.75}, {X: 210, Y: -1.75}}})
	require.NoError(t, err)
	events := steps(t, w, 400, 20*ms)
	require.Equal(t, []string{"collision a", "collision_end a"}, kindsOf(events))
	// 50 m minus half of both lengths, at 20 m/s.
	require.InDelta(t, (50-2.3-0.5)/20, events[0].Time.Seconds(), 2e-6)
	require.InDelta(t, 20, events[0].Value, 1e-9)
	require.Equal(t, "front", events[0].Axis)
}

func TestCollision_NothingSlipsThrough(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Pedestrian, mocksim.AtPosition(50, -20))
	create(t, w, "b", mocksim.Car, mocksim.OnRoad("1", -1, 10))
	_, err := w.SetTrajectory("b", mocksim.Trajectory{End: timebase.Second,
		Points: []mocksim.Point{{X: 10, Y: -20}, {X: 100, Y: -20}}})
	require.NoError(t, err)
	require.Equal(t, []string{"off_road b", "collision a", "collision_end a", "exhausted b"},
		kindsOf(steps(t, w, 12, 100*ms)))
}

// trace returns a hash of the states of all actors over a period.
func trace(t testing.TB, o mocksim.Options, backwards bool, actors, n int) string {
	w := world(t, "ring.xodr", o)
	names := make([]string, actors)
	for k := range names {
		names[k] = fmt.Sprintf("car%04d", k)
	}
	for k := range names {
		if backwards {
			k = len(names) - 1 - k
		}
		road := fmt.Sprint(1 + k%4)
		lane := []int{-1, -2, 1, 2}[k/4%4]
		create(t, w, names[k], mocksim.Car, mocksim.OnRoad(road, lane,
			float64(k/16)*180/math.Ceil(float64(actors)/16)+5))
		require.NoError(t,
			w.SetController(names[k],
				mocksim.Controller{Driver: mocksim.Driver{Speed: 5 + float64(k%7),
					LaneChange: mocksim.ChangeWithMOBIL}}))
	}
	hash := sha256.New()
	for range n {
		events, err := w.Step(20 * ms)
		require.NoError(t, err)
		for k := range events {
			fmt.Fprintln(hash, events[k].String())
		}
		for k := range w.Len() {
			fmt.Fprintln(hash, w.At(k).Name(), w.At(k).State())
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

func TestDeterminism_OrderAndWorkers(t *testing.T) {
	want := trace(t, mocksim.Options{Seed: 7}, false, 300, 30)
	require.Equal(t, want, trace(t, mocksim.Options{Seed: 7}, true, 300, 30))
	require.Equal(t, want, trace(t, mocksim.Options{Seed: 7, Workers: 4}, false, 300, 30))
	require.NotEqual(t, want, trace(t, mocksim.Options{Seed: 7}, false, 299, 30))
}

func TestErrors(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "ego", mocksim.Car, mocksim.OnRoad("1", -1, 10))
	create(t, w, "walker", mocksim.Pedestrian, mocksim.OnRoad("1", -1, 20))
	gone := mocksim.AtPosition(math.NaN(), 0)
	control := func(c mocksim.Controls) error {
		_, err := w.SetControls("ego", mocksim.Drive{Controls: []mocksim.Controls{c}})
		return err
	}
	target := func(x, y float64) error {
		return w.SetController("ego", mocksim.Controller{Target: &frames.Vector{X: x, Y: y}})
	}
	for _, c := range []struct {
		err  error
		kind error
		text string
	}{
		{w.Destroy("Ego"), mocksim.ErrActor,
			`destroy_actor: unknown actor: found "Ego"; did you mean "ego"?`},
		{w.Create(mocksim.Actor{Name: "ego"}), mocksim.ErrDuplicate,
			`create_actor: actor exists already: found "ego"`},
		{w.Create(mocksim.Actor{Start: gone}), mocksim.ErrValue, "create_actor.actor_id"},
		{w.Create(mocksim.Actor{Name: "x", Start: gone}), mocksim.ErrValue,
			"create_actor x.position.x: invalid value: found NaN"},
		{w.Create(mocksim.Actor{Name: "x", Start: mocksim.OnRoad("9", 1, 0)}), mocksim.ErrPlace,
			`found "9", expected the id of a road`},
		{w.Create(mocksim.Actor{Name: "x", Start: mocksim.OnRoad("1", 9, 0)}), mocksim.ErrPlace,
			"found 9, expected a lane of road 1 at 0 m: 2, 1, -1, -2"},
		{w.Create(mocksim.Actor{Name: "x", Start: mocksim.OnRoad("1", 1, 201)}), mocksim.ErrPlace,
			"found 201 m, expected 0 to 200 m"},
		{w.Create(mocksim.Actor{Name: "x", Shape: mocksim.Shape{Width: -1}}), mocksim.ErrValue,
			"create_actor x.width"},
		{w.Create(mocksim.Actor{Name: "x", Shape: mocksim.Shape{Length: 1e9}}), mocksim.ErrValue,
			"found 1e+09, expected 0.001 to 1000"},
		{w.Create(mocksim.Actor{Name: "x", Start: mocksim.AtPosition(1e300, 0)}), mocksim.ErrValue,
			"expected a finite number of at most 1e9"},
		{w.SetController("walker", mocksim.Controller{Driver: mocksim.Driver{Steering: true}}),
			mocksim.ErrValue,
			"set_external_controller walker.model: invalid value: found steering, expected rails " +
				"for a pedestrian, which has no wheels"},
		{control(mocksim.Controls{Throttle: 2}), mocksim.ErrValue,
			"set_dynamic_move ego.controls[0].throttle: invalid value: found 2, expected 0 to 1"},
		{control(mocksim.Controls{Brake: -1}), mocksim.ErrValue, "brake"},
		{control(mocksim.Controls{SteeringWheel: math.Inf(1)}), mocksim.ErrValue,
			"steering_wheel_angle"},
		{target(1000, 1000), mocksim.ErrPlace, "(1000.00, 1000.00), 1167.3 m beside road 2"},
		{target(100, 1.75), opendrive.ErrNoRoute,
			"no way from road 1, section 0, lane -1 to road 1, section 0, lane 1"},
	} {
		require.ErrorIs(t, c.err, c.kind)
		require.Contains(t, c.err.Error(), c.text)
	}
	require.Equal(t, 2, w.Len())
	_, err := w.Step(0)
	require.ErrorIs(t, err, mocksim.ErrTime)
	require.NoError(t, w.Destroy("ego"))
	require.ErrorContains(t, w.Destroy("ego"), "this actor was destroyed")
}

// TestTrajectory_YawOfManyTurns checks that a yaw of very many turns is reduced in one operation
// rather than turn by turn.
func TestTrajectory_YawOfManyTurns(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{Step: 20 * ms})
	create(t, w, "ego", mocksim.Car, mocksim.OnRoad("1", -1, 10))
	_, err := w.SetTrajectory("ego", mocksim.Trajectory{End: 20 * ms,
		Points: []mocksim.Point{{X: 10, Yaw: 1e9, Given: mocksim.FieldYaw}}})
	require.NoError(t, err)
	steps(t, w, 2, 20*ms)
	require.Equal(t, frames.WrapAngle(1e9), view(t, w, "ego").State().Orientation.Yaw)
}

func TestStep_AllocatesNothing(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	for k := range 40 {
		name := fmt.Sprint(k)
		create(t, w, name, mocksim.Car, mocksim.OnRoad(fmt.Sprint(1+k%4), []int{-1, -2, 1,
			2}[k/4%4], 10+float64(k/16)*50))
		require.NoError(t,
			w.SetController(name, mocksim.Controller{Driver: mocksim.Driver{Speed: 8}}))
	}
	create(t, w, "driver", mocksim.Car, mocksim.AtPosition(100, 60))
	_, err := w.SetControls("driver", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.1,
		Gear: 1, SteeringWheel: 3}}})
	require.NoError(t, err)
	steps(t, w, 200*50, 20*ms)
	require.Zero(t, testing.AllocsPerRun(1000, func() { _, _ = w.Step(20 * ms) }))
}
