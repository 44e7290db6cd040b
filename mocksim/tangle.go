package mocksim

import (
	"slices"

	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// tangledAfter is the waiting time of a vehicle, in s, after which the search for circular waits
// begins.
const tangledAfter = 30.0

// untangle searches once a second for vehicles that wait for each other in a circle, which happens
// when the roads between some junctions are full, and resolves the situation. All of them are then
// given their rights as usual, so that none collide. It reports whether a vehicle was given another
// path.
func (w *World) untangle(j *junctions) (diverted bool) {
	if (w.now+w.step)/timebase.Second == w.now/timebase.Second {
		return false
	}
	searched := false
	for k, a := range w.actors {
		d := &a.driver
		if a.mode != byController || d.waited < tangledAfter && !d.held() {
			continue
		}
		if !searched {
			j.seen = slices.Grow(j.seen[:0], len(w.actors))[:len(w.actors)]
			clear(j.seen)
			searched = true
		}
		if w.findCircle(int32(k)) && w.breakCircle() {
			diverted = true
		}
	}
	return diverted
}

// findCircle follows the vehicles that wait for each other, starting with one of them, and keeps
// the circle it finds. It returns false if the chain ends, or if it reaches a vehicle that was
// visited before.
func (w *World) findCircle(start int32) bool {
	j := w.crossings
	j.circle = j.circle[:0]
	k := start
	for k >= 0 && j.seen[k] == 0 {
		j.seen[k] = start + 1
		j.circle = append(j.circle, k)
		k = w.waitsFor(k)
	}
	if k < 0 || j.seen[k] != start+1 {
		return false
	}
	// vehicles before k wait for the circle but are not part of it
	j.circle = slices.Delete(j.circle, 0, slices.Index(j.circle, k))
	return true
}

// breakCircle lets the first vehicle of a circle that can take another path do so. If there is
// none, the first one goes that has room next to the others and after its block. If there is none
// either, all of them drive as far as the ground is clear, even where there is no room for them:
// each makes room for the previous one in the circle.
func (w *World) breakCircle() (diverted bool) {
	for _, k := range w.crossings.circle {
		if w.divert(k, w.actors[k]) {
			return true
		}
	}
	for _, k := range w.crossings.circle {
		w.yieldAll(k, w.actors[k])
	}
	for _, k := range w.crossings.circle {
		if w.crowd(k, w.actors[k], true) {
			return false
		}
	}
	for _, k := range w.crossings.circle {
		w.crowd(k, w.actors[k], false)
	}
	return false
}

// yieldAll takes back the right of an actor that stands in a circle and therefore does not use it.
func (w *World) yieldAll(self int32, a *actor) {
	d := &a.driver
	if d.cleared > d.pos() {
		d.block.known = false
		w.announce(self, a, d.pos())
	}
}

// near returns the distance to a standing leader, in m, up to which a standing actor queues.
func (d *controlled) near() float64 { return float64(2*d.MinGap) + 1 }

// held reports whether an actor that stands behind another one would move up, if it were not for
// its next block.
func (d *controlled) held() bool { return d.queued && d.hold < 2*stopBefore }

// crowd lets an actor enter its block, as a whole or as far as it is free, if that is worthwhile.
func (w *World) crowd(self int32, a *actor, whole bool) bool {
	const least, short = 1.0, 0.01 // m
	d := &a.driver
	if d.queued && (whole || !d.held()) {
		return false
	}
	cut := *w.nextBlock(a)
	cut.full = true
	pos := d.pos()
	if cut.from-pos > a.deciding() ||
		whole && (cut.to < pos+least || w.noRoom(self, a, cut.to-pos) >= 0) {
		return false
	}
	var why obstacle
	for {
		other := w.mayEnter(self, a, &cut, &why)
		if other < 0 {
			if !whole && w.walls(self, a, cut.to) {
				return false
			}
			d.block = cut
			return true
		}
		if whole {
			return false
		}
		free := why.free - short
		if free > pos+least || w.actors[other].state.Speed > standstill {
			cut.to = free
		} else {
			cut.to -= least // it may have room next to the other one
		}
		if cut.to < max(cut.from, pos)+least {
			return false
		}
	}
}

// walls reports whether an actor that moves up to a place would newly stand in the way of another
// one in the circle.
func (w *World) walls(self int32, a *actor, place float64) bool {
	d := &a.driver
	size := bodyOf(&a.shape)
	g := d.path.legs[d.leg].courses
	for k := d.nextMeeting(d.index, place); k >= 0; k = d.nextMeeting(k+1, place) {
		at, now := place-g[k].begin(), d.pos()-g[k].begin()
		for i := range g[k].conflicts {
			x := &g[k].conflicts[i]
			if x.meeting != crossing {
				continue
			}
			for _, v := range w.crossings.visitors[x.other] {
				z := &x.zones[max(size, bodyOf(&w.actors[v.actor].shape))]
				if v.actor != self && now <= z.from && at > z.from && v.u < z.leave &&
					slices.Contains(w.crossings.circle, v.actor) {
					return true
				}
			}
		}
	}
	return false
}

// waitsFor returns the actor that prevents a standing actor from continuing, or -1 if there is
// none.
func (w *World) waitsFor(self int32) int32 {
	a := w.actors[self]
	d := &a.driver
	if !a.railed() || a.state.Speed >= standstill {
		return -1
	}
	if d.queued {
		return w.rightAhead(self, a)
	}
	if _, o := w.bodyAhead(self, a); o >= 0 {
		return o
	}
	if o := w.passedBy(self, a); o >= 0 {
		return o
	}
	b := w.nextBlock(a)
	if b.from-d.pos() > a.deciding() || d.hold == inf {
		return w.rightAhead(self, a)
	}
	if o := w.noRoom(self, a, b.to-d.pos()); o >= 0 {
		return o
	}
	if w.ringFull(a, b) {
		return w.standsInRing(a, b)
	}
	if o := w.firstOf(self, a, b); o >= 0 {
		return o
	}
	var why obstacle
	if o := w.mayEnter(self, a, b, &why); !why.comes {
		return o
	}
	return -1
}

// rightAhead returns the actor right ahead of an actor: on its lane, or where its path diverges
// from or meets others.
func (w *World) rightAhead(self int32, a *actor) int32 {
	d := &a.driver
	g := row(d.path.legs[d.leg].courses)
	reach := a.shape.Length/2 + 2*d.MinGap + bodies[len(bodies)-1].length
	beside := int32(-1)
	way := -d.u
	for k := d.index; k < len(g) && way < reach; k++ {
		c := &g[k]
		from := outlook{c.lane, c.rail, c.forwards, d.now.s, d.u}
		if k > d.index {
			from = fromStart(opendrive.Course{Lane: c.lane, Forwards: c.forwards}, c.rail)
		}
		if e := w.nextOn(&from, self); e != nil && way+w.wayOf(e, c.rail, c.forwards) < reach {
			return e.actor
		}
		if beside < 0 && g.begins(k, d.index) {
			beside = w.standsIn(self, a, c)
		}
		way += c.rail.length
	}
	return beside
}

// standsIn returns the nearest actor that stands in the conflicts of a course and behind which an
// actor queues there, or else one that stands across its path, or -1.
func (w *World) standsIn(self int32, a *actor, c *course) int32 {
	u := a.driver.pos() - c.begin()
	nearest, across := int32(-1), int32(-1)
	gap := a.driver.near()
	for i := range c.conflicts {
		x := &c.conflicts[i]
		visitors := w.crossings.visitors[x.other]
		for k := range visitors {
			v := &visitors[k]
			if v.actor == self {
				continue
			}
			o := w.actors[v.actor]
			z := &x.zones[max(bodyOf(&a.shape), bodyOf(&o.shape))]
			if u > z.to || v.u > z.leave || o.state.Speed >= standstill {
				continue
			}
			if x.meeting == crossing {
				if v.u > z.enter && z.from > u && z.from-u < 2*a.driver.MinGap &&
					!w.passes(a, c.movement, z, u, v, false) {
					across = v.actor
				}
				continue
			}
			l := leader{gap: inf}
			if w.heed(&l, &l, a, c, x, u, v); l.gap < gap {
				gap, nearest = l.gap, v.actor
			}
		}
	}
	if nearest >= 0 {
		return nearest
	}
	return across
}

// divert gives an actor that stands before a block another path through it, if the actor has no
// destination and if there is a path with room after the block. The path may lead out of the map:
// otherwise, a full ring would remain full.
func (w *World) divert(self int32, a *actor) bool {
	d := &a.driver
	b := &d.block
	if d.queued || d.Target != nil || len(d.path.legs) != 1 || d.cleared > d.pos() ||
		b.from < d.pos() {
		return false
	}
	g := &d.path.legs[0]
	var list [16]opendrive.Course
	for k := d.index; k+1 < len(g.courses) && g.courses[k+1].start < b.to; k++ {
		c := &g.courses[k]
		ways := w.ways(a, opendrive.Course{Lane: c.lane, Forwards: c.forwards}, list[:0])
		if len(ways) < 2 {
			continue
		}
		now := g.courses[k+1].lane // a failed attempt replaces the courses by equal ones
		for _, n := range ways {
			if n.Lane != now && w.tryWay(self, a, k, n) {
				return true
			}
		}
		break
	}
	return false
}

// tryWay replaces the path of an actor after course k, and keeps the new path if it can be entered.
func (w *World) tryWay(self int32, a *actor, k int, next opendrive.Course) bool {
	d := &a.driver
	before, index, ended := d.path, d.index, d.ended
	courses := slices.Clone(d.path.legs[0].courses)
	for i := range courses {
		courses[i].allowed = nil // the new path may reuse memory of the old one
	}
	before.legs = []leg{{courses}}
	d.path.legs[0].courses = append(d.path.legs[0].courses[:k+1], w.course(next))
	d.path.legs[0].plan(&d.Controller)
	d.ended, d.block.known = false, false
	w.prolong(a)
	b := w.nextBlock(a)
	if b.from >= d.pos() && w.noRoom(self, a, b.to-d.pos()) < 0 && w.firstOf(self, a, b) < 0 &&
		w.mayEnter(self, a, b, nil) < 0 {
		return true
	}
	d.path, d.index, d.ended, d.block.known = before, index, ended, false
	w.planLegs(d)
	return false
}
