package opendrive

import (
	"gosmp/frames"
	"math"
	"slices"
)

// Lane is one lane of a section.
type Lane struct {
	// positive to the left of the reference line, negative to the right; 0 has no width
	ID      int
	Section *Section
	Type    string // driving, sidewalk, ...
	Level   bool   // stays level regardless of the superelevation

	Widths  Profile // over ds from Origin
	Borders Profile // t of the outer border, instead of Widths
	Origin  float64 // origin of s in the lane's records
	Heights []LaneHeight
	Speeds  []LaneSpeed
	Marks   []RoadMark
	Access  []LaneAccess
	Works   bool // roadWorks (OpenDRIVE 1.8): the lane is closed

	// ids of the lanes beyond the start and the end, regardless of the driving direction
	Predecessors, Successors []int

	direction string // standard, reversed, both (OpenDRIVE 1.8)
	index     int    // in the network of the map
	line      int
}

// LaneHeight raises a lane above the road surface, at its inner and outer border.
type LaneHeight struct{ S, Inner, Outer float64 }

// LaneSpeed is a speed limit in m/s from S onwards; if Limit is false, there is no limit.
type LaneSpeed struct {
	S, Speed float64
	Limit    bool
}

// RoadMark is the marking on the outer border of a lane (for lane 0, on its centre line) from S
// onwards.
type RoadMark struct {
	S                                     float64
	Type, Color, Weight, Material, Change string // Change: increase, decrease, both, none
	Width, Height                         float64
	Lines                                 []MarkLine
}

// MarkLine is one line of a road mark; it repeats after Length + Space.
type MarkLine struct{ Length, Space, T, S, Width float64 }

// Width returns the width of a lane at s, in m, never negative.
func (l *Lane) Width(s float64) float64 {
	if l.ID == 0 {
		return 0
	}
	inner, outer := l.Edges(s)
	if l.ID > 0 {
		return max(outer-inner, 0)
	}
	return max(inner-outer, 0)
}

// Uniform reports whether the width and the speed limit are obviously the same everywhere on a
// lane: neither they nor the borders further inside change.
func (l *Lane) Uniform() bool {
	sec := l.Section
	types := sec.Road.Types
	if len(types) > 1 || len(types) == 1 && types[0].S > 0 {
		return false
	}
	if len(l.Speeds) > 0 || !sec.Road.LaneOffset.constant() {
		return false
	}
	for k := range sec.Lanes {
		x := sec.Lanes[k]
		inside := x.ID > 0 && x.ID <= l.ID || x.ID < 0 && x.ID >= l.ID
		if inside && (len(x.Widths) != 1 || !x.Widths.constant()) {
			return false
		}
	}
	return true
}

// Edges returns t of the inner and the outer border of a lane at s; for lane 0, both are its t.
func (l *Lane) Edges(s float64) (inner, outer float64) {
	sec := l.Section
	center := sec.Road.LaneOffset.At(s)
	inner, outer = center, center
	step := 1
	if l.ID > 0 {
		step = -1
	}
	if l.ID == 0 {
		return inner, outer
	}
	for k := sec.center + step; k >= 0 && k < len(sec.Lanes); k += step {
		inner = outer
		outer = sec.Lanes[k].outer(inner, s)
		if sec.Lanes[k] == l {
			break
		}
	}
	return inner, outer
}

// outer returns t of the outer border of a lane whose inner border is at inner.
func (l *Lane) outer(inner, s float64) float64 {
	ds := s - l.Origin
	if len(l.Widths) == 0 && len(l.Borders) > 0 {
		return l.Borders.At(ds)
	}
	width := max(l.Widths.At(ds), 0)
	if l.ID > 0 {
		return inner + width
	}
	return inner - width
}

// Center returns t of the middle of a lane at s.
func (l *Lane) Center(s float64) float64 {
	inner, outer := l.Edges(s)
	return float64((inner + outer) / 2)
}

// Height returns h of a lane above the road surface at (s, t). It is linear across the lane, and
// linear along it from one record to the next, as in other tools, so that ramps at kerbs have no
// steps.
func (l *Lane) Height(s, t float64) float64 {
	k := -1
	for k+1 < len(l.Heights) && l.Heights[k+1].S <= s-l.Origin {
		k++
	}
	if k < 0 {
		return 0
	}
	h := l.Heights[k]
	if k+1 < len(l.Heights) {
		next := &l.Heights[k+1]
		share := (s - l.Origin - h.S) / (next.S - h.S)
		h.Inner += float64(share * (next.Inner - h.Inner))
		h.Outer += float64(share * (next.Outer - h.Outer))
	}
	inner, outer := l.Edges(s)
	if inner == outer {
		return h.Inner
	}
	share := min(max((t-inner)/(outer-inner), 0), 1)
	return h.Inner + float64(share*(h.Outer-h.Inner))
}

