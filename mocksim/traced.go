package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/timebase"
)

// trace puts an actor on its trajectory at the end of the step.
func (w *World) trace(a *actor, h timebase.Time) {
	t := &a.track
	now, ended := t.at(w.now)
	if ended && !t.done {
		t.done = true
		a.happened.set(Exhausted, 0)
	}
	before, _ := t.at(w.now - h)
	if w.now-h < t.times[0] {
		before = Point{X: a.state.Position.X, Y: a.state.Position.Y, Z: a.state.Position.Z,
			Yaw: a.state.Orientation.Yaw}
	}
	way := square(now.X-before.X) + square(now.Y-before.Y)
	jumped := way > square(jumpSpeed*h.Seconds())
	if jumped {
		a.happened.set(Jump, math.Sqrt(way))
		a.samples.restart()
	}
	s := &a.state
	old := s.Orientation
	if a.samples.n == 0 && !jumped && w.now-h >= t.times[0] {
		a.samples.add(w.now-h, before.X, before.Y, before.Z, before.Yaw)
	}
	a.samples.add(w.now, now.X, now.Y, now.Z, now.Yaw)
	velocity, acceleration, spin, spinRate := a.estimate(t, h, ended)
	if now.Given&FieldYaw == 0 {
		now.Yaw, spin = a.courseOf(velocity, acceleration)
		spinRate = 0
	}
	s.Estimated = (FieldZ|FieldRoll|FieldPitch|FieldYaw)&^now.Given | FieldVelocity |
		FieldAcceleration | FieldRates
	s.Orientation.Yaw = wrapFast(now.Yaw)
	a.sine, a.cosine = portable.Sincos(s.Orientation.Yaw)
	if now.Given&FieldPitch != 0 {
		s.Orientation.Pitch = now.Pitch
	}
	if now.Given&FieldRoll != 0 {
		s.Orientation.Roll = now.Roll
	}
	a.place = w.locate(a, frames.Vector{X: now.X, Y: now.Y, Z: now.Z}, now.Given&FieldZ != 0)
	w.ground(a, frames.Vector{X: now.X, Y: now.Y, Z: now.Z}, now.Given|FieldYaw)
	s.Velocity, s.Acceleration = velocity, acceleration
	s.Rate = frames.Orientation{Yaw: spin, Pitch: (s.Orientation.Pitch - old.Pitch) / h.Seconds(),
		Roll: (s.Orientation.Roll - old.Roll) / h.Seconds()}
	s.Turning = frames.Orientation{Yaw: spinRate}
	w.follow(a, now.Given)
	s.Along = float64(acceleration.X*a.cosine) + float64(acceleration.Y*a.sine)
	s.Speed = float64(velocity.X*a.cosine) + float64(velocity.Y*a.sine)
}

// jumpSpeed is the speed, in m/s, above which an actor counts as teleported.
const jumpSpeed = 100

func square(x float64) float64 { return float64(x * x) }

// estimate returns the motion at the latest sample, from the parabola through the previous sample,
// the current one and the next one of the trajectory, or else through the last three samples. After
// the end of the trajectory, the actor stands still.
func (a *actor) estimate(t *track, h timebase.Time, ended bool) (velocity,
	acceleration frames.Vector, spin, spinRate float64) {
	if ended {
		return velocity, acceleration, 0, 0
	}
	s := &a.samples
	next := s.times[s.n-1] + h
	p, _ := t.at(next)
	jumps := square(p.X-s.x[s.n-1])+square(p.Y-s.y[s.n-1]) > square(jumpSpeed*h.Seconds())
	reaching, derive := *s, (*samples).last
	if s.n >= 2 && !jumps && next <= t.times[len(t.times)-1] {
		reaching.add(next, p.X, p.Y, p.Z, p.Yaw)
		derive = (*samples).middle
	}
	velocity.X, acceleration.X = derive(&reaching, &reaching.x)
	velocity.Y, acceleration.Y = derive(&reaching, &reaching.y)
	velocity.Z, acceleration.Z = derive(&reaching, &reaching.z)
	spin, spinRate = derive(&reaching, &reaching.yaw)
	return velocity, acceleration, spin, spinRate
}

// courseOf returns the yaw of an actor without a given yaw: the direction of its velocity or, below
// 0.1 m/s, the last yaw.
func (a *actor) courseOf(v, acceleration frames.Vector) (yaw, spin float64) {
	speed := float64(v.X*v.X) + float64(v.Y*v.Y)
	if speed < 0.01 {
		return a.state.Orientation.Yaw, 0
	}
	return portable.Atan2(v.Y, v.X),
		(float64(v.X*acceleration.Y) - float64(v.Y*acceleration.X)) / speed
}
