package mocksim_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// others reads a map that is not part of the project. Without it, the test is skipped.
func others(t testing.TB, name string) *opendrive.Map {
	t.Helper()
	path := "../../shared/data/xodr/" + name
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the maps of other projects are not here: %v", err)
	}
	m, err := opendrive.ReadFile(path)
	require.NoError(t, err)
	return m
}

func on(t testing.TB, m *opendrive.Map, o mocksim.Options) *mocksim.World {
	t.Helper()
	w, err := mocksim.New(m, o)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// TestM1_SizesOfKinds checks M1: each kind has default sizes, which given sizes override.
func TestM1_SizesOfKinds(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	for kind, want := range map[mocksim.Kind][6]float64{
		mocksim.Car: {4.6, 1.85, 1.5, 2.7, 4, 9}, mocksim.Van: {5.5, 2, 2.4, 3.3, 3, 8},
		mocksim.Truck: {12, 2.5, 3.8, 6, 1.5, 6},
		mocksim.Bus:   {12, 2.5, 3.8, 6, 1.5, 6}, mocksim.Motorcycle: {2.2, 0.8, 1.6, 1.4, 5, 8},
		mocksim.Bicycle:    {1.8, 0.6, 1.7, 1.1, 1, 4},
		mocksim.Pedestrian: {0.5, 0.6, 1.75, 0, 1, 3},
	} {
		create(t, w, kind.String(), kind, mocksim.AtPosition(0, 10))
		s := view(t, w, kind.String()).Shape()
		require.Equal(t, want, [6]float64{s.Length, s.Width, s.Height, s.Wheelbase, s.Acceleration,
			s.Brake}, kind.String())
		own := mocksim.Actor{Name: "own " + kind.String(), Kind: kind,
			Shape:      mocksim.Shape{Length: 7, Width: 3, Height: 2},
			Properties: []mocksim.Property{{Name: "colour", Value: "red"}}}
		require.NoError(t, w.Create(own))
		v := view(t, w, own.Name)
		require.Equal(t, [3]float64{7, 3, 2}, [3]float64{v.Shape().Length, v.Shape().Width,
			v.Shape().Height})
		require.Equal(t, own.Properties, v.Properties())
	}
}

// TestWorld_SetProperties: properties are changed or added by name, also a million of them.
func TestWorld_SetProperties(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	require.NoError(t, w.Create(mocksim.Actor{Name: "a", Start: mocksim.AtPosition(0, 0),
		Properties: []mocksim.Property{{Name: "colour", Value: "red"}, {Name: "n", Value: "1"}}}))
	require.NoError(t, w.SetProperties("a", mocksim.Property{Name: "n", Value: "2"},
		mocksim.Property{Name: "new", Value: "x"}, mocksim.Property{Name: "new", Value: "y"}))
	require.Equal(t, []mocksim.Property{{Name: "colour", Value: "red"}, {Name: "n", Value: "2"},
		{Name: "new", Value: "y"}}, view(t, w, "a").Properties())
	many := make([]mocksim.Property, 1_000_000)
	for k := range many {
		many[k].Name = strconv.Itoa(k)
	}
	require.NoError(t, w.SetProperties("a", many...))
	require.Len(t, view(t, w, "a").Properties(), 3+len(many))
	for k := range many[:10_000] { // a million comparisons each would take minutes
		require.NoError(t, w.SetProperties("a", mocksim.Property{Name: many[k].Name, Value: "z"}))
	}
	require.Equal(t, "z", view(t, w, "a").Properties()[3].Value)
	require.Error(t, w.SetProperties("b"))
}

// TestCreate_Thousands: thousands of actors among traffic take seconds to create, control, move and
// destroy, rather than many minutes, and their first step does not depend on the order of the calls.
func TestCreate_Thousands(t *testing.T) {
	const n = 6000
	place := func(k int) mocksim.Start {
		return mocksim.AtPosition(float64(k*7919%n), 30+float64(k/100))
	}
	build := func(from, by int) *mocksim.World {
		w := world(t, "ring.xodr", mocksim.Options{Seed: 1})
		create(t, w, "driver", mocksim.Car, mocksim.OnRoad("1", -1, 10))
		require.NoError(t, w.SetController("driver", mocksim.Controller{}))
		for k := range n {
			number := from + by*k
			create(t, w, fmt.Sprint("parked ", number), mocksim.Car, place(number))
		}
		for k := range n {
			require.NoError(t, w.Move(fmt.Sprint("parked ", k), place(k)))
			require.NoError(t, w.SetController("driver", mocksim.Controller{}))
		}
		return w
	}
	w, other := build(0, 1), build(n-1, -1)
	steps(t, w, 1, 20*ms)
	steps(t, other, 1, 20*ms)
	require.Equal(t, view(t, other, "driver").State(), view(t, w, "driver").State())
	for k := range n {
		require.NoError(t, w.Destroy(fmt.Sprint("parked ", k)))
	}
	require.Equal(t, 1, w.Len())
}

// TestM2_FootOnASlope checks M2: on a banked slope, the base of the box is on the road, even if the
// position of the rear axle was given.
func TestM2_FootOnASlope(t *testing.T) {
	m, err := opendrive.ReadFile("../examples/maps/hills.xodr")
	require.NoError(t, err)
	w := on(t, m, mocksim.Options{})
	for k, s := range []float64{20, 130, 200, 260} {
		for _, rear := range []bool{false, true} {
			a := mocksim.Actor{Name: string(rune('a' + 2*k)), Start: mocksim.OnRoad(m.Roads[0].ID,
				-1, s)}
			if a.Start.RearAxle = rear; rear {
				a.Name += "rear"
			}
			require.NoError(t, w.Create(a))
			v := view(t, w, a.Name)
			p := v.Place()
			st, err := p.Road.Station(p.S)
			require.NoError(t, err)
			require.InDelta(t, 0, p.Lane.Point(&st, p.T).Sub(v.State().Position).Length(), 1e-6)
			if axle, _, _ := v.At(frames.Vector{X: -1.35}); rear {
				at := m.Locate(axle)
				require.InDelta(t, s, at.S, 0.01, "the axle is where the actor was put")
			}
		}
	}
}

// TestM3_RearAxleAgainstDifferences checks M3: the motion of the rear axle compared with
// differences of its positions.
func TestM3_RearAxleAgainstDifferences(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(100, 60).WithSpeed(10).Facing(0))
	_, err := w.SetControls("a", mocksim.Drive{Controls: []mocksim.Controls{{SteeringWheel: 1.6}}})
	require.NoError(t, err)
	const h = timebase.Millisecond / 10
	steps(t, w, 3000, h) // the wheels have turned
	var places, speeds [3]frames.Vector
	var acceleration frames.Vector
	for k := range places {
		var a frames.Vector
		places[k], speeds[k], a = view(t, w, "a").At(frames.Vector{X: -1.35})
		if k == 1 {
			acceleration = a
		}
		steps(t, w, 1, h)
	}
	velocity := places[2].Sub(places[0]).Scale(1 / (2 * h).Seconds())
	require.InDelta(t, 0, velocity.Sub(speeds[1]).Length(), 1e-6)
	change := speeds[2].Sub(speeds[0]).Scale(1 / (2 * h).Seconds())
	require.InDelta(t, 0, change.Sub(acceleration).Length(), 1e-3)
}

