package objects_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// box returns a stationary object around a position relative to the sensor of plainView: x ahead, y
// to the left, z up.
func box(n uint64, x, y, z, length, width, height float64) *osi3.StationaryObject {
	return &osi3.StationaryObject{Id: id(n), Base: &osi3.BaseStationary{
		Dimension: size(length, width, height), Position: vec(100-y, 52.5+x, 1+z),
		Orientation: turn(0, 0, 0),
	}}
}

// TestOcclusion_HidesObjectsBehindOthers puts boxes between the sensor and a car 40 m ahead, which
// is 2 m wide and 1.5 m high and stands across the line of sight. Boxes are given along the world's
// axes, so their width extends along the line of sight.
func TestOcclusion_HidesObjectsBehindOthers(t *testing.T) {
	for _, c := range []struct {
		name  string
		boxes []*osi3.StationaryObject
		seen  bool
	}{
		{"nothing", nil, true},
		{"a wall in between", []*osi3.StationaryObject{box(1, 20, 0, 0, 6, 1, 4)}, false},
		{"the same wall behind", []*osi3.StationaryObject{box(1, 60, 0, 0, 6, 1, 4)}, true},
		{"a wall too low", []*osi3.StationaryObject{box(1, 20, 0, -1, 6, 1, 1)}, true},
		{"a wall that leaves a corner in sight", []*osi3.StationaryObject{box(1, 20, -1.5, 0, 4, 1,
			4)}, true},
		{"two walls that leave none, neither alone would do", []*osi3.StationaryObject{
			box(1, 20, -1.5, 0, 3.2, 1, 4), box(2, 25, 1.6, 0, 3.6, 1, 4),
		}, false},
		{"a bridge the sensor is in", []*osi3.StationaryObject{box(1, 0, 0, 0, 10, 10, 8)}, true},
		{"a post", []*osi3.StationaryObject{box(1, 20, 0, 0, 0.2, 0.2, 4)}, true},
		{"something without extent", []*osi3.StationaryObject{box(1, 20, 0, 0, 0, 0, 0)}, true},
		{"a wall outside of the field of view that reaches into it", []*osi3.StationaryObject{box(1,
			3, 6, 0, 16, 0.5, 4)}, false},
	} {
		view := plainView(carAt(9, 100, 92.5, 1))
		view.GlobalGroundTruth.StationaryObject = c.boxes
		config := objects.Default()
		data, p := detect(t, config, view)
		require.Len(t, data.MovingObject, 1, "%s, without occlusion", c.name)
		require.Zero(t, p.fast.Problems())
		config.Occlusion = true
		data, p = detect(t, config, view)
		require.Equal(t, c.seen, len(data.MovingObject) == 1, c.name)
		require.Zero(t, p.fast.Problems())
		config.Stationary = false
		data, _ = detect(t, config, view)
		require.Equal(t, c.seen, len(data.MovingObject) == 1,
			"%s, with an eye for moving objects only", c.name)
		require.Empty(t, data.StationaryObject)
	}
}

// TestOcclusion_HidesMoving: a truck hides the car in front of it, but not itself.
func TestOcclusion_HidesMoving(t *testing.T) {
	truck := carAt(8, 100, 80, 1.5)
	truck.Base.Dimension, truck.Base.Orientation = size(12, 2.5, 3.8), turn(0, 0, 1.5707963)
	c := objects.Default()
	c.Occlusion = true
	data, p := detect(t, c, plainView(carAt(9, 100, 92.5, 1), truck))
	require.Equal(t, map[uint64]uint64{8: 1}, trackingIDs(data))
	// Both are visible when the truck pulls out; the car's track begins only now.
	truck.Base.Position = vec(104, 80, 1.5)
	view := marshal(t, plainView(carAt(9, 100, 92.5, 1), truck))
	require.Equal(t, map[uint64]uint64{8: 1, 9: 2}, trackingIDs(p.step(t, view, 2*step)))
}

// TestOcclusion_ManyBoxes compares a dense scene, with more boxes than can hide objects, with the
// plain detector, which tests every point against every box.
func TestOcclusion_ManyBoxes(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{60, 1100} {
		view := plainView()
		for k := range n {
			x, y := 5+140*random.Float64(), 80*(random.Float64()-0.5)
			b := box(uint64(1000+k), x, y, 0, 0.5+4*random.Float64(), 0.5+4*random.Float64(),
				1+3*random.Float64())
			b.Base.Orientation = turn(0.2*random.NormFloat64(), 0.2*random.NormFloat64(),
				random.NormFloat64())
			view.GlobalGroundTruth.StationaryObject = append(
				view.GlobalGroundTruth.StationaryObject, b)
		}
		c := objects.Default()
		c.Occlusion = true
		data, p := detect(t, c, view)
		require.Equal(t, n > 1024, p.fast.Problems().Has(objects.TooManyObstacles))
		c.Occlusion = false
		all, _ := detect(t, c, view)
		require.NotEmpty(t, data.StationaryObject)
		require.Less(t, len(data.StationaryObject), len(all.StationaryObject))
	}
}

// TestDetect_TimeGoesBack: ages are never negative, and views from before the epoch keep their
// time.
func TestDetect_TimeGoesBack(t *testing.T) {
	p := newPair(t, objects.Default())
	for _, now := range []timebase.Time{5 * timebase.Second, 2 * timebase.Second,
		-3*timebase.Second - 1, 5*timebase.Second + 1} {
		view := plainView(carAt(10, 100, 90, 1))
		view.Timestamp = at(now)
		data := p.step(t, marshal(t, view), now)
		require.Zero(t, p.fast.Problems())
		checkRules(t, data)
		age := max(0, now-5*timebase.Second).Seconds()
		require.Equal(t, age, data.MovingObject[0].Header.GetAge())
	}
}
