package opendrive

import (
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/internal/xmledit"
)

// bothEnds lists the ends of a road in the order of s.
var bothEnds = [...]ContactPoint{AtStart, AtEnd}

// roadLinks corrects the links between roads.
func (r *repair) roadLinks() {
	for _, road := range r.m.Roads {
		for _, at := range bothEnds {
			link, e := road.linkAt(at), r.linkElement(road, at)
			if link.Kind == NoLink || link.inside || e == nil {
				continue
			}
			switch {
			case link.ID == "":
				r.change("X-LINK-DEAD", "road "+road.ID, "removed a "+linkName(at)+
					" without a target", e)
				e.Remove()
			case link.Kind == ToJunction && r.m.junctions[link.ID] == nil:
				r.deadJunction(road, at, e)
			case link.Kind == ToRoad && r.m.roads[link.ID] == nil:
				r.deadRoad(road, at, e)
			case link.Kind == ToRoad && !r.contactPoint(road, at, e):
				r.wayBack(road, at, link)
			}
		}
	}
}

// linkElement returns the element of the link that applies at an end of a road, or nil if there is
// none.
func (r *repair) linkElement(road *Road, at ContactPoint) (e *xmledit.Element) {
	for _, link := range r.roads[road.ID].Named("link") {
		for _, c := range link.Named(linkName(at)) {
			e = c
		}
	}
	return e
}

// leaving returns the direction in which traffic leaves a road at an end.
func (r *Road) leaving(at ContactPoint) (x, y float64) {
	st := r.end(at)
	sin, cos := portable.Sincos(st.Heading)
	if at == AtStart {
		return -cos, -sin
	}
	return cos, sin
}

// meet reports whether an end of one road continues in an end of another: their reference lines
// meet or, if one of the roads lies in a junction, the middles of two lanes do.
func meet(a *Road, at ContactPoint, b *Road, contact ContactPoint) bool {
	ax, ay := a.leaving(at)
	bx, by := b.leaving(contact)
	if float64(ax*bx)+float64(ay*by) > -0.5 || a == b && at == contact {
		return false
	}
	if distance(a.end(at).Origin, b.end(contact).Origin) <= laneGapError {
		return true
	}
	if a.Junction == "" && b.Junction == "" {
		return false
	}
	for _, lane := range a.sectionAtEnd(at).Lanes {
		for _, other := range b.sectionAtEnd(contact).Lanes {
			if lane.ID != 0 && other.ID != 0 && lane.Drivable() && other.Drivable() &&
				distance(LaneEnd{lane, at}.Center(), LaneEnd{other,
					contact}.Center()) <= laneGapError {
				return true
			}
		}
	}
	return false
}

// free reports whether an end of a road leads nowhere, to a given road, or to that road's junction.
func (r *Road) free(at ContactPoint, to *Road) bool {
	link := r.linkAt(at)
	if r.Junction != to.Junction {
		return link.Kind == ToJunction && link.ID == to.Junction && to.Junction != ""
	}
	return link.Kind == NoLink || link.Kind == ToRoad && link.ID == to.ID
}

// deadRoad corrects a link to a road that does not exist. If exactly one road starts there and
// leads back, the link is changed to that road. Otherwise it is removed.
func (r *repair) deadRoad(road *Road, at ContactPoint, e *xmledit.Element) {
	var (
		found   *Road
		contact ContactPoint
		count   int
	)
	for _, other := range r.near(road, at) {
		if other.road.free(other.at, road) && meet(road, at, other.road, other.at) {
			found, contact = other.road, other.at
			if count++; count > 1 {
				break
			}
		}
	}
	dead := "road " + clipText(e.Get("elementId")) + ", which does not exist"
	if count != 1 {
		r.change("X-LINK-DEAD", "road "+road.ID, "removed the "+linkName(at)+" "+dead, e)
		e.Remove()
		return
	}
	e.Set("elementId", found.ID)
	e.Set("contactPoint", contact.String())
	r.change("X-LINK-DEAD", "road "+road.ID, fmt.Sprintf(
		"linked it to the %s of road %s, which it meets, instead of %s", contact, found.ID,
		dead), e)
}

