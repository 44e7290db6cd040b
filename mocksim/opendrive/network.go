package opendrive

import (
	"math"
	"slices"

	"gosmp/frames"
)

// LaneEnd is one end of a lane within its section.
type LaneEnd struct {
	Lane *Lane
	At   ContactPoint
}

// network records which ends of lanes are joined. A joint has no direction; the lanes determine the
// traffic through it.
type network struct {
	lanes  []*Lane     // all but the lanes 0, in the order of roads, sections and decreasing ids
	joints [][]LaneEnd // of each lane's start and end, alternately
}

func newNetwork(m *Map) network {
	var n network
	for _, road := range m.Roads {
		for _, section := range road.Sections {
			for _, lane := range section.Lanes {
				if lane.ID != 0 {
					lane.index = len(n.lanes)
					n.lanes = append(n.lanes, lane)
				}
			}
		}
	}
	n.joints = make([][]LaneEnd, 2*len(n.lanes))
	for _, lane := range n.lanes {
		n.link(m, lane, AtStart)
		n.link(m, lane, AtEnd)
	}
	for _, r := range m.Roads {
		n.meet(m, r, AtStart)
		n.meet(m, r, AtEnd)
	}
	for _, j := range m.Junctions {
		for k := range j.Connections {
			j.Connections[k].place(m, j)
			n.connect(m, j, &j.Connections[k])
		}
	}
	for _, r := range m.Roads {
		n.imply(m, r)
	}
	for _, lane := range n.lanes {
		n.separate(lane)
	}
	return n
}

// separate removes the joint of a lane that has no width where its traffic leaves it, if the lane
// next to it leads to the same lane; lanes in between that have no width there either do not count.
// Such lanes have no link (OpenDRIVE, road.lane.link.zero_width_at_end): their traffic has to
// change lanes before.
func (n *network) separate(lane *Lane) {
	forwards, backwards := lane.Directions()
	e := Course{lane, forwards}.Exit()
	if forwards == backwards || !e.zero() {
		return
	}
	for _, side := range [...]int{1, -1} {
		beside := lane.Neighbour(side)
		for beside != nil && (LaneEnd{beside, e.At}).zero() {
			beside = beside.Neighbour(side)
		}
		if beside == nil {
			continue
		}
		if f, b := beside.Directions(); f != forwards || b != backwards {
			continue
		}
		other := LaneEnd{beside, e.At}
		for _, to := range slices.Clone(n.joints[n.slot(e)]) {
			if slices.Contains(n.joints[n.slot(other)], to) {
				n.part(e, to)
			}
		}
	}
}

// part removes the joint of two ends.
func (n *network) part(a, b LaneEnd) {
	drop := func(from, to LaneEnd) {
		list := &n.joints[n.slot(from)]
		*list = slices.DeleteFunc(*list, func(e LaneEnd) bool { return e == to })
	}
	drop(a, b)
	drop(b, a)
}

// place sets the contact point of a connection without one, which the schema allows since 1.4, to
// the only end of the connecting road that leads to the incoming road.
func (c *Connection) place(m *Map, j *Junction) {
	to := m.roads[c.Connecting]
	if c.placed || to == nil || to.Junction != j.ID {
		return
	}
	leads := func(at ContactPoint) bool {
		link := to.linkAt(at)
		return link.Kind == ToRoad && link.ID == c.Incoming
	}
	start, end := leads(AtStart), leads(AtEnd)
	if c.implied = start != end; c.implied && end {
		c.ContactPoint = AtEnd
	}
}

func (n *network) slot(e LaneEnd) int { return 2*e.Lane.index + int(e.At) }

// join joins two ends, unless they are already joined.
func (n *network) join(a, b LaneEnd) {
	if a == b || slices.Contains(n.joints[n.slot(a)], b) {
		return
	}
	n.joints[n.slot(a)] = append(n.joints[n.slot(a)], b)
	n.joints[n.slot(b)] = append(n.joints[n.slot(b)], a)
}

// link joins an end of a lane to the lanes that the lane names there.
func (n *network) link(m *Map, lane *Lane, at ContactPoint) {
	section, contact := m.beyond(lane.Section, at)
	if section == nil {
		return
	}
	for _, id := range lane.named(at) {
		if other := section.Lane(id); other != nil && id != 0 {
			n.join(LaneEnd{lane, at}, LaneEnd{other, contact})
		}
	}
}

// named returns the ids of the lanes that a lane names at one of its ends.
func (l *Lane) named(at ContactPoint) []int {
	if at == AtStart {
		return l.Predecessors
	}
	return l.Successors
}

