package entities

import (
	"gosmp/mocksim/opendrive"
	"gosmp/scenario/position"
)

// onwards remembers how the way of an entity leads to a road. The answer is the same as long as the
// entity does not leave its lane and keeps its route.
type onwards struct {
	lane          *opendrive.Lane
	to            *opendrive.Road
	route         *position.Route
	forwards      bool // the entity faces the end of its road
	ahead, behind position.Passage
}

// apart measures the distance to a place along the roads, as [position.Network.ApartTurned] does.
// Along the way of the entity (its route, or else straight on), ok is false for a place to which
// the way does not lead.
func (g *gap) apart(b *body, at *position.Place) (along, aside, turn float64, ok bool) {
	n := g.w.network
	if g.onward == nil || b.at.Road == at.Road || b.at.Road == nil || at.Road == nil {
		return n.ApartBy(&b.at, at, g.strategy)
	}
	return g.onward.apart(n, b, at)
}

// apart measures the distance to a place on another road along the way of an entity.
func (r *onwards) apart(n *position.Network, b *body, at *position.Place) (along, aside,
	turn float64, ok bool) {
	if r.lane != b.at.Lane || r.to != at.Road || r.route != b.route ||
		r.forwards != b.at.Forwards() {
		*r = onwards{lane: b.at.Lane, to: at.Road, route: b.route,
			forwards: b.at.Forwards(),
			ahead:    n.Passage(&b.at, true, b.route, at.Road),
			behind:   n.Passage(&b.at, false, b.route, at.Road)}
	}
	return position.Nearer(&r.ahead, &r.behind, &b.at, at)
}
