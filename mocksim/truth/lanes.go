package truth

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

// laneReference names a lane in the map: the road, s of the section, and the lane.
func laneReference(l *opendrive.Lane) []string {
	return []string{l.Section.Road.ID, fmt.Sprintf("%g", l.Section.S), fmt.Sprint(l.ID)}
}

// sides returns the borders to the left and the right of a lane, in the direction of s, each given
// by the lane whose outer border it is.
func sides(l *opendrive.Lane) (left, right int) {
	inner := 0
	for _, other := range l.Section.Lanes {
		if l.ID > 0 && other.ID == l.ID-1 || l.ID < 0 && other.ID == l.ID+1 {
			inner = other.ID
		}
	}
	if l.ID > 0 {
		return l.ID, inner
	}
	return inner, l.ID
}

// physicalLane returns the id of the Lane for a lane, or 0 if it has none.
func (s *static) physicalLane(l *opendrive.Lane) uint64 {
	if l == nil || l.Number() < 0 {
		return 0
	}
	return s.lanes[l.Number()]
}

func (s *static) inJunction(l *opendrive.Lane) bool {
	return l.Section.Road.Junction != "" && s.m.Junction(l.Section.Road.Junction) != nil &&
		l.Drivable()
}

// lane creates the Lane for a lane outside junctions.
func (s *static) lane(l *opendrive.Lane) {
	id := s.lanes[l.Number()]
	if id == 0 || s.inJunction(l) {
		return
	}
	kind, sub, _ := laneTypes(l.Type)
	left, right := sides(l)
	forwards, backwards := l.Directions()
	c := &osi3.Lane_Classification{Type: kind.Enum(), Subtype: sub.Enum(),
		CenterlineIsDrivingDirection: proto.Bool(forwards || !backwards),
		LeftAdjacentLaneId:           identifiers(s.physicalLane(l.Neighbour(1))),
		RightAdjacentLaneId:          identifiers(s.physicalLane(l.Neighbour(-1))),
		LeftLaneBoundaryId:           identifiers(s.physical[border{l.Section, left}]...),
		RightLaneBoundaryId:          identifiers(s.physical[border{l.Section, right}]...),
		LanePairing:                  s.pairings(l)}
	e := emptyExtent()
	for _, p := range line(l.Section.S, l.Section.End, surface(l, l.Center)) {
		e.add(p.at)
		c.Centerline = append(c.Centerline, vector(p.at))
	}
	for _, b := range [...]int{left, right} {
		for _, boundary := range s.physical[border{l.Section, b}] {
			e.join(s.extents[boundary])
		}
	}
	s.extents[id] = e
	s.truth.Lane = append(s.truth.Lane, &osi3.Lane{Id: identifier(id), Classification: c,
		SourceReference: reference(laneReference(l)...)})
}

// pairings pairs the lanes before the first point with the lanes after the last point, as many as
// there are.
func (s *static) pairings(l *opendrive.Lane) (list []*osi3.Lane_Classification_LanePairing) {
	before, after := s.joined(l, opendrive.AtStart), s.joined(l, opendrive.AtEnd)
	for k := range max(len(before), len(after)) {
		p := &osi3.Lane_Classification_LanePairing{}
		if len(before) > 0 {
			p.AntecessorLaneId = identifier(before[min(k, len(before)-1)])
		}
		if len(after) > 0 {
			p.SuccessorLaneId = identifier(after[min(k, len(after)-1)])
		}
		list = append(list, p)
	}
	return list
}

// joined returns the ids of the Lanes that are joined to one end of a lane, each only once.
func (s *static) joined(l *opendrive.Lane, at opendrive.ContactPoint) (ids []uint64) {
	for _, e := range s.m.Joined(opendrive.LaneEnd{Lane: l, At: at}) {
		id := s.lanes[e.Lane.Number()]
		known := id == 0
		for _, other := range ids {
			known = known || other == id
		}
		if !known {
			ids = append(ids, id)
		}
	}
	return ids
}

