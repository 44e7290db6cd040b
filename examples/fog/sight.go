package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
)

// box is an object with a box: the base of moving and of stationary objects.
type box interface {
	GetPosition() *osi3.Vector3D // of the centre
	GetOrientation() *osi3.Orientation3D
	GetDimension() *osi3.Dimension3D
}

// surroundings describe what a sensor in the fog can see.
type surroundings struct {
	eye   frames.Vector // in the world, m
	reach float64       // m
}

// sees reports whether any part of b is within reach, or b cannot be judged.
func (s surroundings) sees(b box) bool {
	if b.GetPosition() == nil {
		return true
	}
	attitude := message.OrientationOf(b.GetOrientation()).Rotation()
	eye := attitude.Into(s.eye.Sub(message.VectorOf(b.GetPosition()))) // in the frame of the box
	d := b.GetDimension()
	nearest := frames.Vector{
		X: beyond(eye.X, d.GetLength()), Y: beyond(eye.Y, d.GetWidth()),
		Z: beyond(eye.Z, d.GetHeight()),
	}
	return !(nearest.Length() > s.reach) // true for a position that is not a number
}

// beyond returns how far x is outside of an extent around zero.
func beyond(x, extent float64) float64 { return max(0, math.Abs(x)-extent/2) }

var errHost = errors.New("the position of the sensor is unknown")

// lookout finds the vehicle that carries the sensor, and the position of the sensor in the world:
// its mounting position relative to the middle of the rear axle.
func lookout(view *osi3.SensorView) (host *osi3.MovingObject, eye frames.Vector, err error) {
	host, err = message.HostVehicle(view)
	if err != nil {
		return nil, eye, fmt.Errorf("%w: %w", errHost, err)
	}
	axle := message.RearAxle(host)
	attitude := axle.Orientation.Rotation()
	eye = axle.Position.Add(
		attitude.Apply(message.VectorOf(view.GetMountingPosition().GetPosition())))
	if host.GetBase().GetPosition() == nil || !eye.Finite() {
		return nil, eye,
			fmt.Errorf("%w: host vehicle %d has no base.position, or one that is not finite",
				errHost, host.GetId().GetValue())
	}
	return host, eye, nil
}

// drop removes hidden objects from a list and counts them.
func drop[T any](list []T, hidden func(T) bool) (kept []T, dropped int32) {
	before := len(list)
	kept = slices.DeleteFunc(list, hidden)
	return kept, int32(before - len(kept))
}
