package mocksim

import "gosmp/mocksim/opendrive"

// Where one of two lanes of the same direction ends, vehicles change to the other one in turn, each
// between two vehicles of that lane (the zipper method; article 7 (4) of the German StVO). Drivers
// on the ending lane do not continue beyond the place where it becomes too narrow. Drivers on the
// other lane let in vehicles ahead of them, if that requires no more than comfortable braking.

// spareWidth is the least difference between the width of a lane and of a vehicle that changes to
// it, in m.
const spareWidth = 0.2

// roomToChange is the distance, in m, from the end of a lane that keeps its width, at which
// vehicles stop that have not changed lanes yet: even a lorry can then do so before that end. It
// applies to each of several changes, and is in sum at most half the length of the lane.
const roomToChange = 15.0

// dropOf returns the conflicts of two lanes of a road if one of them ends or begins next to the
// other one.
func (w *World) dropOf(f *finder, a, b int32) (list []conflict, ok bool) {
	one, two := &w.crossings.movements[a], &w.crossings.movements[b]
	rank := int8(1)
	switch m, n := w.drops(one), w.drops(two); {
	case m > n:
		rank = -1
	case n > m:
	default:
		return nil, w.begins(one) != w.begins(two) && w.converge(one, two)
	}
	z, tapers := w.taper(f, a, b, rank)
	if !tapers {
		var ok bool
		if z, ok = w.endsBeside(one, two, rank); !ok {
			return nil, true
		}
	}
	if rank < 0 {
		one.drop = min(one.drop, z.from)
	} else {
		two.drop = min(two.drop, z.enter)
	}
	return []conflict{{other: b, meeting: dropping, rank: rank,
		zones: [len(bodies)]zone{z, z}}}, true
}

// taper returns the place where one of two lanes becomes too narrow towards its end, if there is
// one.
func (w *World) taper(f *finder, a, b int32, rank int8) (z zone, ok bool) {
	one, two := &w.crossings.movements[a], &w.crossings.movements[b]
	if !w.converge(one, two) {
		return z, false
	}
	for _, z := range f.compare(a, b, 1) {
		if rank < 0 && z.to > one.length-sticksOut || rank > 0 && z.leave > two.length-sticksOut {
			return z, true
		}
	}
	return z, false
}

// drops returns 0 for a movement that continues, and otherwise the least number of lane changes to
// a lane next to its end that continues. If marks do not allow these changes, it counts them
// nevertheless, and it returns 1 if there is no such lane: vehicles have to stop at its end all the
// same. Of two lanes that both end, the one with more changes ends for the other one.
func (w *World) drops(m *movement) int {
	last := m.last()
	if len(w.following(last)) > 0 || w.edge(last, w.following) {
		return 0
	}
	for _, next := range [...]func(*opendrive.Lane, int) *opendrive.Lane{
		(*opendrive.Lane).ChangeTo, (*opendrive.Lane).Neighbour} {
		_, left := w.nearest(last, 1, next)
		_, right := w.nearest(last, -1, next)
		switch {
		case left > 0 && right > 0:
			return min(left, right)
		case left+right > 0:
			return left + right
		}
	}
	return 1
}

// begins reports whether a movement starts next to a lane that comes from elsewhere.
func (w *World) begins(m *movement) bool {
	return len(w.preceding(m.first())) == 0 && !w.edge(m.first(), w.preceding)
}

// endsBeside returns the zone at the end of a lane that ends with its full width, next to another
// one.
func (w *World) endsBeside(one, two *movement, rank int8) (z zone, ok bool) {
	ends, on := one, two
	if rank > 0 {
		ends, on = two, one
	}
	last := ends.last().Lane
	for k, c := range on.parts {
		if c.Lane.Section != last.Section || c.Lane.Neighbour(1) != last &&
			c.Lane.Neighbour(-1) != last {
			continue
		}
		u := on.from[k] + w.rail(c.Lane).length
		room := min(roomToChange*float64(w.drops(ends)), ends.length/2)
		z = zone{ends.length - room, ends.length, u - room, u}
		if rank > 0 {
			z = z.turned()
		}
		return z, true
	}
	return z, false
}

// stopAtDrop lets an actor stop before the place where the lane of a course ends. The course starts
// at the distance way ahead.
func (w *World) stopAtDrop(l *leader, a *actor, c *course, way float64) {
	drop := w.crossings.movements[c.movement].drop - c.ahead + way
	if drop > 0 && drop < lookAhead {
		l.nearer(drop-stopBefore+a.driver.MinGap, 0)
	}
}

// endsBefore reports whether an actor has to leave its lane before a block, because the lane ends.
func (w *World) endsBefore(a *actor, b *block) bool {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	for k := d.index; k < len(g) && g[k].start < b.to; k++ {
		if m := g[k].movement; m >= 0 {
			drop := g[k].begin() + w.crossings.movements[m].drop
			if drop >= d.pos() && drop <= b.from {
				return true
			}
		}
	}
	return false
}

// zip lets in a visitor ahead on the other one of two lanes, before one of them ends. It counts as
// a leader that, far from there, is farther away and slower than the visitor.
func (w *World) zip(l *leader, a *actor, x *conflict, u float64, v *visitor) {
	const share, near = 0.5, 15.0
	d, o := &a.driver, w.actors[v.actor]
	own, speed := a.state.Speed, o.state.Speed
	if x.rank > 0 && (o.mode != byController || o.driver.toSide == 0 ||
		own < standstill && o.findsNoRoom()) {
		return // it does not want to change lanes, or cannot
	}
	gap := a.ahead(o) - (a.shape.Length+o.shape.Length)/2
	if rest := x.zones[0].from - near - u; rest > 0 {
		gap += share * rest
		speed -= float64(share * own)
	}
	if a.ahead(o) <= 0 || gap < d.MinGap/2 {
		return
	}
	wanted := d.idm(own, d.course().speedAt(d.u, d.Decel), gap, own-speed)
	if wanted > -d.Decel && (!l.courteous || wanted < l.courtesy) {
		l.courteous, l.courtesy = true, wanted
	}
}

// findsNoRoom reports whether an actor that stands has wanted to change lanes for so long that it
// seems to have no room. In two of three periods, others let it in nevertheless, in case they are
// moving up slowly.
func (a *actor) findsNoRoom() bool {
	wanted := a.driver.indicating - claimAfter
	return a.state.Speed < standstill && wanted > 0 && int(wanted/patience)%3 == 2
}
