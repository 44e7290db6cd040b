package opendrive

import (
	"math"
	"slices"

	"gosmp/frames"
)

// Lanes returns all lanes except the lanes 0, in the order of roads, sections and decreasing ids.
// The slice belongs to the map.
func (m *Map) Lanes() []*Lane { return m.network.lanes }

// Number returns the index of a lane in [Map.Lanes], or -1 for a lane 0.
func (l *Lane) Number() int {
	if l.ID == 0 {
		return -1
	}
	return l.index
}

// Follow finds the road coordinates of a position near last, the previous place of the same body.
// It stays on the road of last as long as the position is on one of that road's lanes, which takes
// a fraction of the time of [Map.Locate]. In all other cases it calls that function.
func (m *Map) Follow(p frames.Vector, last Place) Place {
	place, _ := m.FollowStation(p, last)
	return place
}

// FollowStation is [Map.Follow] that also returns the station at the place, which is zero on a map
// without roads.
func (m *Map) FollowStation(p frames.Vector, last Place) (place Place, st Station) {
	if last.Road != nil {
		st = last.Road.station(last.Road.approach(p, last.S, last.T))
		if place = st.place(p); place.OnRoad() {
			return place, st
		}
		place = m.Locate(p, last.Road)
	} else {
		place = m.Locate(p)
	}
	if place.Road != nil {
		st = place.Road.station(place.S)
	}
	return place, st
}

// Breaks returns the values of s within a section at which the shape of a lane's middle can change:
// the joints of elements and the starts of records. They are in increasing order and include both
// ends of the section.
func (l *Lane) Breaks() []float64 {
	sec, road := l.Section, l.Section.Road
	list := []float64{sec.S, sec.End}
	add := func(s float64) {
		if s > sec.S && s < sec.End {
			list = append(list, s)
		}
	}
	for k := range road.Plan {
		add(road.Plan[k].S)
	}
	for _, p := range [...]Profile{road.Elevation, road.Superelevation, road.LaneOffset} {
		for k := range p {
			add(p[k].S)
		}
	}
	for k := range road.Shapes {
		add(road.Shapes[k].S)
	}
	for k := range road.Crossfall {
		add(road.Crossfall[k].S)
	}
	for _, lane := range sec.Lanes {
		for k := range lane.Widths {
			add(lane.Origin + lane.Widths[k].S)
		}
		for k := range lane.Borders {
			add(lane.Origin + lane.Borders[k].S)
		}
		for k := range lane.Heights {
			add(lane.Origin + lane.Heights[k].S)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ChangeTo returns the neighbour on the side of larger (+1) or smaller ids (-1) if the road marks
// in the section allow a lane change to it, or else nil. It may be of any type and direction.
func (l *Lane) ChangeTo(side int) *Lane { return l.changeTo(side) }

// approach solves for s of a position by Newton's method, from a place near it.
func (r *Road) approach(p frames.Vector, s, t float64) float64 {
	const rounds, accuracy = 30, 1e-12
	near := accuracy
	if r.level { // the method is exact, so that the error of a round is the square of the last one
		near = 1e-7
	}
	for range rounds {
		st := r.station(s)
		q := st.Surface(t)
		dx, dy := p.X-q.X, p.Y-q.Y
		along := 1 - float64(st.Curvature*t)
		if math.Abs(along) < 1e-3 { // near the center of a curve
			along = math.Copysign(1e-3, along)
		}
		ax, ay, bx, by := along*st.cos, along*st.sin, st.Left.X, st.Left.Y
		det := float64(ax*by) - float64(ay*bx)
		if det == 0 {
			break
		}
		ds, dt := (float64(dx*by)-float64(dy*bx))/det, (float64(ax*dy)-float64(ay*dx))/det
		ds = min(max(ds, -chordLength), chordLength)
		next := min(max(s+ds, 0), r.Length)
		moved := math.Abs(next - s)
		s, t = next, t+dt
		if off := moved + math.Abs(dt); off < accuracy || off < near && math.Abs(along) > 0.1 {
			break
		}
	}
	return s
}

// Wider returns the neighbor at s into which a vehicle extends if it is not in the middle of its
// lane: the one on the vehicle's side or, if it has no side, the wider one. It is nil at the edge
// of the road.
func (l *Lane) Wider(s, aside float64) *Lane {
	left, right := l.Neighbour(1), l.Neighbour(-1)
	switch {
	case left == nil || aside < 0:
		return right
	case right == nil || aside > 0:
		return left
	case right.Width(s) > left.Width(s):
		return right
	}
	return left
}
