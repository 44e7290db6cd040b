package mocksim

import "math"

// stretch is a part of the path of an actor, by the way from its middle.
type stretch struct {
	from, to float64
	firm     float64 // where conflicts begin for bodies of the actor's own size
}

// decide gives an actor the right to drive through the conflicts ahead, takes it back, or lets it
// wait. It runs for one actor after the other, so that never two have the right to the same ground.
func (w *World) decide(self int32, a *actor, h float64) {
	d := &a.driver
	v := a.state.Speed
	d.hold = inf
	horizon := v*v/(2*d.Decel) + float64(v*reactBefore) + 8
	ahead := w.nextConflicts(a, horizon)
	if ahead.from > horizon {
		d.waited = 0
		return
	}
	if v < standstill {
		d.waited += h
	}
	braking := v * v / (2 * a.shape.Brake)
	forced := v > standstill && ahead.firm < braking-stopBefore
	if forced || !d.queued && w.mayEnter(self, a, &ahead) && w.roomBehind(self, a, ahead.to) {
		w.clear(a, ahead.to)
		d.waited = 0
		return
	}
	if d.hold = ahead.from; ahead.from < max(v*v/(2*d.Decel), stopBefore) {
		d.hold = max(min(ahead.firm, max(v*v/(2*d.Decel), ahead.from)), 0)
	}
}

// nextConflicts are the next conflicts without a right, together with those that are so near behind
// them that the actor could not stop in between. It takes rights back on the way.
func (w *World) nextConflicts(a *actor, horizon float64) (s stretch) {
	d := &a.driver
	g := row(d.path.legs[d.leg].courses)
	s = stretch{inf, -inf, inf}
	const longest = 150.0 // m
	between := a.shape.Length + d.MinGap + 2*stopBefore
	halted := false
	way := -d.u
	for k := d.index; k < len(g); k++ {
		c := &g[k]
		if way > min(horizon, s.from+longest) || s.to > -inf && way-6 > s.to+between {
			break
		}
		if len(c.conflicts) > 0 && g.begins(k, d.index) {
			w.extend(a, g[k:], way-c.ahead, between, halted, &s)
		}
		halted = halted || w.stopAtLights(a, c, way, nil)
		if halted && s.to == -inf {
			break
		}
		way += c.rail.length
	}
	return s
}

// extend adds the conflicts of the movement that a row of courses begins with to a stretch; way is
// that to the start of the movement.
func (w *World) extend(a *actor, rest row, way, between float64, halted bool, s *stretch) {
	u := -way
	c, d := &rest[0], &a.driver
	if c.cleared > -inf && d.queued && !w.inJunction(a) {
		w.announce(a, rest, -inf)
	}
	for changed := true; changed; {
		changed = false
		for i := range c.conflicts {
			x := &c.conflicts[i]
			if x.meeting == diverging {
				continue
			}
			z := w.zoneFor(x, a)
			if u > z.to || z.to < z.from || z.from < c.cleared || halted && s.to == -inf {
				continue
			}
			from, to := way+z.from, way+z.to
			if own := &x.zones[bodyOf(&a.shape)]; u <= own.to {
				s.firm = min(s.firm, way+own.from)
			}
			switch {
			case s.to == -inf, from < s.from:
				s.from, s.to, changed = from, max(to, s.to), true
			case from <= s.to+between && to > s.to:
				s.to, changed = to, true
			}
		}
	}
	if s.to > -inf {
		w.trim(a, c, way, between, s)
	}
}

// trim ends a stretch before the first gap in which the actor can stop.
func (w *World) trim(a *actor, c *course, way, between float64, s *stretch) {
	end := s.from
	for changed := true; changed; {
		changed = false
		for i := range c.conflicts {
			x := &c.conflicts[i]
			if z := w.zoneFor(x, a); x.meeting != diverging && way+z.from <= end+between &&
				way+z.to > end && way+z.to <= s.to {
				end, changed = way+z.to, true
			}
		}
	}
	if way <= s.from { // the stretch begins on this course
		s.to = max(end, s.from)
	}
}

// inJunction reports whether an actor is in a conflict, or has one just behind it: then it goes on
// as
// soon as it can, and keeps its rights.
func (w *World) inJunction(a *actor) bool {
	const just = 15.0 // m
	d := &a.driver
	c := d.course()
	u := d.u + c.ahead
	for i := range c.conflicts {
		x := &c.conflicts[i]
		if z := w.zoneFor(x, a); x.meeting != diverging && u > z.from && u < z.to+just {
			return true
		}
	}
	return false
}

// clear gives an actor the right to all conflicts of its path that begin before to.
func (w *World) clear(a *actor, to float64) {
	d := &a.driver
	g := row(d.path.legs[d.leg].courses)
	way := -d.u
	for k := d.index; k < len(g) && way-6 <= to; k++ {
		if c := &g[k]; len(c.conflicts) > 0 && g.begins(k, d.index) {
			w.announce(a, g[k:], max(c.cleared, to-way+c.ahead+1e-9))
		}
		way += g[k].rail.length
	}
}

// row is a row of courses that follow each other.
type row []course

// begins reports whether course k is the first one of its movement from a course on.
func (g row) begins(k, from int) bool { return k == from || g[k].movement != g[k-1].movement }

// announce sets up to where an actor has the right to the movement that a row of courses begins
// with, and lets those know who decide later in the same step.
func (w *World) announce(a *actor, rest row, cleared float64) {
	m := rest[0].movement
	for k := 0; k < len(rest) && rest[k].movement == m; k++ {
		rest[k].cleared = cleared
	}
	list := w.crossings.visitors[m]
	for k := range list {
		if w.actors[list[k].actor] == a {
			list[k].cleared = cleared
		}
	}
}

