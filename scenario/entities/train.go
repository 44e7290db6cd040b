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
		t.astray = false
		return
	}
	pin := tow.at.Position.Add(heading(tow.at.Direction.Yaw).Scale(tow.hitch))
	off := pin.Sub(t.at.Position.Add(heading(t.at.Direction.Yaw).Scale(t.coupler)))
	fastest := max(math.Abs(t.speed), math.Abs(tow.speed))
	if portable.Hypot(off.X, off.Y) > float64(2*fastest*w.length)+slack {
		t.astray = true
	} else if math.Abs(t.speed-tow.speed) < gentle {
		t.astray = false
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

// contact is a pair of entities whose boxes touch.
type contact struct{ a, b storyboard.Entity }

// within reports whether an event is about a contact that began between parts of one train, and
// therefore is no collision.
func (w *World) within(e *mocksim.Event) bool {
	if e.Kind != mocksim.Collision && e.Kind != mocksim.CollisionEnd {
		return false
	}
	pair := contact{w.find(e.Actor), w.find(e.Other)}
	if pair.a < 0 || pair.b < 0 {
		return false
	}
	if e.Kind == mocksim.Collision {
		if !w.coupled(w.bodies[pair.a], w.bodies[pair.b]) {
			return false
		}
		w.inner = append(w.inner, pair)
		return true
	}
	k := slices.Index(w.inner, pair)
	if k < 0 {
		k = slices.Index(w.inner, contact{pair.b, pair.a})
	}
	if k < 0 {
		return false
	}
	w.inner = slices.Delete(w.inner, k, k+1)
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
