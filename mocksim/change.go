package mocksim

import (
	"math"

	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

const (
	changePause = 4 * timebase.Second        // between two optional changes
	thinkPause  = 500 * timebase.Millisecond // between two questions to MOBIL
	announce    = 1.0                        // s, from the indicator to the change
	safe        = -4.0                       // m/s2 that a follower must accept
	worthwhile  = 0.2                        // m/s2
)

// consider starts lane changes: changes required by the route as soon as there is room, and other
// changes if they pay off. It handles actors one at a time, because it may create new paths.
func (w *World) consider(self int32, a *actor, h float64) {
	d := &a.driver
	if d.arrived || d.offset.active() && d.offset.changes && a.state.Speed > standstill {
		return // a vehicle that stands during a change may have reached the end of the next lane
	}
	c := d.course()
	if c.cross >= 0 && d.leg+1 < len(d.path.legs) {
		to := &d.path.legs[d.leg+1].courses[c.cross]
		w.prepare(a, sideOf(c.lane, to.lane), h)
		if d.indicating >= announce && w.room(self, a, to.lane) {
			w.cross(a, int(c.cross))
		}
		return
	}
	if d.LaneChange == NoLaneChange || d.offset.active() && d.offset.changes ||
		d.leg+1 < len(d.path.legs) && d.LaneChange == ChangeWithMOBIL {
		return
	}
	if d.toSide == 0 {
		d.toSide = w.wish(self, a)
	}
	if d.toSide == 0 {
		return
	}
	to := w.neighbour(a, c, d.toSide)
	if to == nil {
		w.give(a)
		return
	}
	w.prepare(a, d.toSide, h)
	if d.indicating < announce {
		return
	}
	optional := d.LaneChange == ChangeWithMOBIL
	if w.room(self, a, to) && (!optional || w.undisturbed(a, to)) {
		w.leave(a, to)
	} else if optional {
		w.give(a)
	}
}

// give cancels an announced change.
func (w *World) give(a *actor) {
	a.driver.toSide, a.driver.indicating, a.state.Indicator = 0, 0, IndicatorOff
	a.driver.think = w.now + thinkPause
}

// prepare sets the indicator.
func (w *World) prepare(a *actor, side int, h float64) {
	d := &a.driver
	if d.indicating == 0 || d.toSide != side {
		d.toSide, d.indicating = side, 0
		a.state.Indicator = IndicatorRight
		if side > 0 == d.course().forwards {
			a.state.Indicator = IndicatorLeft
		}
	}
	d.indicating += h
}

// neighbour returns the lane on a side if marks and direction allow a change to it, and if it
// leads on. Actors that stay on the map, without a destination, do not change by themselves to a
// lane that leads out of it.
func (w *World) neighbour(a *actor, c *course, side int) *opendrive.Lane {
	to := c.lane.ChangeTo(side)
	if to == nil || !a.kind.mayUse(to) || w.rail(to).most > a.driver.steerable || w.rail(to).bays {
		return nil
	}
	now := courseNumber(opendrive.Course{Lane: c.lane, Forwards: c.forwards})
	then := courseNumber(opendrive.Course{Lane: to, Forwards: c.forwards})
	if list := w.viable(a.driver.steerable); list[now] && !list[then] {
		return nil
	}
	if d := &a.driver; d.LaneChange == ChangeWithMOBIL && d.Target == nil && !w.mayLeave(a) {
		if list := w.lasting(d.steerable); list[now] && !list[then] {
			return nil
		}
	}
	if forwards, backwards := to.Directions(); c.forwards && !forwards ||
		!c.forwards && !backwards {
		return nil
	}
	return to
}

// wish returns the side of a change that pays off or was requested, or 0 for none.
func (w *World) wish(self int32, a *actor) int {
	d := &a.driver
	left := 1
	if !d.course().forwards {
		left = -1
	}
	switch d.LaneChange {
	case ChangeLeft:
		return left
	case ChangeRight:
		return -left
	}
	if w.now < d.think || w.now-d.changed < changePause || a.state.Speed < 1 {
		return 0
	}
	d.think = w.now + thinkPause
	best, side := worthwhile, 0
	for _, s := range [...]int{left, -left} {
		if gain, ok := w.gain(self, a, s); ok && gain > best {
			best, side = gain, s
		}
	}
	return side
}

// gain returns the gain of a change according to MOBIL: the actor's own advantage and, weighted
// with its politeness, the advantage of both followers.
func (w *World) gain(self int32, a *actor, side int) (gain float64, ok bool) {
	d := &a.driver
	c := d.course()
	to := w.neighbour(a, c, side)
	if to == nil || !w.room(self, a, to) || !w.undisturbed(a, to) {
		return 0, false
	}
	v, half := a.state.Speed, a.shape.Length/2
	l := w.leaderOn(self, a, to)
	own := d.idm(v, c.speedAt(d.u, d.Decel), l.gap, v-l.speed) - a.acceleration
	others := 0.0
	if _, f := w.behind(opendrive.Course{Lane: to, Forwards: c.forwards}, d.now.s, half,
		self); f >= 0 {
		others += w.affected(f, self, a, true)
	}
	if _, f := w.behind(opendrive.Course{Lane: c.lane, Forwards: c.forwards}, d.now.s, half,
		self); f >= 0 {
		others += w.affected(f, self, a, false)
	}
	return own + float64(d.Politeness*others), true
}

// affected returns how much the acceleration of a follower changes when the actor enters its lane,
// or leaves it.
func (w *World) affected(follower, self int32, a *actor, enters bool) float64 {
	f := w.actors[follower]
	if f.mode != byController {
		return 0
	}
	d := &f.driver
	v, v0 := f.state.Speed, d.course().speedAt(d.u, d.Decel)
	gap := f.state.Position.Sub(a.state.Position).Length() - (f.shape.Length+a.shape.Length)/2
	with := d.idm(v, v0, gap, v-a.state.Speed)
	if enters {
		return with - f.acceleration
	}
	l := leader{gap: inf}
	c := d.course()
	s := a.driver.now.s
	w.ahead(&l, &outlook{c.lane, c.rail, c.forwards, s, c.rail.way(s, c.forwards)}, self,
		-gap-a.shape.Length/2)
	return d.idm(v, v0, l.gap, v-l.speed) - with
}

// leaderOn returns the next actor ahead on a neighbouring lane and on the lanes after it.
func (w *World) leaderOn(self int32, a *actor, to *opendrive.Lane) leader {
	d := &a.driver
	c := opendrive.Course{Lane: to, Forwards: d.course().forwards}
	l := leader{gap: inf}
	s, half := d.now.s, a.shape.Length/2
	r := w.rail(to)
	beside := outlook{to, r, c.Forwards, s, r.way(s, c.Forwards)}
	if w.ahead(&l, &beside, self, half) {
		return l
	}
	way := r.length - beside.u
	for range 8 {
		list := w.following(c)
		if len(list) == 0 {
			l.nearer(way-half, 0)
		}
		if len(list) == 0 || way > lookAhead {
			break
		}
		c = list[0]
		r = w.rail(c.Lane)
		from := fromStart(c, r)
		if w.ahead(&l, &from, self, half-way) {
			break
		}
		way += r.length
	}
	return l
}

// room reports whether neither the actor nor its follower on the neighbouring lane has to brake
// hard after a change.
func (w *World) room(self int32, a *actor, to *opendrive.Lane) bool {
	d := &a.driver
	v := a.state.Speed
	l := w.leaderOn(self, a, to)
	if to.Width(d.now.s) < a.shape.Width+spareWidth {
		return false
	}
	if w.squeezed(self, a, opendrive.Course{Lane: to, Forwards: d.course().forwards},
		w.rail(to).way(d.now.s, d.course().forwards)) {
		return false
	}
	if l.gap < d.MinGap/2 || d.idm(v, max(v, 0.1), l.gap, v-l.speed) < safe {
		return false
	}
	return w.bearable(self, a, to) && w.roomToSwing(self, a, to)
}

// undisturbed reports whether a change to another lane can be completed before either lane ends or
// branches, and away from places where both meet the paths of others. Only changes that a route
// requires may take place there.
func (w *World) undisturbed(a *actor, to *opendrive.Lane) bool {
	d := &a.driver
	c, v := d.course(), a.state.Speed
	aside := c.lane.Center(d.now.s) - to.Center(d.now.s)
	way := max(w.changeLength(a, aside, c, d.u), reachOf(aside, 0, d.bendOver(v, 5*v)))
	for _, l := range [...]*opendrive.Lane{c.lane, to} {
		if !w.free(a, opendrive.Course{Lane: l, Forwards: c.forwards}, way) {
			return false
		}
	}
	return true
}

// free reports whether a lane neither ends nor branches nor meets the paths of others between the
// rear of an actor and its front after a distance. Lanes that end next to others do not count as
// meeting them, because drivers should leave these lanes.
func (w *World) free(a *actor, c opendrive.Course, way float64) bool {
	j := w.crossings
	half := a.shape.Length / 2
	k := courseNumber(c)
	u := j.offset[k] + w.rail(c.Lane).way(a.driver.now.s, c.Forwards)
	for j.of[k] >= 0 {
		m := &j.movements[j.of[k]]
		list := w.conflictsOn(j.of[k])
		for i := range list {
			x := &list[i]
			z := &x.zones[len(bodies)-1]
			if (x.meeting.yields() || x.meeting == diverging) && z.from < u+way+half &&
				z.to > u-half {
				return false
			}
		}
		if u+way+half < m.length {
			return true
		}
		next := w.following(m.last())
		if len(next) != 1 || next[0].Lane.Section.Road.Junction != "" {
			return false
		}
		u -= m.length
		k = courseNumber(next[0])
	}
	return true
}

// cross moves on to the next leg of the route.
func (w *World) cross(a *actor, index int) {
	d := &a.driver
	from, u := d.course(), d.u
	d.leg++
	d.index, d.ended = index, false
	d.loseRights()
	w.stepAside(a, from, u)
}

// leave changes to a neighbouring lane that is not on the route, where a new path starts.
func (w *World) leave(a *actor, to *opendrive.Lane) {
	d := &a.driver
	from, u := *d.course(), d.u
	c := opendrive.Course{Lane: to, Forwards: from.forwards}
	p, err := w.pathFor(d, c, "lane change "+a.name)
	if err != nil {
		w.give(a) // no path leads from there to the destination
		return
	}
	if d.LaneChange != ChangeWithMOBIL {
		d.LaneChange = NoLaneChange
	}
	d.path, d.leg, d.index, d.ended = p, 0, 0, false
	d.loseRights()
	w.stepAside(a, &from, u)
	w.prolong(a)
	w.planLegs(d)
}

// changeLength returns the least length of a lane change over a distance aside: at this length,
// neither the front nor the rear of a long body swings out beyond the new lane. Before the end of a
// lane there may be less room.
func (w *World) changeLength(a *actor, aside float64, from *course, u float64) float64 {
	least := a.slender(aside)
	if len(w.following(opendrive.Course{Lane: from.lane, Forwards: from.forwards})) == 0 {
		least = min(least, from.rail.length-u)
	}
	return least
}

// climb returns the slope of an actor's motion or, if it stands still, of its lane.
func (s *State) climb(lane *railPoint) float64 {
	if s.Speed < 0.1 {
		return lane.d1.Z / portable.Hypot(lane.d1.X, lane.d1.Y)
	}
	return s.Velocity.Z / portable.Hypot(s.Velocity.X, s.Velocity.Y)
}

// stance returns the current position of an actor's body.
func (a *actor) stance() stance {
	o := &a.state.Orientation
	return stance{position: a.state.Position, yaw: o.Yaw, pitch: o.Pitch, roll: o.Roll}
}

// stepAside starts the sidestep from a lane to the actor's new course. It is long enough for the
// driver's lateral acceleration.
func (w *World) stepAside(a *actor, from *course, u float64) {
	d := &a.driver
	c := d.course()
	at := d.now.s
	s := a.stance()
	_, s.bow = d.now.climbing()
	s.slope = a.state.climb(&d.now)
	bend := d.now.curvature / portable.Hypot(d.now.d1.X, d.now.d1.Y)
	if d.offset.active() {
		var t trail
		d.offset.trailAt(u, &d.now, &t)
		_, rise1 := d.offset.risingAt(u, &d.now)
		s.bow = rise1 / (t.flat * t.flat)
		s.rest = d.offset.from + d.offset.length - u
		bend = t.curl / t.flat
	}
	s.curvature, s.curved = bend, true
	aside := (from.lane.Center(at) - c.lane.Center(at)) * direction(c.forwards)
	s.rest = max(s.rest, w.changeLength(a, aside, from, u))
	w.settleOn(a, &s, c.rail.way(at, c.forwards), 0)
	d.offset.changes = true
	d.changed, d.toSide, d.indicating = w.now, 0, 0
	c.at(d.u, d.offset.lead, &d.now)
	w.events = append(w.events, Event{Time: w.now, Kind: LaneChange, Actor: a.name,
		Value: math.Abs(aside)})
}
