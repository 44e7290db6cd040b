package mocksim

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// course is a lane with a direction, as a part of a path.
type course struct {
	lane     *opendrive.Lane
	rail     *rail
	forwards bool
	cross    int32     // index of the course beside it in the next leg, -1 where no change is possible
	allowed  []float64 // speed at each multiple of binLength, with what lies ahead in mind
}

// leg is a row of courses that follow each other. From one leg to the next the actor changes lanes.
type leg struct{ courses []course }

// path is the way of a controlled actor.
type path struct {
	legs   []leg
	target float64 // u in the last course where the way ends; +Inf without a destination
}

// rail is that of a lane, measured when first asked for.
func (w *World) rail(l *opendrive.Lane) *rail {
	k := l.Number()
	if w.rails[k] == nil {
		w.rails[k] = newRail(l, fallbackLimit(l))
	}
	return w.rails[k]
}

// fallbackLimit is the speed limit where the map has none, by the type of the road.
func fallbackLimit(l *opendrive.Lane) float64 {
	kind := ""
	for _, t := range l.Section.Road.Types {
		if t.S <= l.Section.S+1e-9 {
			kind = t.Type
		}
	}
	switch kind {
	case "motorway":
		return 130 / 3.6
	case "rural":
		return 100 / 3.6
	case "lowSpeed", "townPlayStreet", "pedestrian":
		return 20 / 3.6
	case "bicycle":
		return 30 / 3.6
	}
	return 50 / 3.6
}

func (w *World) course(c opendrive.Course) course {
	return course{lane: c.Lane, rail: w.rail(c.Lane), forwards: c.Forwards, cross: -1}
}

// route makes a path of a route of the map: legs between lane changes, each of them extended to
// where the change can begin earlier and end later than the route says.
func (w *World) route(list []opendrive.Course, targetS float64) *path {
	p := &path{}
	begin := 0
	for k := 1; k <= len(list); k++ {
		if k < len(list) && !beside(list[k-1], list[k]) {
			continue
		}
		var g leg
		for _, c := range list[begin:k] {
			g.courses = append(g.courses, w.course(c))
		}
		p.legs = append(p.legs, g)
		begin = k
	}
	for k := 0; k+1 < len(p.legs); k++ {
		w.widen(&p.legs[k], &p.legs[k+1])
	}
	last := p.last()
	p.target = last.rail.way(targetS, last.forwards)
	return p
}

func (p *path) last() *course {
	courses := p.legs[len(p.legs)-1].courses
	return &courses[len(courses)-1]
}

// beside reports whether a route changes lanes from a to b.
func beside(a, b opendrive.Course) bool {
	return a.Lane.Section == b.Lane.Section && a.Forwards == b.Forwards && a.Lane != b.Lane
}

// widen lets the change between two legs begin and end wherever lanes run beside each other.
func (w *World) widen(from, to *leg) {
	a, b := &from.courses[len(from.courses)-1], &to.courses[0]
	side := sideOf(a.lane, b.lane)
	// Backwards: lanes beside the courses before the change that lead into the second leg.
	var before []course
	first := len(from.courses) - 1
	head := *b
	for k := first - 1; k >= 0; k-- {
		c := &from.courses[k]
		other := c.lane.ChangeTo(side)
		if other == nil || !w.leads(opendrive.Course{Lane: other, Forwards: c.forwards}, head.lane, head.forwards) {
			break
		}
		head = w.course(opendrive.Course{Lane: other, Forwards: c.forwards})
		before = append([]course{head}, before...)
		first = k
	}
	to.courses = append(before, to.courses...)
	for k := first; k < len(from.courses); k++ {
		from.courses[k].cross = int32(k - first)
	}
	// Forwards: the first leg goes on beside the second.
	for k := len(from.courses) - first; k < len(to.courses); k++ {
		c := &to.courses[k]
		other := c.lane.ChangeTo(-side)
		tail := &from.courses[len(from.courses)-1]
		if other == nil || other.ChangeTo(side) != c.lane ||
			!w.leads(opendrive.Course{Lane: tail.lane, Forwards: tail.forwards}, other, c.forwards) {
			break
		}
		next := w.course(opendrive.Course{Lane: other, Forwards: c.forwards})
		next.cross = int32(k)
		from.courses = append(from.courses, next)
	}
}

// sideOf is +1 if b is the neighbour of a towards larger ids, else -1.
func sideOf(a, b *opendrive.Lane) int {
	if b.ID > a.ID {
		return 1
	}
	return -1
}

// leads reports whether traffic gets from a course to a lane.
func (w *World) leads(c opendrive.Course, to *opendrive.Lane, forwards bool) bool {
	if f, b := c.Lane.Directions(); !c.Lane.Drivable() || c.Forwards && !f || !c.Forwards && !b {
		return false
	}
	for _, n := range w.m.Joined(c.Exit()) {
		if n.Lane == to && (n.At == opendrive.AtStart) == forwards {
			return true
		}
	}
	return false
}

// plan computes the speeds that are allowed along a leg: what the curve, the limit and the driver
// allow, and slow enough to reach slower places with the deceleration of comfort.
func (g *leg) plan(c *Controller) {
	ahead := math.Inf(1)
	for k := len(g.courses) - 1; k >= 0; k-- {
		g.courses[k].plan(c, &ahead)
	}
}

func (c *course) plan(driver *Controller, ahead *float64) {
	n := len(c.rail.bins)
	if cap(c.allowed) < n+1 {
		c.allowed = make([]float64, n+1, n+8)
	}
	c.allowed = c.allowed[:n+1]
	for k := n; k >= 0; k-- {
		bin := k
		if k == n {
			bin = n - 1
		}
		index := bin
		if !c.forwards {
			index = n - 1 - bin
		}
		v := driver.limit(&c.rail.bins[index])
		if k < n {
			step := min(binLength, c.rail.length-float64(float64(k)*binLength))
			v = min(v, math.Sqrt(float64(*ahead**ahead)+float64(2*driver.Decel*step)))
		} else {
			v = min(v, *ahead)
		}
		c.allowed[k] = v
		*ahead = v
	}
}

// limit is the speed of a driver where the road is as in a bin.
func (c *Controller) limit(b *railBin) float64 {
	v := b.limit
	if c.MaxSpeed > 0 {
		v = min(v, c.MaxSpeed)
	}
	if c.Speed > 0 {
		v = c.Speed
		if c.MaxSpeed > 0 {
			v = min(v, c.MaxSpeed)
		}
	}
	if b.curvature > 0 {
		v = min(v, math.Sqrt(c.LateralAccel/b.curvature))
	}
	return max(v, 0.5)
}

// speedAt is the allowed speed at u.
func (c *course) speedAt(u, decel float64) float64 {
	if len(c.allowed) == 0 {
		return math.Inf(1)
	}
	k := min(max(int(u/binLength), 0), len(c.allowed)-2)
	next := c.allowed[k+1]
	rest := max(float64(float64(k+1)*binLength)-u, 0)
	return min(c.allowed[k], math.Sqrt(float64(next*next)+float64(2*decel*rest)))
}
