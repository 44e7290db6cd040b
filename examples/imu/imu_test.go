package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

var (
	inputs = [...]string{
		"specificForce.x", "specificForce.y", "specificForce.z", "angularRate.x", "angularRate.y",
		"angularRate.z",
	}
	outputs = [...]string{
		"accelerometer.x", "accelerometer.y", "accelerometer.z", "gyroscope.x", "gyroscope.y",
		"gyroscope.z",
	}
)

// start creates an IMU with some parameters; with exact, all errors but the named ones are zero.
func start(t *testing.T, exact bool, parameters map[string]any) *modeltest.Rig {
	t.Helper()
	r := modeltest.New(t, definition)
	for _, sensor := range []string{"accelerometer", "gyroscope"} {
		for _, kind := range []string{".noise", ".biasWalk", ".resolution"} {
			if exact {
				r.Set(sensor+kind, 0)
			}
		}
	}
	for name, value := range parameters {
		r.Set(name, value)
	}
	r.Start()
	return r
}

// measured returns the output of all axes.
func measured(r *modeltest.Rig) (m [6]float64) {
	for k, name := range outputs {
		m[k] = r.Get(name).(float64)
	}
	return m
}

func TestWithoutErrorsTheTruthIsMeasured(t *testing.T) {
	r := start(t, true, nil)
	require.Equal(t, [6]float64{}, measured(r), "there is no measurement before the first step")
	r.Step(0.01)
	require.Equal(t, [6]float64{0, 0, 9.80665, 0, 0, 0}, measured(r),
		"an IMU that nothing is connected to rests")
	for k, name := range inputs {
		r.Set(name, float64(k)+0.125)
	}
	r.Step(0.01)
	require.Equal(t, [6]float64{0.125, 1.125, 2.125, 3.125, 4.125, 5.125}, measured(r))
}

func TestErrorsByHand(t *testing.T) {
	for name, c := range map[string]struct {
		parameters map[string]any
		truth      float64
		wanted     float64
		saturated  bool
	}{
		"bias":            {map[string]any{"gyroscope.bias.y": 0.5}, 10, 10.5, false},
		"bias of another": {map[string]any{"gyroscope.bias.x": 0.5}, 10, 10, false},
		"scale":           {map[string]any{"gyroscope.scaleError": -0.25}, 8, 6, false},
		"scale, then bias": {map[string]any{"gyroscope.scaleError": 0.25, "gyroscope.bias.y": 1}, 8,
			11, false},
		"rounded down": {map[string]any{"gyroscope.resolution": 0.25}, 1.1, 1, false},
		"rounded up":   {map[string]any{"gyroscope.resolution": 0.25}, -1.2, -1.25, false},
		"at the limit": {map[string]any{"gyroscope.range": 4}, 4, 4, false},
		"saturated":    {map[string]any{"gyroscope.range": 4}, 4.5, 4, true},
		"saturated below": {map[string]any{"gyroscope.range": 4, "gyroscope.bias.y": -5}, 0, -4,
			true},
		"rounded beyond": {map[string]any{"gyroscope.range": 4.1, "gyroscope.resolution": 0.5}, 4.4,
			4.1, true},
	} {
		r := start(t, true, c.parameters)
		r.Set("angularRate.y", c.truth)
		r.Step(0.01)
		require.Equal(t, c.wanted, r.Get("gyroscope.y"), name)
		require.Equal(t, c.saturated, r.Get("gyroscope.saturated"), name)
		require.Equal(t, 9.80665, r.Get("accelerometer.z"), name)
		require.Equal(t, false, r.Get("accelerometer.saturated"), name)
	}
}

func TestSaturationPasses(t *testing.T) {
	r := start(t, true, nil)
	for _, c := range []struct {
		truth float64
		held  bool
	}{{200, true}, {-200, true}, {20, false}} {
		r.Set("specificForce.x", c.truth)
		r.Step(0.01)
		require.Equal(t, c.held, r.Get("accelerometer.saturated"))
		require.Equal(t, max(-160, min(160, c.truth)), r.Get("accelerometer.x"))
	}
}

// samples returns count errors of the x axis, the same in each run of the test.
func samples(s triad, count int, h float64) []float64 {
	random := rand.New(rand.NewPCG(7, 0))
	s.limit = 1e6
	list := make([]float64, count)
	for k := range list {
		s.measure(random, h)
		list[k] = s.measured[0]
	}
	return list
}

// allan returns the Allan deviation of samples for averages over n of them (IEEE Std 952, annex C).
func allan(list []float64, n int) float64 {
	var sum, last float64
	groups := len(list) / n
	for g := range groups {
		mean := 0.0
		for _, x := range list[g*n : (g+1)*n] {
			mean += x / float64(n)
		}
		if g > 0 {
			sum += (mean - last) * (mean - last)
		}
		last = mean
	}
	return math.Sqrt(sum / float64(2*(groups-1)))
}

// TestWhiteNoiseFallsWithTheRootOfTime allows 10 %: with at least 1000 averages the standard
// deviation of the estimate is below 3 %.
func TestWhiteNoiseFallsWithTheRootOfTime(t *testing.T) {
	for _, h := range []float64{0.001, 0.01, 0.1} {
		list := samples(triad{noise: 0.02}, 100_000, h)
		for _, n := range []int{1, 10, 100} {
			require.InEpsilon(t, 0.02/math.Sqrt(float64(n)*h), allan(list, n), 0.1,
				"%d samples at %g s", n, h)
		}
	}
}

