package objects_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
)

// TestNoise_IsFunctionOfSeedObjectAndCycle: other objects in view and earlier cycles have no
// effect.
func TestNoise_IsFunctionOfSeedObjectAndCycle(t *testing.T) {
	c := objects.Default()
	c.PositionNoise, c.VelocityNoise, c.Seed = 0.5, 0.1, 3
	position := func(seed uint64, before int, others ...*osi3.MovingObject) *osi3.BaseMoving {
		c.Seed = seed
		p := newPair(t, c)
		for range before {
			p.step(t, marshal(t, plainView()), step)
		}
		data := p.step(t, marshal(t, plainView(others...)), step)
		return data.MovingObject[len(data.MovingObject)-1].Base
	}
	a, b := carAt(10, 100, 90, 1), carAt(11, 105, 100, 1)
	alone := position(3, 2, a)
	require.True(t, proto.Equal(alone, position(3, 2, b, a)))
	require.False(t, proto.Equal(alone, position(3, 3, a)), "another cycle")
	require.False(t, proto.Equal(alone, position(4, 2, a)), "another seed")
}

// noises returns the noise on position and velocity of one car in each of n cycles.
func noises(t *testing.T, c objects.Config, n int) [][6]float64 {
	d, err := objects.New(c)
	require.NoError(t, err)
	view := marshal(t, plainView(carAt(10, 100, 90, 1)))
	list := make([][6]float64, n)
	for k := range list {
		_, err := d.Detect(view, until(step))
		require.NoError(t, err)
		x := d.Detections(objects.MovingObject)[0]
		list[k] = [...]float64{
			x.Position.X - 37.5, x.Position.Y, x.Position.Z, x.Velocity.X - 4, x.Velocity.Y - 3,
			x.Velocity.Z,
		}
	}
	return list
}

// TestNoise_HasItsDeviation measures mean and deviation of the reported values and compares them
// with base_rmse.
func TestNoise_HasItsDeviation(t *testing.T) {
	c := objects.Default()
	c.PositionNoise, c.VelocityNoise = 0.5, 0.2
	const n = 4000
	var sum, squares [6]float64
	for _, noise := range noises(t, c, n) {
		for k, e := range noise {
			sum[k] += e
			squares[k] += e * e
		}
	}
	for k := range sum {
		sigma := c.PositionNoise
		if k >= 3 {
			sigma = c.VelocityNoise
		}
		require.InDelta(t, 0, sum[k]/n, 5*sigma/math.Sqrt(n), "mean of coordinate %d", k)
		require.InDelta(t, sigma, math.Sqrt(squares[k]/n), 5*sigma/math.Sqrt(2*n),
			"deviation of coordinate %d", k)
	}
	data, _ := detect(t, c, plainView(carAt(10, 100, 90, 1)))
	nearVector(t, 0.5, 0.5, 0.5, data.MovingObject[0].BaseRmse.Position)
	nearVector(t, 0.2, 0.2, 0.2, data.MovingObject[0].BaseRmse.Velocity)
}

// TestNoise_OfPositionAndVelocityAreApart: the noise of the coordinates is uncorrelated.
func TestNoise_OfPositionAndVelocityAreApart(t *testing.T) {
	c := objects.Default()
	c.PositionNoise, c.VelocityNoise = 1, 1
	const n = 4000
	var products [6][6]float64
	for _, noise := range noises(t, c, n) {
		for i := range noise {
			for k := range i {
				products[i][k] += noise[i] * noise[k]
			}
		}
	}
	for i := range products {
		for k := range i {
			require.InDelta(t, 0, products[i][k]/n, 5/math.Sqrt(n), "coordinates %d and %d", i, k)
		}
	}
}

// TestNoise_SensorsAndKindsAreApart: two sensors with the same seed, and two objects with the same
// id, have independent noise.
func TestNoise_SensorsAndKindsAreApart(t *testing.T) {
	c := objects.Default()
	c.PositionNoise = 1
	view := plainView(carAt(3, 100, 90, 1))
	view.GlobalGroundTruth.StationaryObject = []*osi3.StationaryObject{box(3, 37.5, 0, 0, 1, 1, 1)}
	seen := func(sensor uint64) (moving, stationary *osi3.Vector3D) {
		c.SensorID = &sensor
		data, _ := detect(t, c, view)
		return data.MovingObject[0].Base.Position, data.StationaryObject[0].Base.Position
	}
	moving, stationary := seen(1)
	again, _ := seen(1)
	other, _ := seen(2)
	require.True(t, proto.Equal(moving, again))
	require.False(t, proto.Equal(moving, other), "another sensor")
	require.False(t, proto.Equal(moving, stationary), "another kind")
}

// patterns returns for each car whether it is detected in each of n cycles.
func patterns(t *testing.T, c objects.Config, cars, n int) [][]bool {
	d, err := objects.New(c)
	require.NoError(t, err)
	var others []*osi3.MovingObject
	for k := range cars {
		others = append(others, carAt(uint64(k+10), 100, 90+float64(k), 1))
	}
	view := marshal(t, plainView(others...))
	seen := make([][]bool, cars)
	for range n {
		_, err := d.Detect(view, until(step))
		require.NoError(t, err)
		now := make([]bool, cars)
		for _, x := range d.Detections(objects.MovingObject) {
			now[x.ObjectID-10] = true
		}
		for k := range cars {
			seen[k] = append(seen[k], now[k])
		}
	}
	return seen
}

func share(pattern []bool) (seen float64) {
	for _, yes := range pattern {
		if yes {
			seen++
		}
	}
	return seen / float64(len(pattern))
}

func TestLosses_HaveTheirShare(t *testing.T) {
	const n = 4000
	c := objects.Default()
	c.DetectionProbability = 0.7
	require.InDelta(t, 0.7, share(patterns(t, c, 1, n)[0]), 5*math.Sqrt(0.21/n))
	c = objects.Default()
	c.DropoutProbability, c.DropoutCycles = 0.25, 20
	require.InDelta(t, 0.75, share(patterns(t, c, 1, n)[0]), 5*math.Sqrt(0.19*20/n))
	c.DropoutProbability = 1
	require.Zero(t, share(patterns(t, c, 1, n)[0]))
	c.DropoutProbability, c.DetectionProbability = 0, 0
	require.Zero(t, share(patterns(t, c, 1, n)[0]))
}

// TestLosses_DropoutsHaveTheirLength: each lasts for the configured number of cycles or a multiple
// of it, and they do not all begin at once.
func TestLosses_DropoutsHaveTheirLength(t *testing.T) {
	const length = 20
	c := objects.Default()
	c.DropoutProbability, c.DropoutCycles = 0.25, length
	begins := map[int]int{}
	for car, pattern := range patterns(t, c, 40, 1000) {
		phase, last := -1, 0
		for k := 1; k < len(pattern); k++ {
			if pattern[k] == pattern[k-1] {
				continue
			}
			if phase < 0 {
				phase = k % length
			}
			require.Equal(t, phase, k%length, "car %d, cycle %d", car, k)
			require.True(t, last == 0 || k-last >= length)
			last = k
		}
		begins[phase]++
	}
	require.Greater(t, len(begins), 10, "of %d", length)
}
