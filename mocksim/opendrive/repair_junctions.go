package opendrive

import (
	"fmt"
	"slices"
	"strconv"

	"gosmp/internal/xmledit"
)

// junctionLinks corrects the connections of junctions, and the roads and lanes that they name.
func (r *repair) junctionLinks() {
	for _, j := range r.m.Junctions {
		list := r.junctions[j.ID].Named("connection")
		for k := range j.Connections {
			if j.Type != "virtual" {
				r.connection(j, &j.Connections[k], list[k])
			}
		}
	}
}

func (r *repair) connection(j *Junction, n *Connection, e *xmledit.Element) {
	object := fmt.Sprintf("junction %s, connection %s", j.ID, n.ID)
	from, to := r.m.roads[n.Incoming], r.m.roads[n.Connecting]
	for _, id := range []string{n.Incoming, n.Connecting} {
		if r.m.roads[id] == nil {
			r.change("X-JUNCTION-ROAD", object, fmt.Sprintf(
				"removed the connection: road %q does not exist", clipText(id)), e)
			e.Remove()
			return
		}
	}
	if from.Junction != "" || r.connectionEnd(j, n, e, object) {
		return
	}
	at, ok := j.endOf(from, to, n.ContactPoint)
	if !ok {
		r.incoming(j, n)
		return
	}
	near, far := from.sectionAtEnd(at), to.sectionAtEnd(n.ContactPoint)
	elements := e.Named("laneLink")
	for k, l := range n.LaneLinks {
		r.laneLink(elements[k], object, l, near, far, at, n.ContactPoint)
	}
	if len(n.LaneLinks) > 0 && len(e.Named("laneLink")) == 0 {
		r.change("X-JUNCTION-LANE", object, "removed the connection: it has no "+
			"remaining laneLink", e)
		e.Remove()
	}
}

// connectionEnd corrects which end of the connecting road a connection names: the end that leads to
// the incoming road.
func (r *repair) connectionEnd(j *Junction, n *Connection, e *xmledit.Element,
	object string) (changed bool) {
	to := r.m.roads[n.Connecting]
	leads := func(at ContactPoint) bool {
		link := to.linkAt(at)
		return link.Kind == ToRoad && link.ID == n.Incoming
	}
	here, there := leads(n.ContactPoint), leads(n.ContactPoint.Opposite())
	if j.Type == "direct" || to.Junction != j.ID || n.placed && (here || !there) || here == there {
		return false
	}
	from := r.m.roads[n.Incoming]
	touches := func(end ContactPoint) bool {
		at, ok := j.endOf(from, to, end)
		return ok && meet(from, at, to, end)
	}
	if n.placed && to.linkAt(n.ContactPoint).Kind == NoLink && touches(n.ContactPoint) {
		return false // both of its ends meet the incoming road, and one of them lacks its link
	}
	end := n.ContactPoint
	if there {
		end = end.Opposite()
	}
	if !touches(end) {
		return false // the link of the connecting road may be wrong instead
	}
	e.Set("contactPoint", end.String())
	r.change("X-JUNCTION-CONTACT", object, fmt.Sprintf(
		"set contactPoint to the %s of road %s, which leads to road %s", end, to.ID, n.Incoming), e)
	return true
}

// incoming links an incoming road to its junction, at the end that meets the connecting road, if
// that end leads nowhere or to a connecting road.
func (r *repair) incoming(j *Junction, n *Connection) {
	from, to := r.m.roads[n.Incoming], r.m.roads[n.Connecting]
	var ends []ContactPoint
	for _, at := range bothEnds {
		link := from.linkAt(at)
		next := r.m.roads[link.ID]
		if (link.Kind == NoLink || link.Kind == ToRoad && next != nil && next.Junction == j.ID) &&
			meet(from, at, to, n.ContactPoint) {
			ends = append(ends, at)
		}
	}
	if len(ends) == 1 {
		r.linkToJunction("X-JUNCTION-ROAD", from, ends[0], j)
	}
}

