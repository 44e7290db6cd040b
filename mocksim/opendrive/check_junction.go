package opendrive

import (
	"fmt"
	"slices"

	"gosmp/internal/finding"
)

// along checks that the contact point of a connection is the end of the connecting road that leads
// to the incoming road, and reports whether it is not. Lanes that do not meet there are a
// consequence.
func (c *checker) along(j *Junction, from, to *Road, n *Connection, object string) (wrong bool) {
	link := to.linkAt(n.ContactPoint)
	if j.Type == "direct" || to.Junction != j.ID || link.Kind != ToRoad || link.ID == from.ID {
		return false
	}
	c.add("X-JUNCTION-CONTACT", finding.Error, n.line, object,
		fmt.Sprintf("contactPoint is the %s of road %s, which leads to road %s, not %s",
			n.ContactPoint, to.ID, link.ID, from.ID), "correct contactPoint or incomingRoad")
	return true
}

// connectedOnce checks that each connecting road is in only one connection, as 1.7 requires:
// traffic leaves it at its other end. A direct junction has no connecting roads.
func (c *checker) connectedOnce(j *Junction) {
	if c.m.Header.Minor != 7 || j.Type == "direct" {
		return
	}
	seen := map[string]*Connection{}
	for k := range j.Connections {
		n := &j.Connections[k]
		before := seen[n.Connecting]
		seen[n.Connecting] = n
		if before != nil && (before.Incoming != n.Incoming ||
			before.ContactPoint != n.ContactPoint) {
			c.add("X-JUNCTION-TWICE", finding.Warning, n.line,
				fmt.Sprintf("junction %s, connection %s", j.ID, n.ID),
				fmt.Sprintf("road %s is in connection %s as well", n.Connecting,
					before.ID), "give each direction its own road")
		}
	}
}

// agrees checks that the connecting lane names the lane to which a laneLink joins it.
func (c *checker) agrees(object string, from, to LaneEnd, l LaneLink) {
	named := to.Lane.named(to.At)
	link := to.Lane.Section.Road.linkAt(to.At)
	if slices.Contains(named, from.Lane.ID) || link.Kind != ToRoad ||
		link.ID != from.Lane.Section.Road.ID {
		return
	}
	if len(named) == 0 {
		c.add("X-JUNCTION-IMPLIED", finding.Warning, to.Lane.line, to.Lane.at(to.s()),
			fmt.Sprintf("has no %s; according to a "+
				"laneLink it is lane %d of road %s", linkName(to.At),
				from.Lane.ID, from.Lane.Section.Road.ID),
			fmt.Sprintf(`add <%s id="%d"/>`, linkName(to.At), from.Lane.ID))
		return
	}
	c.add("X-LANE-ONESIDED", finding.Warning, l.line, object,
		fmt.Sprintf("laneLink leads from %s to %s, whose %s is lane %d",
			from.Lane, to.Lane, linkName(to.At), named[0]), "correct one of them")
}

// unlinked reports lanes of connecting roads that a junction leads to but that lead nowhere,
// although their road continues.
func (c *checker) unlinked(j *Junction) {
	for k := range j.Connections {
		n := &j.Connections[k]
		to := c.m.roads[n.Connecting]
		if to == nil || to.Junction != j.ID || j.Type == "direct" {
			continue
		}
		for _, l := range n.LaneLinks {
			lane := to.sectionAtEnd(n.ContactPoint).Lane(l.To)
			if lane == nil || l.To == 0 || !lane.Drivable() {
				continue
			}
			far := n.ContactPoint.Opposite()
			if end := (LaneEnd{lane, far}); lane.Section == to.sectionAtEnd(far) &&
				len(c.m.Joined(end)) == 0 && to.linkAt(far).Kind == ToRoad {
				c.add("X-JUNCTION-UNLINKED", finding.Error, lane.line, lane.at(end.s()),
					fmt.Sprintf("leads to no lane of road %s: it has no %s, and no lane meets it "+
						"there",
						to.linkAt(far).ID, linkName(far)), "add the link of the lane")
			}
		}
	}
}
