package mocksim

import "math"

// decide gives an actor the right to drive through the next block, withdraws the right, or makes
// the actor wait before the block. It handles actors one at a time, so that two actors never have
// the right to the same ground.
func (w *World) decide(self int32, a *actor, h float64) {
	d := &a.driver
	v := a.state.Speed
	d.hold, d.idle = inf, false
	w.withdraw(self, a)
	b := w.nextBlock(a)
	pos := d.pos()
	if b.from-pos > a.deciding() {
		if d.waited = 0; w.passedBy(self, a) >= 0 {
			d.hold = 0
		}
		return
	}
	if v < standstill && !d.queued {
		d.waited += h
	}
	stop := b.from
	if stop <= pos {
		if stop = min(w.nextZone(a, b.to), b.to); w.passedBy(self, a) >= 0 {
			stop = pos
		}
	}
	if h > 0 && v > standstill && stop-pos < v*v/(2*a.shape.Brake)-stopBefore {
		w.clear(self, a, b)
		d.granted.since = 0 // it cannot wait for anybody
		return
	}
	if stop-pos > sight && w.unseen(a, b) {
		d.hold = stop - pos
		return
	}
	if d.idle = d.queued && !b.full || !w.open(self, a, b); !d.idle && w.enterBlock(self, a, b) {
		return
	}
	d.hold = max(stop-pos, 0)
	if b.full {
		b.known = false
	}
}

// enterBlock gives an actor that has room after a block the right to it, or to its beginning,
// unless others are in the way.
func (w *World) enterBlock(self int32, a *actor, b *block) bool {
	d := &a.driver
	if !b.full {
		if first := w.firstOf(self, a, b); first >= 0 {
			d.idle = d.waited > patience && w.actors[first].state.Speed < standstill
			return false
		}
	}
	var why obstacle
	other := w.mayEnter(self, a, b, &why)
	if other < 0 {
		w.clear(self, a, b)
		d.granted.hurry = why.rival || d.halted != 0 && !why.peer || w.unseen(a, &d.granted)
		return true
	}
	stands := w.actors[other].state.Speed < standstill
	if !stands && w.advance(self, a, b) {
		return true
	}
	d.idle = d.waited > patience && !why.comes && stands
	return false
}

// deciding returns how far ahead an actor decides about conflicts, which is its comfortable braking
// distance.
func (a *actor) deciding() float64 {
	v := a.state.Speed
	return max(v*v/(2*a.driver.Decel)+float64(v*reactBefore)+4, 8)
}

// withdraw takes back an actor's right to its last block if the actor would have to stop in the
// block and can still stop before it. In a block, an actor that stands behind another one keeps
// only the ground it stands on, because the actor ahead may be waiting for the rest.
func (w *World) withdraw(self int32, a *actor) {
	d := &a.driver
	pos, v := d.pos(), a.state.Speed
	if d.queued && d.cleared > pos && pos >= d.granted.from-stopBefore {
		d.block.known = false
		w.announce(self, a, pos)
		return
	}
	rest := d.granted.from - pos - stopBefore
	if d.cleared < d.granted.to || rest < 0 || v*v/(2*d.Decel) > rest {
		return
	}
	if d.queued || !w.open(self, a, &d.granted) {
		d.granted.part = false
		d.block = d.granted
		w.announce(self, a, d.granted.from-stopBefore)
	}
}

// open reports whether there is no red light before the end of a block, and room for the actor
// after it and in the ring into which the block leads. A block at the end of a lane that the actor
// has to leave before is not open.
func (w *World) open(self int32, a *actor, b *block) bool {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	pos := d.pos()
	for k := d.index; k < len(g) && g[k].start < b.to; k++ {
		l := leader{gap: inf}
		if len(w.stops[g[k].lane.Number()]) > 0 && w.stopAtLights(a, &g[k], g[k].start-pos, &l) &&
			l.standsWithin(b.to-pos) {
			return false
		}
	}
	return !w.endsBefore(a, b) && (b.full || w.noRoom(self, a, b.to-pos) < 0 && !w.ringFull(a, b))
}

// firstOf returns an actor ahead that may have to stop before the end of a block, also on a path
// that diverges from the actor's own, or -1.
func (w *World) firstOf(self int32, a *actor, b *block) int32 {
	d := &a.driver
	g := row(d.path.legs[d.leg].courses)
	for k := d.index; k < len(g) && g[k].start < b.to; k++ {
		if g[k].movement < 0 || !g.begins(k, d.index) {
			continue
		}
		begin := g[k].begin()
		u, end := d.pos()-begin, b.to-begin
		for _, v := range w.crossings.visitors[g[k].movement] {
			if v.actor != self && v.u > max(u, 0) && v.stop < end {
				return v.actor
			}
		}
		for i := range g[k].conflicts {
			if x := &g[k].conflicts[i]; x.meeting == diverging {
				if other := w.before(self, a, x, u); other >= 0 {
					return other
				}
			}
		}
	}
	return -1
}