// laneLink corrects a laneLink to a lane that does not exist if the connecting lane reveals the
// intended lane, and removes a laneLink that no traffic can use.
func (r *repair) laneLink(e *xmledit.Element, object string, l LaneLink, near, far *Section,
	at, contact ContactPoint) {
	from, to := near.Lane(l.From), far.Lane(l.To)
	if from == nil || to == nil {
		r.deadLaneLink(e, object, l, near, far, contact)
		return
	}
	if l.From == 0 || l.To == 0 {
		return
	}
	forwards, backwards := from.Directions()
	leaves := at == AtEnd && forwards || at == AtStart && backwards
	onward := to.Section.Road.linkAt(contact) // it may be stated there as well
	said := fmt.Sprintf("removed the laneLink from %d to %d: ", l.From, l.To)
	switch {
	case !leaves && onward.Kind == ToRoad && onward.ID == near.Road.ID &&
		slices.Contains(to.named(contact), l.From):
		r.change("X-JUNCTION-DIRECTION", object, said+from.String()+
			" leads out of the junction, and the other lane leads to it", e)
	case (LaneEnd{from, at}).zero():
		r.change("X-LANE-ZERO-LINK", object, said+from.String()+" has no width there", e)
	case (LaneEnd{to, contact}).zero():
		r.change("X-LANE-ZERO-LINK", object, said+to.String()+" has no width there", e)
	default:
		return
	}
	e.Remove()
}

func (r *repair) deadLaneLink(e *xmledit.Element, object string, l LaneLink, near, far *Section,
	contact ContactPoint) {
	var from, to []int // lanes that belong together by the links of the connecting lanes
	for _, lane := range far.Lanes {
		for _, id := range lane.named(contact) {
			if near.Lane(id) != nil && id != 0 && lane.ID != 0 &&
				(lane.ID == l.To || id == l.From) {
				from, to = append(from, id), append(to, lane.ID)
			}
		}
	}
	if len(from) != 1 {
		r.change("X-JUNCTION-LANE", object, fmt.Sprintf(
			"removed the laneLink from %d to %d, at least "+
				"one of which does not exist", l.From, l.To), e)
		e.Remove()
		return
	}
	e.Set("from", strconv.Itoa(from[0]))
	e.Set("to", strconv.Itoa(to[0]))
	r.change("X-JUNCTION-LANE", object, fmt.Sprintf(
		"replaced the laneLink %d to %d by %d to %d, according to the connecting lane", l.From,
		l.To, from[0], to[0]), e)
}

// connections merges the laneLinks of connections between the same roads into one connection, and
// removes signals that do not exist from controllers.
func (r *repair) connections() {
	for _, j := range r.m.Junctions {
		first, known := map[string]*xmledit.Element{}, laneLinksOf{}
		for _, e := range r.junctions[j.ID].Named("connection") {
			key := fmt.Sprintf("%q %q %q", e.Get("incomingRoad"),
				e.Get("connectingRoad")+e.Get("linkedRoad"), e.Get("contactPoint"))
			into := first[key]
			if n := len(e.Named("laneLink")); n == 0 || n != len(e.Children()) {
				continue
			}
			if into == nil {
				first[key] = e
				continue
			}
			r.merge(j, into, e, known)
		}
	}
	r.controls()
}

// laneLinksOf holds the laneLinks of the connections to which others are merged.
type laneLinksOf map[*xmledit.Element]map[[2]string]bool

// of returns the laneLinks of a connection.
func (k laneLinksOf) of(e *xmledit.Element) map[[2]string]bool {
	if k[e] == nil {
		k[e] = map[[2]string]bool{}
		for _, l := range e.Named("laneLink") {
			k[e][[2]string{l.Get("from"), l.Get("to")}] = true
		}
	}
	return k[e]
}

// merge moves laneLinks to another connection that lacks them, and removes the emptied connection.
func (r *repair) merge(j *Junction, into, e *xmledit.Element, known laneLinksOf) {
	r.change("X-JUNCTION-TWICE", fmt.Sprintf("junction %s, connection %s", j.ID, e.Get("id")),
		"moved its laneLinks to connection "+into.Get("id")+" of the same roads", e)
	for _, l := range slices.Clone(e.Named("laneLink")) {
		if name := [2]string{l.Get("from"), l.Get("to")}; !known.of(into)[name] {
			known.of(into)[name] = true
			l.Move(into)
		}
	}
	e.Remove()
}

// controls removes signals that do not exist from controllers.
func (r *repair) controls() {
	known := r.m.signals()
	for _, c := range r.doc.Root.Named("controller") {
		for _, e := range c.Named("control") {
			if id := e.Get("signalId"); !known[id] {
				r.change("X-SIGNAL", "controller "+clipText(c.Get("id")),
					"removed signal "+clipText(id)+", which does not exist", e)
				e.Remove()
			}
		}
	}
}