// TestM7_HeightAndTiltFromTheRoad checks M7: the road supplies what a trajectory omits, here on a
// banked crest.
func TestM7_HeightAndTiltFromTheRoad(t *testing.T) {
	m := others(t, "tilted_crest.xodr")
	w := on(t, m, mocksim.Options{Step: 20 * ms})
	r := m.Roads[0]
	var points []mocksim.Point
	for k := range 26 {
		st, err := r.Station(5 + float64(k)*0.4)
		require.NoError(t, err)
		p := st.Point(-1.5, 0)
		points = append(points, mocksim.Point{X: p.X, Y: p.Y})
	}
	require.NoError(t, w.Create(mocksim.Actor{Name: "a", Start: mocksim.AtPosition(points[0].X,
		points[0].Y)}))
	_, err := w.SetTrajectory("a", mocksim.Trajectory{End: 500 * ms, Points: points})
	require.NoError(t, err)
	for k := 1; k <= 25; k++ {
		steps(t, w, 1, 20*ms)
		s := view(t, w, "a").State()
		st, err := r.Station(5 + float64(k)*0.4)
		require.NoError(t, err)
		require.InDelta(t, st.Surface(-1.5).Z, s.Position.Z, 1e-6)
		tilt := st.Attitude(s.Orientation.Yaw)
		require.InDelta(t, tilt.Pitch, s.Orientation.Pitch, 1e-6)
		require.InDelta(t, tilt.Roll, s.Orientation.Roll, 1e-6)
	}
}

