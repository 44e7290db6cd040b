package position

import (
	"fmt"
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// Place is a position and an orientation, on a map and in its coordinates.
type Place struct {
	Road      *opendrive.Road // nil on a plane
	Lane      *opendrive.Lane // the lane below it, or the nearest one; nil without roads
	S, T      float64
	Offset    float64            // from the middle of the lane, positive to the left of s
	Turn      float64            // of the heading from the direction of s along the lane
	Height    float64            // above the road
	Tilt      frames.Orientation // pitch and roll relative to the road
	Position  frames.Vector
	Direction frames.Orientation
	bend      float64 // curvature of the reference line, 1/m
	OnLane    bool    // within the borders of the lane, whose type is not none
	Beyond    bool    // past an end of the road, which is merely the nearest
}

// OnRoad reports whether a place lies on or next to a road rather than past the ends of all roads.
func (p *Place) OnRoad() bool { return p.Road != nil && !p.Beyond }

// Forwards reports whether the heading points along s.
func (p *Place) Forwards() bool { return math.Abs(Wrapped(p.Turn)) <= math.Pi/2 }

// Sign returns 1 for a heading along s, or -1 otherwise.
func (p *Place) Sign() float64 {
	if p.Forwards() {
		return 1
	}
	return -1
}

// Wrapped returns an angle in (-pi, pi].
func Wrapped(a float64) float64 {
	if a > math.Pi || a <= -math.Pi {
		return frames.WrapAngle(a)
	}
	return a
}

// carries reports whether a lane belongs to the road rather than to the ground next to it.
func carries(l *opendrive.Lane) bool { return l.Type != "none" }

// Farthest is the largest allowed distance of a place from the center of its lane or the reference
// line of its road, in m. A larger distance is a mistake, such as a wrong exponent.
const Farthest = 10_000

// OnLane returns a place in a lane, facing in the direction of travel.
func (n *Network) OnLane(road string, lane int, s, offset float64) (p Place, err error) {
	r := n.m.Road(road)
	if r == nil {
		return p, fmt.Errorf("no road %q", road)
	}
	if !(s >= -opendrive.Tolerance && s <= r.Length+opendrive.Tolerance) {
		return p, fmt.Errorf("s %g m, and road %s is %g m long", s, road, r.Length)
	}
	s = min(max(s, 0), r.Length)
	l := r.SectionAt(s).Lane(lane)
	if l == nil || lane == 0 {
		return p, fmt.Errorf("no lane %d of road %s at %g m", lane, road, s)
	}
	if !(math.Abs(offset) <= Farthest) {
		return p, fmt.Errorf("offset %g m, and at most %d m lead from a lane", offset, Farthest)
	}
	p = Place{Road: r, Lane: l, S: s, Offset: offset, Turn: travel(l)}
	n.Settle(&p)
	return p, nil
}

// travel returns the turn of the direction of travel in a lane from the direction of s.
func travel(l *opendrive.Lane) float64 {
	if forwards, backwards := l.Directions(); backwards && !forwards {
		return math.Pi
	}
	return 0
}

// OnRoad returns a place at t from a road's reference line, facing along s.
func (n *Network) OnRoad(road string, s, t float64) (p Place, err error) {
	r := n.m.Road(road)
	if r == nil {
		return p, fmt.Errorf("no road %q", road)
	}
	if !(s >= -opendrive.Tolerance && s <= r.Length+opendrive.Tolerance) {
		return p, fmt.Errorf("s %g m, and road %s is %g m long", s, road, r.Length)
	}
	if !(math.Abs(t) <= Farthest) {
		return p, fmt.Errorf("t %g m, and at most %d m lead from a road", t, Farthest)
	}
	p = Place{Road: r, S: min(max(s, 0), r.Length)}
	n.aside(&p, t)
	n.Settle(&p)
	return p, nil
}

// aside moves a place to t at the same s of its road, and into the lane there, or else into the
// nearest lane.
func (n *Network) aside(p *Place, t float64) {
	var best *opendrive.Lane
	gap := math.Inf(1)
	for _, l := range p.Road.SectionAt(p.S).Lanes {
		if l.ID == 0 {
			continue
		}
		a, b := l.Edges(p.S)
		d := max(min(a, b)-t, t-max(a, b), 0)
		if d == 0 && a == b { // no width, so another lane lies there too
			d = 1e-9
		}
		if d < gap || d == gap && !best.Drivable() && l.Drivable() {
			best, gap = l, d
		}
	}
	p.Lane = best
	if best != nil {
		p.Offset = t - best.Center(p.S)
	}
	p.T = t
}

// Aside moves a place sideways to t.
func (n *Network) Aside(p *Place, t float64) {
	if p.Road != nil {
		n.aside(p, t)
	}
	n.Settle(p)
}

// Relane assigns a place to the lane below it: a place that follows a lane with an offset may have
// left that lane.
func (n *Network) Relane(p *Place) {
	if p.Lane == nil || p.OnLane {
		return
	}
	lane, offset := p.Lane, p.Offset
	n.aside(p, p.T)
	a, b := p.Lane.Edges(p.S)
	if p.T < min(a, b)-opendrive.Tolerance || p.T > max(a, b)+opendrive.Tolerance {
		p.Lane, p.Offset = lane, offset
		return
	}
	p.OnLane = carries(p.Lane)
}

// Settle computes the coordinates and the orientation from road, lane, s, offset and turn.
func (n *Network) Settle(p *Place) {
	if p.Road == nil {
		return
	}
	p.Beyond = false
	var st opendrive.Station
	if p.Road.StationInto(p.S, &st) != nil {
		return
	}
	if p.Lane == nil {
		p.Position = st.Surface(p.T)
		p.Direction = st.Attitude(Wrapped(st.Heading + p.Turn))
		return
	}
	p.bend = st.Curvature
	inner, outer := p.Lane.Edges(p.S)
	p.T = (inner+outer)/2 + p.Offset
	p.Position = p.Lane.Point(&st, p.T)
	p.Position.Z += p.Height
	p.Direction = st.Attitude(Wrapped(n.along(p, &st) + p.Turn))
	p.Direction.Pitch += p.Tilt.Pitch
	p.Direction.Roll += p.Tilt.Roll
	half := (outer - inner) / 2
	if p.Lane.ID < 0 {
		half = -half
	}
	p.OnLane = carries(p.Lane) &&
		math.Abs(p.Offset) <= max(half, 0)+opendrive.Tolerance
}

// along returns the direction of a lane's center line, towards larger s.
func (n *Network) along(p *Place, st *opendrive.Station) float64 {
	if p.Lane == nil || n.even[p.Lane.Number()] {
		return st.Heading
	}
	const reach = 1e-3 // m
	low := max(p.S-reach, p.Lane.Section.S)
	high := min(p.S+reach, p.Lane.Section.End)
	if high <= low {
		return st.Heading
	}
	slope := (p.Lane.Center(high) - p.Lane.Center(low)) / (high - low)
	return st.Heading + portable.Atan2(slope, 1-float64(st.Curvature*p.T))
}

// Along returns the direction of the lane at a place, towards larger s; 0 without roads.
func (n *Network) Along(p *Place) float64 {
	if p.Road == nil {
		return 0
	}
	st, err := p.Road.Station(p.S)
	if err != nil {
		return 0
	}
	return n.along(p, &st)
}

// Given states which parts of a place are given rather than taken from the road.
type Given struct{ Height, Pitch, Roll bool }

// Locate finds the road coordinates of a place from its coordinates and heading. If it lies on
// several roads, the previous place decides which one is used. Unless they are given, height, pitch
// and roll are the road's values plus the place's height and tilt.
func (n *Network) Locate(p *Place, before *Place, given Given) {
	if len(n.m.Roads) == 0 {
		p.Road, p.Lane = nil, nil
		return
	}
	var last opendrive.Place
	if before != nil && before.Road != nil {
		last = opendrive.Place{Road: before.Road, Lane: before.Lane, S: before.S, T: before.T}
	}
	at, st := n.m.FollowStation(p.Position, last)
	p.Road, p.S, p.T = at.Road, at.S, at.T
	p.OnLane = at.Lane != nil && carries(at.Lane)
	p.Lane = at.Lane
	if p.Lane == nil {
		n.aside(p, at.T)
	} else {
		p.Offset = at.T - at.Lane.Center(at.S)
	}
	if p.Beyond = past(p, &st); p.Beyond {
		p.OnLane = false
	}
	p.Turn, p.bend = Wrapped(p.Direction.Yaw-n.along(p, &st)), st.Curvature
	if p.Lane == nil {
		return
	}
	z, o := p.Lane.Point(&st, p.T).Z, st.Attitude(p.Direction.Yaw)
	adopt(given.Height, &p.Position.Z, &p.Height, z)
	adopt(given.Pitch, &p.Direction.Pitch, &p.Tilt.Pitch, o.Pitch)
	adopt(given.Roll, &p.Direction.Roll, &p.Tilt.Roll, o.Roll)
}

// past reports whether a place lies past the end of its road, so that its s is only the nearest
// one.
func past(p *Place, st *opendrive.Station) bool {
	const small = 0.01 // m: gaps between roads
	ahead := st.Ahead()
	d := p.Position.Sub(st.Origin)
	along := float64(d.X*ahead.X) + float64(d.Y*ahead.Y)
	return p.S <= opendrive.Tolerance && along < -small ||
		p.S >= p.Road.Length-opendrive.Tolerance && along > small
}

// adopt keeps a given value as its difference from the road's value, and computes a value that is
// not given from the difference.
func adopt(given bool, value, difference *float64, road float64) {
	if given {
		*difference = *value - road
		return
	}
	*value = road + *difference
}

// Pace returns how much s changes per metre along the lane.
func (n *Network) Pace(p *Place) float64 {
	if p.bend == 0 {
		return 1
	}
	return 1 / max(1-float64(p.bend*p.T), slowest)
}

// slowest is the least distance along a lane per metre of s: beyond the center of a bend, there is
// no lane.
const slowest = 0.05

// Box is the bounding box of an entity seen from above: half its size, and its center relative to
// the reference point.
type Box struct{ Length, Width, X, Y float64 }

// Corners returns the corners of a box at a place.
func (b *Box) Corners(p *Place) (list [4][2]float64) {
	sin, cos := portable.Sincos(p.Direction.Yaw)
	for k, c := range [4][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		x := b.X + float64(c[0]*b.Length/2)
		y := b.Y + float64(c[1]*b.Width/2)
		list[k] = [2]float64{p.Position.X + float64(x*cos) - float64(y*sin),
			p.Position.Y + float64(x*sin) + float64(y*cos)}
	}
	return list
}
