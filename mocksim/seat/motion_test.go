package seat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// planned returns a world with an actor that follows requests; it starts at (50, -1.75) at 10 m/s.
func planned(t testing.TB) (*mocksim.World, *seat.Follower) {
	m, err := opendrive.ReadFile("../testdata/straight.xodr")
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
		Start: mocksim.OnRoad("1", -1, 50).WithSpeed(10)}))
	f, err := seat.NewFollower(w, "ego")
	require.NoError(t, err)
	return w, f
}

func xyz(x, y float64) *osi3.Vector3D {
	return &osi3.Vector3D{X: &x, Y: &y, Z: proto.Float64(0)}
}

func stamp(at timebase.Time) *osi3.Timestamp {
	seconds, nanos := at.Split()
	return &osi3.Timestamp{Seconds: &seconds, Nanos: &nanos}
}

func desire(at timebase.Time, s *osi3.MotionRequest_DesiredState) *osi3.MotionRequest {
	s.Timestamp = stamp(at)
	return &osi3.MotionRequest{Timestamp: stamp(0), DesiredState: s,
		MotionRequestType: osi3.MotionRequest_MOTION_REQUEST_TYPE_DESIRED_STATE.Enum()}
}

// rear returns the position of the rear axle and the state.
func rear(t testing.TB, w *mocksim.World) (frames.Vector, mocksim.State) {
	v, err := w.Actor("ego")
	require.NoError(t, err)
	at, _, _ := v.At(frames.Vector{X: -v.Shape().Wheelbase / 2})
	return at, v.State()
}

// follow makes steps of 20 ms with the planner's message for each of them.
func follow(t testing.TB, w *mocksim.World, f *seat.Follower, steps int,
	says func(now, end timebase.Time) *osi3.MotionRequest) (events []mocksim.Event) {
	for range steps {
		end := w.Time() + 20*timebase.Millisecond
		var b []byte
		if m := says(w.Time(), end); m != nil {
			var err error
			b, err = proto.Marshal(m)
			require.NoError(t, err)
		}
		require.NoError(t, f.Update(end, b, end))
		list, err := w.Step(end - w.Time())
		require.NoError(t, err)
		events = append(events, list...)
	}
	return events
}

// TestD3_DesiredStates checks D3: a desired state in the next step, at a time ahead, or only a
// speed.
func TestD3_DesiredStates(t *testing.T) {
	w, f := planned(t)
	start, _ := rear(t, w)
	// 10 m/s, then 1 m/s2 faster until 15, and half a lane to the left
	at := func(now timebase.Time) (x, y, v float64) {
		s := min(now.Seconds(), 5)
		x = start.X + 10*now.Seconds() + s*s/2 + (now.Seconds()-s)*s
		return x, start.Y + 1.5*min(now.Seconds()/5, 1), 10 + s
	}
	follow(t, w, f, 400, func(_, end timebase.Time) *osi3.MotionRequest {
		x, y, v := at(end)
		return desire(end,
			&osi3.MotionRequest_DesiredState{Position: xyz(x, y), Velocity: xyz(v, 0)})
	})
	found, s := rear(t, w)
	x, y, v := at(w.Time())
	require.InDelta(t, x, found.X, 0.05)
	require.InDelta(t, y, found.Y, 0.05)
	require.InDelta(t, v, s.Speed, 0.02)

	arrive := w.Time() + 4*timebase.Second
	place := xyz(found.X+50, y) // from 15 m/s to 10, in four seconds
	follow(t, w, f, 200, func(_, _ timebase.Time) *osi3.MotionRequest {
		return desire(arrive, &osi3.MotionRequest_DesiredState{Position: place,
			Velocity: xyz(10, 0)})
	})
	found, s = rear(t, w)
	require.InDelta(t, place.GetX(), found.X, 0.3)
	require.InDelta(t, 10, s.Speed, 0.3)

	follow(t, w, f, 300, func(_, end timebase.Time) *osi3.MotionRequest {
		return desire(end, &osi3.MotionRequest_DesiredState{Velocity: xyz(0, 0)})
	})
	_, s = rear(t, w)
	require.Zero(t, s.Speed, "it stands, and stays")
}

// TestD3_Trajectory checks D3: the trajectory of a circle, whose points are 0.1 s apart.
func TestD3_Trajectory(t *testing.T) {
	w, f := planned(t)
	start, _ := rear(t, w)
	const r, v = 40.0, 10.0
	m := &osi3.MotionRequest{DesiredTrajectory: &osi3.MotionRequest_DesiredTrajectory{},
		MotionRequestType: osi3.MotionRequest_MOTION_REQUEST_TYPE_TRAJECTORY.Enum()}
	for k := range 101 {
		a := v * float64(k) / 10 / r
		m.DesiredTrajectory.TrajectoryPoint = append(m.DesiredTrajectory.TrajectoryPoint,
			&osi3.StatePoint{Timestamp: stamp(timebase.Time(k) * 100 * timebase.Millisecond),
				Position: xyz(start.X+r*math.Sin(a), start.Y+r*(1-math.Cos(a)))})
	}
	follow(t, w, f, 400, func(now, _ timebase.Time) *osi3.MotionRequest { return m })
	found, s := rear(t, w)
	a := v * w.Time().Seconds() / r
	require.InDelta(t, start.X+r*math.Sin(a), found.X, 0.3)
	require.InDelta(t, start.Y+r*(1-math.Cos(a)), found.Y, 0.3)
	require.InDelta(t, v, s.Speed, 0.1)
}

