package mocksim

import (
	"math"

	"gosmp/frames"
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
		before = Point{X: a.state.Position.X, Y: a.state.Position.Y, Z: a.state.Position.Z, Yaw: a.state.Orientation.Yaw}
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
		a.samples.add(w.now-h, before.X, before.Y, s.Position.Z, before.Yaw)
	}
	a.samples.add(w.now, now.X, now.Y, now.Z, now.Yaw)
	vx, ax, vy, ay, spin, spinRate := a.estimate(t, h, ended)
	if now.Given&FieldYaw == 0 {
		now.Yaw, spin = a.courseOf(vx, vy, ax, ay)
		spinRate = 0
	}
	height := s.Position.Z
	s.Estimated = (FieldZ|FieldRoll|FieldPitch|FieldYaw)&^now.Given | FieldVelocity | FieldAcceleration | FieldRates
	s.Orientation.Yaw = wrapFast(now.Yaw)
	a.sine, a.cosine = math.Sincos(s.Orientation.Yaw)
	if now.Given&FieldPitch != 0 {
		s.Orientation.Pitch = now.Pitch
	}
	if now.Given&FieldRoll != 0 {
		s.Orientation.Roll = now.Roll
	}
	a.place = w.locate(a, frames.Vector{X: now.X, Y: now.Y, Z: now.Z}, now.Given&FieldZ != 0)
	w.ground(a, frames.Vector{X: now.X, Y: now.Y, Z: now.Z}, now.Given|FieldYaw)
	vz := (s.Position.Z - height) / h.Seconds()
	if ended {
		vz = 0
	}
	s.Velocity, s.Acceleration = frames.Vector{X: vx, Y: vy, Z: vz}, frames.Vector{X: ax, Y: ay}
	s.Rate = frames.Orientation{Yaw: spin, Pitch: (s.Orientation.Pitch - old.Pitch) / h.Seconds(),
		Roll: (s.Orientation.Roll - old.Roll) / h.Seconds()}
	s.Turning = frames.Orientation{Yaw: spinRate}
	s.Along = ax*a.cosine + ay*a.sine
	s.Speed = vx*a.cosine + vy*a.sine
}

// jumpSpeed is the speed above which an actor has been put elsewhere, in m/s.
const jumpSpeed = 100

func square(x float64) float64 { return x * x }

// estimate is the motion at the newest sample: by the parabola through the samples before, now and
// the next one of the trajectory, else through the last three. After the end of the trajectory the
// actor stands.
func (a *actor) estimate(t *track, h timebase.Time, ended bool) (vx, ax, vy, ay, spin, spinRate float64) {
	if ended {
		return 0, 0, 0, 0, 0, 0
	}
	s := &a.samples
	next := s.times[s.n-1] + h
	p, _ := t.at(next)
	jumps := square(p.X-s.x[s.n-1])+square(p.Y-s.y[s.n-1]) > square(jumpSpeed*h.Seconds())
	if s.n < 2 || jumps || next > t.times[len(t.times)-1] {
		vx, ax = s.last(&s.x)
		vy, ay = s.last(&s.y)
		spin, spinRate = s.last(&s.yaw)
		return vx, ax, vy, ay, spin, spinRate
	}
	reaching := *s
	reaching.add(next, p.X, p.Y, p.Z, p.Yaw)
	vx, ax = reaching.middle(&reaching.x)
	vy, ay = reaching.middle(&reaching.y)
	spin, spinRate = reaching.middle(&reaching.yaw)
	return vx, ax, vy, ay, spin, spinRate
}

// courseOf is the yaw of an actor without a given yaw: the direction of its velocity, below 0.1 m/s
// the last one.
func (a *actor) courseOf(vx, vy, ax, ay float64) (yaw, spin float64) {
	speed := vx*vx + vy*vy
	if speed < 0.01 {
		return a.state.Orientation.Yaw, 0
	}
	return math.Atan2(vy, vx), (vx*ay - vy*ax) / speed
}
