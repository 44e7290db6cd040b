package message

import (
	"gosmp/frames"
	"gosmp/proto/osi3"
)

// ID returns n as an OSI identifier.
func ID(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: &n} }

// Vector returns v in OSI's form of a position, a velocity or an acceleration.
func Vector(v frames.Vector) *osi3.Vector3D { return &osi3.Vector3D{X: &v.X, Y: &v.Y, Z: &v.Z} }

// VectorOf returns the value of v; missing coordinates are 0.
func VectorOf(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

// Orientation returns o in OSI's form, in radians.
func Orientation(o frames.Orientation) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &o.Roll, Pitch: &o.Pitch, Yaw: &o.Yaw}
}

// OrientationOf returns the value of o, in radians; missing angles are 0.
func OrientationOf(o *osi3.Orientation3D) frames.Orientation {
	return frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(), Yaw: o.GetYaw()}
}

// Mounting returns the position of a sensor in the vehicle frame in OSI's form.
func Mounting(p frames.Pose) *osi3.MountingPosition {
	return &osi3.MountingPosition{Position: Vector(p.Position),
		Orientation: Orientation(p.Orientation)}
}
