package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// coast moves a state on by a time in s, seen from above: an actor in a curve follows an arc at its
// yaw rate, and others follow x + v t + a t²/2. A braking actor stops and does not reverse, and a
// standing vehicle reverses only in reverse gear.
func (s *State) coast(t float64, kind Kind) {
	stands := false
	if s.Gear >= 0 && kind.hasGears() && s.stands() {
		ahead := frames.Vector{X: portable.Cos(s.Orientation.Yaw),
			Y: portable.Sin(s.Orientation.Yaw)}
		s.Acceleration = s.Acceleration.Sub(ahead.Scale(min(s.Acceleration.Dot(ahead), 0)))
	}
	if towards := s.Velocity.Dot(s.Acceleration); towards < 0 {
		if stop := -s.Velocity.Dot(s.Velocity) / towards; t >= stop {
			t, stands = stop, true
		}
	}
	switch {
	case curves(s.Velocity, s.Acceleration, s.Rate.Yaw):
		s.arc(t)
	case stands: // half the way without braking
		s.Position = s.Position.Add(s.Velocity.Scale(t / 2))
	default:
		s.Position = s.Position.Add(s.Velocity.Scale(t)).Add(s.Acceleration.Scale(t * t / 2))
		s.Velocity = s.Velocity.Add(s.Acceleration.Scale(t))
	}
	s.Orientation.Yaw = wrapFast(s.Orientation.Yaw + float64(t*s.Rate.Yaw))
	s.Orientation.Pitch += float64(t * s.Rate.Pitch)
	s.Orientation.Roll += float64(t * s.Rate.Roll)
	if stands {
		s.Velocity, s.Acceleration = frames.Vector{}, frames.Vector{}
		s.Rate, s.Turning = frames.Orientation{}, frames.Orientation{}
	}
}

// stands reports whether an actor does not move.
func (s *State) stands() bool {
	const slow = 1e-6 // m/s
	return square(s.Velocity.X)+square(s.Velocity.Y) < slow*slow
}

// lasting returns the part that continues of an acceleration that was derived from the change of
// the velocity. An actor that has stopped stays there, and a sudden change of the speed, which an
// owner sets, does not go on.
func (s *State) lasting() frames.Vector {
	const sudden = 15.0 // m/s2, more than tyres transmit
	if s.stands() {
		return frames.Vector{}
	}
	ahead := s.Velocity.Scale(1 / s.Velocity.Length())
	if along := s.Acceleration.Dot(ahead); math.Abs(along) > sudden {
		return s.Acceleration.Sub(ahead.Scale(along))
	}
	return s.Acceleration
}

// Below these values, a curve cannot be distinguished from a straight line.
const (
	leastSpin    = 1e-3 // rad/s
	leastLateral = 1e-3 // m/s2
)

// curves reports whether an actor drives in a curve, which means that its acceleration turns its
// velocity at its yaw rate.
func curves(v, a frames.Vector, spin float64) bool {
	speed := portable.Hypot(v.X, v.Y)
	want := float64(speed * spin)
	if math.Abs(spin) < leastSpin || math.Abs(want) < leastLateral {
		return false
	}
	lateral := (float64(v.X*a.Y) - float64(v.Y*a.X)) / speed
	return math.Abs(lateral-want) <= math.Abs(want)/4
}

// arc moves a state along an arc, on which the speed changes evenly.
func (s *State) arc(t float64) {
	v, a, spin := &s.Velocity, &s.Acceleration, s.Rate.Yaw
	speed := portable.Hypot(v.X, v.Y)
	cos, sin := v.X/speed, v.Y/speed
	along := float64(a.X*cos) + float64(a.Y*sin)
	turnSin, turnCos := portable.Sincos(spin * t)
	toCos := float64(cos*turnCos) - float64(sin*turnSin)
	toSin := float64(sin*turnCos) + float64(cos*turnSin)
	to := speed + float64(along*t)
	growth := along / (spin * spin)
	s.Position.X += (float64(to*toSin)-float64(speed*sin))/spin + float64(growth*(toCos-cos))
	s.Position.Y += (float64(speed*cos)-float64(to*toCos))/spin + float64(growth*(toSin-sin))
	s.Position.Z += float64(v.Z*t) + float64(a.Z*t*t/2)
	v.X, v.Y, v.Z = to*toCos, to*toSin, v.Z+float64(a.Z*t)
	turning := inCurve(along, to*spin, toCos, toSin)
	a.X, a.Y = turning.X, turning.Y
}

// How far an actor's displacement must differ from the one implied by its previous and current
// velocities for the previous velocity to be ignored.
const (
	strayWay   = 0.05 // m
	straySpeed = 0.5  // m/s
)

