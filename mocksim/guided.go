package mocksim

import (
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// Motion is where an actor is and how it moves, as computed outside the world.
type Motion struct {
	State State // of the middle of the box, dropped onto the ground
	// Place is where on the map the body is, or was a moment ago: the search for the place of
	// Position begins there. Without a road the whole map is searched.
	Place Place
}

// guide is the data that a world needs about a guided actor.
type guide struct {
	next   Motion
	m      *opendrive.Map
	unseen bool // the place comes from the motion, and has not been looked for yet
}

// resolve looks for the place of a guided actor, which is not needed in each step.
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
// it is where the motion says, and it stays there until another motion or another kind of move is
// given. A saved state has the motion of the last step, not one that was given since.
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

// Jump puts a guided actor somewhere at once, as at the start of a simulation: it has not moved
// there, so that nothing is between the two places.
func (w *World) Jump(v View, m *Motion) {
	w.Guide(v, m)
	w.adopt(v.a)
	v.a.before = v.a.pose()
}

// adopt takes over the motion that was given.
func (w *World) adopt(a *actor) {
	if a.guide == nil { // of a restored state
		a.freeze()
		return
	}
	a.state = a.guide.next.State
	a.state.Orientation.Yaw = wrapFast(a.state.Orientation.Yaw)
	a.sine, a.cosine = portable.Sincos(a.state.Orientation.Yaw)
	a.place, a.guide.unseen = a.guide.next.Place, true
}
