package opendrive

import (
	"fmt"
	"slices"

	"gosmp/internal/finding"
)

func (c *checker) roadLinks(r *Road) {
	for _, at := range []ContactPoint{AtStart, AtEnd} {
		link := r.linkAt(at)
		switch {
		case link.Kind != NoLink && link.ID == "":
			c.add("X-LINK-DEAD", finding.Error, link.line, "road "+r.ID,
				fmt.Sprintf("its %s names no road or junction: %s", linkName(at), link.missing()),
				"name the road or junction, or remove the link")
		case link.Kind == ToJunction && c.m.junctions[link.ID] == nil:
			c.add("X-LINK-DEAD", finding.Error, link.line, "road "+r.ID,
				fmt.Sprintf("leads to junction %s, which does not exist", link.ID),
				"correct elementId")
		case link.Kind == ToRoad && c.m.roads[link.ID] == nil:
			c.add("X-LINK-DEAD", finding.Error, link.line, "road "+r.ID,
				fmt.Sprintf("leads to road %s, which does not exist", link.ID), "correct elementId")
		case link.Kind == ToRoad:
			if !link.placed {
				c.add("X-LINK-CONTACT", finding.Error, link.line, "road "+r.ID,
					fmt.Sprintf("its %s has no contactPoint; start is assumed", linkName(at)),
					"say which end of road "+link.ID+" it is")
			}
			c.contact(r, at, link)
		}
	}
	c.ambiguous(r)
}

// linkName returns the element of a road link, or of a lane link, at an end.
func linkName(at ContactPoint) string {
	if at == AtStart {
		return "predecessor"
	}
	return "successor"
}

// missing describes what is missing in a link without an id.
func (l *Link) missing() string {
	if l.typed {
		return "elementId is missing"
	}
	return "elementType and elementId are missing"
}

func (c *checker) contact(r *Road, at ContactPoint, link *Link) {
	other := c.m.roads[link.ID]
	if link.inside {
		if link.ElementS < 0 || link.ElementS > other.Length {
			c.add("X-LINK-CONTACT", finding.Error, link.line, "road "+r.ID,
				fmt.Sprintf("meets road %s at s = %g, which has %g m", other.ID,
					link.ElementS, other.Length), "correct elementS")
		}
		return
	}
	there := other.linkAt(link.ContactPoint)
	back := there.Kind == ToRoad && there.ID == r.ID || there.Kind == ToJunction && r.Junction != ""
	if !back {
		c.add("X-LINK-BACK", finding.Warning, link.line, "road "+r.ID,
			fmt.Sprintf("leads to the %s of road %s, which does not lead back",
				link.ContactPoint, link.ID), "link both roads")
	}
	if r.Junction != "" || other.Junction != "" {
		return // the reference lines of connecting roads may start at the border of a lane
	}
	if gap := distance(r.end(at).Origin, other.end(link.ContactPoint).Origin); gap > laneGapError {
		c.add("X-LINK-CONTACT", finding.Error, link.line, "road "+r.ID,
			fmt.Sprintf("its %s is %.4g m from the %s of road %s", at, gap, link.ContactPoint,
				link.ID),
			"correct contactPoint or the geometry")
	}
}

// ambiguous finds roads that two other roads name as their neighbour at one end.
func (c *checker) ambiguous(r *Road) {
	if r.Junction != "" {
		return
	}
	if c.linked == nil {
		c.linked = roadLinksByTarget(c.m.Roads)
	}
	var first [2]*Road
	for _, from := range c.linked[r.ID] {
		link := from.link
		if known := first[link.ContactPoint]; known != nil && known != from.road {
			c.add("X-LINK-AMBIGUOUS", finding.Warning, link.line, "road "+r.ID,
				fmt.Sprintf("roads %s and %s lead to its %s", known.ID, from.road.ID,
					link.ContactPoint),
				"use a junction")
		}
		first[link.ContactPoint] = from.road
	}
}

// roadLink is a link of a road to another one.
type roadLink struct {
	road *Road
	link *Link
}

// roadLinksByTarget returns the links between roads outside junctions, by the road to which they
// lead.
func roadLinksByTarget(roads []*Road) map[string][]roadLink {
	list := map[string][]roadLink{}
	for _, r := range roads {
		if r.Junction != "" {
			continue
		}
		for _, at := range []ContactPoint{AtStart, AtEnd} {
			if link := r.linkAt(at); link.Kind == ToRoad {
				list[link.ID] = append(list[link.ID], roadLink{r, link})
			}
		}
	}
	return list
}

