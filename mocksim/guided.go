package mocksim

import (
	"gosmp/internal/portable"
)

// Motion is where an actor is and how it moves, as somebody outside of the world has computed it.
type Motion struct {
	State State // of the middle of the box, dropped onto the ground
	// Place is where that is on the map. Without a road the world looks for it.
	Place Place
}

// Guide moves an actor by motions that are computed outside of the world: at the end of the next
// step it is where the motion says, and it stays there until another one is given, or another kind
// of move. A saved state has the motion of the last step, not one that was given since.
func (w *World) Guide(v View, m *Motion) {
	a := v.a
	if a.guide == nil {
		a.guide = &Motion{}
	}
	*a.guide = *m
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
	a.state = a.guide.State
	a.state.Orientation.Yaw = wrapFast(a.state.Orientation.Yaw)
	a.sine, a.cosine = portable.Sincos(a.state.Orientation.Yaw)
	a.place = a.guide.Place
	if a.place.Road == nil {
		a.place = w.m.Locate(a.state.Position)
	}
	a.side = 0
	if a.place.Lane != nil {
		a.side = a.place.T - a.place.Lane.Center(a.place.S)
	}
}
