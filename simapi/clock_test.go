package simapi_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/simapi"
	"gosmp/timebase"
)

// milliseconds returns k times a step in ms, rounded only once.
func milliseconds(k, num, den int64) float64 {
	x, _ := big.NewRat(k*num*1000, den).Float64()
	return x
}

// TestServer_StepsAreExact checks that times are whole multiples of the director's step, and a
// simulator's times are whole multiples of its own step, at the rates of cameras and at any other
// rate: a million steps do not drift, and times are accepted even if directors write them with six
// decimals or accumulate the step.
func TestServer_StepsAreExact(t *testing.T) {
	for _, c := range []struct{ num, den, ratio int64 }{{1, 60, 1}, {1, 60, 4}, {1001, 30000, 2},
		{1, 3, 7}, {1, 24, 1}} {
		d := &double{quiet: true, ownStep: milliseconds(1, c.num, c.den*c.ratio)}
		_, connect := serve(t, d, nil, false)
		client := connect("director", simapi.Role_SSP)
		launched(t, client, &simapi.Init{StepSizeMs: milliseconds(1, c.num, c.den)})
		running(t, client)
		h, known := timebase.NewRational(c.num, c.den*c.ratio)
		require.True(t, known)
		own := timebase.NewScale(timebase.Rational{}, timebase.EveryRational(h))
		made := int64(0)
		d.onStep = func(_ context.Context, s timebase.Span) error {
			require.Equal(t, timebase.Span{Start: own.Point(made), End: own.Point(made + 1)}, s)
			made++
			return nil
		}
		sum, steps := 0.0, int64(20_000)
		for k := int64(1); k <= steps; k++ {
			sum += milliseconds(1, c.num, c.den)
			to := milliseconds(k, c.num, c.den)
			asked := []float64{to, sum, float64(int64(to*1e6)) / 1e6}[k%3]
			require.Equal(t, to, step(t, client, asked).GetSimTimeMs())
		}
		require.Equal(t, steps*c.ratio, made)
	}
}

// TestServer_TrajectoryAtARateOfCameras checks that a trajectory with one point for each step has
// its points at the steps, at any rate, although its end is rounded in transit.
func TestServer_TrajectoryAtARateOfCameras(t *testing.T) {
	for _, first := range []int64{0, 1} { // points from the start or from the first step
		d := &double{quiet: true}
		_, connect := serve(t, d, nil, false)
		c := connect("director", simapi.Role_SSP)
		launched(t, c, &simapi.Init{StepSizeMs: 1000.0 / 60})
		_, err := c.CreateActor(t.Context(), car("ego", 0, 0))
		require.NoError(t, err)
		running(t, c)
		const n = 600
		r := &simapi.SetXyTrajectory{ActorId: "ego", EndTimeMs: milliseconds(n, 1, 60)}
		for k := first; k <= n; k++ {
			r.Polyline = append(r.Polyline, simapi.XY(float64(k)/2, 0))
		}
		require.NoError(t, c.SetXYTrajectory(t.Context(), r))
		require.Empty(t, c.Warnings())
		for k := int64(1); k <= n; k++ {
			step(t, c, milliseconds(k, 1, 60))
			reply, err := c.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
			require.NoError(t, err)
			s := reply.GetState()[0]
			require.Equal(t, float64(k)/2, s.GetPosition().GetX())
			require.InDelta(t, 30, s.GetSpeed().GetX(), 1e-11, "half a metre in 1/60 s")
			if k > 2 {
				require.InDelta(t, 0, s.GetAcceleration().GetX(), 1e-8)
			}
		}
	}
}

// TestServer_StepsThatEndAtAnyTime checks that a director may end a run between two of its steps if
// both sides agreed to this.
func TestServer_StepsThatEndAtAnyTime(t *testing.T) {
	ends := func(d *double, r *simapi.Init, to ...float64) (list []float64, err error) {
		_, connect := serve(t, d, nil, false)
		c := connect("director", simapi.Role_SSP)
		launched(t, c, r)
		running(t, c)
		made := uint32(0)
		d.onStep = func(_ context.Context, s timebase.Span) error {
			list = append(list, simapi.Ms(s.End))
			return nil
		}
		for _, ms := range to {
			if err := c.StartStep(t.Context(),
				&simapi.StartStep{RequestedSimTimeMs: ms}); err != nil {
				return list, err
			}
			reply, err := c.WaitStep(t.Context(), &simapi.WaitStep{})
			require.NoError(t, err)
			require.Equal(t, ms, reply.GetSimTimeMs())
			made += reply.GetSteps()
			require.EqualValues(t, len(list), made)
		}
		return list, nil
	}
	free := &simapi.Init{StepSizeMs: 20, FreeStep: true, AnyStep: true}
	list, err := ends(&double{quiet: true, ownStep: 10}, free, 20, 60, 75, 95)
	require.NoError(t, err)
	require.Equal(t, []float64{10, 20, 30, 40, 50, 60, 67.5, 75, 85, 95}, list)

	bound := proto.CloneOf(free)
	bound.AnyStep = false
	_, err = ends(&double{quiet: true}, bound, 20, 60, 75)
	require.ErrorIs(t, err, simapi.Code_INVALID)

	_, err = ends(&double{quiet: true, fixed: true}, free, 20, 60, 75)
	require.ErrorIs(t, err, simapi.Code_INVALID, "it makes steps of 20 ms alone")
}
