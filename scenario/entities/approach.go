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
	last     view
	followed bool    // the lane was followed, or it does not lead to the place
	leads    bool    // the lane leads to the place
	offset   float64 // from the lane when it was followed, m
	first    float64 // the distance when the lane was followed, m
	more     float64 // how much longer than the distance the way is, m
}

// view is the distance of an entity from a place, with everything that the distance depends on
// besides the entity's place in its lane.
type view struct {
	by   guide
	lane *opendrive.Lane
	via  *position.Route
	d    float64 // m; negative if the place is behind
}

// guide is the line along which a distance is measured.
type guide int

const (
	unmeasured guide = iota
	byTrajectory
	byRoads
	byAir
)

// left returns how far an entity still has to travel to a place: along its trajectory, along its
// lane on its route or on the shortest path, or else straight ahead. behind reports whether the
// place lies behind the entity, and away whether the entity has moved away from it since the last
// step. That depends on the distance, because the way may grow for other reasons: if the entity
// moves to the outer lane of a bend, for example.
func (a *approach) left(w *World, b *body, p *position.Position, to *position.Place) (way float64,
	behind, away bool) {
	now := a.view(w, b, p, to)
	last := a.last
	a.last = now
	steady := last.by == now.by && last.lane == now.lane && last.via == now.via
	if way = math.Abs(now.d); now.by == byRoads {
		way = max(way+a.longer(w, b, to, last.d-now.d, steady), 0)
	}
	return way, now.d < 0, steady && math.Abs(now.d) > math.Abs(last.d)
}

// view measures the distance of an entity from a place.
func (a *approach) view(w *World, b *body, p *position.Position, to *position.Place) view {
	v := view{lane: b.at.Lane, via: b.route}
	if f, ok := b.lat.(*followTrajectory); ok {
		s := p.Along
		if p.Trajectory != f.trajectory.Name {
			s, _ = motion.Closest(f.curve, to.Position.X, to.Position.Y)
		}
		v.by, v.d = byTrajectory, (s-f.s)*f.direction()
		return v
	}
	var ok bool
	if v.d, ok = a.apart(w, b, to); ok {
		v.by = byRoads
		return v
	}
	d := to.Position.Sub(b.at.Position)
	d.Z = 0
	v.by, v.d = byAir, math.Copysign(d.Length(), d.Dot(heading(b.at.Direction.Yaw)))
	return v
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

// longer returns how much longer the way along the lane is than the distance, or 0 if the lane does
// not lead to the place. passed is the distance covered since the last step, and steady reports
// that the entity is in the same lane on the same route.
func (a *approach) longer(w *World, b *body, to *position.Place, passed float64,
	steady bool) float64 {
	const aside, jump = 0.05, 5 // m
	at, ds := &b.at, a.last.d
	if at.Lane == nil || at.Beyond {
		a.followed = false
		return 0
	}
	if !a.followed || !steady || math.Abs(at.Offset-a.offset) >= aside ||
		math.Abs(ds) <= math.Abs(a.first)/2 || math.Abs(passed) >= jump {
		a.followed, a.offset, a.first = true, at.Offset, ds
		a.more, a.leads = w.network.Detour(at, to, ds, b.route)
	} else if a.leads {
		a.more -= w.network.LongerBy(at, math.Copysign(passed, float64(passed*ds)))
	}
	return a.more
}
