package truth

import (
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
)

// describe states the map and the position of its origin.
func (m *Maker) describe() {
	t, h := m.s.truth, &m.w.Map().Header
	if m.o.Country != 0 {
		t.CountryCode = proto.Uint32(m.o.Country)
	}
	if h.GeoReference != "" {
		t.ProjString = proto.String(h.GeoReference)
	}
	t.MapReference = proto.String(mapReference(m.w.Map()))
	if h.OffsetX != 0 || h.OffsetY != 0 || h.OffsetZ != 0 || h.OffsetTurn != 0 {
		t.ProjFrameOffset = &osi3.GroundTruth_ProjFrameOffset{
			Position: &osi3.Vector3D{X: &h.OffsetX, Y: &h.OffsetY, Z: &h.OffsetZ},
			Yaw:      &h.OffsetTurn}
	}
}

// splice encodes the static content in the pieces between the changing fields.
func splice(t *osi3.GroundTruth) spliced {
	f := spliced{
		objects: encode(&osi3.GroundTruth{StationaryObject: t.StationaryObject}),
		signs:   encode(&osi3.GroundTruth{TrafficSign: t.TrafficSign}),
		lanes: encode(&osi3.GroundTruth{RoadMarking: t.RoadMarking, LaneBoundary: t.LaneBoundary,
			Lane: t.Lane}),
		map1: encode(&osi3.GroundTruth{CountryCode: t.CountryCode, ProjString: t.ProjString,
			MapReference: t.MapReference}),
		logical: encode(&osi3.GroundTruth{ReferenceLine: t.ReferenceLine,
			LogicalLaneBoundary: t.LogicalLaneBoundary, LogicalLane: t.LogicalLane,
			ProjFrameOffset: t.ProjFrameOffset}),
	}
	f.places = encodedLanes(f.lanes)
	return f
}

// identified is implemented by every entity of a GroundTruth.
type identified interface{ GetId() *osi3.Identifier }

// around returns the part of the map that extends into a circle. It includes the boundaries and
// reference lines that are needed to understand it; all other references stay within the part.
func (s *static) around(x, y, r float64) *osi3.GroundTruth {
	all := s.truth
	has := map[uint64]bool{}
	mark := func(id *osi3.Identifier) {
		if e := s.extents[id.GetValue()]; e.near(x, y, r) {
			has[id.GetValue()] = true
		}
	}
	each(all.Lane, mark)
	each(all.LogicalLane, mark)
	each(all.TrafficSign, mark)
	each(all.StationaryObject, mark)
	each(all.RoadMarking, mark)
	need := func(ids []*osi3.Identifier) {
		for _, id := range ids {
			has[id.GetValue()] = true
		}
	}
	for _, l := range all.Lane {
		if has[l.Id.GetValue()] {
			c := l.Classification
			need(c.LeftLaneBoundaryId)
			need(c.RightLaneBoundaryId)
			need(c.FreeLaneBoundaryId)
		}
	}
	for _, l := range all.LogicalLane {
		if has[l.Id.GetValue()] {
			need(l.LeftBoundaryId)
			need(l.RightBoundaryId)
			has[l.ReferenceLineId.GetValue()] = true
		}
	}
	part := &osi3.GroundTruth{CountryCode: all.CountryCode, ProjString: all.ProjString,
		MapReference:    all.MapReference,
		ProjFrameOffset: all.ProjFrameOffset, StationaryObject: kept(all.StationaryObject, has),
		TrafficSign: kept(all.TrafficSign, has), RoadMarking: kept(all.RoadMarking,
			has), LaneBoundary: kept(all.LaneBoundary, has), Lane: kept(all.Lane, has),
		ReferenceLine:       kept(all.ReferenceLine, has),
		LogicalLaneBoundary: kept(all.LogicalLaneBoundary, has),
		LogicalLane:         kept(all.LogicalLane, has)}
	prune(part, has)
	return part
}

// prune removes references to entities outside the part. It does not change the entities of the
// whole map.
func prune(part *osi3.GroundTruth, has map[uint64]bool) {
	for k, l := range part.Lane {
		l = proto.CloneOf(l)
		c := l.Classification
		c.LeftAdjacentLaneId, c.RightAdjacentLaneId = present(c.LeftAdjacentLaneId, has),
			present(c.RightAdjacentLaneId, has)
		pairs := c.LanePairing[:0]
		for _, p := range c.LanePairing {
			if !has[p.AntecessorLaneId.GetValue()] {
				p.AntecessorLaneId = nil
			}
			if !has[p.SuccessorLaneId.GetValue()] {
				p.SuccessorLaneId = nil
			}
			if p.AntecessorLaneId != nil || p.SuccessorLaneId != nil {
				pairs = append(pairs, p)
			}
		}
		c.LanePairing = pairs
		part.Lane[k] = l
	}
	for k, b := range part.LogicalLaneBoundary {
		b = proto.CloneOf(b)
		b.PhysicalBoundaryId = present(b.PhysicalBoundaryId, has)
		part.LogicalLaneBoundary[k] = b
	}
	for k, l := range part.LogicalLane {
		part.LogicalLane[k] = pruneLane(proto.CloneOf(l), has)
	}
	for k, g := range part.TrafficSign {
		g = proto.CloneOf(g)
		g.MainSign.Classification.AssignedLaneId = present(g.MainSign.Classification.AssignedLaneId,
			has)
		for _, other := range g.SupplementarySign {
			other.Classification.AssignedLaneId = present(other.Classification.AssignedLaneId, has)
		}
		part.TrafficSign[k] = g
	}
	for k, m := range part.RoadMarking {
		m = proto.CloneOf(m)
		m.Classification.AssignedLaneId = present(m.Classification.AssignedLaneId, has)
		part.RoadMarking[k] = m
	}
}

func pruneLane(l *osi3.LogicalLane, has map[uint64]bool) *osi3.LogicalLane {
	relations := func(list []*osi3.LogicalLane_LaneRelation) (
		left []*osi3.LogicalLane_LaneRelation) {
		for _, r := range list {
			if has[r.OtherLaneId.GetValue()] {
				left = append(left, r)
			}
		}
		return left
	}
	connections := func(list []*osi3.LogicalLane_LaneConnection) (
		left []*osi3.LogicalLane_LaneConnection) {
		for _, c := range list {
			if has[c.OtherLaneId.GetValue()] {
				left = append(left, c)
			}
		}
		return left
	}
	l.LeftAdjacentLane, l.RightAdjacentLane = relations(l.LeftAdjacentLane),
		relations(l.RightAdjacentLane)
	l.OverlappingLane = relations(l.OverlappingLane)
	l.PredecessorLane, l.SuccessorLane = connections(l.PredecessorLane),
		connections(l.SuccessorLane)
	physical := l.PhysicalLaneReference[:0]
	for _, p := range l.PhysicalLaneReference {
		if has[p.PhysicalLaneId.GetValue()] {
			physical = append(physical, p)
		}
	}
	l.PhysicalLaneReference = physical
	return l
}

func present(ids []*osi3.Identifier, has map[uint64]bool) (list []*osi3.Identifier) {
	for _, id := range ids {
		if has[id.GetValue()] {
			list = append(list, id)
		}
	}
	return list
}

func each[T identified](list []T, f func(*osi3.Identifier)) {
	for _, x := range list {
		f(x.GetId())
	}
}

func kept[T identified](list []T, has map[uint64]bool) (part []T) {
	for _, x := range list {
		if has[x.GetId().GetValue()] {
			part = append(part, x)
		}
	}
	return part
}
