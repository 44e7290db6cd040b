package message

import (
	"gosmp/frames"
	"gosmp/proto/osi3"
)

// ID is an OSI identifier.
func ID(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: &n} }

// Vector is v as OSI writes a position, a velocity or an acceleration.
func Vector(v frames.Vector) *osi3.Vector3D { return &osi3.Vector3D{X: &v.X, Y: &v.Y, Z: &v.Z} }

// VectorOf is what v says; coordinates that it does not name are 0.
func VectorOf(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

// Orientation is o as OSI writes it, in radians.
func Orientation(o frames.Orientation) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &o.Roll, Pitch: &o.Pitch, Yaw: &o.Yaw}
}

// OrientationOf is what o says, in radians; angles that it does not name are 0.
func OrientationOf(o *osi3.Orientation3D) frames.Orientation {
	return frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(), Yaw: o.GetYaw()}
}

// Mounting is where a sensor sits, in the vehicle's frame.
func Mounting(p frames.Pose) *osi3.MountingPosition {
	return &osi3.MountingPosition{Position: Vector(p.Position), Orientation: Orientation(p.Orientation)}
}