// logicalLane creates the LogicalLane for a lane.
func (s *static) logicalLane(l *opendrive.Lane) {
	sec := l.Section
	left, right := sides(l)
	id := s.logical[l.Number()]
	g := &osi3.LogicalLane{Id: identifier(id), Type: logicalType(l.Type).Enum(),
		SourceReference: reference(laneReference(l)...),
		ReferenceLineId: identifier(s.lines[sec.Road]), StartS: proto.Float64(sec.S),
		EndS: proto.Float64(sec.End), MoveDirection: moveDirection(l).Enum(),
		LeftAdjacentLane: s.beside(l, 1), RightAdjacentLane: s.beside(l, -1),
		LeftBoundaryId:  identifiers(s.borders[border{sec, left}]),
		RightBoundaryId: identifiers(s.borders[border{sec, right}]),
		PredecessorLane: s.connections(l, opendrive.AtStart),
		SuccessorLane:   s.connections(l, opendrive.AtEnd)}
	if physical := s.lanes[l.Number()]; physical != 0 {
		g.PhysicalLaneReference = []*osi3.LogicalLane_PhysicalLaneReference{{
			PhysicalLaneId: identifier(physical),
			StartS:         proto.Float64(sec.S), EndS: proto.Float64(sec.End)}}
	}
	if sec.Road.Name != "" {
		g.StreetName = proto.String(sec.Road.Name)
	}
	e := s.extents[s.borders[border{sec, left}]]
	e.join(s.extents[s.borders[border{sec, right}]])
	s.extents[id] = e
	s.truth.LogicalLane = append(s.truth.LogicalLane, g)
}

func (s *static) beside(l *opendrive.Lane, side int) []*osi3.LogicalLane_LaneRelation {
	other := l.Neighbour(side)
	if other == nil {
		return nil
	}
	from, to := proto.Float64(l.Section.S), proto.Float64(l.Section.End)
	return []*osi3.LogicalLane_LaneRelation{{OtherLaneId: identifier(s.logical[other.Number()]),
		StartS: from, EndS: to, StartSOther: from, EndSOther: to}}
}

func (s *static) connections(l *opendrive.Lane, at opendrive.ContactPoint) (
	list []*osi3.LogicalLane_LaneConnection) {
	for _, e := range s.m.Joined(opendrive.LaneEnd{Lane: l, At: at}) {
		if s.logical[e.Lane.Number()] == 0 {
			continue
		}
		list = append(list,
			&osi3.LogicalLane_LaneConnection{OtherLaneId: identifier(s.logical[e.Lane.Number()]),
				AtBeginOfOtherLane: proto.Bool(e.At == opendrive.AtStart)})
	}
	return list
}

// junction completes the Lane of a junction: the borders of its roads, and a pairing for each path
// through it.
func (s *static) junction(j *opendrive.Junction, roads []*opendrive.Road) {
	lane := s.intersections[j.ID]
	c := lane.Classification
	e := emptyExtent()
	type pair struct{ from, to uint64 }
	seen := map[pair]bool{}
	for _, r := range roads {
		for _, sec := range r.Sections {
			first, last := sec.Lanes[0], sec.Lanes[len(sec.Lanes)-1]
			for _, l := range [...]*opendrive.Lane{first, last} {
				for _, id := range s.physical[border{sec, l.ID}] {
					c.FreeLaneBoundaryId = append(c.FreeLaneBoundaryId, identifier(id))
					e.join(s.extents[id])
				}
			}
		}
		for _, p := range s.waysThrough(r) {
			if key := (pair{p[0], p[1]}); !seen[key] {
				seen[key] = true
				c.LanePairing = append(c.LanePairing, &osi3.Lane_Classification_LanePairing{
					AntecessorLaneId: identifier(p[0]), SuccessorLaneId: identifier(p[1])})
			}
		}
	}
	s.extents[lane.Id.GetValue()] = e
}

