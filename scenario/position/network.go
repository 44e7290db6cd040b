package position

import (
	"math"

	"gosmp/frames"
	"gosmp/mocksim/opendrive"
)

// Network is a map viewed as a network of roads.
type Network struct {
	m      *opendrive.Map
	joints [][]int // by ends of roads: the ends at which the next roads are entered
	even   []bool  // by lanes: the lane center has a constant t
	// by strategies and ends of roads: the paths onwards; nil: not computed yet
	ways [strategies][]*ways
	geo  opendrive.Projection
}

// end returns an end of a road as a number.
func end(r *opendrive.Road, at opendrive.ContactPoint) int { return 2*r.Index + int(at) }

// NewNetwork creates the network of a map. If the map is nil, the network is a plane.
func NewNetwork(m *opendrive.Map) *Network {
	if m == nil {
		m = opendrive.Plane()
	}
	n := &Network{m: m, joints: make([][]int, 2*len(m.Roads))}
	n.geo, _ = m.Header.Projection() // without a projection, geographic positions are refused
	for _, r := range m.Roads {
		n.joints[end(r, opendrive.AtStart)] = n.beyond(r, &r.Predecessor, opendrive.AtStart)
		n.joints[end(r, opendrive.AtEnd)] = n.beyond(r, &r.Successor, opendrive.AtEnd)
	}
	if len(m.Roads) > 0 {
		for _, l := range m.Lanes() {
			n.even = append(n.even, isEven(l))
		}
	}
	return n
}

// Map returns the map.
func (n *Network) Map() *opendrive.Map { return n.m }

// Plane reports whether there are no roads.
func (n *Network) Plane() bool { return len(n.m.Roads) == 0 }

// isEven reports whether the middle of a lane has a constant t.
func isEven(l *opendrive.Lane) bool {
	constant := func(p opendrive.Profile, from, to float64) bool {
		for k := range p {
			begins := math.Inf(-1)
			if k > 0 {
				begins = p[k].S
			}
			ends := math.Inf(1)
			if k+1 < len(p) {
				ends = p[k+1].S
			}
			if ends <= from || begins >= to {
				continue
			}
			if p[k].B != 0 || p[k].C != 0 || p[k].D != 0 || k > 0 && begins > from {
				return false
			}
		}
		return true
	}
	sec := l.Section
	if !constant(sec.Road.LaneOffset, sec.S, sec.End) {
		return false
	}
	for _, o := range sec.Lanes {
		if o.ID == 0 || (o.ID > 0) != (l.ID > 0) {
			continue
		}
		from, to := sec.S-o.Origin, sec.End-o.Origin
		if !constant(o.Widths, from, to) || !constant(o.Borders, from, to) {
			return false
		}
	}
	return true
}

// beyond returns the ends at which traffic enters other roads when it leaves a road at one end.
func (n *Network) beyond(r *opendrive.Road, link *opendrive.Link,
	at opendrive.ContactPoint) (list []int) {
	switch link.Kind {
	case opendrive.ToRoad:
		if next := n.m.Road(link.ID); next != nil {
			list = append(list, end(next, link.ContactPoint))
		}
	case opendrive.ToJunction:
		j := n.m.Junction(link.ID)
		if j == nil {
			return nil
		}
		for k := range j.Connections {
			c := &j.Connections[k]
			next := n.m.Road(c.Connecting)
			if c.Incoming != r.ID || next == nil || !n.nearer(r, at, next, c.ContactPoint) {
				continue
			}
			list = append(list, end(next, c.ContactPoint))
		}
	}
	return list
}

// nearer reports whether a connection starts at this end of a road rather than the other end, if
// both ends lead to the same junction.
func (n *Network) nearer(r *opendrive.Road, at opendrive.ContactPoint, next *opendrive.Road,
	contact opendrive.ContactPoint) bool {
	if r.Predecessor.Kind != r.Successor.Kind || r.Predecessor.ID != r.Successor.ID {
		return true
	}
	to := originAt(next, contact)
	return to.Sub(originAt(r, at)).Length() <= to.Sub(originAt(r, at.Opposite())).Length()
}

func originAt(r *opendrive.Road, at opendrive.ContactPoint) (p frames.Vector) {
	if st, err := r.Station(endS(r, at)); err == nil {
		p = st.Origin
	}
	return p
}

func endS(r *opendrive.Road, at opendrive.ContactPoint) float64 {
	if at == opendrive.AtEnd {
		return r.Length
	}
	return 0
}

// maxLinks limits the roads and sections that one movement may pass.
const maxLinks = 1000

