package mocksim

import (
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// Motion states where an actor is and how it moves, as computed outside the world.
type Motion struct {
	State State // of the middle of the box, projected onto the ground
	// Place is where the body is on the map, or was a moment ago: the search for the place of
	// Position starts there. Without a road the whole map is searched.
	Place Place
}

// guide is a world's data about a guided actor.
type guide struct {
	next   Motion
	m      *opendrive.Map
	unseen bool // the place comes from the motion, and has not been searched for yet
}

// resolve searches for the place of a guided actor, which not every step needs.
func (a *actor) resolve() {
	if a.guide == nil || !a.guide.unseen {
		return
	}
	a.guide.unseen = false
	a.place = a.guide.m.Follow(a.state.Position, a.place)
	if a.side = 0; a.place.Lane != nil {
		a.side = a.place.T - a.place.Lane.Center(a.place.S)
	}
}

// Guide moves an actor by motions that are computed outside the world: at the end of the next step
// the actor is where the motion says, and stays there until it gets another motion or another kind
// of move. A saved state contains the motion of the last step, not a later one.
func (w *World) Guide(v View, m *Motion) {
	a := v.a
	if a.guide == nil {
		a.guide = &guide{m: w.m}
	}
	a.guide.next = *m
	if a.mode != byGuide {
		a.mode, w.stale = byGuide, true
	}
}

// After calls a function in each step, when all actors have moved. The function may call
// [World.Drag] for actors whose motion depends on others, such as trailers.
func (w *World) After(f func()) { w.dependent = f }

// Drag is [World.Guide] for the end of the step in which it is called, by a function of
// [World.After].
func (w *World) Drag(v View, m *Motion) {
	w.Guide(v, m)
	w.adopt(v.a)
}

// Jump moves a guided actor to a place instantly, as at the start of a simulation. The actor has
// not passed through anything between the two places.
func (w *World) Jump(v View, m *Motion) {
	w.Guide(v, m)
	w.adopt(v.a)
	v.a.before = v.a.pose()
}

// adopt applies the given motion.
func (w *World) adopt(a *actor) {
	if a.guide == nil { // in a restored state
		a.freeze()
		return
	}
	a.state = a.guide.next.State
	a.state.Orientation.Yaw = wrapFast(a.state.Orientation.Yaw)
	a.sine, a.cosine = portable.Sincos(a.state.Orientation.Yaw)
	a.place, a.guide.unseen = a.guide.next.Place, true
}
