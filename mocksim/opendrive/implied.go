package opendrive

import (
	"fmt"

	"gosmp/internal/finding"
)

// imply joins each lane of a connecting road that names no lane at one of its ends to the lane that
// it meets there, if there is only one. Many maps leave lane links to the junction, which specifies
// where traffic comes from but not where it goes.
func (n *network) imply(m *Map, r *Road) {
	if m.junctions[r.Junction] == nil {
		return
	}
	for _, at := range []ContactPoint{AtStart, AtEnd} {
		section, contact := m.beyondRoad(r, at)
		if section == nil {
			continue
		}
		for _, lane := range r.sectionAtEnd(at).Lanes {
			end := LaneEnd{lane, at}
			if lane.ID == 0 || !lane.Drivable() || len(lane.named(at)) > 0 ||
				len(n.joints[n.slot(end)]) > 0 {
				continue
			}
			if other := end.meeting(section, contact); other != nil {
				n.join(end, LaneEnd{other, contact})
				m.notes.implied(end, other)
			}
		}
	}
}

// beyondRoad returns the section to which a road leads at one of its ends, or nil if it leads to no
// road.
func (m *Map) beyondRoad(r *Road, at ContactPoint) (*Section, ContactPoint) {
	link := r.linkAt(at)
	other := m.roads[link.ID]
	if link.Kind != ToRoad || other == nil || link.inside {
		return nil, AtStart
	}
	return other.sectionAtEnd(link.ContactPoint), link.ContactPoint
}

// meeting returns the only lane of a section that an end meets and on which traffic continues; nil
// if there is no such lane, or more than one.
func (e LaneEnd) meeting(section *Section, contact ContactPoint) (only *Lane) {
	forwards, backwards := e.Lane.Directions()
	leaves := e.At == AtEnd && forwards || e.At == AtStart && backwards
	enters := e.At == AtStart && forwards || e.At == AtEnd && backwards
	for _, other := range section.Lanes {
		if other.ID == 0 || !other.Drivable() {
			continue
		}
		f, b := other.Directions()
		into := contact == AtStart && f || contact == AtEnd && b
		outOf := contact == AtEnd && f || contact == AtStart && b
		joins := leaves && into || enters && outOf
		if !joins || distance(e.Center(),
			LaneEnd{other, contact}.Center()) > laneGapError {
			continue
		}
		if only != nil {
			return nil
		}
		only = other
	}
	return only
}

// implied records a joint that the file does not name.
func (n *notes) implied(end LaneEnd, other *Lane) {
	*n = append(*n, note{line: end.Lane.line, rule: "X-JUNCTION-IMPLIED", severity: finding.Warning,
		object: end.Lane.at(end.s()),
		message: fmt.Sprintf("has no %s; assumed to be lane %d of road %s, which it meets",
			linkName(end.At), other.ID, other.Section.Road.ID),
		remedy: fmt.Sprintf(`add <%s id="%d"/>`, linkName(end.At), other.ID)})
}
