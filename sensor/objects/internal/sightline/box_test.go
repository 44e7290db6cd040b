package sightline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/frames"
)

func drawVector(t *rapid.T, lo, hi float64, label string) frames.Vector {
	g := rapid.Float64Range(lo, hi)
	return frames.Vector{X: g.Draw(t, label+".x"), Y: g.Draw(t, label+".y"),
		Z: g.Draw(t, label+".z")}
}

func drawBox(t *rapid.T) Box {
	turned := drawVector(t, -3, 3, "turned")
	o := frames.Orientation{Roll: turned.X, Pitch: turned.Y, Yaw: turned.Z}
	return Box{drawVector(t, -5, 5, "center"), o.Rotation(), drawVector(t, 0.1, 4, "half")}
}

// depth returns the distance of a point from the surface of the box, negative outside.
func depth(b *Box, p frames.Vector) float64 {
	own := b.Attitude.Into(p.Sub(b.Center))
	return min(b.Half.X-math.Abs(own.X), b.Half.Y-math.Abs(own.Y), b.Half.Z-math.Abs(own.Z))
}

// TestBlocks_ByWalkingTheLine walks along lines of sight and checks whether they enter the box.
func TestBlocks_ByWalkingTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := drawBox(t)
		eye, point := drawVector(t, -12, 12, "eye"), drawVector(t, -12, 12, "point")
		obstacle, ok := box.From(eye)
		require.Equal(t, depth(&box, eye) < 0, ok)
		if !ok {
			return
		}
		deepest := math.Inf(-1)
		const steps = 2000
		for k := range steps + 1 {
			deepest = max(deepest, depth(&box, eye.Add(point.Sub(eye).Scale(float64(k)/steps))))
		}
		const between = 0.02 // more than half a step
		if math.Abs(deepest) > between {
			require.Equal(t, deepest > 0, obstacle.Blocks(point), "deepest %g", deepest)
		}
	})
}

func TestTargets_AreInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := drawBox(t)
		seen := map[frames.Vector]bool{}
		for _, p := range box.Targets() {
			require.Greater(t, depth(&box, p), 0.0)
			require.LessOrEqual(t, p.Sub(box.Center).Length(), box.Radius())
			seen[p] = true
		}
		require.Len(t, seen, TargetCount)
	})
}

// TestBlocks_Borders has lines along the axes and walls of a box from (-1,-1,-1) to (1,1,1).
func TestBlocks_Borders(t *testing.T) {
	box := Box{Attitude: frames.Orientation{}.Rotation(), Half: frames.Vector{X: 1, Y: 1, Z: 1}}
	for _, c := range []struct {
		eye, point frames.Vector
		want       bool
	}{
		{frames.Vector{X: -5}, frames.Vector{X: 5}, true},
		{frames.Vector{X: -5}, frames.Vector{X: -2}, false},
		{frames.Vector{X: -5}, frames.Vector{X: -9}, false},
		{frames.Vector{X: -5}, frames.Vector{}, true},
		{frames.Vector{X: -5}, frames.Vector{X: -1}, false}, // a point on the wall can be seen
		{frames.Vector{X: -5, Y: 2}, frames.Vector{X: 5, Y: 2}, false},
		{frames.Vector{X: -5, Y: 1.01}, frames.Vector{X: 5, Y: 1.01}, false},
		{frames.Vector{X: -5, Y: 0.99}, frames.Vector{X: 5, Y: 0.99}, true},
		{frames.Vector{Y: 3, Z: 3}, frames.Vector{Y: -3, Z: -3}, true},
	} {
		o, ok := box.From(c.eye)
		require.True(t, ok)
		require.Equal(t, c.want, o.Blocks(c.point), "%v to %v", c.eye, c.point)
	}
}

// TestFrom_NoObstacle covers the box around the eye and boxes without volume.
func TestFrom_NoObstacle(t *testing.T) {
	box := Box{Attitude: frames.Orientation{}.Rotation(), Half: frames.Vector{X: 1, Y: 1, Z: 1}}
	_, ok := box.From(frames.Vector{X: 0.5})
	require.False(t, ok)
	box.Half.Z = 0
	_, ok = box.From(frames.Vector{X: -5})
	require.False(t, ok)
}
