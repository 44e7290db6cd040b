package motion

import (
	"errors"
	"math"

	"gosmp/internal/portable"
)

// ErrCurve reports a trajectory that does not define a curve: too few points, no length, impossible
// knots.
var ErrCurve = errors.New("unusable trajectory")

// Point is a point of a trajectory.
type Point struct {
	X, Y, Z              float64
	Heading, Pitch, Roll float64 // of the actor that follows it
	Direction            float64 // in which the trajectory continues, rad
	// values given by the trajectory; the rest comes from the road
	HasZ, HasHeading, HasPitch, HasRoll bool
	Time                                float64 // s; NaN if unknown
}

// Curve is a trajectory parameterized by its arc length, which is measured in the plane, seen from
// above.
type Curve interface {
	// Length returns the length of the whole curve in m.
	Length() float64
	// At computes the point at s, which is clamped to the ends.
	At(s float64, p *Point)
	// Times returns the first and the last time in s; ok is false without times.
	Times() (first, last float64, ok bool)
	// AtTime returns the arc length at a time, which is clamped to the ends.
	AtTime(t float64) float64
}

// angleTo returns the difference from one angle to another, in (-pi, pi].
func angleTo(from, to float64) float64 {
	d := math.Mod(to-from, 2*math.Pi)
	switch {
	case d > math.Pi:
		return d - 2*math.Pi
	case d <= -math.Pi:
		return d + 2*math.Pi
	}
	return d
}

// Closest returns the arc length s of the point on a curve that is nearest to a place, seen from
// above, and the lateral distance t from that point to the place, positive to the left.
func Closest(c Curve, x, y float64) (s, t float64) {
	if p, ok := c.(*Polyline); ok {
		return p.closest(x, y)
	}
	length := c.Length()
	n := int(min(max(math.Ceil(length), 16), 1<<14))
	best, at := math.Inf(1), 0.0
	var p Point
	apart := func(s float64) float64 {
		c.At(s, &p)
		return float64((p.X-x)*(p.X-x)) + float64((p.Y-y)*(p.Y-y))
	}
	for k := range n + 1 {
		here := length * float64(k) / float64(n)
		if d := apart(here); d < best {
			best, at = d, here
		}
	}
	low, high := max(at-length/float64(n), 0), min(at+length/float64(n), length)
	for range 60 {
		third := (high - low) / 3
		if apart(low+third) <= apart(high-third) {
			high -= third
		} else {
			low += third
		}
	}
	s = (low + high) / 2
	c.At(s, &p)
	sin, cos := portable.Sincos(p.Direction)
	return s, float64((y-p.Y)*cos) - float64((x-p.X)*sin)
}

// Turning describes how headings change from one vertex of a polyline to the next.
type Turning uint8

const (
	// Corners keeps headings along each line, and turns them within 2 m of the vertices (position
	// mode).
	Corners Turning = iota
	// Gradual turns headings steadily from vertex to vertex (follow mode).
	Gradual
)

const cornerRadius = 2.0 // m

// Polyline is a trajectory of straight lines.
type Polyline struct {
	points  []Point
	s       []float64
	speed   []float64 // at the vertices, in follow mode with times
	along   []float64 // acceleration between vertices, in follow mode with times
	turning Turning
}

// NewPolyline creates a polyline from its vertices. A vertex without a time, between others with
// times, gets one that results in a constant speed between them. A vertex without a heading gets
// the heading of the line that starts there, and the last vertex gets the heading of the line that
// ends there.
func NewPolyline(vertices []Point, turning Turning) (*Polyline, error) {
	if len(vertices) < 2 {
		return nil, ErrCurve
	}
	p := &Polyline{points: append([]Point(nil), vertices...), s: make([]float64, len(vertices)),
		turning: turning}
	for k := 1; k < len(vertices); k++ {
		a, b := &p.points[k-1], &p.points[k]
		p.s[k] = p.s[k-1] + portable.Hypot(b.X-a.X, b.Y-a.Y)
	}
	times := make([]float64, len(vertices))
	for k := range vertices {
		times[k] = vertices[k].Time
	}
	Interpolate(times, p.s)
	for k := range times {
		p.points[k].Time = times[k]
	}
	direction, slope, found := vertices[0].Heading, 0.0, false
	for k := range p.points {
		if k+1 < len(p.points) && p.s[k+1]-p.s[k] > 1e-6 {
			a, b := &p.points[k], &p.points[k+1]
			direction = portable.Atan2(b.Y-a.Y, b.X-a.X)
			slope = -portable.Atan2(b.Z-a.Z, p.s[k+1]-p.s[k])
			if !found { // vertices at the same place before the first line face along it
				p.face(0, k, direction, slope)
			}
			found = true
		}
		p.face(k, k+1, direction, slope)
	}
	return p, nil
}

// Interpolate fills in the times that are NaN and lie between two others, assuming constant speed
// in between. s holds the corresponding distances.
func Interpolate(times, s []float64) {
	known := -1
	for k, t := range times {
		if math.IsNaN(t) {
			continue
		}
		for m := known + 1; m < k && known >= 0; m++ {
			share := 0.0
			if way := s[k] - s[known]; way > 0 {
				share = (s[m] - s[known]) / way
			}
			times[m] = times[known] + float64((t-times[known])*share)
		}
		known = k
	}
}

// face sets the direction, and the headings and pitches that the vertices do not state.
func (p *Polyline) face(from, to int, direction, slope float64) {
	for k := from; k < to; k++ {
		v := &p.points[k]
		v.Direction = direction
		if !v.HasHeading {
			v.Heading = direction
		}
		if !v.HasPitch && v.HasZ {
			v.Pitch = slope
		}
	}
}

