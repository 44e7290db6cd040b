package entities

import (
	"math"

	"gosmp/scenario"
	"gosmp/scenario/position"
)

// laneRange is a RelativeLaneRange: lanes to the left of the entity's lane are positive.
type laneRange struct{ from, to float64 }

// clearance is RelativeClearanceCondition.
type clearance struct {
	w             *World
	forward, back float64
	freespace     bool
	opposite      bool
	ranges        []laneRange
	others        []*body
	named         bool // the others are; otherwise all count except parts of the same train
}

func relativeClearance(w *World, e *scenario.Element, b *body) (quantity, error) {
	c := &clearance{w: w, forward: position.Number(e, "distanceForward", 0),
		back:      position.Number(e, "distanceBackward", 0),
		freespace: position.True(e, "freeSpace", false),
		opposite:  position.True(e, "oppositeLanes", false)}
	for _, r := range e.All("RelativeLaneRange") {
		c.ranges = append(c.ranges, laneRange{position.Number(r, "from", math.Inf(-1)),
			position.Number(r, "to", math.Inf(1))})
	}
	for _, r := range e.All("EntityRef") {
		o, err := w.other(r)
		if err != nil {
			return nil, err
		}
		c.others = append(c.others, o)
	}
	if c.named = len(c.others) > 0; !c.named {
		c.others = w.bodies
	}
	return func() (float64, bool) { return one(c.clear(b)), true }, nil
}

// clear reports whether the lanes exist and no other entity is in them near the entity.
func (c *clearance) clear(b *body) bool {
	if b.at.Lane == nil || !c.lanes(b) {
		return false
	}
	g := gap{w: c.w, kind: longitudinalGap, system: ofRoad, freespace: c.freespace}
	for _, o := range c.others {
		if o == b || !o.exists || o.at.Lane == nil || !c.named && c.w.coupled(b, o) {
			continue
		}
		along, _, ok := g.onRoad(b, &o.box, &o.at)
		if !ok || along > c.forward+same || along < -c.back-same {
			continue
		}
		lane := o.at.Lane.ID
		if c.w.against(b, o) {
			lane = -lane
		}
		if !c.opposite && (lane > 0) != (b.at.Lane.ID > 0) {
			continue
		}
		if c.within(float64(lanesBetween(b.at.Lane.ID, lane)) * b.at.Sign()) {
			return false
		}
	}
	return true
}

// lanesBetween returns the number of lanes from one lane to another, positive to the left, not
// counting lane 0.
func lanesBetween(from, to int) int {
	d := to - from
	if (to > 0) != (from > 0) {
		if d > 0 {
			d--
		} else {
			d++
		}
	}
	return d
}

func (c *clearance) within(d float64) bool {
	for _, r := range c.ranges {
		if d >= r.from && d <= r.to {
			return true
		}
	}
	return len(c.ranges) == 0
}

// lanes reports whether at least one lane of each range exists.
func (c *clearance) lanes(b *body) bool {
	for _, r := range c.ranges {
		found := false
		for _, l := range b.at.Lane.Section.Lanes {
			d := float64(lanesBetween(b.at.Lane.ID, l.ID)) * b.at.Sign()
			same := c.opposite || (l.ID > 0) == (b.at.Lane.ID > 0)
			found = found || l.ID != 0 && l.Drivable() && same && d >= r.from && d <= r.to
		}
		if !found {
			return false
		}
	}
	return true
}
