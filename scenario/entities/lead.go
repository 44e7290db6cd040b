package entities

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// Request is a request from a driving function that does not move the entity itself. It applies
// until the next request, as long as the entity's driver has the longitudinal motion.
type Request struct {
	// Brake is the requested fraction of the entity's maximum deceleration, 0 to 1. The maximum is
	// its Performance.maxDeceleration, or 9 m/s2 without one. maxDecelerationRate limits how fast
	// the deceleration builds up. While Brake is above 0, the storyboard does not affect the speed,
	// and its running speed actions end.
	Brake float64
	// Acceleration in m/s2 replaces the storyboard's control of the speed if Accelerates is true.
	Acceleration float64
	Accelerates  bool
}

// lead is the driver's target for its part of the motion.
type lead struct {
	request Request
	given   bool           // an update has been received
	update  mocksim.Update // the latest one
	ahead   frames.Vector  // the direction of its velocity; zero: not known yet
}

// Request sets the request of an entity's driver.
func (w *World) Request(entity storyboard.Entity, r Request) { w.bodies[entity].lead.request = r }

// Lead describes how the driver of an entity moves it in the next step. Only the motions that the
// driver has are used. Without a call, the entity continues as before.
func (w *World) Lead(entity storyboard.Entity, u *mocksim.Update) {
	l := &w.bodies[entity].lead
	l.given, l.update = true, *u
}

// led sets the speed and the distance of an entity whose driver controls its longitudinal motion.
// It returns false if the driver requests nothing and the storyboard therefore continues.
func (w *World) led(b *body, h float64) bool {
	l := &b.lead
	switch {
	case l.given:
		w.paced(b, h)
		return true
	case l.request.Brake > 0:
		w.brake(b, h)
		return true
	case l.request.Accelerates:
		w.accelerate(b, l.request.Acceleration, h)
		return true
	}
	if b.requests {
		return false
	}
	b.way = b.speed * h // it has not sent anything yet
	return true
}

// paced sets the speed and the distance from an update.
func (w *World) paced(b *body, h float64) {
	u := &b.lead.update
	ahead := b.ledAhead()
	b.way = b.speed * h
	if u.Given&(mocksim.PartX|mocksim.PartY) != 0 {
		moved := b.ledTo(portable.Atan2(ahead.Y, ahead.X)).Sub(b.at.Position)
		b.way = float64(moved.X*ahead.X) + float64(moved.Y*ahead.Y)
	}
	b.speed = b.way / h
	if u.Given&(mocksim.PartVelocityX|mocksim.PartVelocityY) != 0 {
		b.speed = float64(u.Velocity.X*ahead.X) + float64(u.Velocity.Y*ahead.Y)
	}
}

// ledAhead returns the direction in which the driver of an entity moves. It is the heading of the
// entity unless the storyboard turns that, as in a lane change: by its own account, the driver may
// be on another path and not turn. Then it is the direction of the driver's velocity, or of its
// last velocity at a standstill.
func (b *body) ledAhead() frames.Vector {
	const standing = 0.01 // m/s
	l, facing := &b.lead, heading(b.at.Direction.Yaw)
	if l.update.Given&mocksim.PartVelocityX != 0 && l.update.Given&mocksim.PartVelocityY != 0 {
		v := l.update.Velocity
		if speed := portable.Hypot(v.X, v.Y); speed > standing {
			l.ahead = frames.Vector{X: v.X / speed, Y: v.Y / speed}
		}
	}
	along := l.ahead.Dot(facing)
	switch {
	case b.lat == nil || along == 0:
		return facing
	case along < 0: // in reverse
		return l.ahead.Scale(-1)
	}
	return l.ahead
}

// ledTo returns where the reference point of an entity is according to the update of its driver,
// which faces in the direction yaw if the update does not state its orientation.
func (b *body) ledTo(yaw float64) frames.Vector {
	u := &b.lead.update
	rotation := b.at.Direction.Rotation()
	to := b.at.Position.Add(rotation.Apply(b.middle()))
	if u.Given&mocksim.PartX != 0 {
		to.X = u.Position.X
	}
	if u.Given&mocksim.PartY != 0 {
		to.Y = u.Position.Y
	}
	turned := b.at.Direction
	if turned.Yaw = yaw; u.Given&mocksim.PartYaw != 0 {
		turned.Yaw = u.Orientation.Yaw
	}
	rotation = turned.Rotation()
	return to.Sub(rotation.Apply(b.middle()))
}

