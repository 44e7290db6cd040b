package simapi

import (
	"math"
	"slices"
	"sort"

	"gosmp/timebase"
)

// Trajectory combines the set_xy_trajectory calls for one actor: its positions over time. From its
// start, a newer call replaces the older ones, a gap between them is crossed at constant velocity,
// and after the last point the actor stands still. Positions are interpolated between points, and
// angles along the shorter arc. The state in a step is the point at its time, no matter how often
// it is queried.
type Trajectory struct {
	points []waypoint
}

type waypoint struct {
	t timebase.Time
	c coords
}

// Follow adds the points of a call, already checked by a [Server]. step is the simulator's step,
// and from is the actor's current position. N = (end-start)/step points start one step after the
// start; any other number of points is spread from start to end. Follow returns how many points lie
// in the past.
func (y *Trajectory) Follow(r *SetXyTrajectory, now timebase.Time, step timebase.Grid,
	from *Coord6Dof) (dropped int) {
	start, _ := FromMs(r.GetStartTimeMs())
	end, _ := FromMs(r.GetEndTimeMs())
	fresh := spread(r.GetPolyline(), start, end, step)
	old := sort.Search(len(y.points), func(k int) bool {
		return y.points[k].t > start || y.points[k].t >= fresh[0].t
	})
	y.points = append(y.points[:old], fresh...)
	if y.points[0].t > now {
		y.points = slices.Insert(y.points, 0, waypoint{now, read(from)})
	}
	for _, p := range fresh {
		if p.t < now {
			dropped++
		}
	}
	passed := sort.Search(len(y.points), func(k int) bool { return y.points[k].t > now }) - 1
	y.points = slices.Delete(y.points, 0, max(passed, 0))
	return dropped
}

// spread gives each point its time.
func spread(polyline []*Coord6Dof, start, end timebase.Time, step timebase.Grid) []waypoint {
	list := make([]waypoint, len(polyline))
	n := int64(len(list))
	lead, intervals := int64(0), n-1 // steps from the start to the first point, and after it
	if n == 1 || near(end-start, step.Point(0, n)) {
		lead, intervals = 1, n
	}
	scale := timebase.NewScale(start.Exactly(), step)
	regular := near(end, scale.Point(intervals))
	for k, m := range polyline {
		at := start + (end-start)*timebase.Time(int64(k)+lead)/timebase.Time(max(intervals, 1))
		if regular {
			at = scale.Point(int64(k) + lead)
		}
		list[k] = waypoint{at, read(m)}
	}
	list[n-1].t = end
	return list
}

// Stop forgets all points.
func (y *Trajectory) Stop() { y.points = y.points[:0] }

// Active reports whether there is a trajectory to follow.
func (y *Trajectory) Active() bool { return len(y.points) > 0 }

// End returns the time of the last point.
func (y *Trajectory) End() timebase.Time {
	if len(y.points) == 0 {
		return 0
	}
	return y.points[len(y.points)-1].t
}

// At writes the place at t to out. Values that are given on only one side of t stay unset.
func (y *Trajectory) At(t timebase.Time, out *Coord6Dof) {
	if len(y.points) == 0 {
		return
	}
	k := sort.Search(len(y.points), func(k int) bool { return y.points[k].t > t })
	switch {
	case k == 0:
		y.points[0].c.write(out)
	case k == len(y.points):
		y.points[k-1].c.write(out)
	default:
		a, b := &y.points[k-1], &y.points[k]
		c := between(&a.c, &b.c, float64(t-a.t)/float64(b.t-a.t))
		c.write(out)
	}
}

// between interpolates.
func between(a, b *coords, share float64) (c coords) {
	c.has = a.has & b.has
	for axis := range c.v {
		d := b.v[axis] - a.v[axis]
		if axis >= axisRoll {
			d = math.Remainder(d, 2*math.Pi)
		}
		c.v[axis] = a.v[axis] + float64(share*d)
	}
	return c
}

// write sets the known values in a message; it allocates memory for values that were not set
// before.
func (c *coords) write(m *Coord6Dof) {
	for axis, f := range [6]**float64{&m.X, &m.Y, &m.Z, &m.Roll, &m.Pitch, &m.Yaw} {
		switch {
		case !c.knows(axis):
			*f = nil
		case *f == nil:
			v := c.v[axis]
			*f = &v
		default:
			**f = c.v[axis]
		}
	}
}

// Resample converts a director's points, one for each of its steps, to the rate of a simulator that
// makes ratio steps in the same time. The new points lie on the straight line between two points,
// and their angles on the shorter arc. The first and last points stay the same.
func Resample(polyline []*Coord6Dof, ratio int) []*Coord6Dof {
	if len(polyline) == 0 {
		return nil
	}
	list := make([]*Coord6Dof, 0, (len(polyline)-1)*ratio+1)
	for k := range len(polyline) - 1 {
		a, b := read(polyline[k]), read(polyline[k+1])
		for n := range ratio {
			c := between(&a, &b, float64(n)/float64(ratio))
			m := &Coord6Dof{}
			c.write(m)
			list = append(list, m)
		}
	}
	last := read(polyline[len(polyline)-1])
	m := &Coord6Dof{}
	last.write(m)
	return append(list, m)
}