// TestD3_WithinTheLimitsOfTheVehicle checks D3 and M10: a car follows an impossible request as far
// as it can.
func TestD3_WithinTheLimitsOfTheVehicle(t *testing.T) {
	w, f := planned(t)
	before := 0.0
	follow(t, w, f, 100, func(_, end timebase.Time) *osi3.MotionRequest {
		_, s := rear(t, w)
		require.LessOrEqual(t, s.Along, 4.0+1e-9)
		require.LessOrEqual(t, math.Abs(s.Steering), 0.6+1e-9)
		require.LessOrEqual(t, math.Abs(s.Steering-before), 0.8*0.02+1e-9)
		require.LessOrEqual(t, math.Abs(s.Rate.Yaw*s.Speed), 8.0+1e-6)
		before = s.Steering
		return desire(end, &osi3.MotionRequest_DesiredState{Position: xyz(500, 100),
			Velocity: xyz(60, 60)})
	})
	_, s := rear(t, w)
	require.Greater(t, s.Speed, 15.0)
}

func TestFollower_SilenceOwnershipAndStates(t *testing.T) {
	w, f := planned(t)
	fast := func(_, end timebase.Time) *osi3.MotionRequest {
		return desire(end, &osi3.MotionRequest_DesiredState{Velocity: xyz(20, 0)})
	}
	nothing := func(_, _ timebase.Time) *osi3.MotionRequest { return nil }
	require.Empty(t, follow(t, w, f, 10, nothing), "nobody is waited for before the first word")
	follow(t, w, f, 100, fast)
	_, s := rear(t, w)
	require.Greater(t, s.Speed, 7.0, "from rest, where nobody has moved it")
	saved, world := f.AppendState(nil), w.AppendState(nil)
	follow(t, w, f, 50, nothing)
	end, _ := rear(t, w)
	require.NoError(t, w.Restore(world))
	d := &state.Decoder{Data: saved}
	require.NoError(t, f.RestoreState(d))
	require.NoError(t, d.Done())
	events := follow(t, w, f, 50, nothing)
	again, s2 := rear(t, w)
	require.Equal(t, end, again)
	require.Len(t, events, 1)
	require.Equal(t, mocksim.Silent, events[0].Kind)
	require.Less(t, s2.Along, 0.0, "it rolls until it stands")

	require.NoError(t, w.SetController("ego", mocksim.Controller{Driver: mocksim.Driver{Speed: 5}}))
	f.Yield()
	events = follow(t, w, f, 100, fast)
	require.Len(t, events, 1)
	require.Equal(t, mocksim.NotOwner, events[0].Kind)
	_, s = rear(t, w)
	slow := s.Speed
	f.Take()
	follow(t, w, f, 100, fast)
	_, s = rear(t, w)
	require.Greater(t, s.Speed, slow)
}

// TestD3_Refuses checks D3: a type without its fields is refused, as are unusable numbers.
func TestD3_Refuses(t *testing.T) {
	trajectory := osi3.MotionRequest_MOTION_REQUEST_TYPE_TRAJECTORY.Enum()
	for want, m := range map[string]*osi3.MotionRequest{
		"expected desired_state": {DesiredTrajectory: &osi3.MotionRequest_DesiredTrajectory{
			TrajectoryPoint: []*osi3.StatePoint{{Position: xyz(1, 2)}}}},
		"desired_trajectory with points": {MotionRequestType: trajectory,
			DesiredState: &osi3.MotionRequest_DesiredState{Position: xyz(1, 2)}},
		"not finite": desire(0, &osi3.MotionRequest_DesiredState{Position: xyz(math.NaN(), 0)}),
		"without x or y": {MotionRequestType: trajectory,
			DesiredTrajectory: &osi3.MotionRequest_DesiredTrajectory{
				TrajectoryPoint: []*osi3.StatePoint{{Timestamp: stamp(0)}}}},
		"not in the order of their time stamps": {MotionRequestType: trajectory,
			DesiredTrajectory: &osi3.MotionRequest_DesiredTrajectory{TrajectoryPoint: []*osi3.StatePoint{
				{Timestamp: stamp(2), Position: xyz(1, 1)},
				{Timestamp: stamp(1), Position: xyz(2, 2)}}}},
	} {
		_, f := planned(t)
		b, err := proto.Marshal(m)
		require.NoError(t, err)
		err = f.Update(20, b, 20)
		require.ErrorIs(t, err, seat.ErrRequest)
		require.ErrorContains(t, err, want)
	}
	_, f := planned(t)
	require.ErrorContains(t, f.Update(20, []byte{0xff}, 20), "1 bytes")
}

func TestFollower_AllocatesNothing(t *testing.T) {
	w, f := planned(t)
	b, err := proto.Marshal(desire(timebase.Second, &osi3.MotionRequest_DesiredState{
		Position: xyz(300, 0), Velocity: xyz(20, 0)}))
	require.NoError(t, err)
	round := func() {
		end := w.Time() + 20*timebase.Millisecond
		if f.Update(end, b, end) != nil {
			panic("refused")
		}
		if _, err := w.Step(20 * timebase.Millisecond); err != nil {
			panic(err)
		}
	}
	for range 20 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(200, round))
}