func (c *checker) junction(j *Junction) {
	var seen []string
	c.connectedOnce(j)
	for k := range j.Connections {
		n := &j.Connections[k]
		object := fmt.Sprintf("junction %s, connection %s", j.ID, n.ID)
		key := fmt.Sprint(n.Incoming, " ", n.Connecting, " ", n.ContactPoint)
		if slices.Contains(seen, key) {
			c.add("X-JUNCTION-TWICE", finding.Warning, n.line, object,
				fmt.Sprintf("road %s is connected to road %s twice", n.Incoming, n.Connecting),
				"put all laneLinks into one connection")
		}
		seen = append(seen, key)
		c.connection(j, n, object)
	}
}

func (c *checker) connection(j *Junction, n *Connection, object string) {
	from, to := c.m.roads[n.Incoming], c.m.roads[n.Connecting]
	for _, road := range []struct{ what, id string }{{"incomingRoad", n.Incoming},
		{"connectingRoad", n.Connecting}} {
		if c.m.roads[road.id] == nil {
			c.add("X-JUNCTION-ROAD", finding.Error, n.line, object,
				fmt.Sprintf("%s %q does not exist", road.what, road.id), "correct the id")
		}
	}
	if from == nil || to == nil {
		return
	}
	if from.Junction != "" {
		c.add("X-JUNCTION-IN", finding.Error, n.line, object,
			fmt.Sprintf("incoming road %s is a connecting road of junction %s", from.ID,
				from.Junction),
			"name the road that leads into the junction")
		return
	}
	c.placed(j, to, n, object)
	wrong := c.along(j, from, to, n, object)
	at, ok := j.endOf(from, to, n.ContactPoint)
	if !ok {
		if j.Type != "virtual" {
			c.add("X-JUNCTION-ROAD", finding.Error, n.line, object,
				fmt.Sprintf("no end of road %s leads to the junction", from.ID),
				"link the road to the junction")
		}
		return
	}
	for _, l := range n.LaneLinks {
		near := LaneEnd{from.sectionAtEnd(at).Lane(l.From), at}
		far := LaneEnd{to.sectionAtEnd(n.ContactPoint).Lane(l.To), n.ContactPoint}
		if c.laneLink(object, near, far, l) && !wrong {
			c.laneGap(near, far, l.line)
		}
	}
}

// placed reports a connection without contact point.
func (c *checker) placed(j *Junction, to *Road, n *Connection, object string) {
	severity, said := finding.Error, "no contactPoint; start is assumed"
	switch {
	case n.placed || j.Type == "virtual":
		return
	case n.implied:
		severity, said = finding.Warning, fmt.Sprintf("no contactPoint; the %s is assumed, which "+
			"leads to road %s", n.ContactPoint, n.Incoming)
	}
	c.add("X-JUNCTION-CONTACT", severity, n.line, object, said,
		"set contactPoint to the connected end of road "+to.ID)
}

// laneLink checks a laneLink, and reports whether it joins two lanes.
func (c *checker) laneLink(object string, from, to LaneEnd, l LaneLink) bool {
	if from.Lane == nil || to.Lane == nil {
		c.add("X-JUNCTION-LANE", finding.Error, l.line, object,
			fmt.Sprintf("laneLink from %d to %d names a lane that does not exist there", l.From,
				l.To), "correct the ids")
		return false
	}
	if l.From == 0 || l.To == 0 {
		return false
	}
	forwards, backwards := from.Lane.Directions()
	if leaves := from.At == AtEnd && forwards || from.At == AtStart && backwards; !leaves {
		c.add("X-JUNCTION-DIRECTION", finding.Warning, l.line, object,
			fmt.Sprintf("laneLink from %s, whose traffic comes out of the junction", from.Lane),
			"remove it")
	}
	for _, e := range [...]LaneEnd{from, to} {
		if e.Lane.Width(e.s()) < zeroWidth {
			c.add("X-LANE-ZERO-LINK", finding.Warning, l.line, object,
				fmt.Sprintf("laneLink at the %s of %s, where it has no width",
					e.At, e.Lane), "remove the laneLink")
		}
	}
	c.agrees(object, from, to, l)
	c.sameLevel(from, to, l.line)
	return true
}
