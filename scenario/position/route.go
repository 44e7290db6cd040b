package position

import (
	"fmt"
	"math"
	"slices"

	"gosmp/mocksim/opendrive"
)

// Strategy describes how a route goes from one waypoint to the next (RouteStrategy).
type Strategy uint8

// The strategies.
const (
	Shortest Strategy = iota
	Fastest
	LeastIntersections

	strategies // how many there are
)

// Route is a path along roads through waypoints.
type Route struct {
	legs   []leg
	Closed bool
	back   *Route // the same roads in the other direction
}

// leg is the part of a route on one road.
type leg struct {
	road     *opendrive.Road
	from, to float64 // s
	start    float64 // distance along the route to its start, m
}

func (l *leg) length() float64 { return math.Abs(l.to - l.from) }

// forwards reports whether a leg goes along s.
func (l *leg) forwards() bool { return l.to >= l.from }

// NewRoute finds a route through waypoints. Each part follows the strategy of the waypoint at which
// it starts.
func (n *Network) NewRoute(waypoints []Place, strategies []Strategy, closed bool) (*Route, error) {
	r := &Route{Closed: closed}
	if len(waypoints) < 2 {
		return nil, fmt.Errorf("%d waypoints, where a route has two at least", len(waypoints))
	}
	for k := 1; k < len(waypoints); k++ {
		if err := n.join(r, &waypoints[k-1], &waypoints[k], strategies[k-1]); err != nil {
			return nil, err
		}
	}
	if closed {
		last := len(waypoints) - 1
		if err := n.join(r, &waypoints[last], &waypoints[0], strategies[last]); err != nil {
			return nil, err
		}
	}
	way := 0.0
	for k := range r.legs {
		r.legs[k].start = way
		way += r.legs[k].length()
	}
	r.turn()
	return r, nil
}

// turn sets the route in the other direction.
func (r *Route) turn() {
	r.back = &Route{Closed: r.Closed}
	for _, l := range slices.Backward(r.legs) {
		r.back.legs = append(r.back.legs, leg{road: l.road, from: l.to, to: l.from})
	}
}

// join appends the path from one place to another.
func (n *Network) join(r *Route, a, b *Place, strategy Strategy) error {
	if a.Road == nil || b.Road == nil {
		return fmt.Errorf("a waypoint off all roads")
	}
	if a.Road == b.Road && (len(r.legs) == 0 && (b.S-a.S)*a.Sign() >= 0 || len(r.legs) > 0 &&
		r.legs[len(r.legs)-1].road == a.Road &&
		(b.S-a.S)*sign(r.legs[len(r.legs)-1].forwards()) >= 0) {
		r.add(leg{road: a.Road, from: a.S, to: b.S})
		return nil
	}
	leaves := []opendrive.ContactPoint{opendrive.AtEnd}
	forwards := a.Forwards()
	if len(r.legs) > 0 {
		forwards = r.legs[len(r.legs)-1].forwards()
	}
	if !forwards {
		leaves[0] = opendrive.AtStart
	}
	if len(r.legs) == 0 { // against the direction, if there is no other way
		leaves = append(leaves, leaves[0].Opposite())
	}
	for _, leave := range leaves {
		if n.through(r, a, b, leave, strategy) {
			return nil
		}
	}
	return fmt.Errorf("no route from road %s at %g m to road %s at %g m", a.Road.ID, a.S, b.Road.ID,
		b.S)
}

func sign(forwards bool) float64 {
	if forwards {
		return 1
	}
	return -1
}

// through appends the path that leaves the first road at the given end.
func (n *Network) through(r *Route, a, b *Place, leave opendrive.ContactPoint,
	strategy Strategy) bool {
	w := n.cheapest(end(a.Road, leave), strategy)
	best, enter := math.Inf(1), -1
	for _, at := range [...]opendrive.ContactPoint{opendrive.AtStart, opendrive.AtEnd} {
		rest := strategy.share(b.Road, math.Abs(b.S-endS(b.Road, at)))
		if c := w.cost[end(b.Road, at)] + rest; c < best {
			best, enter = c, end(b.Road, at)
		}
	}
	if enter < 0 {
		return false
	}
	var chain []int
	for k := enter; k >= 0; k = w.from[k] {
		chain = append(chain, k)
	}
	slices.Reverse(chain)
	r.add(leg{road: a.Road, from: a.S, to: endS(a.Road, leave)})
	for k, e := range chain {
		road, at := n.m.Roads[e/2], opendrive.ContactPoint(e%2)
		to := endS(road, at.Opposite())
		if k == len(chain)-1 {
			to = b.S
		}
		r.legs = append(r.legs, leg{road: road, from: endS(road, at), to: to})
	}
	return true
}

