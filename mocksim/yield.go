package mocksim

import (
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// visitor is an actor on or approaching a course with conflicts.
type visitor struct {
	u       float64 // of its middle, from the start of the course; negative before it
	cleared float64 // the place up to which it has the right to drive
	stop    float64 // the place before which it stops unless given the right to continue
	actor   int32
	idle    bool // it is not coming: red light, queue, or no room after the conflict
}

const (
	comeFrom    = 100.0 // m before a course at which an actor starts to count as its visitor
	keepBehind  = 20.0  // m; how far an actor may extend behind
	stopBefore  = 0.5   // m before a conflict at which actors stop
	clearance   = 1.0   // s between two vehicles in a conflict: the least post-encroachment time
	acrossRoads = 3.0   // s, the same where one of them crosses a road with priority by signs
	patience    = 8.0   // s of waiting after which other waiting actors are ignored
	standstill  = 0.3   // m/s below which an actor waits
	reactBefore = 0.5   // s before the last moment of braking at which an actor decides
)

// giveWay decides which actors go first in a step of length h.
func (w *World) giveWay(h float64) {
	j := w.crossings
	if j == nil || !j.any {
		return
	}
	w.observe(j)
	if h > 0 && w.untangle(j) {
		w.observe(j)
	}
	for k, a := range w.actors {
		if a.mode == byController {
			w.decide(int32(k), a, h)
		}
	}
}

// observe collects the actors that are in conflicts or approach them.
func (w *World) observe(j *junctions) {
	j.empty()
	for k, a := range w.actors {
		if a.mode == byController {
			w.visit(int32(k), a)
		} else if a.place.Lane != nil && a.place.Lane.Drivable() {
			w.intrude(int32(k), a)
		}
	}
	w.countRings(j)
}

// empty removes all visitors.
func (j *junctions) empty() {
	for _, k := range j.visited {
		j.visitors[k] = j.visitors[k][:0]
	}
	j.visited = j.visited[:0]
}

// visit records an actor on a movement.
func (j *junctions) visit(number int32, v visitor) *visitor {
	if len(j.visitors[number]) == 0 {
		j.visited = append(j.visited, number)
	}
	j.visitors[number] = append(j.visitors[number], v)
	list := j.visitors[number]
	return &list[len(list)-1]
}

// visitor returns the record of an actor on a movement, or nil if there is none.
func (j *junctions) visitor(number, actor int32) *visitor {
	list := j.visitors[number]
	for i := range list {
		if list[i].actor == actor {
			return &list[i]
		}
	}
	return nil
}

// visit records the courses that a controlled actor is on or approaching.
func (w *World) visit(self int32, a *actor) {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	way := -d.u
	k := d.index
	for k > 0 && way > -keepBehind { // courses into which its rear may extend
		k--
		way -= g[k].rail.length
	}
	reach := max(min(comeFrom, float64(a.state.Speed*8)+30), d.cleared-d.pos())
	if a.claims() {
		reach = max(reach, d.block.to-d.pos())
	}
	for begin := k; k < len(g) && way < reach; k++ {
		c := &g[k]
		if c.movement >= 0 && (k == begin || c.movement != g[k-1].movement) {
			w.crossings.visit(c.movement, w.visitorOf(self, a, c))
		}
		way += c.rail.length
	}
}

// visitorOf returns a controlled actor as seen by others on the movement of a course.
func (w *World) visitorOf(self int32, a *actor, c *course) visitor {
	d, begin := &a.driver, c.begin()
	return visitor{u: d.pos() - begin, actor: self, idle: d.idle || d.halting,
		cleared: d.cleared - begin, stop: d.block.from - begin}
}

// intrude records an actor that is not moved by the simulator; it has the right to be at its
// position.
func (w *World) intrude(self int32, a *actor) {
	p := &a.place
	c := opendrive.Course{Lane: p.Lane, Forwards: w.heads(a, p)}
	u := w.rail(p.Lane).way(p.S, c.Forwards)
	k := courseNumber(c)
	if m := w.crossings.of[k]; m >= 0 {
		w.crossings.visit(m, visitor{u: u + w.crossings.offset[k], actor: self, cleared: inf,
			stop: inf})
	}
	rest := w.rail(p.Lane).length - u
	if rest > float64(a.state.Speed*4)+a.shape.Length {
		return
	}
	for _, n := range w.following(c) {
		if m := w.crossings.of[courseNumber(n)]; m >= 0 && m != w.crossings.of[k] {
			w.crossings.visit(m, visitor{u: -rest, actor: self, cleared: inf, stop: inf})
		}
	}
}

// stopAtLights reports whether an actor stops at a light on a course that starts at the distance
// way ahead, and stores the nearest place to stop in l, if there is one.
func (w *World) stopAtLights(a *actor, c *course, way float64, l *leader) (stops bool) {
	half := a.shape.Length / 2
	for i, p := range w.stops[c.lane.Number()] {
		u := p.on(c)
		if p.halt {
			if rest := way + u - half; p.halts() && a.haltsAt(haltNumber(c, i), rest) {
				stops = true
				l.stopAt(rest, signBrake)
			}
			continue
		}
		if p.walk != nil {
			if rest, waits := a.stopsAtWalk(p.walk, way+u); waits {
				stops = true
				l.nearer(rest+a.driver.MinGap, 0)
			}
			continue
		}
		if p.light.colour < LightYellow {
			continue
		}
		rest := way + u - half
		v := a.state.Speed
		if rest < 0 || p.light.colour == LightYellow && v*v/(2*a.driver.Decel) > rest {
			continue
		}
		stops = true
		l.nearer(w.beforeSwing(a, rest), 0)
	}
	return stops
}

// heedConflicts treats actors ahead as leaders in the conflicts of a course that starts at the
// distance way ahead. [World.decide] has determined where the actor must stop.
func (w *World) heedConflicts(l, crossing *leader, self int32, a *actor, c *course,
	way float64) {
	for i := range c.conflicts {
		x := &c.conflicts[i]
		visitors := w.crossings.visitors[x.other]
		for k := range visitors {
			if v := &visitors[k]; v.actor != self {
				w.heed(l, crossing, a, c, x, c.ahead-way, v)
			}
		}
	}
}

// heed treats another visitor, ahead of an actor at u of a course, as a leader in a conflict. In l
// are the leaders behind which an actor queues.
func (w *World) heed(l, crossing *leader, a *actor, c *course, x *conflict, u float64,
	v *visitor) {
	o := w.actors[v.actor]
	z := &x.zones[max(bodyOf(&a.shape), bodyOf(&o.shape))]
	if u > z.to || v.u > z.leave {
		return
	}
	switch {
	case x.meeting == diverging:
		w.followPast(l, a, z, u+x.past, v)
	case x.meeting == abreast:
		w.fallBack(l, a, z, u, v)
	case x.meeting == dropping:
		w.zip(l, a, x, u, v)
	case v.goes(z) && !w.passesNow(a, c, z, u, v) ||
		w.starves(a, o, z.from-u):
		into := crossing
		if x.meeting == merging && o.state.Speed < standstill &&
			v.stop < z.leave {
			into = l // it is standing and will remain so for some time
		}
		w.followIn(into, a, c, x, z, u, v, a.driver.cleared-c.begin())
	}
}

// goes reports whether a visitor is in a conflict or has the right to drive through it.
func (v *visitor) goes(z *zone) bool { return v.u > z.enter || z.enter < v.cleared }

// passesNow reports whether an actor that may already have the right to a conflict passes another
// one in it, up to the end of its right if it only makes room in a circle of waiting vehicles.
func (w *World) passesNow(a *actor, c *course, z *zone, u float64, v *visitor) bool {
	if d := &a.driver; a.squeezes() {
		part := z.until(d.cleared - c.begin())
		return w.passes(a, c.movement, &part, u, v, true)
	}
	return w.passes(a, c.movement, z, u, v, false)
}

// squeezes reports whether an actor drives as far as there is space, because it is part of a circle
// of waiting vehicles.
func (a *actor) squeezes() bool {
	d := &a.driver
	return d.granted.full && d.cleared > d.pos()
}

// passes reports whether an actor at u of a movement has room to pass another one that stands in a
// conflict without the right to continue, even if that actor still creeps up to where it must stop.
// As a last resort, the margins are smaller, and that actor waits where it is.
func (w *World) passes(a *actor, number int32, z *zone, u float64, v *visitor, last bool) bool {
	const spacing, farthest = 0.5, 3.0 // m
	o := w.actors[v.actor]
	margin, creep := 0.4, w.creeps(o, max(v.stop-v.u, v.cleared-v.u, 0))
	if v.holds(z) && a.mode == byController &&
		(last || a.driver.cleared-a.driver.pos()+u >= z.to) {
		creep = 0 // see passedBy
	}
	if last {
		margin /= 4
	}
	if o.state.Speed > standstill || creep > farthest || o.mode != byController {
		return false
	}
	stands, _ := o.boxAt(1)
	stands.x += float64(stands.cosine*creep) / 2
	stands.y += float64(stands.sine*creep) / 2
	stands.length += creep
	m := &w.crossings.movements[number]
	var p railPoint
	for at := max(u, z.from); at <= min(z.to, m.length); at += spacing {
		w.at(m, at, &p)
		mine := box{p.position.X, p.position.Y, p.cosine, p.sine, a.shape.Length + margin,
			a.shape.Width + margin}
		if depth, _ := overlap(&mine, &stands); depth > 0 {
			return false
		}
	}
	return true
}

// starves reports whether an actor yields a conflict to a larger one that has waited for a long
// time. Only the larger one must wait there, because smaller actors have room next to each other.
// The actor yields for some time, and then drives for some time, in case the larger one is waiting
// for something else.
func (w *World) starves(a, o *actor, rest float64) bool {
	v := a.state.Speed
	return bodyOf(&o.shape) > bodyOf(&a.shape) && o.mode == byController && !o.driver.idle &&
		int(o.driver.waited/o.period())%2 == 1 && rest-stopBefore > v*v/(2*a.driver.Decel)
}

// followPast treats a visitor ahead as a leader where two movements diverge. Before that place, the
// visitor is on the common path if it comes from there. The actor is at u of the visitor's
// movement.
func (w *World) followPast(l *leader, a *actor, z *zone, u float64, v *visitor) {
	o := w.actors[v.actor]
	if v.u > u && v.u >= z.enter {
		l.nearer(v.u-u-(a.shape.Length+o.shape.Length)/2, o.state.Speed)
	}
}

// followIn treats a visitor ahead in a conflict as a leader.
func (w *World) followIn(l *leader, a *actor, c *course, x *conflict, z *zone, u float64,
	v *visitor, cleared float64) {
	o := w.actors[v.actor]
	halves := (a.shape.Length + o.shape.Length) / 2
	switch {
	case u < z.from && z.from >= cleared:
		if rest := z.from - u; rest < a.deciding() {
			l.nearer(rest-stopBefore+a.driver.MinGap, 0)
		}
	case x.meeting == merging:
		mine, other := w.lengthOf(c.movement)-u, w.lengthOf(x.other)-v.u
		if other > -halves && (other < mine || other == mine && o.id < a.id) {
			l.nearer(max(mine-other-halves, 0), o.state.Speed)
		}
	case u < z.from && (o.mode != byController || a.reaches(o, z, u, v)):
		l.nearer(z.from-u-stopBefore+a.driver.MinGap, 0)
	case u >= z.from && v.u > z.enter:
		if way := w.wayToBody(a, c.movement, z, u, o); way < inf {
			l.nearer(way+a.driver.MinGap, 0)
		}
	}
}

// wayToBody returns how far an actor inside a conflict can drive until it would touch another one,
// or come closer to one that it touches, or infinity.
func (w *World) wayToBody(a *actor, number int32, z *zone, u float64, o *actor) float64 {
	const margin, spacing = 0.2, 0.25 // m
	m := &w.crossings.movements[number]
	far := min(z.to, m.length, u+a.stopsIn()+1)
	body, _ := o.boxAt(1)
	var p railPoint
	before := 0.0
	for at := u; at <= far; at += spacing {
		w.at(m, at, &p)
		mine := box{p.position.X, p.position.Y, p.cosine, p.sine, a.shape.Length + margin,
			a.shape.Width + margin}
		depth, _ := overlap(&mine, &body)
		if depth > before && at > u {
			return at - u - spacing
		}
		before = max(depth, 0) // the actor may move away from a body that is too close
	}
	return inf
}

// reaches reports whether an actor reaches a conflict before another one has left it that is in the
// conflict, or was given the right to it earlier and is moving.
func (a *actor) reaches(o *actor, z *zone, u float64, v *visitor) bool {
	const slow = 0.5 // m/s
	begin := o.driver.pos() - v.u
	mine, other := a.driver.rightSince(a.driver.pos()-u+z.to), o.driver.rightSince(begin+z.leave)
	if v.u <= z.enter && (mine < other || mine == other && a.name < o.name ||
		o.state.Speed < standstill) {
		return false
	}
	return o.leavesAfter(z, v)+clearance/2 > (z.from-u)/max(a.state.Speed, slow)
}

// rightSince returns the time since which an actor has had the right to a place on its leg.
func (d *controlled) rightSince(place float64) timebase.Time {
	const rounding = 1e-6 // m
	if place <= d.former.to+rounding {
		return d.former.since
	}
	return d.granted.since
}

func (w *World) lengthOf(movement int32) float64 { return w.crossings.movements[movement].length }
