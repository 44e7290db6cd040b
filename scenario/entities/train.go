package entities

import (
	"math"
	"slices"

	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/scenario/storyboard"
)

// watch notes whether a trailer that is driven by itself, or placed by the driver of its vehicle,
// has left the hitch. It is coupled again where it meets the hitch at nearly the same speed; if it
// is faster, the two collide.
func (w *World) watch(t *body) {
	const (
		slack  = 0.5 // m beyond twice the way of a step
		gentle = 1.0 // m/s
	)
	tow := t.towed
	if tow == nil || !t.driven && !t.loose {
		t.stray(false)
		return
	}
	pin := tow.at.Position.Add(heading(tow.at.Direction.Yaw).Scale(tow.hitch))
	off := pin.Sub(t.at.Position.Add(heading(t.at.Direction.Yaw).Scale(t.coupler)))
	fastest := max(math.Abs(t.speed), math.Abs(tow.speed))
	if portable.Hypot(off.X, off.Y) > float64(2*fastest*w.length)+slack {
		t.stray(true)
	} else if math.Abs(t.speed-tow.speed) < gentle {
		t.stray(false)
	}
}

// stray notes whether a trailer has left the hitch. In messages, its vehicle then has no trailer.
func (b *body) stray(away bool) {
	if b.astray == away {
		return
	}
	if b.astray = away; b.towed == nil {
		return
	}
	if b.towed.look.Trailer = b.view.ID(); away {
		b.towed.look.Trailer = 0
	}
}

// pulls reports whether an entity is a trailer of a vehicle, or a trailer of its trailers, and all
// of them are at their hitches.
func (w *World) pulls(vehicle, trailer *body) bool {
	for t := vehicle.tows; t != nil && !t.astray; t = t.tows {
		if t == trailer {
			return true
		}
	}
	return false
}

// coupled reports whether two entities are parts of one train, whose boxes overlap in bends.
func (w *World) coupled(a, b *body) bool { return w.pulls(a, b) || w.pulls(b, a) }

// contact is a pair of entities that touched while they were coupled. Until they separate, they do
// not collide, also if the trailer leaves the hitch meanwhile: the boxes of a semi-trailer and its
// tractor overlap there.
type contact struct {
	a, b  storyboard.Entity
	begun bool // for the simulation
}

// inside returns the contact of two entities that began within a train, or nil.
func (w *World) inside(a, b storyboard.Entity) *contact {
	for k := range w.inner {
		if c := &w.inner[k]; c.a == a && c.b == b || c.a == b && c.b == a {
			return c
		}
	}
	return nil
}

// collides reports whether the boxes of two entities overlap, and whether that may be a collision.
func (w *World) collides(a, b *body) (touch, may bool) {
	return a.touches(b), !w.coupled(a, b) && w.inside(a.number, b.number) == nil
}

// hold notes what a trailer touches in its train.
func (w *World) hold(t *body) {
	for a := t.towed; a != nil; a = a.towed {
		for b := t; b != nil; b = b.tows {
			if w.pulls(a, b) && a.touches(b) && w.inside(a.number, b.number) == nil {
				w.inner = append(w.inner, contact{a: a.number, b: b.number})
			}
		}
	}
}

// release ends the contacts within trains that are over.
func (w *World) release() {
	w.inner = slices.DeleteFunc(w.inner, func(c contact) bool {
		a, b := w.bodies[c.a], w.bodies[c.b]
		return !a.exists || !b.exists || !c.begun && !a.touches(b)
	})
}

// within reports whether an event is about a contact that began between parts of one train, and
// therefore is no collision.
func (w *World) within(e *mocksim.Event) bool {
	if e.Kind != mocksim.Collision && e.Kind != mocksim.CollisionEnd {
		return false
	}
	a, b := w.find(e.Actor), w.find(e.Other)
	if a < 0 || b < 0 {
		return false
	}
	c, begins := w.inside(a, b), e.Kind == mocksim.Collision
	if c == nil && begins && w.coupled(w.bodies[a], w.bodies[b]) {
		w.inner = append(w.inner, contact{a: a, b: b})
		c = &w.inner[len(w.inner)-1]
	}
	if c == nil || !begins && !c.begun {
		return false
	}
	c.begun = begins
	return true
}

// Coupled reports whether two entities are parts of one train. A trailer that is driven away from
// its hitch is not, until it is back.
func (w *World) Coupled(a, b storyboard.Entity) bool { return w.coupled(w.bodies[a], w.bodies[b]) }

// Tows reports whether an entity is a trailer of a vehicle, or a trailer of its trailers, and
// coupled to it.
func (w *World) Tows(vehicle, trailer storyboard.Entity) bool {
	return w.pulls(w.bodies[vehicle], w.bodies[trailer])
}
