package mocksim

import "gosmp/frames"

// View gives read access to one actor. It is valid until the actor is destroyed, and shows the
// current state.
type View struct{ a *actor }

// ID returns the number of the actor in OSI messages. Numbers start at 1 and are never reused.
func (v View) ID() uint64 { return v.a.id }

// Name returns the name of the actor.
func (v View) Name() string { return v.a.name }

// Kind returns the kind of the actor.
func (v View) Kind() Kind { return v.a.kind }

// Shape returns the size of the actor.
func (v View) Shape() Shape { return v.a.shape }

// Properties returns the properties with which the actor was created, and those set later.
func (v View) Properties() []Property { return v.a.properties }

// State returns the position and motion of the actor.
func (v View) State() State { return v.a.state }

// Place returns the actor's place on the map. Its lane is nil outside of all lanes.
func (v View) Place() Place {
	v.a.resolve()
	p := v.a.place
	if v.a.railed() && p.Lane != nil {
		p.T = p.Lane.Center(p.S) + v.a.side
	}
	return p
}

// At returns the position, velocity and acceleration, in the world's axes, of a point of the
// actor's body. The point is given in the actor's axes, relative to its position. The middle of the
// box is half the height above the position, and the rear axle is half the wheelbase behind it.
func (v View) At(point frames.Vector) (position, velocity, acceleration frames.Vector) {
	m := v.a.state.at(point)
	return m.position, m.velocity, m.acceleration
}