// steered moves an entity whose driver controls its lateral motion along the path of the update, by
// the distance of the step. The path leads straight to the place of the update, and from there
// straight on in the direction in which the driver moves.
func (w *World) steered(b *body) {
	u := &b.lead.update
	ahead := heading(b.at.Direction.Yaw)
	moved, turn := b.ledTo(b.at.Direction.Yaw).Sub(b.at.Position), 0.0
	if u.Given&mocksim.PartYaw != 0 {
		turn = position.Wrapped(u.Orientation.Yaw - b.at.Direction.Yaw)
	}
	along := float64(moved.X*ahead.X) + float64(moved.Y*ahead.Y)
	const standing = 1e-6 // m per step
	if math.Abs(along) < standing && math.Abs(b.way) < standing {
		return
	}
	before := b.at
	whole := b.has&storyboard.Longitudinal != 0
	if whole || along*b.way >= 0 && math.Abs(along) >= math.Abs(b.way) {
		share := b.way / along
		moved.X, moved.Y, turn = moved.X*share, moved.Y*share, turn*share
	} else {
		moved = b.passes(moved, along)
	}
	b.at.Position = before.Position.Add(frames.Vector{X: moved.X, Y: moved.Y})
	b.at.Direction.Yaw = position.Wrapped(before.Direction.Yaw + turn)
	w.network.Locate(&b.at, &before, position.Given{})
	b.traveled += math.Abs(b.way)
}

// passes returns the motion of an entity in a step that ends past the place where its driver is,
// which is at the offset to, and by the distance along in the direction of the entity. An entity
// that is farther from the driver's path than the distance of the step approaches the path at an
// angle of 45 degrees.
func (b *body) passes(to frames.Vector, along float64) frames.Vector {
	u, way := &b.lead.update, math.Abs(b.way)
	ahead, path := heading(b.at.Direction.Yaw), frames.Vector{}
	if u.Given&mocksim.PartVelocityX != 0 && u.Given&mocksim.PartVelocityY != 0 {
		path = u.Velocity
	}
	if u.Given&mocksim.PartYaw != 0 && path.X == 0 && path.Y == 0 {
		path = heading(u.Orientation.Yaw)
	}
	aside := float64(to.Y*ahead.X) - float64(to.X*ahead.Y)
	forward, across := path.Dot(ahead), float64(path.Y*ahead.X)-float64(path.X*ahead.Y)
	if math.Abs(across) < math.Abs(forward) {
		aside += float64((b.way - along) * (across / forward))
	}
	aside = min(max(aside, -way), way)
	return frames.Vector{X: float64(b.way*ahead.X) - float64(aside*ahead.Y),
		Y: float64(b.way*ahead.Y) + float64(aside*ahead.X)}
}

// hardest is the full braking deceleration of an entity without a Performance, in m/s2.
const hardest = 9.0

// brake slows an entity down, at most to a standstill.
func (w *World) brake(b *body, h float64) {
	a := -min(b.lead.request.Brake, 1) * finite(b.limits.Deceleration, hardest)
	if rate := b.limits.DecelerationRate; !math.IsInf(rate, 1) {
		a = max(a, min(b.acceleration, 0)-float64(rate*h))
	}
	w.accelerate(b, a, h)
}

// accelerate changes the speed, and ends the storyboard's speed actions. It brakes to a standstill,
// but never reverses.
func (w *World) accelerate(b *body, a, h float64) {
	if b.long != nil {
		b.long.overruled()
		b.long = nil
	}
	a = min(max(a, -b.limits.Deceleration), b.limits.Acceleration)
	v := b.speed
	direction := sign(v >= 0)
	next := v + float64(direction*a*h)
	b.way = (v + next) / 2 * h
	if a < 0 && next*direction < same { // comes to a standstill before the step ends
		next = 0
		b.way = -direction * v * v / (2 * a)
	}
	b.speed = b.limited(next)
}
