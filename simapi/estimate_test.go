package simapi_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/simapi"
	"gosmp/timebase"
)

func at(seconds float64) timebase.Time {
	t, err := timebase.FromSeconds(seconds)
	if err != nil {
		panic(err)
	}
	return t
}

// last feeds a path to an estimator and returns the state at its last time.
func last(t require.TestingT, e *simapi.Estimator, times []float64,
	place func(float64) *simapi.ActorState) *simapi.ActorState {
	var out *simapi.ActorState
	for _, s := range times {
		o, _, err := e.Complete(at(s), place(s))
		require.NoError(t, err)
		out = o
	}
	return out
}

// TestEstimator_Parabola checks M5: a parabola along an oblique line, sampled at unequal intervals
// up to its end.
func TestEstimator_Parabola(t *testing.T) {
	out := last(t, &simapi.Estimator{}, []float64{0, 0.02, 0.05},
		func(s float64) *simapi.ActorState {
			return &simapi.ActorState{ActorId: "a", Position: simapi.XY(5+3*s+2*s*s, 0)}
		})
	require.InDelta(t, 3.2, out.GetSpeed().GetX(), 1e-9)
	require.InDelta(t, 4, out.GetAcceleration().GetX(), 1e-9)
	require.InDelta(t, 0, out.GetPosition().GetYaw(), 1e-12)
	require.Equal(t, []string{"position.z", "position.roll", "position.pitch", "position.yaw",
		"speed", "acceleration"}, out.GetEstimated())
}

// TestEstimator_ExactOnCirclesAndLines checks that on circles with constant acceleration along
// them, and on straight lines, every missing quantity is estimated exactly according to the
// formulas of the motion, for any sample intervals.
func TestEstimator_ExactOnCirclesAndLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		curvature := rapid.SampledFrom([]float64{0, 1e-7, -0.01, 0.05, 0.2}).Draw(t, "curvature")
		v0 := rapid.Float64Range(2, 20).Draw(t, "v0")
		a := rapid.Float64Range(-2, 4).Draw(t, "a")
		heading := rapid.Float64Range(-3, 3).Draw(t, "heading")
		h := rapid.Float64Range(0.005, 0.05).Draw(t, "h")
		h = at(h).Seconds()
		times := []float64{0, h, h + rapid.Float64Range(0.005, 0.05).Draw(t, "h2"), 0.15}
		times[2] = at(times[2]).Seconds()
		place := func(s float64) *simapi.ActorState {
			way := v0*s + a*s*s/2
			turn := curvature * way
			chord := way
			if turn != 0 {
				chord = 2 * math.Sin(turn/2) / curvature
			}
			return &simapi.ActorState{Position: simapi.XY(3+chord*math.Cos(heading+turn/2),
				-7+chord*math.Sin(heading+turn/2))}
		}
		out := last(t, &simapi.Estimator{}, times, place)
		v := v0 + a*0.15
		yaw := heading + curvature*(v0*0.15+a*0.15*0.15/2)
		sin, cos := math.Sincos(yaw)
		require.InDelta(t, v*cos, out.GetSpeed().GetX(), 1e-7)
		require.InDelta(t, v*sin, out.GetSpeed().GetY(), 1e-7)
		require.InDelta(t, a*cos-v*v*curvature*sin, out.GetAcceleration().GetX(), 1e-5)
		require.InDelta(t, a*sin+v*v*curvature*cos, out.GetAcceleration().GetY(), 1e-5)
		require.InDelta(t, 0, math.Remainder(yaw-out.GetPosition().GetYaw(), 2*math.Pi), 1e-7)
		require.InDelta(t, curvature*v, out.GetSpeed().GetYaw(), 1e-6)
		require.InDelta(t, curvature*a, out.GetAcceleration().GetYaw(), 1e-5)
	})
}

// TestEstimator_UniformFromTheSecondSample checks F3: uniform motion is exact from the second
// sample on.
func TestEstimator_UniformFromTheSecondSample(t *testing.T) {
	out := last(t, &simapi.Estimator{}, []float64{1, 1.02}, func(s float64) *simapi.ActorState {
		return &simapi.ActorState{Position: simapi.XY(3*s, -4*s)}
	})
	require.InDelta(t, 3, out.GetSpeed().GetX(), 1e-9)
	require.InDelta(t, -4, out.GetSpeed().GetY(), 1e-9)
	require.Zero(t, out.GetAcceleration().GetX())
	require.InDelta(t, math.Atan2(-4, 3), out.GetPosition().GetYaw(), 1e-9)
}

