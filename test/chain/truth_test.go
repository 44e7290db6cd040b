package chain_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/proto/osi3"
)

// The settings of chain.c, and the defaults of the source and the sensors.
const (
	visibility = 60.0      // m, of the fog
	reach      = 135 * 1.1 // m, of both sensors
	noise      = 0.2       // error of a sensor's positions, m in each coordinate
	tolerance  = 5 * noise // for a position, m
	boxHalf    = 10.0      // m; no vehicle of the source is longer than twice this
	// m; the largest distance of the fog model's viewpoint from the middle of the rear axle.
	eye = 3.9 + 1.5
)

// mounts are the mounting positions of the two sensors in the vehicle frame.
var mounts = map[int]struct {
	place     frames.Vector
	yaw, half float64
}{
	front: {frames.Vector{X: 3.5}, 0, math.Pi / 6},
	left:  {frames.Vector{X: 2, Y: 0.75, Z: 0.5}, 0.7, 0.75},
}

// truths returns the positions of all moving objects except the host vehicle, in the vehicle frame,
// by object id.
func truths(v *osi3.SensorView) map[uint64]frames.Vector {
	var host *osi3.MovingObject
	objects := v.GetGlobalGroundTruth().GetMovingObject()
	for _, o := range objects {
		if o.GetId().GetValue() == v.GetHostVehicleId().GetValue() {
			host = o
		}
	}
	turned := host.GetBase().GetOrientation()
	r := frames.Orientation{Roll: turned.GetRoll(), Pitch: turned.GetPitch(),
		Yaw: turned.GetYaw()}.Rotation()
	axle := vector(host.GetBase().GetPosition()).
		Add(r.Apply(vector(host.GetVehicleAttributes().GetBbcenterToRear())))
	places := map[uint64]frames.Vector{}
	for _, o := range objects {
		if o != host {
			places[o.GetId().GetValue()] = r.Into(vector(o.GetBase().GetPosition()).Sub(axle))
		}
	}
	return places
}

func vector(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

// inView reports whether a sensor can see a position; a margin in m makes the test stricter.
func inView(n int, place frames.Vector, margin float64) bool {
	m := mounts[n]
	arm := frames.RotateZ(place.Sub(m.place), -m.yaw)
	aside := math.Sqrt(arm.Y*arm.Y + arm.Z*arm.Z)
	return arm.Length() < reach-margin && arm.X*math.Sin(m.half)-aside*math.Cos(m.half) > margin
}

func TestFusedObjectsAreWhereTheTruthIs(t *testing.T) {
	r := forward(t)
	var hidden, single, both int
	var sum [2]float64 // squared errors of objects from both sensors, and from one
	for k := range steps {
		truth, fused := truths(view(t, r[source][k])), data(t, r[fusion][k])
		seen := map[uint64]bool{}
		for _, m := range fused.GetMovingObject() {
			require.Len(t, m.GetHeader().GetGroundTruthId(), 1, "no object is merged of two")
			id := m.GetHeader().GetGroundTruthId()[0].GetValue()
			require.False(t, seen[id], "step %d: object %d occurs twice", k, id)
			seen[id] = true
			off := vector(m.GetBase().GetPosition()).Sub(truth[id])
			require.Less(t, off.Length(), tolerance, "step %d, object %d", k, id)
			require.Less(t, truth[id].Length(), visibility+boxHalf+eye,
				"step %d: object %d is in the fog", k, id)
			if len(m.GetHeader().GetSensorId()) == 2 {
				sum[0], both = sum[0]+off.Dot(off), both+1
			} else {
				sum[1], single = sum[1]+off.Dot(off), single+1
			}
		}
		for id, place := range truth {
			visible := inView(front, place, 0.1) || inView(left, place, 0.1)
			switch {
			case visible && place.Length() < visibility-eye:
				require.True(t, seen[id], "step %d: object %d at %v is not seen", k, id, place)
			case visible && place.Length() > visibility+boxHalf+eye:
				hidden++
			}
		}
	}
	require.Greater(t, hidden, 100, "objects that only the fog hides")
	require.Greater(t, both, steps)
	require.Greater(t, single, steps)
	alone, merged := math.Sqrt(sum[1]/float64(single)), math.Sqrt(sum[0]/float64(both))
	require.InEpsilon(t, noise*math.Sqrt(3), alone, 0.05, "an object of one sensor has its error")
	require.InEpsilon(t, alone/math.Sqrt2, merged, 0.05,
		"one of two sensors has half of the variance")
	t.Logf("position error: %.3f m by one sensor (%d), %.3f m by both (%d); %d times an object "+
		"was hidden by fog",
		alone, single, merged, both, hidden)
}

func TestTrackingIDsAreKeptThroughTheChain(t *testing.T) {
	r := forward(t)
	type life struct{ id, last int }
	lives := map[uint64]life{}
	var used []uint64
	changes := 0
	for k := range steps {
		for _, m := range data(t, r[fusion][k]).GetMovingObject() {
			truth, id := m.GetHeader().GetGroundTruthId()[0].GetValue(),
				int(m.GetHeader().GetTrackingId().GetValue())
			before, known := lives[truth]
			if known && k-before.last < 20 && before.id != id { // tracks.keep is 25 steps
				changes++
			}
			lives[truth] = life{id, k}
			used = append(used, uint64(id))
		}
	}
	require.Zero(t, changes)
	slices.Sort(used)
	require.Greater(t, len(slices.Compact(used)), 5, "objects come and go")
}
