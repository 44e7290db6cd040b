package mocksim

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// course is a lane with a direction, as part of a path.
type course struct {
	lane      *opendrive.Lane
	rail      *rail
	forwards  bool
	movement  int32   // the movement to which the course belongs
	ahead     float64 // distance from the start of the movement to the start of the course
	conflicts []conflict
	// The index of the adjacent course in the next leg, -1 if no change is possible.
	cross int32
	start float64 // distance from the start of the leg to the start of the course, m
	// The curvature of the path over the gap or kink before the course; negative: unknown.
	joint   float64
	allowed []float64 // speed at the ends of the rail's bins, considering what lies ahead
}

// leg is a sequence of courses. From one leg to the next the actor changes lanes.
type leg struct{ courses []course }

// path is the path of a controlled actor.
type path struct {
	legs   []leg
	target float64 // u in the last course where the path ends; +Inf if there is no destination
}

// rail returns the rail of a lane, which is measured on first use.
func (w *World) rail(l *opendrive.Lane) *rail {
	k := l.Number()
	if w.rails[k] == nil {
		w.rails[k] = newRail(l, w.strand(l), fallbackLimit(l))
	}
	return w.rails[k]
}

// fallbackLimit returns the speed limit if the map has none, according to the type of the road.
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
	id := courseNumber(c)
	m := w.crossings.of[id]
	var list []conflict
	if m >= 0 {
		list = w.conflictsOn(m)
	}
	return course{lane: c.Lane, rail: w.rail(c.Lane), forwards: c.Forwards,
		cross: -1, joint: -1,
		movement: m, ahead: w.crossings.offset[id], conflicts: list}
}

// route creates a path from a route on the map: legs between lane changes, each extended to the
// places where the change can start earlier and end later than in the route.
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

// widen lets the change between two legs start and end anywhere the lanes run side by side.
func (w *World) widen(from, to *leg) {
	a, b := &from.courses[len(from.courses)-1], &to.courses[0]
	side := sideOf(a.lane, b.lane)
	// Backwards: lanes next to the courses before the change that lead into the second leg.
	var before []course
	first := len(from.courses) - 1
	head := *b
	for k := first - 1; k >= 0; k-- {
		c := &from.courses[k]
		other := c.lane.ChangeTo(side)
		if other == nil || !w.leads(opendrive.Course{Lane: other, Forwards: c.forwards}, head.lane,
			head.forwards) {
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
	// Forwards: the first leg continues alongside the second one.
	for k := len(from.courses) - first; k < len(to.courses); k++ {
		c := &to.courses[k]
		other := c.lane.ChangeTo(-side)
		tail := &from.courses[len(from.courses)-1]
		if other == nil || other.ChangeTo(side) != c.lane ||
			!w.leads(opendrive.Course{Lane: tail.lane, Forwards: tail.forwards}, other,
				c.forwards) {
			break
		}
		next := w.course(opendrive.Course{Lane: other, Forwards: c.forwards})
		next.cross = int32(k)
		from.courses = append(from.courses, next)
	}
}

// sideOf returns +1 if b is the neighbour of a on the side of larger ids, or -1 otherwise.
func sideOf(a, b *opendrive.Lane) int {
	if b.ID > a.ID {
		return 1
	}
	return -1
}

// leads reports whether traffic can get from a course to a lane.
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

// plan computes the allowed speeds along a leg: as fast as the curve, the limit and the driver
// allow, and slow enough to reach slower places at a comfortable deceleration.
func (g *leg) plan(c *Controller) {
	for k := 1; k < len(g.courses); k++ {
		g.courses[k].start = g.courses[k-1].start + g.courses[k-1].rail.length
	}
	ahead := math.Inf(1)
	for k := len(g.courses) - 1; k >= 0; k-- {
		if k > 0 && g.courses[k].joint < 0 {
			g.courses[k].joint = g.courses[k-1].bendTo(&g.courses[k])
		}
		g.courses[k].plan(c, &ahead)
	}
}

// bendTo returns the curvature of the path over the joint to the next course.
func (c *course) bendTo(next *course) float64 {
	var a, b railPoint
	c.rail.at(c.rail.length, c.forwards, &a)
	next.rail.at(0, next.forwards, &b)
	gap := a.gapTo(&b)
	return jointBend(gap.aside, gap.angle)
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
			v = min(v, math.Sqrt(float64(*ahead**ahead)+float64(2*driver.Decel*c.rail.bin)))
		} else {
			v = min(v, *ahead)
		}
		if k == 0 && c.joint > 0 {
			v = min(v, max(math.Sqrt(driver.LateralAccel/c.joint), slowest))
		}
		c.allowed[k] = v
		*ahead = v
	}
}

