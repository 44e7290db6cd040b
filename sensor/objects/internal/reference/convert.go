package reference

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

func fromVector(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

func fromDimension(v *osi3.Dimension3D) frames.Vector {
	return frames.Vector{X: v.GetLength(), Y: v.GetWidth(), Z: v.GetHeight()}
}

func fromAngles(v *osi3.Orientation3D) frames.Orientation {
	return frames.Orientation{Roll: v.GetRoll(), Pitch: v.GetPitch(), Yaw: v.GetYaw()}
}

func vector(v frames.Vector) *osi3.Vector3D { return &osi3.Vector3D{X: &v.X, Y: &v.Y, Z: &v.Z} }

func angles(o frames.Orientation) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &o.Roll, Pitch: &o.Pitch, Yaw: &o.Yaw}
}

func identifier(id uint64) *osi3.Identifier { return &osi3.Identifier{Value: &id} }

func timestamp(t timebase.Time) *osi3.Timestamp {
	seconds, nanos := t.Split()
	return &osi3.Timestamp{Seconds: &seconds, Nanos: proto.Uint32(nanos)}
}

// instant returns the instant of a valid timestamp.
func instant(t *osi3.Timestamp) (timebase.Time, bool) {
	seconds, nanos := t.GetSeconds(), t.GetNanos()
	if t == nil || nanos > 999_999_999 || math.Abs(float64(seconds)) >= float64(
		timebase.EndOfTime/timebase.Second) {
		return 0, false
	}
	return timebase.Time(seconds)*timebase.Second + timebase.Time(nanos), true
}

func validSize(v frames.Vector) bool { return v.Finite() && min(v.X, v.Y, v.Z) >= 0 }

func finiteVector(v frames.Vector) frames.Vector {
	if !v.Finite() {
		return frames.Vector{}
	}
	return v
}

func finiteAngles(o frames.Orientation) frames.Orientation {
	if !o.Finite() {
		return frames.Orientation{}
	}
	return o
}