// before returns another actor that is ahead where two paths diverge and may have to stop there, or
// -1. The actor is at u of its own path.
func (w *World) before(self int32, a *actor, x *conflict, u float64) int32 {
	size := bodyOf(&a.shape)
	for _, v := range w.crossings.visitors[x.other] {
		other := bodyOf(&w.actors[v.actor].shape)
		z := &x.zones[max(size, other)]
		if v.actor != self && v.u > u+x.past && v.u < z.leave && u < z.to &&
			(v.stop < z.leave || other != size) {
			return v.actor
		}
	}
	return -1
}

// clear gives an actor the right to a block.
func (w *World) clear(self int32, a *actor, b *block) {
	d := &a.driver
	if r := w.ringAhead(a, b); r >= 0 {
		w.crossings.rings[r].used += a.roomInRing()
	}
	if d.cleared >= d.granted.to && d.pos() < d.granted.to {
		d.former = d.granted
	}
	d.granted, d.waited = *b, 0
	d.granted.since = w.now
	w.announce(self, a, b.to)
}

// announce sets the place up to which an actor has the right to its path, and informs the actors
// that decide later in the same step, because all actors that approach conflicts on that path must
// know.
func (w *World) announce(self int32, a *actor, cleared float64) {
	d := &a.driver
	far := max(d.cleared, cleared)
	d.cleared = cleared
	g := row(d.path.legs[d.leg].courses)
	for k := d.index; k < len(g) && g[k].begin()-sticksOut <= far; k++ {
		c := &g[k]
		if c.movement < 0 || !g.begins(k, d.index) {
			continue
		}
		v := w.crossings.visitor(c.movement, self)
		if v == nil {
			v = w.crossings.visit(c.movement, w.visitorOf(self, a, c))
		}
		v.cleared = cleared - c.begin()
	}
}

// obstacle is the reason why an actor may not enter a block.
type obstacle struct {
	free  float64 // up to where on the leg the path is free of the other actor, m
	comes bool    // the other actor is not in the way yet
	rival bool    // some actor comes for which the actor does not have to wait
	peer  bool    // some actor is there that has the same priority
}

// mayEnter returns an actor that is in the way in the conflicts of a block, or approaches and has
// priority, or -1. Unless why is nil, it describes that actor.
func (w *World) mayEnter(self int32, a *actor, b *block, why *obstacle) int32 {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	last := b.to + a.shape.Length + a.between()
	for k := d.nextMeeting(d.index, last); k >= 0; k = d.nextMeeting(k+1, last) {
		c := &g[k]
		for i := range c.conflicts {
			x := &c.conflicts[i]
			if !x.meeting.yields() || len(w.crossings.visitors[x.other]) == 0 {
				continue
			}
			if other := w.clearOf(self, a, c, x, b, why); other >= 0 {
				return other
			}
		}
	}
	return -1
}

// clearOf is mayEnter for one conflict of a block, on the movement of a course.
func (w *World) clearOf(self int32, a *actor, c *course, x *conflict, b *block,
	why *obstacle) int32 {
	d := &a.driver
	begin := c.begin()
	u := d.pos() - begin
	size := bodyOf(&a.shape)
	for i := range w.crossings.visitors[x.other] {
		v := &w.crossings.visitors[x.other][i]
		o := w.actors[v.actor]
		other := bodyOf(&o.shape)
		z := &x.zones[max(size, other)]
		last := b.to
		if other > size { // it may not stop where a larger vehicle is approaching
			last += a.shape.Length + a.between()
		}
		if v.actor == self || v.u > z.leave || u > z.to || z.to < z.from ||
			begin+z.to < d.cleared || begin+z.from > last {
			continue
		}
		if why != nil && x.rank == 0 {
			why.peer = true
		}
		goes := v.goes(z) || other < size && v.u > z.enter-o.stopsIn()
		if goes {
			part := *z
			if b.full {
				part = z.until(b.to - begin)
			}
			if w.passes(a, c.movement, &part, u, v, b.full) || a.afterwards(o, c, x, z, u, v) {
				continue
			}
			if x.meeting == merging && v.stop >= z.leave &&
				w.canFollow(a, o, w.lengthOf(c.movement)-u, w.lengthOf(x.other)-v.u) {
				continue
			}
		} else if f := z.fitted(a, o); v.idle || u >= z.from || !w.givesWay(a, o, c, x, &f, u, v) {
			if why != nil && !v.idle && o.state.Speed > standstill && x.rank < 0 {
				why.rival = true
			}
			continue
		}
		if why != nil {
			why.free, why.comes = b.to-(last-(begin+z.from)), !goes
		}
		return v.actor
	}
	return -1
}

