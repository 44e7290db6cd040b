package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/mocksim/opendrive"
)

// State is the position and motion of an actor at [World.Time].
type State struct {
	Position     frames.Vector      // of the middle of the box, projected onto the ground, m
	Velocity     frames.Vector      // of that point in the world's axes, m/s
	Acceleration frames.Vector      // m/s2
	Orientation  frames.Orientation // rad, yaw in (-pi, pi]
	Rate         frames.Orientation // first derivatives of the angles, rad/s
	Turning      frames.Orientation // second derivatives, rad/s2
	Speed        float64            // along the x axis of the body, negative when reversing, m/s
	Along        float64            // acceleration along the x axis of the body, m/s2
	Steering     float64            // angle of the front wheels, rad, positive to the left
	Throttle     float64            // 0 to 1
	Brake        float64            // 0 to 1
	Gear         int                // -1 reverse, 0 neutral, 1 and above forward
	Indicator    Indicator
	Lights       Lights
	Estimated    Fields // fields that the caller did not set
}

// Fields is a set of parts of a state.
type Fields uint16

// The parts of a state.
const (
	FieldZ Fields = 1 << iota
	FieldRoll
	FieldPitch
	FieldYaw
	FieldVelocity
	FieldAcceleration
	FieldRates
)

// Place is an actor's place on the map: its lane, s and t; see opendrive.
type Place = opendrive.Place

// motion is the position, velocity and acceleration of a point.
type motion struct{ position, velocity, acceleration frames.Vector }

// at returns the motion of a point of the body, which is given in the body's axes relative to the
// actor's position: v + w x r and a + w' x r + w x (w x r).
func (s *State) at(point frames.Vector) motion {
	rotation := s.Orientation.Rotation()
	r := rotation.Apply(point)
	w := rotation.AngularVelocity(s.Rate)
	turn := rotation.AngularAcceleration(s.Rate, s.Turning)
	swing := w.Cross(r)
	return motion{
		position:     s.Position.Add(r),
		velocity:     s.Velocity.Add(swing),
		acceleration: s.Acceleration.Add(turn.Cross(r)).Add(w.Cross(swing)),
	}
}

// wrapFast is a frames.WrapAngle that is faster for angles within a few turns.
func wrapFast(a float64) float64 {
	if !(math.Abs(a) <= 32) {
		return frames.WrapAngle(a)
	}
	for a > math.Pi {
		a -= 2 * math.Pi
	}
	for a <= -math.Pi {
		a += 2 * math.Pi
	}
	return a
}
