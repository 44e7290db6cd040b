package entities

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/scenario/position"
)

// show passes the motion of an entity to the simulation, h s after it was last shown; h is 0 if the
// entity was teleported. The velocity along the heading is the speed. The velocity across the
// heading follows from the displacement in the step, relative to the mean of both headings.
func (w *World) show(b *body, h float64) {
	if b.rests(h) {
		b.lamps.show(&b.motion.State, w.now)
		w.sim.Guide(b.view, &b.motion)
		return
	}
	last := b.ahead
	if !b.aimed || b.attitude != b.before.Direction {
		last = frames.Vector{} // not known
	}
	b.aim()
	if b.jumped || h <= 0 {
		b.velocity = b.ahead.Scale(b.speed)
		b.rates, b.accelerated, b.acceleration = frames.Orientation{}, frames.Vector{}, 0
		b.motion.State.Turning = frames.Orientation{}
	} else {
		b.derive(h, last)
	}
	w.fill(b)
	if h <= 0 { // the next step must not see the jump to this place
		w.sim.Jump(b.view, &b.motion)
		return
	}
	b.jumped = false
	w.sim.Guide(b.view, &b.motion)
}

// rests reports whether an entity has not moved in this step and the one before, so that its last
// motion is still valid.
func (b *body) rests(h float64) bool {
	none := frames.Vector{}
	return h > 0 && !b.jumped && b.aimed && b.speed == 0 && b.was == 0 && b.velocity == none &&
		b.accelerated == none && b.acceleration == 0 && b.rates == frames.Orientation{} &&
		b.motion.State.Turning == frames.Orientation{} && b.at == b.before
}

// aim computes the axes of an entity if its attitude has changed.
func (b *body) aim() {
	d := b.at.Direction
	if b.aimed && d == b.attitude {
		return
	}
	b.aimed, b.attitude = true, d
	b.rotation.Set(d)
	if d.Roll == 0 && d.Pitch == 0 {
		b.ahead = b.rotation.Apply(frames.Vector{X: 1})
	} else {
		b.ahead = heading(d.Yaw)
	}
}

// derive computes velocities, rates and accelerations from the step. last is the heading at its
// start, if it is known.
func (b *body) derive(h float64, last frames.Vector) {
	d, from := &b.at.Direction, &b.before.Direction
	turned := position.Wrapped(d.Yaw - from.Yaw)
	b.rates = frames.Orientation{Yaw: turned / h, Pitch: (d.Pitch - from.Pitch) / h,
		Roll: (d.Roll - from.Roll) / h}
	b.motion.State.Turning = frames.Orientation{Yaw: (b.rates.Yaw - b.spun) / h}
	moved := b.at.Position.Sub(b.before.Position)
	ahead := b.ahead
	aside := 0.0
	if mean := ahead; turned == 0 || !straightOn(moved, last.Add(ahead), h) {
		if turned != 0 {
			mean = heading(d.Yaw - turned/2)
		}
		if aside = across(moved, mean) / h; math.Abs(aside) < level { // rounding
			aside = 0
		}
	}
	v := frames.Vector{X: float64(b.speed*ahead.X) - float64(aside*ahead.Y),
		Y: float64(b.speed*ahead.Y) + float64(aside*ahead.X), Z: moved.Z / h}
	b.accelerated = v.Sub(b.velocity).Scale(1 / h)
	b.velocity = v
	b.acceleration = (b.speed - b.was) / h
}

// level is the velocity across the heading that is taken for an error of rounding, in m/s.
const level = 1e-9

// across returns the part of a vector across a heading, to the left.
func across(v, heading frames.Vector) float64 {
	return float64(v.Y*heading.X) - float64(v.X*heading.Y)
}

// straightOn reports whether a motion in a step of h s is obviously along the mean of two headings,
// whose sum is given. This takes less time than the heading in their middle.
func straightOn(moved, sum frames.Vector, h float64) bool {
	const fast = 1e5 // m/s, at which errors of rounding are far below the limit
	return float64(sum.X*sum.X)+float64(sum.Y*sum.Y) > 3 &&
		math.Abs(across(moved, sum)) < level/2*h &&
		math.Abs(moved.X)+math.Abs(moved.Y) < fast*h
}

// fill computes the state at the middle of the box, projected onto the ground.
func (w *World) fill(b *body) {
	s := &b.motion.State
	b.motion.Ahead = b.ahead
	s.Orientation, s.Rate = b.at.Direction, b.rates
	rotation := &b.rotation
	r := rotation.Apply(b.middle())
	spin := rotation.AngularVelocity(s.Rate)
	turning := rotation.AngularAcceleration(s.Rate, s.Turning)
	swing := spin.Cross(r)
	s.Position = b.at.Position.Add(r)
	s.Velocity = b.velocity.Add(swing)
	s.Acceleration = b.accelerated.Add(turning.Cross(r)).Add(spin.Cross(swing))
	b.fillDrive()
	b.lamps.show(s, w.now)
	b.motion.Place = mocksim.Place{}
	if b.at.Road != nil {
		b.motion.Place = mocksim.Place{Road: b.at.Road, S: b.at.S, T: b.at.T, H: b.at.Height}
	}
}

// fillDrive estimates the controls that a driver would use for the motion.
func (b *body) fillDrive() {
	s := &b.motion.State
	s.Speed, s.Along, s.Gear = b.speed, b.acceleration, 1
	if b.speed < 0 {
		s.Gear = -1
	}
	s.Steering, s.Throttle, s.Brake = 0, 0, 0
	if !b.kind.Vehicle() {
		return
	}
	if math.Abs(b.speed) > 0.1 && b.rates.Yaw != 0 {
		s.Steering = portable.Atan2Flat(b.shape.Wheelbase*b.rates.Yaw/b.speed, 1)
	}
	a := b.acceleration * float64(s.Gear)
	const strong, hard = 4, 9 // m/s2, without limits
	s.Throttle = min(max(a, 0)/max(finite(b.limits.Acceleration, strong), 1), 1)
	s.Brake = min(max(-a, 0)/max(finite(b.limits.Deceleration, hard), 1), 1)
}

func finite(x, otherwise float64) float64 {
	if math.IsInf(x, 0) {
		return otherwise
	}
	return x
}
