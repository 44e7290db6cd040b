package mocksim

import (
	"math"
	"slices"
	"strings"

	"gosmp/mocksim/opendrive"
)

// Vehicles stop at stop signs (Vienna Convention on Road Signs and Signals, article 10 and sign B,
// 2; sign 206 of the German StVO), and then continue under the rules of the right of way.

const (
	haltTime   = 0.3  // s that a vehicle stands
	haltReach  = 60.0 // m before the line, where other drivers know that the vehicle will stop
	haltNear   = 20.0 // m before the line, where a vehicle that is the first one may stand
	lineBefore = 1.0  // m between the line and the junction, unless the map has a line
	signBefore = 40.0 // m between the sign and the junction
	// The ratio between the deceleration to a stop sign and the comfortable one of the IDM. With
	// the default driver it gives 3 m/s2, the deceleration on which the Institute of
	// Transportation Engineers bases the duration of yellow lights (10 ft/s2).
	signBrake = 1.5
)

// installHalts finds the lanes on which vehicles have to stop at signs.
func (w *World) installHalts() {
	for _, r := range w.m.Roads {
		for _, s := range r.Signals {
			if _, halt := priorityOf(s); !halt {
				continue
			}
			for _, p := range w.m.Places(r, s) {
				forwards, backwards := p.Lane.Directions()
				if !p.Lane.Drivable() || forwards == backwards {
					continue
				}
				k := p.Lane.Number()
				c := opendrive.Course{Lane: p.Lane, Forwards: forwards}
				u := w.lineOf(c, r, s, w.rail(p.Lane).way(p.S, forwards))
				sign := stop{u: u, halt: true, unless: w.lightAt(c, u)}
				if !forwards {
					sign.u = w.rail(p.Lane).length - u
				}
				if slices.ContainsFunc(w.stops[k], func(o stop) bool {
					return o.halt && math.Abs(o.u-sign.u) < signBefore
				}) {
					continue // the same sign on the other side of the road
				}
				w.stops[k] = append(w.stops[k], sign)
				w.halts = true
			}
		}
	}
}

// lightAt returns the traffic light that replaces a stop sign at u of a course: on the course, or
// on one that follows, in the junction; nil if there is none.
func (w *World) lightAt(c opendrive.Course, u float64) *light {
	rest := w.rail(c.Lane).length - u
	for _, p := range w.stops[c.Lane.Number()] {
		if at := p.u; p.light != nil {
			if !c.Forwards {
				at = w.rail(c.Lane).length - at
			}
			if math.Abs(at-u) < signBefore {
				return p.light
			}
		}
	}
	for _, n := range w.following(c) {
		for _, p := range w.stops[n.Lane.Number()] {
			if p.light != nil && rest < signBefore {
				return p.light
			}
		}
	}
	return nil
}

// halts reports whether traffic has to stop at a stop sign now.
func (p *stop) halts() bool {
	return p.halt && (p.unless == nil || p.unless.colour == LightOff)
}

// lineOf returns the place on a course where vehicles stop for a sign at u: at the stop line, at
// the end of the road before a junction, or else at the sign.
func (w *World) lineOf(c opendrive.Course, r *opendrive.Road, sign *opendrive.Signal,
	u float64) float64 {
	for _, s := range r.Signals {
		if strings.TrimSuffix(s.Type, ".0") != "294" || s.Orientation != sign.Orientation ||
			r.SectionAt(s.S) != c.Lane.Section {
			continue
		}
		if at := w.rail(c.Lane).way(s.S, c.Forwards); at >= u-1 && at < u+signBefore {
			return at
		}
	}
	rest := w.rail(c.Lane).length - u
	for _, next := range w.following(c) {
		if next.Lane.Section.Road.Junction != "" && rest < signBefore {
			return max(u, u+rest-lineBefore)
		}
	}
	return u
}

// nextHalt returns the next sign at which an actor has to stop, within haltReach, and its distance
// from the front of the actor. A sign counts until half of the actor has passed it.
func (w *World) nextHalt(a *actor) (sign int32, rest float64) {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	way := -d.u
	rest = inf
	for k := d.index; k < len(g) && way < haltReach && sign == 0; k++ {
		c := &g[k]
		for i, p := range w.stops[c.lane.Number()] {
			at := way + p.on(c)
			if p.halts() && at > 0 && at-a.shape.Length/2 < rest {
				sign, rest = haltNumber(c, i), at-a.shape.Length/2
			}
		}
		way += c.rail.length
	}
	return sign, rest
}

// haltNumber returns a number, above 0, for a sign on a lane.
func haltNumber(c *course, index int) int32 { return int32(c.lane.Number())<<4 + int32(index) + 1 }

// on returns u of a stop on a course of its lane.
func (p *stop) on(c *course) float64 {
	if c.forwards {
		return p.u
	}
	return c.rail.length - p.u
}

// noteStops updates whether an actor has stopped at the next stop sign.
func (w *World) noteStops(self int32, a *actor, h float64) {
	d := &a.driver
	sign, rest := w.nextHalt(a)
	if d.halting = rest < haltReach && a.haltsAt(sign, rest); !d.halting {
		if d.stands = 0; rest >= haltReach {
			d.halted = 0
		}
		return
	}
	if a.state.Speed > standstill || rest > haltNear && !a.waitsBefore(rest) ||
		!w.firstAt(self, a, rest) {
		d.stands = 0
		return
	}
	if d.stands += h; d.stands >= haltTime {
		d.halted, d.halting, d.stands = sign, false, 0
	}
}

// waitsBefore reports whether an actor stands before a block in which it would have to stop at a
// line, at a distance before its front. As it may not stop inside the block, its stop before the
// block counts for the line.
func (a *actor) waitsBefore(rest float64) bool {
	const near = 1.0 // m
	d := &a.driver
	place := d.pos() + rest
	return d.hold < near && d.block.known && place > d.block.from && place < d.block.to
}

// firstAt reports whether no actor is on the path of an actor up to a distance before its front.
func (w *World) firstAt(self int32, a *actor, rest float64) bool {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	half := float64(a.shape.Length / 2)
	l := leader{gap: inf}
	way := -d.u
	for k := d.index; k < len(g) && way < rest+half; k++ {
		c := &g[k]
		from := outlook{c.lane, c.rail, c.forwards, d.now.s, d.u}
		if k > d.index {
			from = fromStart(opendrive.Course{Lane: c.lane, Forwards: c.forwards}, c.rail)
		}
		w.ahead(&l, &from, self, half-max(way, 0))
		way += c.rail.length
	}
	return l.gap > rest
}

// haltsAt reports whether an actor stops at a sign whose line is a given distance ahead of its
// front. It does not if it cannot.
func (a *actor) haltsAt(sign int32, rest float64) bool {
	v := a.state.Speed
	return sign != a.driver.halted && rest > -beforeWalk/2 &&
		v*v/(2*shareOfStop*a.shape.Brake) <= rest+beforeWalk/2
}
