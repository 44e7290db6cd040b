package position

import "math"

// Detour returns how much longer the way of a place is at its offset from its lane than along the
// reference lines of the roads, from the place over a distance along these. The distance is
// positive in the direction in which the place faces. ok is false if the way, along the route if
// there is one, does not lead to the place to.
func (n *Network) Detour(p, to *Place, ds float64, via *Route) (longer float64, ok bool) {
	const most = 2 // m in which the curvature is taken as that in the middle
	at, forwards := *p, ds >= 0
	for left := math.Abs(ds); left > 1e-9; {
		along := at.Sign()
		if !forwards {
			along = -along
		}
		step := min(left, most)
		low, high := n.span(&at)
		end := high - at.S
		if along < 0 {
			end = at.S - low
		}
		if end > 1e-9 { // curvatures may jump there
			step = min(step, end)
		}
		middle := at
		n.Move(&middle, along*step/2, via)
		longer += n.LongerBy(&middle, step)
		left -= step
		if n.Move(&at, along*step, via) > 0 {
			return 0, false
		}
	}
	const near = 1e-3
	if at.Road != to.Road || math.Abs(at.S-to.S) > near {
		return 0, false
	}
	return longer, true
}

// LongerBy returns how much longer the way of a place is along its lane than a distance along the
// reference line at the place.
func (n *Network) LongerBy(p *Place, ds float64) float64 {
	if p.bend == 0 {
		return 0
	}
	return float64(ds*max(1-float64(p.bend*p.T), slowest)) - ds
}