// canFollow reports whether an actor can merge behind another one. mine and other are their
// distances to the place where their paths merge.
func (w *World) canFollow(a, o *actor, mine, other float64) bool {
	d := &a.driver
	gap := mine - other - (a.shape.Length+o.shape.Length)/2
	v := a.state.Speed
	return gap > d.MinGap/2 && d.idm(v, max(v, 0.1), gap, v-o.state.Speed) > -d.Decel
}

// givesWay reports whether an actor waits for another one that does not have the right to enter
// yet. Both are assumed to continue their current motion. An actor with priority must not be
// obstructed; all others go in the order in which they started waiting.
func (w *World) givesWay(a, o *actor, c *course, x *conflict, z *zone, u float64, v *visitor) bool {
	d := &a.driver
	rest := z.enter - v.u // to the conflict
	if o.state.Speed < standstill {
		if o.claims() && v.stop <= z.leave {
			return o.driver.waited > d.waited && !w.isIn(a, v.actor)
		}
		if o.mode != byController || rest > 15 {
			return false
		}
		if d.waited > patience || x.rank > 0 {
			return false
		}
		return o.driver.waited > d.waited || o.driver.waited == d.waited && (x.rank < 0 ||
			o.id < a.id)
	}
	arrives := rest / max(o.state.Speed, 1)
	accel, pet := a.hurried(), clearance
	switch {
	case !x.signed:
		pet = clearance / 2
	case x.meeting == crossing && d.waited < claimAfter:
		pet = acrossRoads
	}
	mine := a.timeFor(z.from-u, c, accel)
	if x.rank > 0 || x.rank == 0 && mine <= arrives {
		return false
	}
	if d.waited > patience && rest > stoppingWay(o) || a.insists(o, rest) {
		return false
	}
	end := z.to
	if x.meeting == merging { // both times refer to the place where the paths become one
		end = w.lengthOf(c.movement)
		arrives = (w.lengthOf(x.other) - v.u) / max(o.state.Speed, 1)
	}
	return a.timeFor(end-u, c, accel)+pet > arrives
}

// isIn reports whether an actor is in the block that another one waits for.
func (w *World) isIn(a *actor, other int32) bool {
	o := w.actors[other]
	c := a.driver.course()
	u := a.driver.u + c.ahead
	for i := range c.conflicts {
		x := &c.conflicts[i]
		z := &x.zones[max(bodyOf(&a.shape), bodyOf(&o.shape))]
		if !x.meeting.yields() || u < z.from-a.shape.Length/2 || u > z.to {
			continue
		}
		if v := w.crossings.visitor(x.other, other); v != nil && v.stop <= z.leave {
			return true
		}
	}
	return false
}

// claimAfter is the time, in s, that an actor waits before others with priority let it go first.
const claimAfter = 20.0

// claims reports whether an actor has waited for so long that others let it go first. It alternates
// between claiming and pausing, in case it is waiting for something else.
func (a *actor) claims() bool {
	waited := a.driver.waited
	return a.mode == byController && waited > claimAfter && !a.driver.idle &&
		int((waited-claimAfter)/a.period())%3 < 2
}

// period returns the time, in s, for which others let an actor go first. It grows with the waiting
// time, because a queue may have to clear the place first.
func (a *actor) period() float64 {
	const longer, most = 60.0, 4.0
	return patience * min(1+math.Floor(a.driver.waited/longer), most)
}

// insists reports whether an actor that claims its block need not wait for an approaching actor,
// because that actor stops for the claim.
func (a *actor) insists(o *actor, rest float64) bool {
	if !a.claims() || o.mode != byController || o.driver.waited >= a.driver.waited {
		return false
	}
	speed := o.state.Speed
	return rest-stopBefore > speed*speed/(2*o.driver.Decel)
}

// stopsIn returns an actor's stopping distance if a vehicle of another size requires it to stop.
func (a *actor) stopsIn() float64 {
	v := a.state.Speed
	return v*v/(2*2) + float64(v*reactBefore)/2
}

// stoppingWay returns an actor's comfortable stopping distance.
func stoppingWay(o *actor) float64 {
	v := o.state.Speed
	return v*v/(2*2) + float64(v*reactBefore) + 8
}