// mayEnter reports whether nobody is in the way of an actor in the conflicts of a stretch, and
// nobody
// comes who goes first.
func (w *World) mayEnter(self int32, a *actor, s *stretch) bool {
	d := &a.driver
	g := row(d.path.legs[d.leg].courses)
	way := -d.u
	for k := d.index; k < len(g) && way-6 <= s.to; k++ {
		c := &g[k]
		if len(c.conflicts) > 0 && g.begins(k, d.index) && !w.mayDrive(self, a, c, way-c.ahead,
			s.to) {
			return false
		}
		way += c.rail.length
	}
	return true
}

// mayDrive is mayEnter for the movement of a course that begins way ahead, up to the way end.
func (w *World) mayDrive(self int32, a *actor, c *course, way, end float64) bool {
	for i := range c.conflicts {
		x := &c.conflicts[i]
		if z := w.zoneFor(x, a); x.meeting == diverging || z.from < c.cleared || way+z.from > end {
			continue
		}
		if !w.clearOf(self, a, c, x, -way) {
			return false
		}
	}
	return true
}

// clearOf decides about one conflict, u from the start of its course.
func (w *World) clearOf(self int32, a *actor, c *course, x *conflict, u float64) bool {
	for i := range w.crossings.visitors[x.other] {
		v := &w.crossings.visitors[x.other][i]
		o := w.actors[v.actor]
		z := &x.zones[max(bodyOf(&a.shape), bodyOf(&o.shape))]
		if v.actor == self || v.u > z.leave || u > z.to || z.to < z.from {
			continue
		}
		if v.goes(z) {
			if x.meeting == merging && w.canFollow(a, o, w.lengthOf(c.movement)-u,
				w.lengthOf(x.other)-v.u) {
				continue
			}
			return false
		}
		if !v.halted && w.givesWay(a, o, c, x, z, u, v) {
			return false
		}
	}
	return true
}

// canFollow reports whether an actor can join behind another one, mine and other from where their
// ways become one.
func (w *World) canFollow(a, o *actor, mine, other float64) bool {
	d := &a.driver
	gap := mine - other - (a.shape.Length+o.shape.Length)/2
	v := a.state.Speed
	return gap > d.MinGap/2 && d.idm(v, max(v, 0.1), gap, v-o.state.Speed) > -d.Decel
}

// givesWay reports whether an actor waits for another one that has no right of way yet. Both move
// on as they do; who goes first may not be hindered, others come in the order of their waiting.
func (w *World) givesWay(a, o *actor, c *course, x *conflict, z *zone, u float64, v *visitor) bool {
	d := &a.driver
	rest := z.enter - v.u // to the conflict
	if o.state.Speed < standstill {
		if o.mode != byController || rest > 15 || d.waited > patience {
			return false
		}
		return o.driver.waited > d.waited || o.driver.waited == d.waited && (x.rank < 0 ||
			x.rank == 0 && o.id < a.id)
	}
	arrives := rest / max(o.state.Speed, 1)
	mine := a.timeFor(z.from-u, c)
	if x.rank > 0 || x.rank == 0 && mine <= arrives {
		return false
	}
	if d.waited > patience && rest > stoppingWay(o) {
		return false
	}
	end := z.to
	if x.meeting == merging {
		end = w.lengthOf(c.movement)
	}
	return a.timeFor(end-u, c)+clearance > arrives
}

// stoppingWay is how far an actor drives until it stands, in comfort.
func stoppingWay(o *actor) float64 {
	v := o.state.Speed
	return v*v/(2*2) + float64(v*reactBefore) + 8
}

// timeFor is the time in which an actor drives some way, with the acceleration of its driver up to
// the speed that a course allows.
func (a *actor) timeFor(way float64, c *course) float64 {
	d := &a.driver
	if way <= 0 {
		return 0
	}
	v, top := a.state.Speed, max(c.speedAt(c.rail.length/2, d.Decel), a.state.Speed, 1)
	rush := (float64(top*top) - float64(v*v)) / (2 * d.Accel)
	if rush >= way {
		return (math.Sqrt(float64(v*v)+float64(2*d.Accel*way)) - v) / d.Accel
	}
	return (top-v)/d.Accel + (way-rush)/top
}

// roomBehind reports whether an actor fits behind the conflicts of its path, which end at end:
// nobody
// may stop in a conflict.
func (w *World) roomBehind(self int32, a *actor, end float64) bool {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	needed := a.shape.Length/2 + d.MinGap
	way := -d.u
	for k := d.index; k < len(g) && way < end+needed; k++ {
		c := &g[k]
		length := c.rail.length
		if way+length > end-6 {
			if k == d.index || c.movement != g[k-1].movement {
				needed += w.goingBefore(self, a, c, c.ahead-way, c.ahead-way+end)
			}
			l := leader{gap: inf}
			var p railPoint
			u := min(max(end-way, 0), length)
			c.rail.at(u, c.forwards, &p)
			if w.ahead(&l, c.lane, c.forwards, p.s-float64(direction(c.forwards)*1e-9), 1, self,
				0) {
				return way+u+l.gap+l.speed*l.speed/(2*d.Decel)+float64(2*l.speed) > end+needed
			}
		}
		way += length
	}
	return true
}

// goingBefore is the room that those need who go before an actor on its movement, between two
// places.
func (w *World) goingBefore(self int32, a *actor, c *course, u, end float64) (room float64) {
	if c.movement < 0 {
		return 0
	}
	for _, v := range w.crossings.visitors[c.movement] {
		if o := w.actors[v.actor]; v.actor != self && v.u > u && v.u < end && v.cleared >= end {
			room += o.shape.Length + a.driver.MinGap
		}
	}
	return room
}