// roadEnd is an end of a road.
type roadEnd struct {
	road *Road
	at   ContactPoint
}

// cell is a square of the plane with a side of laneGapError.
type cell [2]int64

func cellAt(p frames.Vector) cell {
	return cell{int64(math.Floor(p.X / laneGapError)), int64(math.Floor(p.Y / laneGapError))}
}

// places returns the cells in which an end of a road can meet another one.
func (e roadEnd) places() (list []cell) {
	list = append(list, cellAt(e.road.end(e.at).Origin))
	for _, lane := range e.road.sectionAtEnd(e.at).Lanes {
		if lane.ID != 0 && lane.Drivable() {
			list = append(list, cellAt(LaneEnd{lane, e.at}.Center()))
		}
	}
	return list
}

// target is what an end of a road leads to, and in which cell. Without it, thousands of ends at one
// place that lead elsewhere would be compared with each other.
type target struct {
	cell
	kind LinkKind
	id   string
}

// near returns the ends of roads that can meet an end and be free for its road, in the order of the
// file.
func (r *repair) near(road *Road, at ContactPoint) (list []roadEnd) {
	if r.ends == nil {
		r.ends = map[target][]int{}
		for k, road := range r.m.Roads {
			for n, end := range bothEnds {
				to := target{kind: road.linkAt(end).Kind}
				if to.kind != NoLink {
					to.id = road.linkAt(end).ID
				}
				for _, to.cell = range (roadEnd{road, end}).places() {
					r.ends[to] = append(r.ends[to], 2*k+n)
				}
			}
		}
	}
	var numbers []int
	for _, c := range (roadEnd{road, at}).places() {
		for x := c[0] - 1; x <= c[0]+1; x++ {
			for y := c[1] - 1; y <= c[1]+1; y++ {
				for _, to := range []target{{kind: NoLink}, {kind: ToRoad, id: road.ID},
					{kind: ToJunction, id: road.Junction}} {
					to.cell = cell{x, y}
					numbers = append(numbers, r.ends[to]...)
				}
			}
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		list = append(list, roadEnd{r.m.Roads[n/2], bothEnds[n%2]})
	}
	return list
}

// deadJunction corrects a link to a junction that does not exist in the same way.
func (r *repair) deadJunction(road *Road, at ContactPoint, e *xmledit.Element) {
	var found []*Junction
	for _, c := range r.connectionsFrom(road.ID) {
		to := r.m.roads[c.Connecting]
		if to != nil && !slices.Contains(found, c.junction) && meet(road, at, to, c.ContactPoint) {
			if found = append(found, c.junction); len(found) > 1 {
				break
			}
		}
	}
	dead := "junction " + clipText(e.Get("elementId")) + ", which does not exist"
	if len(found) != 1 {
		r.change("X-LINK-DEAD", "road "+road.ID, "removed the "+linkName(at)+" "+dead, e)
		e.Remove()
		return
	}
	e.Set("elementId", found[0].ID)
	r.change("X-LINK-DEAD", "road "+road.ID, "linked it to junction "+found[0].ID+
		", whose connections begin there, instead of "+dead, e)
}

// entrance is a connection with its junction.
type entrance struct {
	*Connection
	junction *Junction
}

// connectionsFrom returns the connections of an incoming road, in the order of the file.
func (r *repair) connectionsFrom(road string) []entrance {
	if r.entrances == nil {
		r.entrances = map[string][]entrance{}
		for _, j := range r.m.Junctions {
			for k := range j.Connections {
				n := &j.Connections[k]
				r.entrances[n.Incoming] = append(r.entrances[n.Incoming], entrance{n, j})
			}
		}
	}
	return r.entrances[road]
}

// contactPoint corrects which end of the linked road a link names.
func (r *repair) contactPoint(road *Road, at ContactPoint, e *xmledit.Element) (changed bool) {
	link := road.linkAt(at)
	other := r.m.roads[link.ID]
	here := meet(road, at, other, link.ContactPoint)
	there := meet(road, at, other, link.ContactPoint.Opposite())
	end := link.ContactPoint
	switch {
	case link.placed && !here && there:
		end = end.Opposite()
		r.change("X-LINK-CONTACT", "road "+road.ID, fmt.Sprintf(
			"changed contactPoint of its %s to the %s of road %s, which it meets", linkName(at),
			end, other.ID), e)
	case !link.placed && here != there:
		if there {
			end = end.Opposite()
		}
		r.change("X-LINK-CONTACT", "road "+road.ID, fmt.Sprintf(
			"wrote contactPoint of its %s: the %s of road %s, which it meets", linkName(at), end,
			other.ID), e)
	default:
		return false
	}
	e.Set("contactPoint", end.String())
	return true
}

// wayBack links a road back to the road that leads to it, if the two meet.
func (r *repair) wayBack(road *Road, at ContactPoint, link *Link) {
	other := r.m.roads[link.ID]
	if other.linkAt(link.ContactPoint).Kind != NoLink || !link.placed ||
		!meet(road, at, other, link.ContactPoint) || r.leadingTo(other, link.ContactPoint) != 1 {
		return
	}
	if road.Junction != "" && other.Junction == "" {
		if j := r.m.junctions[road.Junction]; j != nil {
			r.linkToJunction("X-LINK-BACK", other, link.ContactPoint, j)
		}
		return
	}
	r.addLink(other, link.ContactPoint, "elementType", "road", "elementId", road.ID,
		"contactPoint", at.String())
	r.change("X-LINK-BACK", "road "+other.ID, fmt.Sprintf(
		"added its %s, the %s of road %s, which leads to it", linkName(link.ContactPoint), at,
		road.ID), r.roads[other.ID])
}

// leadingTo returns how many roads lead to an end of a road; all roads of one junction count as
// one.
func (r *repair) leadingTo(road *Road, contact ContactPoint) (count int) {
	if r.leading != nil {
		return r.leading[roadEnd{road, contact}]
	}
	type source struct {
		to       roadEnd
		junction string
	}
	r.leading = map[roadEnd]int{}
	seen := map[source]bool{}
	for _, other := range r.m.Roads {
		for _, at := range bothEnds {
			link := other.linkAt(at)
			to := roadEnd{r.m.roads[link.ID], link.ContactPoint}
			from := source{to, other.Junction}
			if link.Kind != ToRoad || link.inside || other.Junction != "" && seen[from] {
				continue
			}
			seen[from] = true
			r.leading[to]++
		}
	}
	return r.leading[roadEnd{road, contact}]
}

// linkToJunction makes an end of a road lead to a junction.
func (r *repair) linkToJunction(rule string, road *Road, at ContactPoint, j *Junction) {
	if old := r.linkElement(road, at); old != nil {
		if old.Get("elementType") == "junction" && old.Get("elementId") == j.ID {
			return // changed by another connection in this pass
		}
		old.Remove()
	}
	r.addLink(road, at, "elementType", "junction", "elementId", j.ID)
	r.change(rule, "road "+road.ID, fmt.Sprintf(
		"made junction %s its %s: connecting roads begin or end there", j.ID, linkName(at)),
		r.roads[road.ID])
}

// addLink adds a link to a road at an end that has none.
func (r *repair) addLink(road *Road, at ContactPoint, attributes ...string) {
	e := r.roads[road.ID]
	link := e.Child("link")
	if link == nil {
		link = e.Insert(0, "link")
	}
	place := 0
	if at == AtEnd && link.Child("predecessor") != nil {
		place = link.Child("predecessor").Index() + 1
	}
	link.Insert(place, linkName(at), attributes...)
}
