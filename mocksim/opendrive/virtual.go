package opendrive

import (
	"fmt"
	"math"
	"slices"
)

// Virtual junctions (OpenDRIVE 1.6) lie inside a road, which continues through them. Connecting
// roads state by elementS where they start or end on it. To let lanes lead there, the road is
// divided into sections at these places; its lanes continue unchanged.

// meets reports whether a link leads to the inside of a road.
func (l *Link) meets() bool { return l.Kind == ToRoad && l.inside }

// divide ends sections of roads where the links of other roads meet them.
func (m *Map) divide() {
	for _, r := range m.Roads {
		for _, link := range []*Link{&r.Predecessor, &r.Successor} {
			main := m.roads[link.ID]
			if !link.meets() || main == nil {
				continue
			}
			switch s := link.ElementS; {
			case math.Abs(s) <= Tolerance: // this is an end of the road
				link.inside, link.ContactPoint = false, AtStart
			case math.Abs(s-main.Length) <= Tolerance:
				link.inside, link.ContactPoint = false, AtEnd
			case s > 0 && s < main.Length:
				main.divide(s)
			}
		}
	}
}

// divide ends the section at s, unless one ends there.
func (r *Road) divide(s float64) {
	k := slices.Index(r.Sections, r.SectionAt(s))
	first := r.Sections[k]
	if s-first.S < sectionZero || first.End-s < sectionZero {
		return
	}
	second := &Section{Road: r, S: s, End: first.End, center: first.center, line: first.line,
		divided: true}
	for _, l := range first.Lanes {
		lane := *l
		lane.Section = second
		if l.ID != 0 {
			lane.Predecessors, l.Successors = []int{l.ID}, []int{l.ID}
		}
		second.Lanes = append(second.Lanes, &lane)
	}
	first.End = s
	r.Sections = slices.Insert(r.Sections, k+1, second)
	for index, section := range r.Sections {
		section.Index = index
	}
}

// sectionsAt returns the sections of a road that end and begin at s.
func (r *Road) sectionsAt(s float64) (before, after *Section) {
	for k := 1; k < len(r.Sections); k++ {
		if d := r.Sections[k].S - s; d < sectionZero && d > -sectionZero {
			return r.Sections[k-1], r.Sections[k]
		}
	}
	return nil, nil
}

// meet joins the lanes of a road to the lanes of the road that it meets at one of its ends: as its
// lanes name them, and as the connections of its junction do.
func (n *network) meet(m *Map, r *Road, at ContactPoint) {
	link := r.linkAt(at)
	main := m.roads[link.ID]
	if !link.meets() || main == nil {
		return
	}
	before, after := main.sectionsAt(link.ElementS)
	if before == nil {
		return // elementS is off the road, which a check reports
	}
	section := r.sectionAtEnd(at)
	for _, lane := range section.Lanes {
		for _, id := range lane.named(at) {
			n.meetLane(m, LaneEnd{lane, at}, before.Lane(id), after.Lane(id))
		}
	}
	j := m.junctions[r.Junction]
	if j == nil {
		return
	}
	for k := range j.Connections {
		c := &j.Connections[k]
		if c.Incoming != main.ID || c.Connecting != r.ID || c.ContactPoint != at {
			continue
		}
		for _, l := range c.LaneLinks {
			if lane := section.Lane(l.To); lane != nil {
				n.meetLane(m, LaneEnd{lane, at}, before.Lane(l.From), after.Lane(l.From))
			}
		}
	}
}

// meetLane joins an end of a lane to the part of a main road's lane from which its traffic comes,
// or on which it continues.
func (n *network) meetLane(m *Map, end LaneEnd, before, after *Lane) {
	if before == nil || after == nil || before.ID == 0 || end.Lane.ID == 0 {
		return
	}
	forwards, backwards := end.Lane.Directions()
	leaves := end.At == AtStart && forwards || end.At == AtEnd && backwards
	enters := end.At == AtStart && backwards || end.At == AtEnd && forwards
	mainForwards, mainBackwards := before.Directions()
	if leaves && mainForwards || enters && mainBackwards {
		n.meetEnd(m, end, LaneEnd{before, AtEnd})
	}
	if leaves && mainBackwards || enters && mainForwards {
		n.meetEnd(m, end, LaneEnd{after, AtStart})
	}
}

// meetEnd joins two ends, unless they are so far apart that a vehicle would jump.
func (n *network) meetEnd(m *Map, end, main LaneEnd) {
	if gap := distance(end.Center(), main.Center()); gap > laneGapError {
		m.notes.leaveOut(end.Lane.line, "X-VIRTUAL", end.Lane.at(end.s()),
			fmt.Sprintf("is %.4g m next to lane %d of road %s at s %.6g, which it meets; it is "+
				"excluded from all routes",
				gap, main.Lane.ID, main.Lane.Section.Road.ID, main.s()), "make both lanes meet")
		return
	}
	n.join(end, main)
}

// dividedAtEnd reports whether the next section is a continuation of this one.
func (s *Section) dividedAtEnd() bool {
	next := s.Index + 1
	return next < len(s.Road.Sections) && s.Road.Sections[next].divided
}
