package mocksim

import "math"

// Drivers on a road with a give-way sign see the traffic on the other road only shortly before the
// line, so that they decide there, and approach it slowly enough to stop. SUMO has such a distance
// for minor roads, too (visibilityDistance, 4.5 m from the front). Where lanes merge at a small
// angle, as on acceleration lanes, drivers see each other earlier.

const (
	sight    = 3.5         // m before a conflict, within which a driver sees the other road
	besideBy = math.Pi / 6 // the angle between lanes up to which drivers see each other, rad
)

// blind reports whether drivers on a movement, who give way in a conflict by a sign, see traffic on
// the other movement only from the line.
func (w *World) blind(c *conflict, number int32) bool {
	if !c.signed || c.rank >= 0 || !c.meeting.yields() {
		return false
	}
	m, o := &w.crossings.movements[number], &w.crossings.movements[c.other]
	at := &c.zones[len(bodies)-1]
	between := wrapFast(w.directionAt(m, 0) - w.directionAt(o, max(at.enter, 0)))
	return math.Abs(between) > besideBy && w.signed(m.first()) < 0
}

// unseen reports whether an actor that approaches a block cannot see all traffic to which it has to
// give way there yet.
func (w *World) unseen(a *actor, b *block) bool {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	for k := d.nextMeeting(d.index, b.to); k >= 0; k = d.nextMeeting(k+1, b.to) {
		c := &g[k]
		for i := range c.conflicts {
			x := &c.conflicts[i]
			z := &x.zones[len(bodies)-1]
			if x.blind && c.begin()+z.to > b.from && c.begin()+z.from < b.to {
				return true
			}
		}
	}
	return false
}