// Directions returns the directions along s in which traffic drives.
func (l *Lane) Directions() (forwards, backwards bool) {
	if l.ID == 0 {
		return false, false
	}
	if l.direction == "both" || l.Type == "bidirectional" {
		return true, true
	}
	forwards = (l.ID < 0) != l.Section.Road.LeftHand != (l.direction == "reversed")
	return forwards, !forwards
}

// Yaw returns the direction of travel at a station of the lane's road, in rad and not wrapped. On a
// lane for both directions, it is the direction along s.
func (l *Lane) Yaw(st *Station) float64 {
	if forwards, _ := l.Directions(); !forwards {
		return st.Heading + math.Pi
	}
	return st.Heading
}

// carLanes lists the types of lanes on which cars drive.
var carLanes = []string{"driving", "bidirectional", "entry", "exit", "onRamp", "offRamp",
	"connectingRamp", "slipLane",
	"mwyEntry", "mwyExit", "shared", "bus", "taxi", "HOV"}

// Drivable reports whether cars drive on a lane: its type is for cars, it is open to some kind of
// motor vehicle (see [Lane.Admits]), and it is not closed by road works.
func (l *Lane) Drivable() bool {
	return l.ID != 0 && slices.Contains(carLanes, l.Type) && !l.Works && l.admitsCars()
}

// SpeedLimit returns the limit on a lane at s in m/s: the lane's own, or else the road's; ok is
// false if there is none.
func (l *Lane) SpeedLimit(s float64) (limit float64, ok bool) {
	own := false
	for _, v := range l.Speeds {
		if v.S <= s-l.Origin {
			limit, ok, own = v.Speed, v.Limit, true
		}
	}
	if own {
		return limit, ok
	}
	return l.Section.Road.SpeedLimit(s)
}

// Mark returns the road mark on the outer border of a lane at s, or nil if there is none.
func (l *Lane) Mark(s float64) (mark *RoadMark) {
	for k := range l.Marks {
		if l.Marks[k].S <= s-l.Origin {
			mark = &l.Marks[k]
		}
	}
	return mark
}

// Neighbour returns the next lane on the side of larger ids (+1) or smaller ids (-1), skipping lane
// 0; nil at the edge of the road.
func (l *Lane) Neighbour(side int) *Lane {
	k := slices.Index(l.Section.Lanes, l) - side // lanes are in the order of decreasing ids
	if k >= 0 && k < len(l.Section.Lanes) && l.Section.Lanes[k].ID == 0 {
		k -= side
	}
	if k < 0 || k >= len(l.Section.Lanes) {
		return nil
	}
	return l.Section.Lanes[k]
}

// Point returns a point on the surface of a lane, including the lane's height. A level lane, and
// all lanes farther out, lie at the height of the outer border of the lane next to them on the
// inside (OpenDRIVE 1.8.1, lane level).
func (l *Lane) Point(st *Station, t float64) frames.Vector {
	height := l.Height(st.S, t)
	plane := st.Road.SurfaceHeight(st.S, t)
	level := l.innermostLevel()
	if level == nil {
		return st.Point(t, plane+height)
	}
	p := st.Point(t, plane)
	inner, _ := level.Edges(st.S)
	p.Z = st.Surface(inner).Z + height
	return p
}

// innermostLevel returns the level lane nearest to the reference line on the side of l, up to l
// itself; nil if there is none.
func (l *Lane) innermostLevel() (found *Lane) {
	if l.ID == 0 {
		return nil
	}
	step := 1
	if l.ID > 0 {
		step = -1
	}
	sec := l.Section
	for k := sec.center + step; k >= 0 && k < len(sec.Lanes); k += step {
		if sec.Lanes[k].Level {
			return sec.Lanes[k]
		}
		if sec.Lanes[k] == l {
			break
		}
	}
	return nil
}

// Advance moves along the middle of a lane from s by a distance d, backwards if d is negative, up
// to the end of the section; rest is the remaining part of d. On the inside of a curve, a shorter
// distance covers more s.
func (l *Lane) Advance(s, d float64) (to, rest float64) {
	const longest = 10.0 // m, of a step, for which the curvature is taken half way
	sec := l.Section
	steps := max(1, int(math.Ceil(math.Abs(d)/longest)))
	if steps > maxAdvance {
		steps = maxAdvance
	}
	step := d / float64(steps)
	for k := range steps {
		ratio := l.stretch(s)
		ratio = l.stretch(s + step*ratio/2)
		next := s + float64(step*ratio)
		if bounded := min(max(next, sec.S), sec.End); bounded != next {
			return bounded, d - float64(step*float64(k)) - (bounded-s)/ratio
		}
		s = next
	}
	return s, 0
}

// maxAdvance limits the work of one call.
const maxAdvance = 100_000

// stretch returns how much s changes per metre along the middle of the lane.
func (l *Lane) stretch(s float64) float64 {
	s = min(max(s, 0), l.Section.Road.Length)
	var st Station
	l.Section.Road.plan(s, &st)
	return 1 / max(1-float64(st.Curvature*l.Center(s)), 1e-3)
}
