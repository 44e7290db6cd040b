package mocksim

import "gosmp/timebase"

// block is a part of an actor's path on which it may not stop because others also drive there: a
// row of conflicts without room to stand between them. It is measured along the leg.
type block struct {
	from, to float64
	known    bool
	limit    float64       // known length of the path when the block was found
	full     bool          // to be entered although there is no room after it, see [World.untangle]
	since    timebase.Time // when the right to it was given
	hurry    bool          // others will arrive soon after the actor has left it
	part     bool          // only up to a place inside a junction, see [World.advance]
}

// pos returns how far along its leg an actor is.
func (d *controlled) pos() float64 { return d.course().start + d.u }

// knownWay returns the length of an actor's leg.
func (d *controlled) knownWay() float64 {
	g := d.path.legs[d.leg].courses
	last := &g[len(g)-1]
	return last.start + last.rail.length
}

// begin returns where the movement of a course starts on the leg.
func (c *course) begin() float64 { return c.start - c.ahead }

// sticksOut is how far a conflict extends beyond the ends of its movement, in m: half of the
// longest body.
const sticksOut = 7.0

// between returns the room that an actor needs to stand between two conflicts.
func (a *actor) between() float64 { return 2*stopBefore + 1 }

// longestBlock is the distance ahead, in m, within which the end of a block is sought.
const longestBlock = 1000.0

// nextBlock returns the first block that an actor does not have the right to yet. The search is
// repeated once the actor has passed that block, or when more of its path is known. The path of an
// actor without a destination is extended until the end of the block is visible.
func (w *World) nextBlock(a *actor) *block {
	d := &a.driver
	b := &d.block
	end := d.knownWay()
	from := max(d.pos(), d.cleared)
	if b.known && b.to > from && (b.limit >= end || b.ends(a)) {
		return b
	}
	for w.findBlock(a, from); b.to < inf && !b.ends(a) && b.limit-d.pos() < longestBlock; {
		w.prolongTo(a, b.limit-d.pos()+100)
		if b.limit == d.knownWay() {
			break
		}
		w.findBlock(a, from)
	}
	return b
}

// ends reports whether a block ends before the end of the known way.
func (b *block) ends(a *actor) bool { return b.to+a.between()+sticksOut < b.limit }

// longestRight is the length of a block, in m, above which a large vehicle is given the right to
// only a part of it, up to a place where a car has room to stand. Otherwise, places in a roundabout
// where only large vehicles touch others would turn the whole roundabout into one block.
const longestRight = 60.0

// findBlock searches for the first block that ends beyond a place.
func (w *World) findBlock(a *actor, from float64) {
	b := &a.driver.block
	*b = block{from: inf, to: inf, known: true, limit: a.driver.knownWay()}
	size := bodyOf(&a.shape)
	w.eachZone(a, size, from, &b.from, func(first, last float64) {
		if first < b.from {
			b.from, b.to = first, last
		}
	})
	if b.to == inf {
		return
	}
	b.from = max(b.from, a.driver.cleared)
	end := w.blockEnd(a, size, from, b.to)
	if size > 0 && end-max(b.from, from) > longestRight {
		end = min(end, w.blockEnd(a, 0, from, max(b.from, from)+bodies[size].length))
	}
	b.to = end
}

// blockEnd returns the end of the row of conflicts, for bodies of a size, that starts before a
// place.
func (w *World) blockEnd(a *actor, size int, from, to float64) float64 {
	for before := -inf; before < to; {
		before = to
		reach := to + a.between()
		w.eachZone(a, size, from, &reach, func(first, last float64) {
			if first <= reach {
				to = max(to, last)
			}
		})
	}
	return to
}

// eachZone visits the conflicts on the path of an actor, for bodies of a size, that end beyond a
// place and are on movements that start before another place.
func (w *World) eachZone(a *actor, size int, from float64, before *float64,
	visit func(first, last float64)) {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	for k := d.nextMeeting(d.index, *before); k >= 0; k = d.nextMeeting(k+1, *before) {
		c := &g[k]
		begin := c.begin()
		if begin+w.lengthOf(c.movement)+sticksOut < from {
			continue
		}
		for i := range c.conflicts {
			x := &c.conflicts[i]
			z := &x.zones[size]
			if x.meeting.yields() && z.to >= z.from && begin+z.to > from {
				visit(begin+x.stopFrom(size), begin+z.to)
			}
		}
	}
}

// stopFrom returns where a conflict starts for bodies of a size that stop before it. They leave
// space for larger bodies that need it, unless that space is far from the conflict.
func (x *conflict) stopFrom(size int) float64 {
	const far = 6.0 // m
	from, large := x.zones[size].from, x.zones[len(bodies)-1].from
	if from-large > far {
		return from
	}
	return min(from, large)
}

// nextZone returns the start of the first conflict on the path of an actor in which the actor is
// not already.
func (w *World) nextZone(a *actor, before float64) float64 {
	pos := a.driver.pos()
	next := inf
	w.eachZone(a, bodyOf(&a.shape), pos, &before, func(first, _ float64) {
		if first >= pos {
			next = min(next, first)
		}
	})
	return next
}

// row is a sequence of courses.
type row []course

// begins reports whether course k is the first one of its movement, counting from a course.
func (g row) begins(k, from int) bool { return k == from || g[k].movement != g[k-1].movement }

// nextMeeting returns the index of the first course on the leg of a driver, from k on, with which a
// movement with conflicts begins that starts before a place, or -1.
func (d *controlled) nextMeeting(k int, before float64) int {
	g := row(d.path.legs[d.leg].courses)
	for ; k < len(g) && g[k].begin()-sticksOut <= before; k++ {
		if len(g[k].conflicts) > 0 && g.begins(k, d.index) {
			return k
		}
	}
	return -1
}