// limit returns the speed of a driver on the part of a road described by a bin.
func (c *Controller) limit(b *railBin) float64 {
	v := c.wanted(b)
	if b.curvature > 0 {
		v = min(v, math.Sqrt(c.LateralAccel/b.curvature))
	}
	return max(v, slowest)
}

// wanted is the speed of a driver if the road were straight.
func (c *Controller) wanted(b *railBin) float64 {
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
	return max(v, slowest)
}

// desired returns the speed that the driver model aims at. Speeds in curves are not desired but
// imposed, see [controlled.approach]: queues in curves would be much longer otherwise.
func (d *controlled) desired() float64 {
	c := d.course()
	bins := c.rail.bins
	k := min(max(int(d.u/c.rail.bin), 0), len(bins)-1)
	if !c.forwards {
		k = len(bins) - 1 - k
	}
	return max(d.wanted(&bins[k]), c.speedAt(d.u, d.Decel))
}

// slowest is the lowest speed in curves, in m/s.
const slowest = 0.5

// speedAt returns the allowed speed at u.
func (c *course) speedAt(u, decel float64) float64 {
	if len(c.allowed) == 0 {
		return math.Inf(1)
	}
	k := min(max(int(u/c.rail.bin), 0), len(c.allowed)-2)
	next := c.allowed[k+1]
	rest := max(float64(float64(k+1)*c.rail.bin)-u, 0)
	return min(c.allowed[k], math.Sqrt(float64(next*next)+float64(2*decel*rest)))
}

// speedAhead returns the allowed speed at a distance ahead.
func (d *controlled) speedAhead(way float64) float64 {
	g := d.path.legs[d.leg].courses
	u, k := d.u+way, d.index
	for ; k+1 < len(g) && u > g[k].rail.length; k++ {
		u -= g[k].rail.length
	}
	return g[k].speedAt(u, d.Decel)
}

// speedAside returns the speed at which the lateral acceleration in the rest of a sidestep,
// including bends of the lane, reaches the driver's limit.
func (d *controlled) speedAside() float64 {
	const samples = 8
	o := &d.offset
	q := o.share(d.u)
	speed := inf
	for k := range samples {
		at := q + float64((1-q)*float64(k)/samples)
		_, _, second, _ := o.aside.at(at)
		way := (at - q) * o.length
		bend := math.Abs(second)/(o.length*o.length) + d.curvatureAhead(way)
		square := max(d.LateralAccel/max(bend, 1e-9), slowest*slowest)
		speed = min(speed, math.Sqrt(square+float64(2*d.Decel*way)))
	}
	return speed
}

// curvatureAhead returns the largest curvature of the lane around a point at a distance ahead.
func (d *controlled) curvatureAhead(way float64) float64 {
	g := d.path.legs[d.leg].courses
	u, k := d.u+way, d.index
	for ; k+1 < len(g) && u > g[k].rail.length; k++ {
		u -= g[k].rail.length
	}
	r := g[k].rail
	if !g[k].forwards {
		u = r.length - u
	}
	return r.bins[min(max(int(u/r.bin), 0), len(r.bins)-1)].curvature
}

// bendOver returns the curvature that a sidestep may add at a speed over a distance ahead.
func (d *controlled) bendOver(v, way float64) float64 {
	most := 0.0
	for at := 0.0; at <= way; at += binLength {
		most = max(most, d.curvatureAhead(at))
	}
	return d.bendFor(v, most)
}
