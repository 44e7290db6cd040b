package entities

import (
	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// Driver is told who moves an entity: true when a controller takes over from the storyboard, false
// when it hands back. The entity is an actor of [World.Simulation] then. Who takes over moves that
// actor, for instance from a seat (package mocksim/seat), before each call of Advance. An error
// ends the run.
type Driver func(active bool) error

// TakeOver lets the drivers take over those entities that no action of the scenario hands to a
// controller. It is called once, after Init.
func (w *World) TakeOver() error {
	for _, b := range w.bodies {
		if b.driver == nil || b.activated || !b.exists || b.driven {
			continue
		}
		if err := w.hand(b, true); err != nil {
			return err
		}
	}
	return nil
}

// HandBack ends what a driver does with an entity before the scenario does, as at a fault of it.
func (w *World) HandBack(name string) error {
	k := w.find(name)
	if k < 0 {
		return nil
	}
	return w.hand(w.bodies[k], false)
}

// Driven reports whether a driver moves an entity now.
func (w *World) Driven(entity storyboard.Entity) bool { return w.bodies[entity].driven }

// hand gives an entity to its driver, or takes it back.
func (w *World) hand(b *body, active bool) error {
	if b.driver == nil || b.driven == active {
		return nil
	}
	b.driven = active
	if a, ok := b.long.(*speedAction); ok && active { // it has no effect any more
		a.done = true
		b.long = nil
	}
	if !active { // the storyboard goes on from here, on the surface of the road
		b.at.Height, b.at.Tilt = 0, frames.Orientation{}
		w.network.Settle(&b.at)
	}
	return b.driver(active)
}

// read takes over where a driver has moved an entity.
func (w *World) read(b *body) {
	s := b.view.State()
	middle := b.middle()
	at, velocity, acceleration := b.view.At(middle.Scale(-1))
	b.at.Position, b.at.Direction = at, s.Orientation
	w.network.Locate(&b.at, &b.before, position.Given{Height: true, Pitch: true, Roll: true})
	b.velocity, b.accelerated, b.rates = velocity, acceleration, s.Rate
	b.speed, b.acceleration = s.Speed, s.Along
	moved := b.at.Position.Sub(b.before.Position)
	b.traveled += portable.Hypot(moved.X, moved.Y)
	b.ended = false
}

// middle is the middle of the box, dropped onto the ground, from the reference point.
func (b *body) middle() frames.Vector {
	m := frames.Vector{X: b.center.X, Y: b.center.Y, Z: b.center.Z - b.shape.Height/2}
	if m.Z < 1e-9 && m.Z > -1e-9 {
		m.Z = 0
	}
	return m
}