// Pace computes the speeds of follow mode: the acceleration is constant on each line, and the first
// line starts with the speed v. If the speed would become negative, the actor comes to rest
// earlier.
func (p *Polyline) Pace(v float64) {
	n := len(p.points)
	if cap(p.speed) < n {
		p.speed, p.along = make([]float64, n), make([]float64, n)
	}
	p.speed, p.along = p.speed[:n], p.along[:n]
	p.speed[0] = v
	for k := 1; k < n; k++ {
		ds, dt := p.s[k]-p.s[k-1], p.points[k].Time-p.points[k-1].Time
		a := 0.0
		switch {
		case ds <= 1e-6 || dt <= 0:
			v = 0
		default:
			a = 2 * (ds - float64(v*dt)) / float64(dt*dt)
			if v+float64(a*dt) < 0 {
				a, v = -v*v/(2*ds), 0
			} else {
				v += float64(a * dt)
			}
		}
		p.along[k-1], p.speed[k] = a, v
	}
}

// Length returns the total length of the lines.
func (p *Polyline) Length() float64 { return p.s[len(p.s)-1] }

// Times returns the times of the first and the last vertex.
func (p *Polyline) Times() (first, last float64, ok bool) {
	first, last = p.points[0].Time, p.points[len(p.points)-1].Time
	return first, last, last > first
}

// AtTime returns the arc length at a time, which is linear between vertices unless [Polyline.Pace]
// computed speeds.
func (p *Polyline) AtTime(t float64) float64 {
	k := p.lineAt(func(k int) bool { return p.points[k].Time < t })
	a, b := &p.points[k], &p.points[k+1]
	d := min(max(t-a.Time, 0), b.Time-a.Time)
	if !(d > 0) {
		return p.s[k]
	}
	if p.speed != nil {
		if along := p.along[k]; along < 0 {
			d = min(d, -p.speed[k]/along)
		}
		return min(p.s[k]+float64(p.speed[k]*d)+float64(p.along[k]*d*d)/2, p.s[k+1])
	}
	return p.s[k] + float64((p.s[k+1]-p.s[k])*d/(b.Time-a.Time))
}

// lineAt returns the first line whose end vertex is not before the target.
func (p *Polyline) lineAt(before func(vertex int) bool) int {
	low, high := 0, len(p.points)-2
	for low < high {
		if middle := (low + high) / 2; before(middle + 1) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// At computes the point of the lines at s.
func (p *Polyline) At(s float64, out *Point) {
	const tolerance = 1e-6
	s = min(max(s, 0), p.Length())
	k := p.lineAt(func(k int) bool { return p.s[k] < s-tolerance })
	a, b := &p.points[k], &p.points[k+1]
	length := p.s[k+1] - p.s[k]
	share := 0.0
	if length > 0 {
		share = min((s-p.s[k])/length, 1)
	}
	*out = *a
	out.X += float64((b.X - a.X) * share)
	out.Y += float64((b.Y - a.Y) * share)
	out.Z += float64((b.Z - a.Z) * share)
	out.HasZ = a.HasZ || b.HasZ
	if b.Time > a.Time {
		out.Time += float64((b.Time - a.Time) * share)
	}
	if s >= p.Length()-tolerance {
		last := &p.points[len(p.points)-1]
		out.Heading, out.Pitch, out.Roll = last.Heading, last.Pitch, last.Roll
		out.HasHeading = last.HasHeading
		return
	}
	out.Heading = p.turned(k, s-p.s[k], length, func(v *Point) float64 { return v.Heading })
	out.Pitch = p.turned(k, s-p.s[k], length, func(v *Point) float64 { return v.Pitch })
	out.Roll = p.turned(k, s-p.s[k], length, func(v *Point) float64 { return v.Roll })
}

// turned returns an angle on a line, at the distance d from its start.
func (p *Polyline) turned(k int, d, length float64, angle func(*Point) float64) float64 {
	now, next := angle(&p.points[k]), angle(&p.points[k+1])
	if p.turning == Gradual {
		if length <= 0 {
			return now
		}
		return now + float64(d/length*angleTo(now, next))
	}
	radius := min(cornerRadius, length/2)
	switch {
	case d < radius && k > 0:
		before := angle(&p.points[k-1])
		return before + float64((radius+d)/(2*radius)*angleTo(before, now))
	case d > length-radius && k+2 < len(p.points):
		return now + float64((1-(radius+length-d)/(2*radius))*angleTo(now, next))
	case d > length-radius && radius > 0:
		return now + float64((1-(length-d)/radius)*angleTo(now, next))
	}
	return now
}

// closest returns the nearest point on the lines.
func (p *Polyline) closest(x, y float64) (s, t float64) {
	best := math.Inf(1)
	for k := range len(p.points) - 1 {
		a, b := &p.points[k], &p.points[k+1]
		dx, dy := b.X-a.X, b.Y-a.Y
		square := float64(dx*dx) + float64(dy*dy)
		if square == 0 {
			continue
		}
		share := min(max((float64((x-a.X)*dx)+float64((y-a.Y)*dy))/square, 0), 1)
		ox, oy := x-a.X-float64(share*dx), y-a.Y-float64(share*dy)
		if d := float64(ox*ox) + float64(oy*oy); d < best {
			best = d
			s = p.s[k] + float64(share*(p.s[k+1]-p.s[k]))
			t = (float64(dx*(y-a.Y)) - float64(dy*(x-a.X))) / math.Sqrt(square)
		}
	}
	return s, t
}
