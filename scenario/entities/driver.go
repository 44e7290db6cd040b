package entities

import (
	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/seat"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// Driver is called with the motions of an entity that its controller has: longitudinal, lateral,
// both, or none after a handback. With both, the entity is an actor of [World.Simulation] that the
// driver moves, for instance from a seat (package mocksim/seat), before each call of Advance. With
// only one of them, the driver calls [World.Lead] to control that motion, and the storyboard
// controls the other one. An error ends the run.
type Driver func(has storyboard.Domain) error

// both are the motions that a driver can have.
const both = storyboard.Longitudinal | storyboard.Lateral

// SetDriver assigns a driver to an entity. It must be called before the storyboard starts. A driver
// that only makes requests, such as an emergency brake, moves nothing itself: the storyboard moves
// the entity, and [World.Request] changes its speed.
func (w *World) SetDriver(entity storyboard.Entity, d Driver, requests bool) {
	w.bodies[entity].driver, w.bodies[entity].requests = d, requests
}

// SetOrders sets the function that informs an entity's driver when the storyboard starts actions on
// motions that the driver has. These actions have no other effect, because the driver must carry
// them out.
func (w *World) SetOrders(entity storyboard.Entity, f func(*seat.Action)) {
	w.bodies[entity].orders = f
}

// order passes an action to the driver if the driver has the motions concerned. It reports whether
// the driver has them; if so, the action has no other effect.
func (b *body) order(about storyboard.Domain, a seat.Action) bool {
	if b.has&about == 0 || b.requests {
		return false
	}
	if b.orders != nil {
		b.orders(&a)
	}
	return true
}

// extent sets the time or the distance that a driver's action should take.
func (d *dynamics) extent(a seat.Action, change float64) seat.Action {
	if d.dimension == byDistance {
		a.Distance = d.duration(change)
	} else {
		a.Duration = d.duration(change)
	}
	return a
}

// lanesTo counts the lanes from one lane to another, positive to the left of s, skipping lane 0.
func lanesTo(from, to int) int {
	switch {
	case from < 0 && to > 0:
		return to - from - 1
	case from > 0 && to < 0:
		return to - from + 1
	}
	return to - from
}

// posed returns the pose of the middle of the box of an entity at a place.
func (b *body) posed(at *position.Place) seat.Pose {
	rotation := at.Direction.Rotation()
	return seat.Pose{Position: at.Position.Add(rotation.Apply(b.center)),
		Orientation: at.Direction, Turned: true}
}

// TakeOver hands over to the drivers all entities that no action of the scenario hands to a
// controller. It is called once, after Init.
func (w *World) TakeOver() error {
	for _, b := range w.bodies {
		if b.driver == nil || b.activated || !b.exists || b.has != 0 {
			continue
		}
		if err := w.grant(b, both); err != nil {
			return err
		}
	}
	return nil
}

// grant hands motions over to the driver because the scenario says so.
func (w *World) grant(b *body, has storyboard.Domain) error {
	if b.granted = has; b.given || b.awaits {
		return nil // the scenario does not decide this, or the driver is not ready
	}
	return w.hand(b, has)
}

// Give hands an entity, which is an actor of [World.Simulation], to a caller that moves it with its
// own calls until Retrieve, regardless of what the scenario says about the entity's controller.
func (w *World) Give(entity storyboard.Entity) error {
	b := w.bodies[entity]
	b.given, b.driver, b.requests = true, func(storyboard.Domain) error { return nil }, false
	return w.hand(b, both)
}

// Retrieve lets the storyboard move an entity again after Give, starting from where the entity is.
func (w *World) Retrieve(entity storyboard.Entity) error {
	b := w.bodies[entity]
	if !b.given {
		return nil
	}
	err := w.hand(b, 0)
	b.given, b.driver = false, nil
	return err
}

// HandBack takes an entity away from its driver before the scenario does, for example when the
// driver has stopped sending.
func (w *World) HandBack(entity storyboard.Entity) error { return w.hand(w.bodies[entity], 0) }

// Await leaves an entity to the storyboard until HandOver is called, because its driver is not
// ready.
func (w *World) Await(entity storyboard.Entity) error {
	w.bodies[entity].awaits = true
	return w.HandBack(entity)
}

// HandOver gives an entity back to its driver after HandBack or Await. The driver receives the
// motions that the scenario currently leaves to it.
func (w *World) HandOver(entity storyboard.Entity) error {
	b := w.bodies[entity]
	b.awaits = false
	return w.hand(b, b.granted)
}

// Driven returns the motions of an entity that its driver currently controls.
func (w *World) Driven(entity storyboard.Entity) storyboard.Domain { return w.bodies[entity].has }

// Tell adds a note about an entity, which the next step of the storyboard reports.
func (w *World) Tell(entity storyboard.Entity, kind, text string) {
	w.told = append(w.told, storyboard.Note{Time: w.now, Entity: entity,
		Other: storyboard.NoEntity, Kind: kind, Text: text})
}

// hand gives motions of an entity to its driver, and takes the others back.
func (w *World) hand(b *body, has storyboard.Domain) error {
	if b.driver == nil || b.has == has {
		return nil
	}
	taken := has &^ b.has
	b.has, b.lead = has, lead{}
	if a, ok := b.long.(*speedAction); ok && taken&storyboard.Longitudinal != 0 && !b.requests {
		a.overruled() // it no longer has an effect
		b.long = nil
	}
	if b.driven && has != both { // the storyboard continues from here, on the surface of the road
		b.at.Height, b.at.Tilt = 0, frames.Orientation{}
		if b.at.OnRoad() {
			w.network.Settle(&b.at)
		}
	}
	// A driver that only requests braking or speeds leaves steering to the storyboard.
	b.driven = has == both && !b.requests
	return b.driver(has)
}

// read copies the place to which a driver has moved an entity.
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
	b.aimed = false // its last motion of the storyboard is outdated
}

// middle returns the vector from the reference point to the middle of the box, projected onto the
// ground.
func (b *body) middle() frames.Vector {
	m := frames.Vector{X: b.center.X, Y: b.center.Y, Z: b.center.Z - b.shape.Height/2}
	if m.Z < 1e-9 && m.Z > -1e-9 {
		m.Z = 0
	}
	return m
}
