package truth

import (
	"math"
	"sort"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

// place is a point of a line with its road coordinates.
type place struct {
	at   frames.Vector
	s, t float64
}

// line samples f between two stations so that chords stay within the tolerances. The ends are
// exact.
func line(from, to float64, f func(s float64) place) []place {
	list := []place{f(from)}
	const longest, deepest = 50.0, 24
	parts := max(1, int(math.Ceil((to-from)/longest)))
	for k := range parts {
		b := from + (to-from)*float64(k+1)/float64(parts)
		if k == parts-1 {
			b = to
		}
		list = halve(list, f(b), f, deepest)
	}
	return list
}

// halve appends the points after the last one in the list up to end, halving intervals.
func halve(list []place, end place, f func(float64) place, depth int) []place {
	begin := list[len(list)-1]
	if depth > 0 && end.s-begin.s > 1e-3 {
		for _, share := range [...]float64{0.5, 0.25, 0.75} {
			if p := f(begin.s + float64(share*(end.s-begin.s))); !straight(&begin, &end, &p) {
				half := p
				if share != 0.5 {
					half = f((begin.s + end.s) / 2)
				}
				list = halve(list, half, f, depth-1)
				return halve(list, end, f, depth-1)
			}
		}
	}
	return append(list, end)
}

// straight reports whether a point lies on the chord, within half of the tolerances. The other half
// is reserved for the curve between samples.
func straight(a, b, p *place) bool {
	chord, d := b.at.Sub(a.at), p.at.Sub(a.at)
	length := portable.Hypot(chord.X, chord.Y)
	if length < 1e-9 {
		return d.Length() < HeightTolerance/2
	}
	aside := math.Abs(float64(d.X*chord.Y)-float64(d.Y*chord.X)) / length
	share := (float64(d.X*chord.X) + float64(d.Y*chord.Y)) / (length * length)
	return aside < LateralTolerance/2 && math.Abs(d.Z-float64(share*chord.Z)) < HeightTolerance/2
}

// surface returns a function that computes the place at t(s) on a lane's surface.
func surface(l *opendrive.Lane, t func(s float64) float64) func(s float64) place {
	road := l.Section.Road
	end := l.Section.End
	return func(s float64) place {
		inside := s
		if s >= end && end < road.Length { // the end of a section belongs to it
			inside = max(end-1e-9, l.Section.S)
		}
		st, err := road.Station(min(max(s, 0), road.Length))
		if err != nil {
			return place{s: s}
		}
		at := t(inside)
		if s <= l.Section.S || s >= end { // both sections have exactly the same point
			at = math.Round(at*1e8) / 1e8
		}
		return place{at: l.Point(&st, at), s: s, t: at * portable.Cos(st.Superelevation)}
	}
}

// outerT returns a function for t of the outer border of a lane.
func outerT(l *opendrive.Lane) func(float64) float64 {
	return func(s float64) float64 { _, outer := l.Edges(s); return outer }
}

// road creates the reference line, boundaries and lanes of a road.
func (s *static) road(r *opendrive.Road) {
	id := s.id()
	s.lines[r] = id
	points := line(0, r.Length, func(at float64) place {
		st, err := r.Station(at)
		if err != nil {
			return place{s: at}
		}
		return place{at: st.Origin, s: at}
	})
	e := emptyExtent()
	l := &osi3.ReferenceLine{Id: identifier(id),
		Type: osi3.ReferenceLine_TYPE_POLYLINE_WITH_T_AXIS.Enum()}
	way := 0.0
	for k, p := range points {
		st, err := r.Station(p.s)
		if err != nil {
			continue
		}
		position := p.s
		if k > 0 { // rounding must not make s less than the distance (OSI, s_position)
			d := p.at.Sub(points[k-1].at)
			way += portable.Hypot(d.X, d.Y)
			position = max(position, *l.PolyLine[k-1].SPosition, min(way, p.s+1e-6))
		}
		e.add(p.at)
		l.PolyLine = append(l.PolyLine,
			&osi3.ReferenceLine_ReferenceLinePoint{WorldPosition: vector(p.at),
				SPosition: proto.Float64(position),
				TAxisYaw:  proto.Float64(frames.WrapAngle(st.Heading + math.Pi/2))})
	}
	s.extents[id] = e
	s.truth.ReferenceLine = append(s.truth.ReferenceLine, l)
	for _, section := range r.Sections {
		if section.Length() <= 0 {
			continue
		}
		for _, lane := range section.Lanes {
			s.boundary(lane)
		}
		for _, lane := range section.Lanes {
			if lane.ID != 0 {
				s.lane(lane)
				s.logicalLane(lane)
			}
		}
	}
}

// marking is a line along a border from one station to another.
type marking struct {
	from, to float64
	mark     *opendrive.RoadMark
}

// markings splits a border where its mark changes.
func markings(l *opendrive.Lane) (list []marking) {
	sec := l.Section
	starts := []float64{sec.S}
	for k := range l.Marks {
		if at := l.Origin + l.Marks[k].S; at > sec.S+1e-6 && at < sec.End-1e-6 {
			starts = append(starts, at)
		}
	}
	sort.Float64s(starts)
	for k, from := range starts {
		to := sec.End
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		list = append(list, marking{from, to, l.Mark(from + 1e-9)})
	}
	return list
}

// boundary adds the boundaries along the outer border of a lane.
func (s *static) boundary(l *opendrive.Lane) {
	b := border{l.Section, l.ID}
	outer := outerT(l)
	for _, m := range markings(l) {
		for _, stripe := range stripes(m.mark) {
			id := s.id()
			shifted := func(at float64) float64 { return outer(at) + stripe.aside }
			lb := stripe.draw(&m, surface(l, shifted))
			lb.Id = identifier(id)
			e := emptyExtent()
			for _, p := range lb.BoundaryLine {
				e.add(frames.Vector{X: p.Position.GetX(), Y: p.Position.GetY()})
			}
			s.extents[id] = e
			s.physical[b] = append(s.physical[b], id)
			s.truth.LaneBoundary = append(s.truth.LaneBoundary, lb)
		}
	}
	id := s.id()
	logical := &osi3.LogicalLaneBoundary{Id: identifier(id),
		ReferenceLineId:    identifier(s.lines[l.Section.Road]),
		PhysicalBoundaryId: identifiers(s.physical[b]...), PassingRule: passing(l).Enum(),
		SourceReference: reference(laneReference(l)...)}
	e := emptyExtent()
	for _, p := range line(l.Section.S, l.Section.End, surface(l, outer)) {
		e.add(p.at)
		logical.BoundaryLine = append(logical.BoundaryLine,
			&osi3.LogicalLaneBoundary_LogicalBoundaryPoint{
				Position: vector(p.at), SPosition: proto.Float64(p.s),
				TPosition: proto.Float64(p.t)})
	}
	s.extents[id] = e
	s.borders[b] = id
	s.truth.LogicalLaneBoundary = append(s.truth.LogicalLaneBoundary, logical)
}

// passing returns the directions in which a border may be crossed.
func passing(l *opendrive.Lane) osi3.LogicalLaneBoundary_PassingRule {
	mark := l.Mark(l.Section.S + 1e-9)
	if mark == nil {
		return osi3.LogicalLaneBoundary_PASSING_RULE_BOTH_ALLOWED
	}
	switch mark.Change {
	case "none":
		return osi3.LogicalLaneBoundary_PASSING_RULE_NONE_ALLOWED
	case "increase":
		return osi3.LogicalLaneBoundary_PASSING_RULE_INCREASING_T
	case "decrease":
		return osi3.LogicalLaneBoundary_PASSING_RULE_DECREASING_T
	}
	return osi3.LogicalLaneBoundary_PASSING_RULE_BOTH_ALLOWED
}
