package position

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// Passage is how a way leads from one road to another.
type Passage struct {
	leave, enter opendrive.ContactPoint // of the first and the last road
	between      float64                // the length of the roads between the two, m
	Leads        bool                   // false: it does not lead there
}

// Passage returns how the way of a place leads to another road: ahead of the place along the route
// if there is one, or else straight on; behind it back along the route or straight back.
func (n *Network) Passage(p *Place, ahead bool, via *Route, to *opendrive.Road) (w Passage) {
	w.leave = opendrive.AtEnd
	if ahead != p.Forwards() {
		w.leave = opendrive.AtStart
	}
	if !ahead && via != nil {
		via = via.back
	}
	q, at := *p, w.leave
	for range maxLinks {
		from := q.Road
		entered, ok := n.cross(&q, at, via)
		if !ok || q.Road == p.Road && q.Lane == p.Lane {
			break
		}
		if q.Road == to && from != to {
			w.enter, w.Leads = entered, true
			break
		}
		if q.Road != from {
			w.between += q.Road.Length
		}
		at = entered.Opposite()
	}
	return w
}

// passageBy returns the path between two places on different roads that a strategy chooses. Where
// no path leads from the first road to the second one, for example backwards through a junction, it
// is the path from the second one to the first.
func (n *Network) passageBy(a, b *Place, s Strategy) (best Passage) {
	least := math.Inf(1)
	for _, leave := range [...]opendrive.ContactPoint{opendrive.AtEnd, opendrive.AtStart} {
		for _, enter := range [...]opendrive.ContactPoint{opendrive.AtStart, opendrive.AtEnd} {
			from, to := end(a.Road, leave), end(b.Road, enter)
			w := n.cheapest(from, s)
			if math.IsInf(w.cost[to], 1) {
				w, to = n.cheapest(to, s), from
			}
			p := Passage{leave, enter, w.length[to], true}
			first, last := p.ends(a, b)
			cost := w.cost[to] + s.share(a.Road, first) + s.share(b.Road, last)
			if cost < least {
				least, best = cost, p
			}
		}
	}
	return best
}

// ends returns the distances of two places from the passage between their roads.
func (w *Passage) ends(a, b *Place) (first, last float64) {
	return math.Abs(endS(a.Road, w.leave) - a.S), math.Abs(b.S - endS(b.Road, w.enter))
}

// apart measures along the passage, as [Network.ApartTurned] does.
func (w *Passage) apart(a, b *Place) (ds, dt, turn float64) {
	if !w.Leads {
		return 0, 0, 0
	}
	first, last := w.ends(a, b)
	ds = first + w.between + last
	if (w.leave == opendrive.AtEnd) != a.Forwards() {
		ds = -ds
	}
	if w.leave == w.enter {
		return ds, -b.T - a.T, math.Pi
	}
	return ds, b.T - a.T, 0
}

// Nearer measures along the shorter one of two passages from the road of a place to that of another
// one, as [Network.ApartTurned] does.
func Nearer(one, two *Passage, a, b *Place) (ds, dt, turn float64, ok bool) {
	ds, dt, turn = one.apart(a, b)
	if other, t, u := two.apart(a, b); two.Leads && (!one.Leads ||
		math.Abs(other) < math.Abs(ds)) {
		ds, dt, turn = other, t, u
	}
	return ds, dt, turn, one.Leads || two.Leads
}
