package opendrive

import (
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/finding"
	"gosmp/internal/portable"
)

// Limits for the checks of lanes, in m.
const (
	sectionZero  = 1e-6
	widthBelow   = -1e-6
	widthStep    = 1e-2
	laneGapError = 0.1
	laneGapPlan  = 0.01
	laneGapZ     = 0.02
	zeroWidth    = 1e-6
	foldSamples  = 16
)

func (c *checker) sections(r *Road) {
	for k, s := range r.Sections {
		switch {
		case k == 0 && math.Abs(s.S) > sectionZero:
			c.add("X-SECTION-FIRST", finding.Error, s.line, r.at(s.S),
				fmt.Sprintf("the first section begins at s = %g", s.S), "begin at s = 0")
		case k > 0 && s.S < r.Sections[k-1].S:
			c.add("X-SECTION-ORDER", finding.Error, s.line, r.at(s.S),
				fmt.Sprintf("s = %g follows s = %g", s.S, r.Sections[k-1].S), "sort sections by s")
		}
		if s.Length() < sectionZero && s.End >= s.S {
			c.add("X-SECTION-ZERO", finding.Warning, s.line, r.at(s.S),
				fmt.Sprintf("a section of %.4g m", s.Length()), "merge it with its neighbour")
		}
		if !s.divided { // the file states it only once
			c.laneIDs(s)
		}
		for _, l := range s.Lanes {
			c.lane(l)
		}
		c.fold(s)
	}
}

func (c *checker) laneIDs(s *Section) {
	if s.bare {
		c.add("X-LANE-IDS", finding.Error, s.line, s.Road.at(s.S), "no lane 0",
			"add a center lane with id 0")
	}
	for k := 1; k < len(s.Lanes); k++ {
		before, l := s.Lanes[k-1], s.Lanes[k]
		if before.ID-l.ID != 1 {
			c.add("X-LANE-IDS", finding.Error, l.line, l.at(s.S),
				fmt.Sprintf("lane %d beside lane %d", l.ID, before.ID),
				"number the lanes without gaps")
		}
	}
}

func (c *checker) lane(l *Lane) {
	if l.ID == 0 {
		return
	}
	s := l.Section
	if s.divided {
		c.widths(l)
		return
	}
	if len(l.Widths)+len(l.Borders) == 0 {
		c.add("X-LANE-WIDTH", finding.Error, l.line, l.at(s.S), "neither width nor border",
			"add a width")
		return
	}
	if len(l.Widths) == 0 {
		c.border(l)
	} else {
		c.widths(l)
	}
	c.access(l)
	inner := s.inner(l)
	if !l.Level && inner.ID != 0 && inner.Level {
		c.add("X-LANE-LEVEL", finding.Warning, l.line, l.at(s.S),
			fmt.Sprintf("outside lane %d, which is level", inner.ID), "also make the lane level")
	}
}

// inner returns the neighbour of a lane on the side of lane 0.
func (s *Section) inner(l *Lane) *Lane {
	step := -1
	if l.ID > 0 {
		step = 1
	}
	for k, other := range s.Lanes {
		if other == l && k-1 >= 0 && step < 0 {
			return s.Lanes[k-1]
		} else if other == l && k+1 < len(s.Lanes) {
			return s.Lanes[k+1]
		}
	}
	return s.Lanes[s.center]
}

func (c *checker) widths(l *Lane) {
	s := l.Section
	for k := range l.Widths {
		from, to := l.Widths[k].S, s.End-l.Origin
		if k+1 < len(l.Widths) {
			to = min(to, l.Widths[k+1].S)
		}
		if s.divided && to <= s.S-l.Origin || s.dividedAtEnd() && from >= s.End-l.Origin {
			continue // another part of a divided section
		}
		from = max(from, s.S-l.Origin)
		if k > 0 && from == l.Widths[k].S {
			if c.order(l.Widths, k, "width", l.at(l.Origin+from)) {
				continue
			}
			if step := l.Widths[k].At(from) - l.Widths[k-1].At(from); math.Abs(step) > widthStep &&
				from < s.Length() {
				c.add("X-LANE-WIDTH", finding.Warning, l.Widths[k].line, l.at(l.Origin+from),
					fmt.Sprintf("the width jumps by %.4g m", step), "make it continuous")
			}
		}
		if at, width := l.Widths[k].lowest(from, to); width < widthBelow {
			c.add("X-LANE-WIDTH", finding.Error, l.Widths[k].line, l.at(l.Origin+at),
				fmt.Sprintf("a width of %.4g m", width), "make the width 0 or more")
		}
	}
}

