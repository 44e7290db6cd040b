package entities

import (
	"gosmp/mocksim/opendrive"
	"gosmp/scenario/position"
)

// onwards remembers whether the way of an entity leads to a road. The answer is the same as long as
// neither leaves its road or lane.
type onwards struct {
	lane  *opendrive.Lane
	to    *opendrive.Road
	route *position.Route
	ahead bool
	leads bool
}

// apart measures the distance to a place along the roads, as [position.Network.ApartTurned] does.
// With a route, or else the way straight on, ok is false for a place that it does not lead to.
func (g *gap) apart(b *body, at *position.Place) (along, aside, turn float64, ok bool) {
	along, aside, turn, ok = g.w.network.ApartTurned(&b.at, at)
	if r := g.route; r != nil && ok && b.at.Road != at.Road {
		ok = r.leadsTo(g.w.network, b, at.Road, along >= 0)
	}
	return along, aside, turn, ok
}

func (r *onwards) leadsTo(n *position.Network, b *body, to *opendrive.Road, ahead bool) bool {
	now := onwards{lane: b.at.Lane, to: to, route: b.route, ahead: ahead, leads: r.leads}
	if now != *r {
		now.leads = n.Leads(&b.at, ahead, b.route, to)
		*r = now
	}
	return r.leads
}
