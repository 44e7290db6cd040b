package opendrive

import (
	"fmt"
	"strconv"

	"gosmp/internal/xmledit"
)

// laneLinks corrects the links between lanes.
func (r *repair) laneLinks() {
	l := &laneRepair{repair: r, done: map[LaneEnd]bool{},
		byID: map[LaneEnd]map[int][]*xmledit.Element{}}
	for _, road := range r.m.Roads {
		for _, section := range road.Sections {
			for _, lane := range section.Lanes {
				for _, at := range bothEnds {
					if lane.ID != 0 {
						l.end(LaneEnd{lane, at})
					}
				}
			}
		}
	}
}

// laneRepair is one pass over all ends of lanes. It changes each end at most once.
type laneRepair struct {
	*repair
	done map[LaneEnd]bool
	byID map[LaneEnd]map[int][]*xmledit.Element // the links of ends, by the lanes that they name
}

// changed notes that the links of an end have changed.
func (r *laneRepair) changed(e LaneEnd) {
	r.done[e] = true
	delete(r.byID, e)
}

func (r *laneRepair) end(e LaneEnd) {
	beyond, contact := r.m.beyond(e.Lane.Section, e.At)
	if beyond == nil || r.laneElement(e.Lane) == nil {
		return
	}
	named := e.Lane.named(e.At)
	for _, id := range named {
		other := beyond.Lane(id)
		switch {
		case other == nil:
			r.deadLane(e, id, beyond, contact)
		case id == 0:
		case e.zero(), (LaneEnd{other, contact}).zero():
			r.unlink(e, id)
			r.unlink(LaneEnd{other, contact}, e.Lane.ID)
		default:
			r.mutual(e, LaneEnd{other, contact})
		}
	}
	if joined := r.m.Joined(e); len(named) == 0 && len(joined) == 1 &&
		r.m.junctions[e.Lane.Section.Road.Junction] != nil && e.Lane.Section.Road != beyond.Road &&
		joined[0].Lane.Section == beyond &&
		distance(e.Center(), joined[0].Center()) <= laneGapError {
		r.link("X-JUNCTION-IMPLIED", "which it meets", e, joined[0].Lane.ID)
	}
}

// zero reports whether a lane has no width at an end.
func (e LaneEnd) zero() bool { return len(e.Lane.Widths) > 0 && e.Lane.Width(e.s()) < zeroWidth }

// deadLane corrects a link to a lane that does not exist. If exactly one lane meets the end, the
// link is changed to that lane; otherwise it is removed.
func (r *laneRepair) deadLane(e LaneEnd, id int, beyond *Section, contact ContactPoint) {
	to := e.meeting(beyond, contact)
	if !e.Lane.Drivable() || to == nil || len(e.Lane.named(e.At)) > 1 {
		r.remove("X-LANE-LINK", "which does not exist", e, id)
		return
	}
	for _, c := range r.links(e, id) {
		c.Set("id", strconv.Itoa(to.ID))
		r.changed(e)
		r.change("X-LANE-LINK", e.Lane.at(e.s()), fmt.Sprintf(
			"changed its %s from lane %d, which does not exist, to lane %d, which it meets",
			linkName(e.At), id, to.ID), c)
	}
}

// mutual links a lane back to the lane that leads to it and that it meets.
func (r *laneRepair) mutual(from, to LaneEnd) {
	back, end := r.m.beyond(to.Lane.Section, to.At)
	if back != from.Lane.Section || end != from.At || len(to.Lane.named(to.At)) > 0 ||
		from.zero() || to.zero() || r.done[to] ||
		distance(from.Center(), to.Center()) > laneGapError {
		return
	}
	r.link("X-LANE-ONESIDED", "which leads to it", to, from.Lane.ID)
}

// links returns the link elements of a lane that name another lane at an end.
func (r *laneRepair) links(e LaneEnd, id int) []*xmledit.Element {
	lane := r.laneElement(e.Lane)
	if lane == nil {
		return nil
	}
	if known := r.byID[e]; known != nil {
		return known[id]
	}
	list := map[int][]*xmledit.Element{}
	for _, link := range lane.Named("link") {
		for _, c := range link.Named(linkName(e.At)) {
			if n, err := parseWhole(c.Get("id")); err == nil {
				list[n] = append(list[n], c)
			}
		}
	}
	r.byID[e] = list
	return list[id]
}

// unlink removes a link at an end without width.
func (r *laneRepair) unlink(e LaneEnd, id int) {
	r.remove("X-LANE-ZERO-LINK", "because the lane has no width there", e, id)
}

func (r *laneRepair) remove(rule, why string, e LaneEnd, id int) {
	for _, c := range r.links(e, id) {
		r.change(rule, e.Lane.at(e.s()), fmt.Sprintf("removed its %s, lane %d, %s",
			linkName(e.At), id, why), c)
		c.Remove()
		r.done[e] = true
	}
	delete(r.byID[e], id)
}

// link adds a link to a lane at an end that has none.
func (r *laneRepair) link(rule, why string, e LaneEnd, id int) {
	lane := r.laneElement(e.Lane)
	if lane == nil || r.done[e] {
		return
	}
	r.changed(e)
	link := lane.Child("link")
	if link == nil {
		link = lane.Insert(0, "link")
	}
	place := len(link.Children())
	if e.At == AtStart {
		place = len(link.Named("predecessor"))
	}
	link.Insert(place, linkName(e.At), "id", strconv.Itoa(id))
	r.change(rule, e.Lane.at(e.s()), fmt.Sprintf("added its %s, lane %d, %s", linkName(e.At),
		id, why), lane)
}