// waysThrough returns the Lanes before and after each path through a road of a junction.
func (s *static) waysThrough(r *opendrive.Road) (list [][2]uint64) {
	sections := r.Sections
	for _, l := range sections[0].Lanes {
		if l.ID == 0 || !l.Drivable() {
			continue
		}
		end := l
		for k := 1; k < len(sections) && end != nil; k++ {
			end = followed(s.m, end, sections[k])
		}
		if end == nil {
			continue
		}
		before, after := s.joined(l, opendrive.AtStart), s.joined(end, opendrive.AtEnd)
		if forwards, _ := l.Directions(); !forwards {
			before, after = after, before
		}
		for _, a := range before {
			for _, b := range after {
				list = append(list, [2]uint64{a, b})
			}
		}
	}
	return list
}

// followed returns the lane of a section to which a lane leads.
func followed(m *opendrive.Map, l *opendrive.Lane, section *opendrive.Section) *opendrive.Lane {
	for _, e := range m.Joined(opendrive.LaneEnd{Lane: l, At: opendrive.AtEnd}) {
		if e.Lane.Section == section {
			return e.Lane
		}
	}
	return nil
}

// overlaps finds the parts where lanes in a junction overlap.
func (s *static) overlaps() {
	byID := map[uint64]*osi3.LogicalLane{}
	for _, g := range s.truth.LogicalLane {
		byID[g.Id.GetValue()] = g
	}
	inside := map[string][]*opendrive.Lane{}
	for _, l := range s.m.Lanes() {
		if s.inJunction(l) && l.Section.Length() > 0 {
			id := l.Section.Road.Junction
			inside[id] = append(inside[id], l)
		}
	}
	for _, j := range s.m.Junctions {
		lanes := inside[j.ID]
		tracks := make([][]place, len(lanes))
		for k, l := range lanes {
			tracks[k] = middle(l)
		}
		for i, a := range lanes {
			for k := i + 1; k < len(lanes); k++ {
				b := lanes[k]
				ida, idb := s.logical[a.Number()], s.logical[b.Number()]
				ea, eb := s.extents[ida], s.extents[idb]
				if a.Section.Road == b.Section.Road || ea.x0 > eb.x1 || eb.x0 > ea.x1 ||
					ea.y0 > eb.y1 || eb.y0 > ea.y1 {
					continue
				}
				relate(byID[ida], byID[idb], tracks[i], tracks[k])
			}
		}
	}
}

// middle returns points along the middle of a lane; their t is half the width of the lane.
func middle(l *opendrive.Lane) (list []place) {
	const distance = 1.0
	n := max(2, int(math.Ceil(l.Section.Length()/distance))+1)
	f := surface(l, l.Center)
	for k := range n {
		p := f(l.Section.S + l.Section.Length()*float64(k)/float64(n-1))
		p.t = l.Width(p.s) / 2
		list = append(list, p)
	}
	return list
}

// relate records where two lanes overlap.
func relate(a, b *osi3.LogicalLane, first, second []place) {
	const sameLevel = 2.0 // m; bridges do not overlap
	from, to := extent{x0: math.Inf(1), x1: math.Inf(-1)}, extent{x0: math.Inf(1), x1: math.Inf(-1)}
	for _, p := range first {
		for _, q := range second {
			d := p.at.Sub(q.at)
			if reach := p.t + q.t; float64(d.X*d.X)+float64(d.Y*d.Y) < reach*reach &&
				math.Abs(d.Z) < sameLevel {
				from.x0, from.x1 = min(from.x0, p.s), max(from.x1, p.s)
				to.x0, to.x1 = min(to.x0, q.s), max(to.x1, q.s)
			}
		}
	}
	if from.x1 <= from.x0 || to.x1 <= to.x0 || a == nil || b == nil {
		return
	}
	relation := func(other *osi3.LogicalLane, own, others extent) *osi3.LogicalLane_LaneRelation {
		return &osi3.LogicalLane_LaneRelation{OtherLaneId: identifier(other.Id.GetValue()),
			StartS: proto.Float64(own.x0),
			EndS:   proto.Float64(own.x1), StartSOther: proto.Float64(others.x0),
			EndSOther: proto.Float64(others.x1)}
	}
	a.OverlappingLane = append(a.OverlappingLane, relation(b, from, to))
	b.OverlappingLane = append(b.OverlappingLane, relation(a, to, from))
}