// TestBiasWalkGrowsWithTheRootOfTime allows 15 %. The Allan deviation of a sampled walk is K
// sqrt(T/3) once the averages are long.
func TestBiasWalkGrowsWithTheRootOfTime(t *testing.T) {
	for _, h := range []float64{0.001, 0.01, 0.1} {
		list := samples(triad{biasWalk: 0.02}, 200_000, h)
		for _, n := range []int{20, 200} {
			require.InEpsilon(t, 0.02*math.Sqrt(float64(n)*h/3), allan(list, n), 0.15,
				"%d samples at %g s", n, h)
		}
		var squares float64
		for k := 1; k < len(list); k++ {
			squares += (list[k] - list[k-1]) * (list[k] - list[k-1])
		}
		require.InEpsilon(t, 0.02*math.Sqrt(h), math.Sqrt(squares/float64(len(list)-1)), 0.02,
			"steps of the walk at %g s", h)
	}
}

func TestNoiseIsNormalAndHasZeroMean(t *testing.T) {
	list := samples(triad{noise: 1}, 100_000, 1)
	var mean float64
	var within [4]float64 // one to three standard deviations
	for _, x := range list {
		mean += x / 100_000
		for k := range within {
			if math.Abs(x) < float64(k) {
				within[k] += 1.0 / 100_000
			}
		}
	}
	require.InDelta(t, 0, mean, 0.02)
	require.InDelta(t, 0.6827, within[1], 0.01)
	require.InDelta(t, 0.9545, within[2], 0.005)
	require.InDelta(t, 0.9973, within[3], 0.002)
}

// TestAxesErrIndependently correlates the errors of all axes with each other and with their own
// past.
func TestAxesErrIndependently(t *testing.T) {
	r := start(t, true, map[string]any{"accelerometer.noise": 1, "gyroscope.noise": 1})
	const count = 5000
	var errors [6][count]float64
	for k := range count {
		r.Step(1)
		for axis, m := range measured(r) {
			errors[axis][k] = m
			if axis == 2 {
				errors[axis][k] -= 9.80665
			}
		}
	}
	for a := range errors {
		for b := range errors {
			var together, later float64
			for k := range count - 1 {
				together += errors[a][k] * errors[b][k] / count
				later += errors[a][k] * errors[b][k+1] / count
			}
			require.InDelta(t, map[bool]float64{true: 1}[a == b], together, 0.1, "%d and %d", a, b)
			require.InDelta(t, 0, later, 0.1, "%d and %d a step later", a, b)
		}
	}
}

// run returns the measurements of an IMU in its first steps.
func run(r *modeltest.Rig) (list [][6]float64) {
	for range 20 {
		r.Step(0.01)
		list = append(list, measured(r))
	}
	return list
}

func TestSeedDecides(t *testing.T) {
	first := run(start(t, false, nil))
	require.Equal(t, first, run(start(t, false, map[string]any{"seed": 1})))
	for _, seed := range []int{0, 2, -1} {
		require.NotEqual(t, first, run(start(t, false, map[string]any{"seed": seed})), "seed %d",
			seed)
	}
	r := start(t, false, nil)
	run(r)
	r.Reset()
	r.Start()
	require.Equal(t, first, run(r), "a reset starts over")
}

func TestErrorsOfOneSensorDoNotDependOnTheOther(t *testing.T) {
	a := run(start(t, false, nil))
	b := run(start(t, false, map[string]any{"accelerometer.noise": 0, "accelerometer.bias.x": 3}))
	for k := range a {
		require.Equal(t, a[k][3:], b[k][3:])
		require.NotEqual(t, a[k][:1], b[k][:1])
	}
}

func TestStatesAreSavedAndRestored(t *testing.T) {
	r, other := start(t, false, nil),
		start(t, false, map[string]any{"seed": 9, "gyroscope.bias.x": 1})
	for range 5 {
		r.Step(0.01)
	}
	now, state := measured(r), r.Save()
	wanted := run(r)
	for _, to := range []*modeltest.Rig{r, other} {
		to.Restore(state, 0.05)
		require.Equal(t, now, measured(to))
		require.Equal(t, int32(1), to.Get("seed"))
		require.Equal(t, wanted, run(to))
	}
}

func TestBrokenStatesAreRefused(t *testing.T) {
	m := &imu{}
	require.NoError(t, m.Setup(model.Environment{}))
	good, err := m.Snapshot(nil)
	require.NoError(t, err)
	for _, size := range []int{0, 10, 48, len(good) - 1} {
		require.ErrorContains(t, m.Restore(good[:size]), fmt.Sprintf("state of %d bytes", size))
	}
	require.Error(t, m.Restore(append(good, 0)))
	require.NoError(t, m.Restore(good))
	require.NoError(t, m.Step(timebase.Span{End: timebase.Second}))
}

func TestWrongParameters(t *testing.T) {
	for name, values := range map[string][]float64{
		"accelerometer.noise": {-1e-9, math.NaN()}, "gyroscope.biasWalk": {-1, math.Inf(1)},
		"gyroscope.range": {0, -1}, "accelerometer.resolution": {-0.1},
		"accelerometer.scaleError": {-1.1, 1.1}, "gyroscope.bias.z": {1e5},
		"specificForce.x": {math.NaN()},
	} {
		for _, value := range values {
			r := modeltest.New(t, definition)
			require.Equal(t, fmi.Error, r.TrySet(name, value), "%s %v", name, value)
			require.Contains(t, r.Log()[0], name)
		}
	}
}
