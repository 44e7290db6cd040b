// Package sightline decides whether a box lies between an eye and a point.
//
// Index: [Box] is a box in space, [Box.From] prepares it for one eye as an [Obstacle],
// [Obstacle.Blocks] tests one line of sight, and [Box.Targets] are the points of a box to test.
package sightline

import (
	"math"

	"gosmp/frames"
)

// Box is a cuboid: its center and attitude in some frame, and half its length, width and height.
// Lengths are in m and not negative.
type Box struct {
	Center   frames.Vector
	Attitude frames.Rotation
	Half     frames.Vector
}

// Radius returns the radius of the smallest sphere around the box.
func (b *Box) Radius() float64 { return b.Half.Length() }

// TargetCount is the number of points that [Box.Targets] returns.
const TargetCount = 9

// shrink keeps the tested corners clear of the walls of a neighbor that touches the box.
const shrink = 0.9

// Targets returns the center and the corners, moved inwards by a tenth. The box is visible if at
// least one of these points is in sight. A box without extent returns its center nine times.
func (b *Box) Targets() [TargetCount]frames.Vector {
	x := b.Attitude.Apply(frames.Vector{X: b.Half.X * shrink})
	y := b.Attitude.Apply(frames.Vector{Y: b.Half.Y * shrink})
	z := b.Attitude.Apply(frames.Vector{Z: b.Half.Z * shrink})
	top, bottom := b.Center.Add(z), b.Center.Sub(z)
	return [TargetCount]frames.Vector{
		b.Center,
		top.Add(x).Add(y), top.Add(x).Sub(y), top.Sub(x).Add(y), top.Sub(x).Sub(y),
		bottom.Add(x).Add(y), bottom.Add(x).Sub(y), bottom.Sub(x).Add(y), bottom.Sub(x).Sub(y),
	}
}

// Obstacle is a box seen from a particular eye.
type Obstacle struct {
	box *Box
	eye frames.Vector // in the frame of the world
	own frames.Vector // the same in the frame of the box
}

// From prepares the box for lines of sight that start at eye. ok is false for an eye inside the
// box, which the walls do not obstruct, and for a box without volume.
func (b *Box) From(eye frames.Vector) (o Obstacle, ok bool) {
	own := b.Attitude.Into(eye.Sub(b.Center))
	inside := math.Abs(own.X) <= b.Half.X && math.Abs(own.Y) <= b.Half.Y &&
		math.Abs(own.Z) <= b.Half.Z
	solid := b.Half.X > 0 && b.Half.Y > 0 && b.Half.Z > 0
	return Obstacle{b, eye, own}, solid && !inside
}

// Blocks reports whether the straight line from the eye to the point passes through the box before
// it reaches the point.
func (o *Obstacle) Blocks(point frames.Vector) bool {
	way := o.box.Attitude.Into(point.Sub(o.eye))
	in, out := 0.0, 1.0
	return clip(o.own.X, way.X, o.box.Half.X, &in, &out) &&
		clip(o.own.Y, way.Y, o.box.Half.Y, &in, &out) &&
		clip(o.own.Z, way.Z, o.box.Half.Z, &in, &out)
}

// clip narrows the range [in, out] of the line start + t*way to the part between -half and half; it
// returns false if nothing remains.
func clip(start, way, half float64, in, out *float64) bool {
	if way == 0 {
		return math.Abs(start) <= half
	}
	a, b := (-half-start)/way, (half-start)/way
	*in, *out = max(*in, min(a, b)), min(*out, max(a, b))
	return *in < *out
}