// TestEstimator_GivenSpeeds checks that accelerations are derived from speeds if these are given,
// and that given values stay unchanged.
func TestEstimator_GivenSpeeds(t *testing.T) {
	const omega, v = 0.7, 12
	place := func(s float64) *simapi.ActorState {
		sin, cos := math.Sincos(omega * s)
		return &simapi.ActorState{Position: simapi.XY(1, 1), // contradicts the speed
			Speed: &simapi.Coord6Dof{X: proto.Float64(v * cos), Y: proto.Float64(v * sin),
				Yaw: proto.Float64(0.123 * s)}}
	}
	out := last(t, &simapi.Estimator{}, []float64{0, 0.02, 0.05}, place)
	sin, cos := math.Sincos(omega * 0.05)
	require.InDelta(t, -v*omega*sin, out.GetAcceleration().GetX(), 1e-9)
	require.InDelta(t, v*omega*cos, out.GetAcceleration().GetY(), 1e-9)
	require.InDelta(t, 0.123, out.GetAcceleration().GetYaw(), 1e-9)
	require.InDelta(t, v*cos, out.GetSpeed().GetX(), 0)
	require.NotContains(t, out.GetEstimated(), "speed.x")
	require.NotContains(t, out.GetEstimated(), "speed")
	require.NotContains(t, out.GetEstimated(), "speed.yaw")
	require.Contains(t, out.GetEstimated(), "speed.z")
	require.InDelta(t, omega*0.05, out.GetPosition().GetYaw(), 1e-9)
}

// TestEstimator_Direction checks M6: the direction stays the same when the actor stops or reverses,
// and the rate does not jump when the direction passes pi.
func TestEstimator_Direction(t *testing.T) {
	e := &simapi.Estimator{}
	x, now := 0.0, 0.0
	move := func(v float64) *simapi.ActorState {
		now += 0.02
		x += v * 0.02
		out, _, err := e.Complete(at(now), &simapi.ActorState{Position: simapi.XY(-x, 0)})
		require.NoError(t, err)
		return out
	}
	for _, v := range []float64{10, 10, 10, 5, 0, 0, 0, 0, -3, -3, -3} {
		out := move(v)
		if now > 0.03 {
			require.InDelta(t, math.Pi, math.Abs(out.GetPosition().GetYaw()), 1e-9, "at %v", now)
		}
	}
	turning := last(t, &simapi.Estimator{}, []float64{0, 0.1, 0.2},
		func(s float64) *simapi.ActorState {
			return &simapi.ActorState{Position: simapi.Pose(s, 0, math.Remainder(3.1+0.5*s,
				2*math.Pi))}
		})
	require.InDelta(t, 0.5, turning.GetSpeed().GetYaw(), 1e-9)
}

// TestEstimator_Jump checks that a jump resets the estimator and is not interpreted as a speed.
func TestEstimator_Jump(t *testing.T) {
	e := &simapi.Estimator{}
	place := 0.0
	for k := range 10 {
		place += 0.4
		if k == 5 {
			place += 50
		}
		out, jumped, err := e.Complete(at(0.02*float64(k)),
			&simapi.ActorState{Position: simapi.XY(place, 0)})
		require.NoError(t, err)
		require.Equal(t, k == 5, jumped)
		if k > 0 && k != 5 {
			require.InDelta(t, 20, out.GetSpeed().GetX(), 1e-6)
		}
	}
}

// TestEstimator_JumpsAboveAHundredMetresPerSecond checks that a possible motion is not a jump,
// regardless of the distance between samples.
func TestEstimator_JumpsAboveAHundredMetresPerSecond(t *testing.T) {
	for _, h := range []float64{0.01, 0.1, 2} {
		for speed, want := range map[float64]bool{20: false, 99: false, 101: true, 200: true} {
			for _, x := range []float64{1, -1} {
				e := &simapi.Estimator{}
				_, _, err := e.Complete(at(0), &simapi.ActorState{Position: simapi.XY(0, 0)})
				require.NoError(t, err)
				_, jumped, err := e.Complete(at(h), &simapi.ActorState{
					Position: simapi.XY(x*0.6*speed*h, 0.8*speed*h)})
				require.NoError(t, err)
				require.Equal(t, want, jumped, "%v m/s in %v s", speed, h)
			}
		}
	}
}

// hill is ground with a slope of 10 % to the east.
type hill struct{}

func (hill) At(x, _, _ float64, _ string) (z, pitch, roll float64, ok bool) {
	return 0.1 * x, -math.Atan(0.1), 0, x < 10
}
func (hill) Lane(float64, float64) (float64, bool) { return 1.5, true }

// TestEstimator_Ground checks M7: height and inclination come from the ground, and off the road the
// last height is kept. It also checks M6: at rest the lane determines the direction.
func TestEstimator_Ground(t *testing.T) {
	e := &simapi.Estimator{Ground: hill{}}
	out := last(t, e, []float64{0}, func(float64) *simapi.ActorState {
		return &simapi.ActorState{Position: simapi.XY(0, 0)}
	})
	require.InDelta(t, 1.5, out.GetPosition().GetYaw(), 0)
	out = last(t, e, []float64{0.5, 1}, func(s float64) *simapi.ActorState {
		return &simapi.ActorState{Position: simapi.XY(9*s, 0)}
	})
	require.InDelta(t, 0.9, out.GetPosition().GetZ(), 1e-12)
	require.InDelta(t, 0.9, out.GetSpeed().GetZ(), 1e-9)
	require.InDelta(t, -math.Atan(0.1), out.GetPosition().GetPitch(), 1e-12)
	out = last(t, e, []float64{1.5}, func(s float64) *simapi.ActorState {
		return &simapi.ActorState{Position: simapi.XY(9*s, 0)}
	})
	require.InDelta(t, 0.9, out.GetPosition().GetZ(), 1e-12)
	require.Zero(t, out.GetPosition().GetPitch())
}

