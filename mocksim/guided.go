package mocksim

import (
	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// Motion holds the position and motion of an actor, as computed outside the world.
type Motion struct {
	State State // of the middle of the box, projected onto the ground
	// Place is the current or previous place of the body on the map, where the search for the place
	// of Position starts. Without a road, the whole map is searched.
	Place Place
	// Ahead is the unit vector of State.Orientation.Yaw if it is known, with the values that
	// [portable.Sincos] returns, or zero. It is not compared with the yaw: whoever sets another yaw
	// also sets this vector.
	Ahead frames.Vector
}

// guide is a world's data about a guided actor.
type guide struct {
	next   Motion
	m      *opendrive.Map
	unseen bool // the place comes from the motion and is not resolved yet
	// The sine and cosine of the yaw, once it is known.
	aimed             bool
	yaw, sine, cosine float64
}

// resolve searches for the place of a guided actor, which is not needed in every step.
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

// Guide moves an actor by motions computed outside the world. At the end of the next step, the
// actor is where the motion places it, and it stays there until it is given another motion or
// another kind of move. A saved state contains the motion of the last step, not a later one.
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

// Jump moves a guided actor to a place instantly, as at the start of a simulation. The actor does
// not pass through anything between the two places.
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
	g := a.guide
	a.state = g.next.State
	yaw := wrapFast(a.state.Orientation.Yaw)
	if !g.aimed || yaw != g.yaw {
		g.aimed, g.yaw = true, yaw
		if ahead := &g.next.Ahead; yaw == a.state.Orientation.Yaw && *ahead != (frames.Vector{}) {
			g.sine, g.cosine = ahead.Y, ahead.X
		} else {
			g.sine, g.cosine = portable.Sincos(yaw)
		}
	}
	a.state.Orientation.Yaw, a.sine, a.cosine = yaw, g.sine, g.cosine
	a.place, g.unseen = g.next.Place, true
}
