package mocksim

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// Lorries and buses need more than their lane in tight curves. Where two lanes lead in the same
// direction next to each other, long vehicles do not drive abreast of others there: the vehicle
// that is behind falls back until it can follow.

// abreastMargins is the share of the margins around bodies on lanes of one road.
const abreastMargins = 0.4

// abreastOf returns the conflicts of two lanes of one road that lead in the same direction. Where
// lanes are narrow, seen from above, two cars have no room next to each other either.
func (w *World) abreastOf(f *[len(bodies)]finder, a, b int32) (list []conflict) {
	const large = len(bodies) - 1
	for _, z := range f[large].compare(a, b, abreastMargins) {
		c := conflict{other: b, meeting: abreast, zones: [len(bodies)]zone{nowhere, z}}
		for _, small := range f[0].compare(a, b, abreastMargins) {
			if small.meets(&z, 0) {
				c.zones[0].include(&small)
			}
		}
		list = append(list, c)
	}
	return list
}

// ahead returns how far another actor is ahead of this one in their mean direction, in m. The
// result is antisymmetric: if one actor is ahead, the other is equally far behind.
func (a *actor) ahead(o *actor) float64 {
	x, y := a.cosine+o.cosine, a.sine+o.sine
	length := math.Sqrt(float64(x*x) + float64(y*y))
	if length < 1 {
		return -inf // they face each other, on a road that leads back
	}
	p, q := &a.state.Position, &o.state.Position
	return (float64((q.X-p.X)*x) + float64((q.Y-p.Y)*y)) / length
}

// fallBack treats a visitor ahead on the lane next to an actor's as a leader. Before the place
// where there is no room for both, this leader is farther away than the visitor, in proportion to
// the distance to the place, and slower, so that the actor falls back in time.
func (w *World) fallBack(l *leader, a *actor, z *zone, u float64, v *visitor) {
	const share = 0.5
	o := w.actors[v.actor]
	ahead := a.ahead(o)
	if ahead < 0 || ahead == 0 && o.id > a.id || v.standsBefore(o, z) {
		return
	}
	gap, speed := ahead-(a.shape.Length+o.shape.Length)/2, o.state.Speed
	if rest := z.from - u; rest > 0 {
		gap += share * rest
		speed -= float64(share * a.state.Speed)
	}
	l.nearer(gap, speed)
}

// standsBefore reports whether a visitor stands before a place and has no right to drive there, so
// that others may overtake it.
func (v *visitor) standsBefore(o *actor, z *zone) bool {
	return o.mode == byController && o.state.Speed < standstill && v.u < z.enter &&
		v.cleared < z.enter && v.stop < z.enter
}

// squeezed reports whether an actor at u of a course would be next to another actor without enough
// room.
func (w *World) squeezed(self int32, a *actor, c opendrive.Course, u float64) bool {
	j := w.crossings
	k := courseNumber(c)
	m := j.of[k]
	if m < 0 {
		return false
	}
	u += j.offset[k]
	list := w.conflictsOn(m)
	for i := range list {
		x := &list[i]
		if x.meeting != abreast {
			continue
		}
		for n := range j.visitors[x.other] {
			v := &j.visitors[x.other][n]
			o := w.actors[v.actor]
			z := &x.zones[max(bodyOf(&a.shape), bodyOf(&o.shape))]
			halves := (a.shape.Length+o.shape.Length)/2 + a.driver.MinGap
			if v.actor == self || u < z.from-halves || u > z.to {
				continue
			}
			if math.Abs(a.ahead(o)) < halves {
				return true
			}
		}
	}
	return false
}

// narrows reports whether an actor is next to a lane to which it may come too close.
func (w *World) narrows(a *actor) bool {
	c := a.driver.course()
	u := c.ahead + a.driver.u
	for i := range c.conflicts {
		x := &c.conflicts[i]
		if z := &x.zones[len(bodies)-1]; x.meeting == abreast && u > z.from-a.shape.Length &&
			u < z.to+a.shape.Length {
			return true
		}
	}
	return false
}

// lookBeside considers actors ahead on the neighbouring lanes as long as the actor extends into
// them.
func (w *World) lookBeside(self int32, a *actor, l *leader) {
	for k := int32(1); k < lanesOfActor; k++ {
		if lane := w.current().entries[lanesOfActor*self+k].lane; lane >= 0 {
			w.lookOn(self, a, w.m.Lanes()[lane], l)
		}
	}
}

// lookOn considers actors ahead on a neighbouring lane.
func (w *World) lookOn(self int32, a *actor, lane *opendrive.Lane, l *leader) {
	d := &a.driver
	c, half := d.course(), a.shape.Length/2
	if w.ahead(l, &outlook{lane, c.rail, c.forwards, d.now.s, d.u}, self, half) {
		return
	}
	beside := opendrive.Course{Lane: lane, Forwards: c.forwards}
	for way := c.rail.length - d.u; way < lookAside; {
		next := w.following(beside)
		if len(next) != 1 {
			return
		}
		beside = next[0]
		r := w.rail(beside.Lane)
		from := fromStart(beside, r)
		if w.ahead(l, &from, self, half-way) {
			return
		}
		way += r.length
	}
}

// lookAside is how far ahead a driver looks on the lane that the vehicle is leaving, in m.
const lookAside = 60.0