// Move moves a place along its road by ds, in the direction of s if ds is positive, and on across
// links: along the route if there is one, or else along the straightest path. It keeps lane, offset
// and turn. At the end of the last road, it stops and returns the remaining distance.
func (n *Network) Move(p *Place, ds float64, via *Route) (rest float64) {
	if p.Road == nil {
		return 0
	}
	for range maxLinks {
		low, high := n.span(p)
		if to := p.S + ds; to >= low && to <= high {
			p.S = to
			break
		}
		at, from := opendrive.AtEnd, high
		if ds < 0 {
			at, from = opendrive.AtStart, low
		}
		ds -= from - p.S
		p.S = from
		entered, ok := n.cross(p, at, via)
		if !ok {
			rest = math.Abs(ds)
			break
		}
		ds = math.Abs(ds)
		if entered == opendrive.AtEnd {
			ds = -ds
		}
	}
	n.Settle(p)
	return rest
}

// moveAlong moves a place by a distance along the center of its lane, forwards if it is positive.
// At the end of the last road, it stops and returns the remaining distance.
func (n *Network) moveAlong(p *Place, way float64, via *Route) (rest float64) {
	const most = 5 // m in which the curvature is taken as that in the middle
	p.Offset = 0
	n.Settle(p)
	for left := math.Abs(way); left > 1e-9; {
		along := math.Copysign(1, way) * p.Sign()
		low, high := n.span(p)
		end := high - p.S
		if along < 0 {
			end = p.S - low
		}
		step := min(left, most)
		if end /= n.Pace(p); end > 1e-9 { // curvatures may jump there
			step = min(step, end)
		}
		middle := *p
		n.Move(&middle, along*step/2*n.Pace(p), via)
		left -= step
		if rest := n.Move(p, along*step*n.Pace(&middle), via); rest > 0 {
			return left + rest
		}
	}
	return 0
}

// span returns the part of the road on which a place keeps its lane.
func (n *Network) span(p *Place) (low, high float64) {
	if p.Lane == nil {
		return 0, p.Road.Length
	}
	sec := p.Lane.Section
	return sec.S, sec.End
}

// cross moves a place across the end of its section.
func (n *Network) cross(p *Place, at opendrive.ContactPoint, via *Route) (opendrive.ContactPoint,
	bool) {
	if p.Lane != nil {
		sec := p.Lane.Section
		next := sec.Index + 1
		if at == opendrive.AtStart {
			next = sec.Index - 1
		}
		if next >= 0 && next < len(p.Road.Sections) {
			return at.Opposite(), n.section(p, p.Road.Sections[next], at)
		}
	}
	if to, ok := n.choose(p, at, via); ok {
		n.enter(p, at, to)
		return to.At, true
	}
	return at, false
}

// section moves a place to another section of its road: to the linked lane, or else to the lane at
// the same t.
func (n *Network) section(p *Place, to *opendrive.Section, at opendrive.ContactPoint) bool {
	for _, e := range n.m.Joined(opendrive.LaneEnd{Lane: p.Lane, At: at}) {
		if e.Lane.Section == to {
			p.Lane = e.Lane
			return true
		}
	}
	t := p.Lane.Center(p.S) + p.Offset
	if l := to.Lane(p.Lane.ID); l != nil {
		p.Lane = l
		return true
	}
	p.Lane = n.nearest(to, p.S, t)
	if p.Lane != nil {
		p.Offset = t - p.Lane.Center(p.S)
	}
	return p.Lane != nil
}

// nearest returns the lane of a section that is nearest to t.
func (n *Network) nearest(sec *opendrive.Section, s, t float64) (best *opendrive.Lane) {
	gap := math.Inf(1)
	for _, l := range sec.Lanes {
		if l.ID == 0 {
			continue
		}
		if d := math.Abs(l.Center(s) - t); d < gap || d == gap && l.Drivable() {
			best, gap = l, d
		}
	}
	return best
}

// bend returns how much the direction has changed by the end of the next road when traffic
// continues across one end of a road.
func (n *Network) bend(r *opendrive.Road, at opendrive.ContactPoint, next int) float64 {
	out, back := outwards(r, at), outwards(n.m.Roads[next/2],
		opendrive.ContactPoint(next%2).Opposite())
	return math.Abs(Wrapped(back - out))
}

// outwards returns the direction in which a road is left at one of its ends.
func outwards(r *opendrive.Road, at opendrive.ContactPoint) float64 {
	st, err := r.Station(endS(r, at))
	if err != nil {
		return 0
	}
	if at == opendrive.AtEnd {
		return st.Heading
	}
	return st.Heading + math.Pi
}

// enter moves a place to another road.
func (n *Network) enter(p *Place, left opendrive.ContactPoint, to opendrive.LaneEnd) {
	if left == to.At {
		p.Turn, p.Offset = Wrapped(p.Turn+math.Pi), -p.Offset
	}
	p.Road, p.Lane = to.Lane.Section.Road, to.Lane
	p.S = endS(p.Road, to.At)
}
