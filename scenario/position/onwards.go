package position

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// choose returns the end of the lane on which a place continues beyond the end of its road.
func (n *Network) choose(p *Place, at opendrive.ContactPoint, via *Route) (opendrive.LaneEnd,
	bool) {
	wanted := via.after(p.Road, at)
	if p.Lane == nil {
		return n.chooseRoad(p, at, wanted)
	}
	joined := n.m.Joined(opendrive.LaneEnd{Lane: p.Lane, At: at})
	if e, ok := n.straightest(p.Road, at, joined, func(e opendrive.LaneEnd) bool {
		return wanted < 0 || endOf(e) == wanted
	}); ok {
		return e, true
	}
	if wanted < 0 || len(joined) == 0 {
		return n.chooseRoad(p, at, wanted)
	}
	// The lane is not part of the route, such as that of the oncoming traffic.
	next := via.after(n.m.Roads[wanted/2], opendrive.ContactPoint(wanted%2).Opposite())
	if e, ok := n.straightest(p.Road, at, joined, func(e opendrive.LaneEnd) bool {
		return n.leads(e, next)
	}); ok {
		return e, true
	}
	return n.straightest(p.Road, at, joined, func(opendrive.LaneEnd) bool { return true })
}

// endOf returns the number of the end of a road to which the end of a lane belongs.
func endOf(e opendrive.LaneEnd) int { return end(e.Lane.Section.Road, e.At) }

// leads reports whether a lane that is entered at one end leads to the end of another road.
func (n *Network) leads(e opendrive.LaneEnd, next int) bool {
	road := e.Lane.Section.Road
	for range road.Sections {
		e.At = e.At.Opposite()
		onwards := n.m.Joined(e)
		for _, o := range onwards {
			if endOf(o) == next {
				return true
			}
			if o.Lane.Section.Road == road {
				e = o
			}
		}
	}
	return false
}

// straightest returns the suitable end of a lane at which the direction changes least.
func (n *Network) straightest(r *opendrive.Road, at opendrive.ContactPoint,
	joined []opendrive.LaneEnd, suits func(opendrive.LaneEnd) bool) (best opendrive.LaneEnd,
	found bool) {
	turn := math.Inf(1)
	for _, e := range joined {
		if d := n.bend(r, at, endOf(e)); d < turn && suits(e) {
			best, turn, found = e, d, true
		}
	}
	return best, found
}

// chooseRoad is like choose for a lane without links.
func (n *Network) chooseRoad(p *Place, at opendrive.ContactPoint, wanted int) (opendrive.LaneEnd,
	bool) {
	turn, best := math.Inf(1), -1
	for _, k := range n.joints[end(p.Road, at)] {
		if wanted >= 0 && k != wanted {
			continue
		}
		if d := n.bend(p.Road, at, k); d < turn {
			best, turn = k, d
		}
	}
	if best < 0 && wanted >= 0 {
		return n.chooseRoad(p, at, -1)
	}
	if best < 0 {
		return opendrive.LaneEnd{}, false
	}
	road, contact := n.m.Roads[best/2], opendrive.ContactPoint(best%2)
	s := endS(road, contact)
	t := p.T
	if contact == at {
		t = -t
	}
	l := n.nearest(road.SectionAt(s), s, t)
	return opendrive.LaneEnd{Lane: l, At: contact}, l != nil
}
