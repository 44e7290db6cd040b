package entities

import (
	"math"

	"gosmp/mocksim/opendrive"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
)

// approach measures the way of an entity to a place. In a bend, the way along a lane differs from
// the distance along the reference line. The difference is found by following the lane: first from
// the start, and again after half the way, or where the lane, the offset or the route has changed.
type approach struct {
	onwards
	lane   *opendrive.Lane // in which the way was followed
	via    *position.Route
	offset float64 // from the lane
	first  float64 // the distance along the reference lines when the way was followed, m
	last   float64 // that distance in the last step
	more   float64 // how much longer than that the way is, m
}

// left returns how far an entity still has to travel to a place: along its trajectory, along its
// lane on its route or on the shortest path, or else straight ahead. behind reports whether the
// place lies behind the entity.
func (w *World) left(b *body, p *position.Position, to *position.Place, by *approach) (way float64,
	behind bool) {
	if f, ok := b.lat.(*followTrajectory); ok {
		s := p.Along
		if p.Trajectory != f.trajectory.Name {
			s, _ = motion.Closest(f.curve, to.Position.X, to.Position.Y)
		}
		d := (s - f.s) * f.direction()
		return math.Abs(d), d < 0
	}
	if ds, ok := by.apart(w, b, to); ok {
		return max(math.Abs(ds)+by.longer(w, b, to, ds), 0), ds < 0
	}
	d := to.Position.Sub(b.at.Position)
	d.Z = 0
	return d.Length(), d.Dot(heading(b.at.Direction.Yaw)) < 0
}

// apart returns how far ahead a place is along the reference lines of the route, if it leads there,
// or else of the shortest path.
func (a *approach) apart(w *World, b *body, to *position.Place) (ds float64, ok bool) {
	if b.route != nil && b.at.Road != nil && to.Road != nil && b.at.Road != to.Road {
		if ds, _, _, ok = a.onwards.apart(w.network, b, to); ok {
			return ds, true
		}
	}
	ds, _, ok = w.network.Apart(&b.at, to)
	return ds, ok
}

// longer returns how much longer the way along the lane is than the distance ds.
func (a *approach) longer(w *World, b *body, to *position.Place, ds float64) float64 {
	const aside, jump = 0.05, 5 // m
	at := &b.at
	if at.Lane == nil || at.Beyond {
		a.lane = nil
		return 0
	}
	passed := a.last - ds
	if a.last = ds; a.lane == at.Lane && a.via == b.route && math.Abs(at.Offset-a.offset) < aside &&
		math.Abs(ds) > math.Abs(a.first)/2 && math.Abs(passed) < jump {
		a.more -= w.network.LongerBy(at, math.Copysign(passed, float64(passed*ds)))
		return a.more
	}
	a.lane, a.via, a.offset, a.first = at.Lane, b.route, at.Offset, ds
	a.more, _ = w.network.Detour(at, to, ds, b.route)
	return a.more
}
