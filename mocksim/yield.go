package mocksim

import (
	"gosmp/mocksim/opendrive"
)

// visitor is an actor that is on a course with conflicts, or comes to it.
type visitor struct {
	u       float64 // of its middle from the start of the course; negative before it
	cleared float64 // up to where it has the right to drive through
	actor   int32
	halted  bool // it stops before: at a red light
}

const (
	comeFrom    = 100.0 // m before a course from where on an actor is a visitor of it
	keepBehind  = 20.0  // m of way that an actor may stick out behind
	stopBefore  = 0.5   // m before a conflict at which actors stop
	clearance   = 1.0   // s between two vehicles in a conflict: the least post-encroachment time
	patience    = 8.0   // s of waiting after which others who wait count no more
	standstill  = 0.3   // m/s below which an actor waits
	reactBefore = 1.0   // s before the last moment of braking at which an actor decides
)

// giveWay decides who goes first in a step of length h.
func (w *World) giveWay(h float64) {
	j := w.crossings
	if j == nil || !j.any {
		return
	}
	w.observe(j)
	for k, a := range w.actors {
		if a.mode == byController {
			w.decide(int32(k), a, h)
		}
	}
}

// observe collects who is in conflicts or comes to them.
func (w *World) observe(j *junctions) {
	for _, k := range j.visited {
		j.visitors[k], j.large[k] = j.visitors[k][:0], false
	}
	j.visited = j.visited[:0]
	for k, a := range w.actors {
		if a.mode == byController {
			w.visit(int32(k), a)
		} else if a.place.Lane != nil && a.place.Lane.Drivable() {
			w.intrude(int32(k), a)
		}
	}
}

func (j *junctions) visit(number int32, v visitor, large bool) {
	if number < 0 || len(j.conflicts[number]) == 0 {
		return
	}
	if len(j.visitors[number]) == 0 {
		j.visited = append(j.visited, number)
	}
	j.visitors[number] = append(j.visitors[number], v)
	j.large[number] = j.large[number] || large
}

// visit notes the courses that an actor under control is on or comes to.
func (w *World) visit(self int32, a *actor) {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	way := -d.u
	k := d.index
	for k > 0 && way > -keepBehind { // what it may stick out of behind
		k--
		way -= g[k].rail.length
	}
	reach := min(comeFrom, float64(a.state.Speed*8)+30)
	halted := false
	for begin := k; k < len(g) && way < reach; k++ {
		c := &g[k]
		if k == begin || c.movement != g[k-1].movement {
			v := visitor{u: c.ahead - way, actor: self, cleared: c.cleared, halted: halted}
			if on := &g[d.index]; c.movement == on.movement {
				v.cleared = on.cleared
			} else if k < d.index {
				v.cleared = inf
			}
			w.crossings.visit(c.movement, v, bodyOf(&a.shape) > 0)
		}
		if k >= d.index && !halted {
			halted = w.stopAtLights(a, c, way, nil)
		}
		way += c.rail.length
	}
}

// intrude notes an actor that something else moves: it has the right to be where it is.
func (w *World) intrude(self int32, a *actor) {
	p := &a.place
	c := opendrive.Course{Lane: p.Lane, Forwards: w.heads(a, p)}
	u := w.rail(p.Lane).way(p.S, c.Forwards)
	large := bodyOf(&a.shape) > 0
	k := courseNumber(c)
	w.crossings.visit(w.crossings.of[k], visitor{u: u + w.crossings.offset[k], actor: self,
		cleared: inf}, large)
	rest := w.rail(p.Lane).length - u
	if rest > float64(a.state.Speed*4)+a.shape.Length {
		return
	}
	for _, n := range w.following(c) {
		if m := w.crossings.of[courseNumber(n)]; m != w.crossings.of[k] {
			w.crossings.visit(m, visitor{u: -rest, actor: self, cleared: inf}, large)
		}
	}
}

// stopAtLights reports whether an actor stops at a light on a course whose start is way ahead, and
// keeps the nearest place to stop at in l, if there is one.
func (w *World) stopAtLights(a *actor, c *course, way float64, l *leader) (stops bool) {
	half := a.shape.Length / 2
	for _, p := range w.stops[c.lane.Number()] {
		if p.light.colour < LightYellow {
			continue
		}
		u := p.u
		if !c.forwards {
			u = c.rail.length - u
		}
		rest := way + u - half
		v := a.state.Speed
		if rest < 0 || p.light.colour == LightYellow && v*v/(2*a.driver.Decel) > rest {
			continue
		}
		stops = true
		if l != nil {
			l.nearer(rest, 0)
		}
	}
	return stops
}

// zoneFor is the zone of a conflict for an actor: the one for large bodies if it is large, or if
// somebody large comes the other way.
func (w *World) zoneFor(x *conflict, a *actor) *zone {
	if bodyOf(&a.shape) > 0 || w.crossings.large[x.other] {
		return &x.zones[1]
	}
	return &x.zones[0]
}

// heedConflicts makes leaders of those who are ahead in the conflicts of a course whose start is
// way
// ahead. Where the actor has to stop is known from [World.decide].
func (w *World) heedConflicts(l *leader, self int32, a *actor, c *course, way float64) {
	j := w.crossings
	u := c.ahead - way
	for i := range c.conflicts {
		x := &c.conflicts[i]
		visitors := j.visitors[x.other]
		if len(visitors) == 0 {
			continue
		}
		z := w.zoneFor(x, a)
		if u > z.to || x.meeting != diverging && z.from >= c.cleared && u < z.from {
			continue
		}
		for k := range visitors {
			if v := &visitors[k]; v.actor != self && (x.meeting == diverging || v.goes(z)) {
				w.followIn(l, a, c, x, z, u, v)
			}
		}
	}
}

// goes reports whether a visitor is in a conflict or has the right to drive through it.
func (v *visitor) goes(z *zone) bool { return v.u > z.enter || z.enter < v.cleared }

// followIn makes a leader of a visitor that is ahead in a conflict.
func (w *World) followIn(l *leader, a *actor, c *course, x *conflict, z *zone, u float64,
	v *visitor) {
	o := w.actors[v.actor]
	halves := (a.shape.Length + o.shape.Length) / 2
	switch x.meeting {
	case diverging:
		if v.u > u && v.u <= z.leave {
			l.nearer(v.u-u-halves, o.state.Speed)
		}
	case merging:
		mine, other := w.lengthOf(c.movement)-u, w.lengthOf(x.other)-v.u
		if other > -halves && (other < mine || other == mine && o.id < a.id) {
			l.nearer(max(mine-other-halves, 0), o.state.Speed)
		}
	default:
		if v.u <= z.leave && u < z.from && o.mode != byController {
			l.nearer(z.from-u-stopBefore+a.driver.MinGap, 0)
		}
	}
}

func (w *World) lengthOf(movement int32) float64 { return w.crossings.movements[movement].length }
