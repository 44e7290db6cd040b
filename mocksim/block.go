package mocksim

// block is a part of the way of an actor in which it may not stop, since others drive there as
// well: a row of conflicts between which there is no room to stand. It is measured along the leg.
type block struct {
	from, to float64
	known    bool
	limit    float64 // up to where the way was known when the block was found
}

// pos is how far an actor has come on its leg.
func (d *controlled) pos() float64 { return d.course().start + d.u }

// knownWay is how far the leg of an actor reaches.
func (d *controlled) knownWay() float64 {
	g := d.path.legs[d.leg].courses
	last := &g[len(g)-1]
	return last.start + last.rail.length
}

// begin is where the movement of a course begins on the leg.
func (c *course) begin() float64 { return c.start - c.ahead }

// sticksOut is how far a conflict reaches beyond the ends of its movement, in m: half of the
// longest body.
const sticksOut = 7.0

// longWait is how long an actor waits, in s, until it keeps only the conflicts free in which there
// is an actor or to which one comes: where blocks are long, as in a roundabout, all could otherwise
// wait for each other.
const longWait = 20.0

// between is the room that an actor needs to stand between two conflicts.
func (a *actor) between() float64 { return 2*stopBefore + 1 }

// nextBlock is the first block to which an actor has no right yet. It is searched for again once
// the actor has passed that one, or when more of the way has become known.
func (w *World) nextBlock(a *actor) *block {
	d := &a.driver
	b := &d.block
	end := d.knownWay()
	from := max(d.pos(), d.cleared)
	present := d.waited > longWait
	if b.known && !present && b.to > from &&
		(b.limit >= end || b.to+a.between()+sticksOut < b.limit) {
		return b
	}
	*b = block{from: inf, to: inf, known: true, limit: end}
	w.eachZone(a, from, &b.from, present, func(first, last float64) {
		if first < b.from {
			b.from, b.to = first, last
		}
	})
	for before := -inf; b.to < inf && before < b.to; {
		before = b.to
		reach := b.to + a.between()
		w.eachZone(a, from, &reach, present, func(first, last float64) {
			if first <= reach {
				b.to = max(b.to, last)
			}
		})
	}
	return b
}

// eachZone visits the conflicts on the way of an actor, for bodies of its size, that end beyond a
// place and are on movements that begin before another one; if present, only conflicts with other
// actors that are there or come.
func (w *World) eachZone(a *actor, from float64, before *float64, present bool,
	visit func(first, last float64)) {
	d := &a.driver
	g := row(d.path.legs[d.leg].courses)
	size := bodyOf(&a.shape)
	for k := d.index; k < len(g) && g[k].begin()-sticksOut <= *before; k++ {
		c := &g[k]
		if len(c.conflicts) == 0 || !g.begins(k, d.index) {
			continue
		}
		begin := c.begin()
		if begin+w.lengthOf(c.movement)+sticksOut < from {
			continue
		}
		for i := range c.conflicts {
			x := &c.conflicts[i]
			z := &x.zones[size]
			if present && !w.visited(a, x, z) {
				continue
			}
			if x.meeting != diverging && z.to >= z.from && begin+z.to > from {
				visit(begin+z.from, begin+z.to)
			}
		}
	}
}

// visited reports whether anybody but an actor is in a conflict or comes to it.
func (w *World) visited(a *actor, x *conflict, z *zone) bool {
	for _, v := range w.crossings.visitors[x.other] {
		if w.actors[v.actor] != a && v.u <= z.leave {
			return true
		}
	}
	return false
}

// nextZone is where the first conflict begins on the way of an actor that it is not in.
func (w *World) nextZone(a *actor, before float64) float64 {
	pos := a.driver.pos()
	next := inf
	w.eachZone(a, pos, &before, false, func(first, _ float64) {
		if first >= pos {
			next = min(next, first)
		}
	})
	return next
}

// row is a row of courses that follow each other.
type row []course

// begins reports whether course k is the first one of its movement from a course on.
func (g row) begins(k, from int) bool { return k == from || g[k].movement != g[k-1].movement }