// rise returns the acceleration that led from the velocity of the last state to that of s within a
// time in s. at is the current position, if known. If the displacement contradicts the velocities,
// as with a model that starts at its own speed, the acceleration is the one implied by the
// displacement and the current velocity, if it is smaller.
func (s *State) rise(last *State, at frames.Vector, placed bool, gone float64) frames.Vector {
	risen := s.Velocity.Sub(last.Velocity).Scale(1 / gone)
	moved := at.Sub(last.Position).Scale(1 / gone)
	if curves(s.Velocity, risen, s.Rate.Yaw) {
		return s.riseInCurve(last, moved, placed, gone)
	}
	mean := last.Velocity.Add(s.Velocity).Scale(0.5)
	if !placed || portable.Hypot(moved.X-mean.X, moved.Y-mean.Y) <= stray(gone) {
		return risen
	}
	other := s.Velocity.Sub(moved).Scale(2 / gone)
	switch {
	case curves(s.Velocity, other, s.Rate.Yaw):
		return s.riseInCurve(last, moved, placed, gone)
	case portable.Hypot(other.X, other.Y) < portable.Hypot(risen.X, risen.Y):
		return other
	}
	return risen
}

func stray(gone float64) float64 { return max(straySpeed, strayWay/gone) }

// riseInCurve is like rise for an actor in a curve. moved is the mean velocity along the chord.
func (s *State) riseInCurve(last *State, moved frames.Vector, placed bool,
	gone float64) frames.Vector {
	spin := s.Rate.Yaw
	was := portable.Hypot(last.Velocity.X, last.Velocity.Y)
	is := portable.Hypot(s.Velocity.X, s.Velocity.Y)
	along := (is - was) / gone
	if placed {
		way := arcSpeed(moved.X, moved.Y, spin*gone)
		other := 2 * (is - way) / gone
		if math.Abs(way-(was+is)/2) > stray(gone) && math.Abs(other) < math.Abs(along) {
			along = other
		}
	}
	return inCurve(along, is*spin, s.Velocity.X/is, s.Velocity.Y/is)
}

// inCurve returns the acceleration from its components along and across a direction.
func inCurve(along, across, cos, sin float64) frames.Vector {
	return frames.Vector{X: float64(along*cos) - float64(across*sin),
		Y: float64(along*sin) + float64(across*cos)}
}

// alongArc returns the velocity at the end of an arc from the mean velocity along its chord.
func alongArc(chord frames.Vector, turn float64) frames.Vector {
	length := portable.Hypot(chord.X, chord.Y)
	if length == 0 {
		return frames.Vector{}
	}
	sin, cos := portable.Sincos(turn / 2)
	scale := arcSpeed(chord.X, chord.Y, turn) / length
	return frames.Vector{X: float64(scale * (float64(chord.X*cos) - float64(chord.Y*sin))),
		Y: float64(scale * (float64(chord.X*sin) + float64(chord.Y*cos)))}
}

// curved estimates velocity and acceleration at the latest sample, seen from above, of an actor
// that drives in a curve, where a parabola is too long. ok is false for other motions.
func (k *samples) curved(spin float64) (velocity, acceleration frames.Vector, ok bool) {
	if k.n < 2 || math.Abs(spin) < leastSpin {
		return velocity, acceleration, false
	}
	x, y, turn, after := k.chord(k.n - 1)
	speed, along := arcSpeed(x, y, turn), 0.0
	if k.n == 3 {
		x0, y0, turned, before := k.chord(1)
		bend := portable.Atan2(float64(x0*y)-float64(y0*x), float64(x0*x)+float64(y0*y))
		want := (turn + turned) / 2
		if math.Abs(bend-want) > math.Abs(want)/4 {
			return velocity, acceleration, false
		}
		along = 2 * (speed - arcSpeed(x0, y0, turned)) / (before + after)
		speed += float64(along * after / 2)
	}
	ahead := alongArc(frames.Vector{X: x, Y: y}, turn)
	length := portable.Hypot(ahead.X, ahead.Y)
	if length == 0 {
		return velocity, acceleration, false
	}
	cos, sin := ahead.X/length, ahead.Y/length
	return frames.Vector{X: speed * cos, Y: speed * sin}, inCurve(along, speed*spin, cos, sin), true
}

// chord returns the mean velocity between a sample and the previous one, the turn, and the time.
func (k *samples) chord(n int) (x, y, turn, span float64) {
	span = (k.times[n] - k.times[n-1]).Seconds()
	return (k.x[n] - k.x[n-1]) / span, (k.y[n] - k.y[n-1]) / span, k.yaw[n] - k.yaw[n-1], span
}

// arcSpeed returns the mean speed along an arc from the mean velocity along its chord.
func arcSpeed(x, y, turn float64) float64 {
	speed := portable.Hypot(x, y)
	if math.Abs(turn) < 1e-6 || math.Abs(turn) > math.Pi {
		return speed
	}
	sin, _ := portable.Sincos(turn / 2)
	return speed * (turn / 2) / sin
}