// lowest returns the smallest of 33 values in [from, to], and where it is.
func (c *Cubic) lowest(from, to float64) (at, value float64) {
	const samples = 32
	at, value = from, c.At(from)
	for k := 1; k <= samples && to > from; k++ {
		s := from + float64((to-from)*float64(k))/samples
		if v := c.At(s); v < value {
			at, value = s, v
		}
	}
	return at, value
}

// border checks a lane that is defined by its border.
func (c *checker) border(l *Lane) {
	s := l.Section
	const samples = 16
	for k := range samples + 1 {
		at := s.S + float64(s.Length()*float64(k))/samples
		inner, outer := l.Edges(at)
		if overlap := inner - outer; l.ID > 0 && overlap > -widthBelow ||
			l.ID < 0 && -overlap > -widthBelow {
			c.add("X-LANE-BORDER", finding.Error, l.line, l.at(at),
				fmt.Sprintf("the border at t = %.4g is inside the "+
					"neighbour's border at %.4g", outer,
					inner),
				"move the border outwards")
			break
		}
	}
	if len(s.Road.LaneOffset) > 0 {
		c.add("X-LANE-BORDER", finding.Warning, l.line, l.at(s.S),
			"border together with laneOffset", "use width")
	}
}

// fold finds where a lane extends beyond the center of the reference line's curvature.
func (c *checker) fold(s *Section) {
	for k := range foldSamples + 1 {
		at := min(max(s.S+float64(s.Length()*float64(k))/foldSamples, 0), s.Road.Length)
		curvature := s.Road.station(at).Curvature
		for _, l := range s.Lanes {
			if _, outer := l.Edges(at); curvature*outer >= 1 {
				c.add("X-FOLD", finding.Warning, l.line, l.at(at),
					fmt.Sprintf("t = %.4g with a curvature of %.4g: the lane folds over itself",
						outer, curvature),
					"narrow the lane or widen the curve")
				return
			}
		}
	}
}

// laneLinks checks what each lane names at its ends.
func (c *checker) laneLinks(r *Road) {
	for _, s := range r.Sections {
		for _, l := range s.Lanes {
			if l.ID != 0 {
				c.laneEnd(LaneEnd{l, AtStart})
				c.laneEnd(LaneEnd{l, AtEnd})
			}
		}
	}
}

// s returns the position of the end along its road.
func (e LaneEnd) s() float64 {
	if e.At == AtStart {
		return e.Lane.Section.S
	}
	return e.Lane.Section.End
}

func (c *checker) laneEnd(e LaneEnd) {
	l := e.Lane
	named := l.named(e.At)
	beyond, contact := c.m.beyond(l.Section, e.At)
	for _, id := range named {
		if beyond == nil {
			break
		}
		other := beyond.Lane(id)
		if other == nil {
			c.add("X-LANE-LINK", finding.Error, l.line, l.at(e.s()),
				fmt.Sprintf("links to lane %d of road %s, section %d, which does not exist",
					id, beyond.Road.ID, beyond.Index), "correct the id")
			continue
		}
		if id != 0 {
			c.laneJoint(e, LaneEnd{other, contact})
		}
	}
	if len(named) > 0 && l.Width(e.s()) < zeroWidth && len(l.Widths) > 0 {
		c.add("X-LANE-ZERO-LINK", finding.Warning, l.line, l.at(e.s()),
			fmt.Sprintf("links at its %s, where it has no width", e.At), "remove the link")
	}
	if l.Drivable() && len(c.m.Joined(e)) == 0 {
		c.add("X-DEAD-END", finding.Note, l.line, l.at(e.s()),
			fmt.Sprintf("it has no continuation at its %s", e.At), "")
	}
}