// TestSetTrajectory_AtARateOfCameras checks that with steps of 1/60 s, each point of a trajectory
// is the place at the end of a step, although neither its end nor the steps are whole nanoseconds.
func TestSetTrajectory_AtARateOfCameras(t *testing.T) {
	grid := timebase.Every(1. / 60)
	for _, lead := range []int{0, 1} {
		w := world(t, "ring.xodr", mocksim.Options{Step: grid.Step(), Grid: grid})
		create(t, w, "a", mocksim.Car, mocksim.AtPosition(0, -1.75))
		var points []mocksim.Point
		for k := lead; k <= 100; k++ {
			points = append(points, mocksim.Point{X: float64(k) / 4, Y: -1.75})
		}
		note, err := w.SetTrajectory("a", mocksim.Trajectory{End: grid.Point(0, 100),
			Points: points})
		require.NoError(t, err)
		require.Empty(t, note)
		for k := int64(1); k <= 100; k++ {
			_, err := w.Step(grid.Point(0, k) - w.Time())
			require.NoError(t, err)
			require.Equal(t, float64(k)/4, view(t, w, "a").State().Position.X)
		}
	}
}

// TestSetTrajectory_Intervals checks that points lie a step apart, from the start, or from a step
// after it if there are as many points as steps. Otherwise they are spread from start to end, with
// a note.
func TestSetTrajectory_Intervals(t *testing.T) {
	for name, c := range map[string]struct {
		count int // of points, for four steps
		want  []float64
		note  string
	}{
		"as many as steps": {4, []float64{0, 1, 2, 3}, ""},
		"one more":         {5, []float64{1, 2, 3, 4}, ""},
		"fewer":            {3, []float64{0.5, 1, 1.5, 2}, "3 points for"},
	} {
		w := world(t, "ring.xodr", mocksim.Options{Step: 20 * ms})
		create(t, w, "a", mocksim.Car, mocksim.AtPosition(0, -1.75))
		var points []mocksim.Point
		for k := range c.count {
			points = append(points, mocksim.Point{X: float64(k) / 4, Y: -1.75})
		}
		note, err := w.SetTrajectory("a", mocksim.Trajectory{End: 80 * ms, Points: points})
		require.NoError(t, err)
		require.Contains(t, string(note), c.note, name)
		require.Equal(t, c.note == "", note == "", "%s: %s", name, note)
		for k, want := range c.want {
			steps(t, w, 1, 20*ms)
			require.InDelta(t, want/4, view(t, w, "a").State().Position.X, 1e-9, "%s, step %d",
				name, k+1)
		}
	}
}

// TestM7_TeleportIsAnEvent checks M7: an actor that is moved elsewhere has jumped, and its speed is
// not derived from the jump.
func TestM7_TeleportIsAnEvent(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{Step: 20 * ms})
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(0, -1.75))
	_, err := w.SetTrajectory("a", mocksim.Trajectory{End: 80 * ms, Points: []mocksim.Point{
		{X: 0.2, Y: -1.75}, {X: 0.4, Y: -1.75}, {X: 50, Y: -1.75}, {X: 50.2, Y: -1.75}}})
	require.NoError(t, err)
	var events []string
	for range 4 {
		events = append(events, kindsOf(steps(t, w, 1, 20*ms))...)
		require.Less(t, view(t, w, "a").State().Velocity.Length(), 12.0)
	}
	require.Equal(t, []string{"jump a"}, events)
}

// TestM9_Hole checks M9: a gap before a trajectory is crossed at constant velocity, with an event.
func TestM9_Hole(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{Step: 20 * ms})
	create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -1, 10).WithSpeed(10))
	_, err := w.SetTrajectory("a", mocksim.Trajectory{Start: 200 * ms, End: 400 * ms,
		Points: []mocksim.Point{{X: 12, Y: -1.75}, {X: 14, Y: -1.75}}})
	require.NoError(t, err)
	events := steps(t, w, 5, 20*ms)
	require.Equal(t, []string{"hole a"}, kindsOf(events))
	require.InDelta(t, 11, view(t, w, "a").State().Position.X, 1e-9)
	require.InDelta(t, 10, view(t, w, "a").State().Velocity.X, 1e-6)
}