// add appends a leg, or extends the last leg if the new one continues it.
func (r *Route) add(l leg) {
	if k := len(r.legs) - 1; k >= 0 && r.legs[k].road == l.road && r.legs[k].to == l.from {
		r.legs[k].to = l.to
		return
	}
	r.legs = append(r.legs, l)
}

// unknownLimit stands for the speed limit of roads without one, m/s.
const unknownLimit = 50 / 3.6

// cost returns the cost of a road under a strategy.
func (s Strategy) cost(r *opendrive.Road) float64 {
	switch s {
	case Fastest:
		limit, ok := r.SpeedLimit(r.Length / 2)
		if !ok || limit <= 0 {
			limit = unknownLimit
		}
		return r.Length / limit
	case LeastIntersections:
		const intersection = 1e6 // m: more than any detour
		if r.Junction != "" {
			return r.Length + intersection
		}
	}
	return r.Length
}

// share returns the cost of a part of a road.
func (s Strategy) share(r *opendrive.Road, length float64) float64 {
	return float64(s.cost(r) * length / max(r.Length, 1e-9))
}

// Length returns the total length of the legs in m.
func (r *Route) Length() float64 {
	l := &r.legs[len(r.legs)-1]
	return l.start + l.length()
}

// At returns the road and s at a distance along the route, and whether the route goes along s
// there.
func (r *Route) At(way float64) (road *opendrive.Road, s float64, forwards bool) {
	k := 0
	for k+1 < len(r.legs) && r.legs[k+1].start <= way {
		k++
	}
	l := &r.legs[k]
	d := min(max(way-l.start, 0), l.length())
	if !l.forwards() {
		d = -d
	}
	return l.road, l.from + d, l.forwards()
}

// WayOf returns the distance of a place along the route; ok is false if the place is not on the
// route.
func (r *Route) WayOf(p *Place) (way float64, ok bool) {
	if r == nil {
		return 0, false
	}
	for k := range r.legs {
		l := &r.legs[k]
		if l.road == p.Road && p.S >= min(l.from, l.to)-1e-6 && p.S <= max(l.from, l.to)+1e-6 {
			return l.start + math.Abs(p.S-l.from), true
		}
	}
	return 0, false
}

// Uses reports whether a route leads over a road.
func (r *Route) Uses(road *opendrive.Road) bool {
	return slices.ContainsFunc(r.legs, func(l leg) bool { return l.road == road })
}

// End returns the last road of a route.
func (r *Route) End() *opendrive.Road { return r.legs[len(r.legs)-1].road }

// after returns the end at which a route enters the next road after leaving a road; or -1 if the
// route does not determine it.
func (r *Route) after(road *opendrive.Road, at opendrive.ContactPoint) int {
	if r == nil {
		return -1
	}
	for k := range r.legs {
		l := &r.legs[k]
		if l.road != road || l.forwards() != (at == opendrive.AtEnd) {
			continue
		}
		next := k + 1
		if next == len(r.legs) {
			if !r.Closed {
				continue
			}
			next = 0
		}
		o := &r.legs[next]
		if o.road == road {
			continue
		}
		if o.forwards() {
			return end(o.road, opendrive.AtStart)
		}
		return end(o.road, opendrive.AtEnd)
	}
	return -1
}

// longestRandom is the maximum number of roads in a random route.
const longestRandom = 1000

// RandomRoute returns a route that starts at a place, in its direction; nil if the place is off all
// roads. At each end of a road, pick receives the number of roads onwards and chooses one. The
// route ends where no road follows.
func (n *Network) RandomRoute(p *Place, pick func(int) int) *Route {
	if p.Road == nil {
		return nil
	}
	leave := opendrive.AtEnd
	if !p.Forwards() {
		leave = opendrive.AtStart
	}
	r := &Route{legs: []leg{{road: p.Road, from: p.S, to: endS(p.Road, leave)}}}
	at, way := end(p.Road, leave), r.legs[0].length()
	for len(r.legs) < longestRandom && len(n.joints[at]) > 0 {
		entered := n.joints[at][pick(len(n.joints[at]))]
		road, contact := n.m.Roads[entered/2], opendrive.ContactPoint(entered%2)
		l := leg{road: road, from: endS(road, contact), to: endS(road, contact.Opposite())}
		l.start = way
		r.legs = append(r.legs, l)
		way += l.length()
		at = entered ^ 1
	}
	r.turn()
	return r
}