func (c *checker) laneJoint(from, to LaneEnd) {
	back, _ := c.m.beyond(to.Lane.Section, to.At)
	mutual := back == nil // junctions use a different notation
	for _, id := range to.Lane.named(to.At) {
		mutual = mutual || id == from.Lane.ID
	}
	if !mutual {
		c.add("X-LANE-ONESIDED", finding.Warning, from.Lane.line, from.Lane.at(from.s()),
			fmt.Sprintf("links to %s, which does not link back", to.Lane),
			"add the link")
	}
	if to.zero() && !from.zero() && !slices.Contains(to.Lane.named(to.At), from.Lane.ID) {
		c.add("X-LANE-ZERO-LINK", finding.Warning, from.Lane.line, from.Lane.at(from.s()),
			fmt.Sprintf("links to %s, which has no width there", to.Lane), "remove the link")
	}
	c.sameLevel(from, to, from.Lane.line)
	c.laneGap(from, to, from.Lane.line)
}

// shares reports whether two lanes meet although their centers do not: one of them splits into
// lanes that lie side by side, and these together have the same borders as that lane.
func (m *Map) shares(from, to LaneEnd) bool {
	return m.spans(from, to) || m.spans(to, from)
}

// spans reports whether the lanes that are joined to an end, including other, lie side by side and
// fill its width.
func (m *Map) spans(end, other LaneEnd) bool {
	joined := m.Joined(end)
	if len(joined) < 2 || !slices.Contains(joined, other) {
		return false
	}
	a, b := end.corners()
	var free []frames.Vector // borders that no neighbour shares
	for _, e := range joined {
		if e.Lane.Section != other.Lane.Section {
			return false
		}
		for _, corner := range e.both() {
			if k := slices.IndexFunc(free, func(v frames.Vector) bool {
				return distance(v,
					corner) < laneGapPlan
			}); k >= 0 {
				free = slices.Delete(free, k, k+1)
			} else {
				free = append(free, corner)
			}
		}
	}
	return len(free) == 2 && (distance(free[0], a) < laneGapPlan &&
		distance(free[1], b) < laneGapPlan ||
		distance(free[0], b) < laneGapPlan && distance(free[1], a) < laneGapPlan)
}

// corners returns the points of the inner and the outer border at an end of a lane.
func (e LaneEnd) corners() (inner, outer frames.Vector) {
	road := e.Lane.Section.Road
	st := road.station(min(max(e.s(), 0), road.Length))
	a, b := e.Lane.Edges(st.S)
	return e.Lane.Point(&st, a), e.Lane.Point(&st, b)
}

func (e LaneEnd) both() [2]frames.Vector {
	inner, outer := e.corners()
	return [2]frames.Vector{inner, outer}
}

// sameLevel checks that of two lanes that lead into each other, either both are level or neither
// is.
func (c *checker) sameLevel(from, to LaneEnd, line int) {
	if from.Lane.Level != to.Lane.Level {
		c.add("X-LANE-LEVEL", finding.Warning, line, from.Lane.at(from.s()),
			fmt.Sprintf("level is %t, but %t on %s",
				from.Lane.Level, to.Lane.Level, to.Lane), "make both lanes level, or neither")
	}
}

func (c *checker) laneGap(from, to LaneEnd, line int) {
	if from.Lane.Type == "none" || to.Lane.Type == "none" {
		return
	}
	if c.m.shares(from, to) {
		return
	}
	a, b := from.Center(), to.Center()
	flat := portable.Hypot(a.X-b.X, a.Y-b.Y)
	severity, bad := c.graded(flat, laneGapPlan, laneGapError)
	if z := math.Abs(a.Z - b.Z); z > laneGapZ && !bad {
		severity, bad = finding.Warning, true
	}
	if bad {
		c.add("X-LANE-GAP", severity, line, from.Lane.at(from.s()),
			fmt.Sprintf("%.4g m beside and %.4g m in height to %s", flat, a.Z-b.Z, to.Lane),
			"make both lanes meet")
	}
}