// TestEstimator_DoesNotAllocate checks that no memory is allocated after the first samples.
func TestEstimator_DoesNotAllocate(t *testing.T) {
	e := &simapi.Estimator{}
	state := &simapi.ActorState{ActorId: "a", Position: simapi.XY(0, 0)}
	k := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		k++
		*state.Position.X += 0.1
		if _, _, err := e.Complete(timebase.Time(k)*20*timebase.Millisecond, state); err != nil {
			panic(err)
		}
	}))
}

func polyline(x ...float64) (list []*simapi.Coord6Dof) {
	for _, v := range x {
		list = append(list, simapi.XY(v, 0))
	}
	return list
}

const ms = timebase.Millisecond

var tenMs = timebase.Every(0.01)

// TestTrajectory_Points checks M8: the number of points determines the time of the first one, and
// between points the path is straight.
func TestTrajectory_Points(t *testing.T) {
	for _, c := range []struct {
		points []float64
		want   [5]float64 // at 0, 10, 20, 30 and 40 ms
	}{
		{[]float64{1, 2, 3, 4, 5}, [5]float64{1, 2, 3, 4, 5}},
		{[]float64{1, 2, 3, 4}, [5]float64{0, 1, 2, 3, 4}},
		{[]float64{1, 2, 3}, [5]float64{1, 1.5, 2, 2.5, 3}},
		{[]float64{4}, [5]float64{0, 1, 2, 3, 4}},
	} {
		var y simapi.Trajectory
		require.Zero(t,
			y.Follow(&simapi.SetXyTrajectory{EndTimeMs: 40, Polyline: polyline(c.points...)}, 0,
				tenMs, simapi.XY(0, 0)))
		// repeated and omitted queries
		for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 4, 2, 0, 2, 2}} {
			for _, k := range order {
				place := &simapi.Coord6Dof{}
				y.At(timebase.Time(k)*10*ms, place)
				require.InDelta(t, c.want[k], place.GetX(), 1e-12, "%v at %d0 ms", c.points, k)
				require.Nil(t, place.Z)
			}
		}
		require.Equal(t, 40*ms, y.End())
	}
}

// TestTrajectory_Newer checks M9: from its start, a newer trajectory replaces the older one; gaps
// are bridged, points in the past are counted, and the last point is held.
func TestTrajectory_Newer(t *testing.T) {
	x := func(y *simapi.Trajectory, at timebase.Time) float64 {
		place := &simapi.Coord6Dof{}
		y.At(at, place)
		return place.GetX()
	}
	var y simapi.Trajectory
	y.Follow(&simapi.SetXyTrajectory{EndTimeMs: 40, Polyline: polyline(0, 1, 2, 3, 4)}, 0,
		tenMs, nil)
	y.Follow(&simapi.SetXyTrajectory{StartTimeMs: 20, EndTimeMs: 40, Polyline: polyline(2, 7, 9)},
		10*ms, tenMs, nil)
	require.InDelta(t, 1, x(&y, 10*ms), 1e-12)
	require.InDelta(t, 7, x(&y, 30*ms), 1e-12)
	require.InDelta(t, 9, x(&y, 90*ms), 1e-12, "the actor stays at the end of its trajectory")
	y.Follow(&simapi.SetXyTrajectory{StartTimeMs: 60, EndTimeMs: 70, Polyline: polyline(13, 14)},
		40*ms, tenMs, nil)
	require.InDelta(t, 11, x(&y, 50*ms), 1e-12, "a gap from 40 to 60 ms")
	dropped := y.Follow(&simapi.SetXyTrajectory{StartTimeMs: 20, EndTimeMs: 60,
		Polyline: polyline(20, 21, 22, 23, 24)}, 45*ms, tenMs, nil)
	require.Equal(t, 3, dropped)
	require.InDelta(t, 22.5, x(&y, 45*ms), 1e-12)
	y.Stop()
	require.False(t, y.Active())
}

// TestResample checks F13: a director's points at the rate of the simulator.
func TestResample(t *testing.T) {
	list := simapi.Resample([]*simapi.Coord6Dof{simapi.Pose(0, 0, 3), simapi.Pose(4, 8, -3),
		simapi.Pose(8, 8, -3)}, 4)
	require.Len(t, list, 9)
	require.InDelta(t, 1, list[1].GetX(), 1e-12)
	require.InDelta(t, 2, list[1].GetY(), 1e-12)
	require.InDelta(t, 3+(2*math.Pi-6)/4, list[1].GetYaw(), 1e-12, "the shorter arc passes pi")
	require.InDelta(t, 5, list[5].GetX(), 1e-12)
	require.InDelta(t, 8, list[8].GetX(), 1e-12)
	require.Empty(t, simapi.Resample(nil, 4))
}
