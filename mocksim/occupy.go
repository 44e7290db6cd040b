package mocksim

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// occupy fills the entries of an actor on rails: its lane, and the lanes beside it into which the
// actor extends.
func (d *controlled) occupy(a *actor, list *[lanesOfActor]entry) {
	c := d.course()
	first := &list[0]
	first.lane, first.s = int32(c.lane.Number()), d.now.s
	first.along = a.state.Speed * direction(c.forwards)
	first.half = a.shape.Length / 2
	if d.u > c.rail.length {
		first.s += float64((d.u - c.rail.length) * direction(c.forwards))
	}
	if !d.offset.active() && !c.rail.narrow {
		return
	}
	e, _, _, _ := d.offset.at(d.u)
	e *= direction(c.forwards)
	half := c.lane.Width(d.now.s) / 2
	reach := a.extent()
	if math.Abs(e) <= half-a.shape.Width/2 && reach+math.Abs(e) <= half && !d.swings(a) {
		return
	}
	first.out = true
	near := c.lane.Wider(d.now.s, e)
	if math.Abs(e) > half-a.shape.Width/2 {
		list[1] = first.on(near)
	}
	if near == nil {
		return
	}
	side := 1
	if near.ID < c.lane.ID {
		side = -1
	}
	if far := near.Neighbour(side); far != nil &&
		math.Abs(e)+reach > half+near.Width(d.now.s) {
		list[2] = first.on(far)
	} else if d.swings(a) || reach-math.Abs(e) > half {
		list[2] = first.on(c.lane.Neighbour(-side))
	}
}

// on returns the same entry on another lane; without one it is empty.
func (e *entry) on(l *opendrive.Lane) entry {
	o := *e
	if o.lane = -1; l != nil {
		o.lane = int32(l.Number())
	}
	return o
}

// extent returns how far an actor on rails extends to either side of its middle, across its lane.
func (a *actor) extent() float64 {
	p := &a.driver.now
	sine := float64(a.sine*p.cosine) - float64(a.cosine*p.sine)
	cosine := float64(a.cosine*p.cosine) + float64(a.sine*p.sine)
	return float64(a.shape.Width/2*math.Abs(cosine)) + float64(a.shape.Length/2*math.Abs(sine))
}

// swings reports whether an actor changes lanes over such a short distance, before the end of its
// lane, that its ends extend beyond both lanes.
func (d *controlled) swings(a *actor) bool {
	o := &d.offset
	return o.changes && o.length < (1-1e-9)*a.slender(o.aside[0])
}

// slender returns the least length of a lane change over a distance aside for which neither the
// front nor the rear of the body swings out by more than 0.2 m.
func (a *actor) slender(aside float64) float64 {
	const ratio = 4.75 // of a quintic
	return float64(ratio * a.shape.Length / 2 * math.Sqrt(math.Abs(aside)))
}