// beyond returns the section beyond an end of a section, and which of its ends is there; nil at a
// junction and at a dead end.
func (m *Map) beyond(s *Section, at ContactPoint) (*Section, ContactPoint) {
	k := s.Index + 1
	if at == AtStart {
		k = s.Index - 1
	}
	if k >= 0 && k < len(s.Road.Sections) {
		return s.Road.Sections[k], at.Opposite()
	}
	link := s.Road.linkAt(at)
	road := m.roads[link.ID]
	if link.Kind != ToRoad || road == nil || link.inside {
		return nil, AtStart
	}
	return road.sectionAtEnd(link.ContactPoint), link.ContactPoint
}

// linkAt returns the link of a road at one of its ends.
func (r *Road) linkAt(at ContactPoint) *Link {
	if at == AtStart {
		return &r.Predecessor
	}
	return &r.Successor
}

// sectionAtEnd returns the first or the last section.
func (r *Road) sectionAtEnd(at ContactPoint) *Section {
	if at == AtStart {
		return r.Sections[0]
	}
	return r.Sections[len(r.Sections)-1]
}

// end returns the station at one end of the road.
func (r *Road) end(at ContactPoint) Station {
	if at == AtStart {
		return r.station(0)
	}
	return r.station(r.Length)
}

// connect joins the lanes of a connection.
func (n *network) connect(m *Map, j *Junction, c *Connection) {
	from, to := m.roads[c.Incoming], m.roads[c.Connecting]
	if from == nil || to == nil {
		return
	}
	at, ok := j.endOf(from, to, c.ContactPoint)
	if !ok {
		return
	}
	near, far := from.sectionAtEnd(at), to.sectionAtEnd(c.ContactPoint)
	for _, l := range c.LaneLinks {
		a, b := near.Lane(l.From), far.Lane(l.To)
		if a != nil && b != nil && l.From != 0 && l.To != 0 {
			n.join(LaneEnd{a, at}, LaneEnd{b, c.ContactPoint})
		}
	}
}

// endOf returns the end of an incoming road that lies at the junction. If both ends do, it is the
// one nearer to the connecting road.
func (j *Junction) endOf(from, to *Road, contact ContactPoint) (at ContactPoint, ok bool) {
	atStart := from.Predecessor.Kind == ToJunction && from.Predecessor.ID == j.ID
	atEnd := from.Successor.Kind == ToJunction && from.Successor.ID == j.ID
	switch {
	case atStart && atEnd:
		there := to.end(contact).Origin
		if distance(from.end(AtEnd).Origin, there) < distance(from.end(AtStart).Origin, there) {
			return AtEnd, true
		}
		return AtStart, true
	case atEnd:
		return AtEnd, true
	}
	return AtStart, atStart
}

func distance(a, b frames.Vector) float64 {
	return math.Sqrt(float64((a.X-b.X)*(a.X-b.X)) + float64((a.Y-b.Y)*(a.Y-b.Y)) +
		float64((a.Z-b.Z)*(a.Z-b.Z)))
}

// Joined returns the ends of lanes that are joined to an end, in file order: first the ends that
// lanes name, then the ends that junctions join.
func (m *Map) Joined(e LaneEnd) []LaneEnd {
	if e.Lane.ID == 0 {
		return nil
	}
	return m.network.joints[m.network.slot(e)]
}

// Course is a lane with a direction of travel.
type Course struct {
	Lane     *Lane
	Forwards bool // in the direction of s
}

// Courses returns the directions in which traffic drives on a lane.
func (l *Lane) Courses() (list []Course) {
	forwards, backwards := l.Directions()
	if forwards {
		list = append(list, Course{l, true})
	}
	if backwards {
		list = append(list, Course{l, false})
	}
	return list
}

// Exit returns the end at which a course leaves its lane.
func (c Course) Exit() LaneEnd {
	if c.Forwards {
		return LaneEnd{c.Lane, AtEnd}
	}
	return LaneEnd{c.Lane, AtStart}
}

// Next returns the courses on which traffic continues. It ignores joints that lead against the
// direction of a lane.
func (m *Map) Next(c Course) (list []Course) {
	for _, e := range m.Joined(c.Exit()) {
		entered := Course{e.Lane, e.At == AtStart}
		forwards, backwards := e.Lane.Directions()
		if entered.Forwards && forwards || !entered.Forwards && backwards {
			list = append(list, entered)
		}
	}
	return list
}

// Center returns the middle of a lane at one of its ends, on the surface of the lane.
func (e LaneEnd) Center() frames.Vector {
	s := e.Lane.Section.S
	if e.At == AtEnd {
		s = e.Lane.Section.End
	}
	st := e.Lane.Section.Road.station(min(max(s, 0), e.Lane.Section.Road.Length))
	return e.Lane.Point(&st, e.Lane.Center(st.S))
}