// TestM10_SteeringIsCut checks M10: the steering is limited to a lateral acceleration of 8 m/s2,
// with one event.
func TestM10_SteeringIsCut(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(100, 60).WithSpeed(30))
	_, err := w.SetControls("a",
		mocksim.Drive{Controls: []mocksim.Controls{{Gear: 1, SteeringWheel: 8}}})
	require.NoError(t, err)
	events := steps(t, w, 50, 20*ms)
	require.Contains(t, kindsOf(events), "steering_cut a")
	s := view(t, w, "a").State()
	require.LessOrEqual(t, s.Speed*s.Speed*math.Tan(s.Steering)/2.7, 8.0+1e-9)
	require.Greater(t, s.Speed*s.Speed*math.Tan(s.Steering)/2.7, 7.9)
}

// TestM13_SteeringOnCurves checks M13: a driver stays within 0.2 m of the middle of the lane, on
// curves at 15 m/s.
func TestM13_SteeringOnCurves(t *testing.T) {
	m := others(t, "curves.xodr")
	w := on(t, m, mocksim.Options{})
	require.NoError(t, w.Create(mocksim.Actor{Name: "a", Start: mocksim.OnRoad(m.Roads[0].ID, -1,
		5).WithSpeed(15)}))
	require.NoError(t, w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 15,
		LateralAccel: 50, Steering: true}}))
	worst, seen := 0.0, 0
	for range 2000 {
		steps(t, w, 1, 20*ms)
		p := view(t, w, "a").Place()
		if p.Lane == nil || p.Lane.ID != -1 || p.S > p.Road.Length-30 {
			break
		}
		worst, seen = max(worst, math.Abs(p.T-p.Lane.Center(p.S))), seen+1
	}
	require.Greater(t, seen, 500)
	require.Less(t, worst, 0.2)
}

// TestM15_FollowerForbidsAChange checks M15: no lane change while a follower in the other lane is
// too close.
func TestM15_FollowerForbidsAChange(t *testing.T) {
	for gap, changes := range map[float64]bool{8: false, 60: true} {
		w := world(t, "ring.xodr", mocksim.Options{})
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -2, 100).WithSpeed(10))
		create(t, w, "b", mocksim.Car, mocksim.OnRoad("1", -1, 100-gap).WithSpeed(14))
		require.NoError(t,
			w.SetController("b", mocksim.Controller{Driver: mocksim.Driver{Speed: 14}}))
		require.NoError(t, w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 10,
			LaneChange: mocksim.ChangeLeft}}))
		events := kindsOf(steps(t, w, 60, 20*ms)) // the indicator needs a second
		if changes {
			require.Equal(t, []string{"lane_change a"}, events)
		} else {
			require.Empty(t, events, "at %g m", gap)
		}
	}
}

// TestM18_FreezeStopsBoth checks M18: with Freeze, actors stop when they collide.
func TestM18_FreezeStopsBoth(t *testing.T) {
	for _, freeze := range []bool{false, true} {
		w := world(t, "ring.xodr", mocksim.Options{Freeze: freeze})
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -1, 10).WithSpeed(20))
		create(t, w, "b", mocksim.Static, mocksim.OnRoad("1", -1, 20))
		_, err := w.SetControls("a", mocksim.Drive{Controls: []mocksim.Controls{{Gear: 1}}})
		require.NoError(t, err)
		steps(t, w, 50, 20*ms)
		require.Equal(t, freeze, view(t, w, "a").State().Speed == 0)
	}
}

// TestM21_Numbers checks M21: numbers start at 1, follow the order of creation, and are not reused.
func TestM21_Numbers(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "z", mocksim.Car, mocksim.AtPosition(0, 20))
	create(t, w, "a", mocksim.Car, mocksim.AtPosition(0, 30))
	require.NoError(t, w.Destroy("z"))
	create(t, w, "z2", mocksim.Car, mocksim.AtPosition(0, 20))
	require.EqualValues(t, 2, view(t, w, "a").ID())
	require.EqualValues(t, 3, view(t, w, "z2").ID())
}
