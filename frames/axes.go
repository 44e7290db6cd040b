package frames

import (
	"math"

	"gosmp/internal/portable"
)

// Vector is a vector in some right-handed frame, in the unit of its quantity.
type Vector struct{ X, Y, Z float64 }

// Axes identifies the axes in which an inertial sensor reports.
type Axes uint8

const (
	// FRD is forward-right-down, the frame of Phoenix-RTOS and of most flight controllers.
	FRD Axes = iota
	// FLU is forward-left-up, the vehicle frame of ISO 8855.
	FLU
)

// ToVehicle converts a vector from a's frame to forward-left-up.
func (a Axes) ToVehicle(v Vector) Vector {
	if a == FRD {
		return Vector{v.X, -v.Y, -v.Z}
	}
	return v
}

// FromNED converts a vector from north-east-down to east-north-up.
func FromNED(v Vector) Vector { return Vector{v.Y, v.X, -v.Z} }

// YawFromHeading converts a heading, clockwise from north, to a yaw, counter-clockwise from east,
// in (-pi, pi].
func YawFromHeading(heading float64) float64 { return WrapAngle(math.Pi/2 - heading) }

// WrapAngle normalizes an angle to (-pi, pi].
func WrapAngle(a float64) float64 {
	a = math.Remainder(a, 2*math.Pi)
	if a <= -math.Pi {
		return math.Pi
	}
	return a
}

// RotateZ rotates v by yaw about the z axis: from the vehicle frame to the world frame, if the
// vehicle is level.
func RotateZ(v Vector, yaw float64) Vector {
	s, c := portable.Sincos(yaw)
	return Vector{float64(c*v.X) - float64(s*v.Y), float64(s*v.X) + float64(c*v.Y), v.Z}
}
