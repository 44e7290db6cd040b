package opendrive

import (
	"math"
	"sort"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// Station is a place on the reference line, with the tilted axes there.
type Station struct {
	Road           *Road
	S              float64
	Origin         frames.Vector // origin of the axes: the point on the reference line, m
	Heading        float64       // rad, in the plane, from x towards y; not wrapped
	Curvature      float64       // of the reference line in the plane, 1/m, positive to the left
	Slope          float64       // angle of the reference line with the plane, rad, positive uphill
	Superelevation float64       // rad, positive falls to the right
	Left, Up       frames.Vector // unit vectors of t and h
	sin, cos       float64       // of Heading
}

// Station returns the station at s. It fails with [ErrOutside] if s is more than [Tolerance] beyond
// an end of the road.
func (r *Road) Station(s float64) (st Station, err error) {
	err = r.StationInto(s, &st)
	return st, err
}

// StationInto is like [Road.Station]. Its caller has a zero station for the result, and saves the
// time of copying it.
func (r *Road) StationInto(s float64, st *Station) error {
	s, err := r.clip(s)
	if err == nil {
		r.stationAt(s, st)
	}
	return err
}

// station is like Station for an s on the road.
func (r *Road) station(s float64) (st Station) {
	r.stationAt(s, &st)
	return st
}

// stationAt is like station; a caller with a place for the result saves the time of copying it.
func (r *Road) stationAt(s float64, st *Station) {
	st.Road, st.S, st.Superelevation = r, s, r.Superelevation.At(s)
	r.plan(s, st)
	st.Origin.Z = r.Elevation.At(s)
	if slope := r.Elevation.Slope(s); slope != 0 {
		st.Slope = portable.Atan(slope)
	}
	st.tilt()
}

// plan computes the point of the reference line at s in the plane, the heading and the curvature
// there.
func (r *Road) plan(s float64, st *Station) {
	k := max(sort.Search(len(r.Plan), func(k int) bool { return r.Plan[k].S > s })-1, 0)
	g := &r.Plan[k]
	// Files give lengths with few digits. The gap before the next element belongs to the end of
	// this one.
	b := r.chart[k].at(g, min(max(s-g.S, 0), g.Length))
	if beyond := s - g.S; k == len(r.Plan)-1 && beyond > g.Length && g.goesOn() {
		b = g.Curve.at(beyond, g.Length)
	}
	c := &r.chart[k]
	st.Origin.X = g.X + float64(c.cos*b.u) - float64(c.sin*b.v)
	st.Origin.Y = g.Y + float64(c.sin*b.u) + float64(c.cos*b.v)
	st.Heading, st.Curvature = g.Heading+b.heading, b.curvature
	st.sin, st.cos = c.sin, c.cos
	if b.heading != 0 {
		st.sin, st.cos = portable.Sincos(st.Heading)
	}
}

// Ahead returns the unit vector of s in the plane.
func (st *Station) Ahead() frames.Vector { return frames.Vector{X: st.cos, Y: st.sin} }

// goesOn reports whether an element continues beyond its length if the road is longer than all of
// its elements. Other tools read maps in this way. Otherwise the rest of the road would be a single
// point.
func (g *Geometry) goesOn() bool {
	switch g.Curve.(type) {
	case Straight, Arc, Spiral:
		return true
	}
	return false
}

// tilt sets the axes: Rz(heading) Ry(-slope) Rx(superelevation) in the angles of ISO 8855. The
// standard mentions only heading and superelevation, but without the slope, t and h would not be
// perpendicular to the road.
func (st *Station) tilt() {
	sinH, cosH := st.sin, st.cos
	sinP, cosP, sinR, cosR := 0.0, 1.0, 0.0, 1.0
	if st.Slope != 0 {
		sinP, cosP = portable.Sincos(st.Slope)
	}
	if st.Superelevation != 0 {
		sinR, cosR = portable.Sincos(st.Superelevation)
	}
	st.Left = frames.Vector{X: float64(-sinH*cosR) - float64(cosH*sinP*sinR),
		Y: float64(cosH*cosR) - float64(sinH*sinP*sinR), Z: cosP * sinR}
	st.Up = frames.Vector{X: float64(sinH*sinR) - float64(cosH*sinP*cosR),
		Y: float64(-cosH*sinR) - float64(sinH*sinP*cosR), Z: cosP * cosR}
}

// Point returns the place at t and h from the reference line, in m.
func (st *Station) Point(t, h float64) frames.Vector {
	return frames.Vector{X: st.Origin.X + float64(t*st.Left.X) + float64(h*st.Up.X),
		Y: st.Origin.Y + float64(t*st.Left.Y) + float64(h*st.Up.Y),
		Z: st.Origin.Z + float64(t*st.Left.Z) + float64(h*st.Up.Z)}
}

// Surface returns the point of the road surface at t, including the lateral shape and crossfall,
// but not the heights of lanes.
func (st *Station) Surface(t float64) frames.Vector {
	return st.Point(t, st.Road.SurfaceHeight(st.S, t))
}

// CurvatureAt returns the curvature of the line at a constant t, in 1/m: infinite where the road
// folds.
func (st *Station) CurvatureAt(t float64) float64 {
	return st.Curvature / (1 - float64(st.Curvature*t))
}

// Attitude returns the ISO 8855 orientation of a vehicle standing on the road with the given yaw.
// Nose up is a negative pitch.
func (st *Station) Attitude(yaw float64) frames.Orientation {
	n := st.Up
	if n.X == 0 && n.Y == 0 && n.Z == 1 && math.Abs(yaw) <= math.Pi {
		return st.level(yaw)
	}
	sin, cos := portable.Sincos(yaw)
	f := frames.Vector{X: cos, Y: sin, Z: -(float64(n.X*cos) + float64(n.Y*sin)) / n.Z}
	length := math.Sqrt(float64(f.X*f.X) + float64(f.Y*f.Y) + float64(f.Z*f.Z))
	f = frames.Vector{X: f.X / length, Y: f.Y / length, Z: f.Z / length}
	left := float64(n.X*f.Y) - float64(n.Y*f.X) // z of n x f
	return frames.Orientation{Roll: portable.Atan2(left, n.Z), Pitch: -portable.Asin(f.Z), Yaw: yaw}
}

// level is [Station.Attitude] on a level road. Roll and pitch are zeros, whose signs depend on the
// signs of the sine and the cosine.
func (st *Station) level(yaw float64) frames.Orientation {
	n, sin, cos := st.Up, math.Copysign(1, yaw+0), 1.0 // -0 becomes +0
	if math.Abs(yaw) > math.Pi/2 {
		cos = -1
	}
	return frames.Orientation{Roll: float64(n.X*sin) - float64(n.Y*cos),
		Pitch: float64(n.X*cos) + float64(n.Y*sin), Yaw: yaw}
}

// SurfaceHeight returns h of the road surface at (s, t), from lateral shape and crossfall.
func (r *Road) SurfaceHeight(s, t float64) float64 {
	h := shapeHeight(r.Shapes, s, t)
	for k := len(r.Crossfall) - 1; k >= 0; k-- {
		c := &r.Crossfall[k]
		if c.S > s || !c.covers(t) {
			continue
		}
		return h - float64(portable.Tan(c.At(s))*math.Abs(t))
	}
	return h
}

// Level reports whether the road has the same height everywhere: no slope, superelevation, lateral
// shape or crossfall, and no raised or lowered lanes.
func (r *Road) Level() bool { return r.level }

func (r *Road) isLevel() bool {
	for k := range r.Elevation {
		if e := &r.Elevation[k]; e.A != r.Elevation[0].A || e.B != 0 || e.C != 0 || e.D != 0 {
			return false
		}
	}
	if len(r.Elevation) > 0 && r.Elevation[0].A != 0 && r.Elevation[0].S > 0 {
		return false // before the first record the height is 0
	}
	for _, c := range r.Superelevation {
		if c.A != 0 || c.B != 0 || c.C != 0 || c.D != 0 {
			return false
		}
	}
	for _, s := range r.Sections {
		for _, l := range s.Lanes {
			if len(l.Heights) > 0 {
				return false
			}
		}
	}
	return len(r.Shapes) == 0 && len(r.Crossfall) == 0
}

// covers reports whether a crossfall applies on the side of t.
func (c *Crossfall) covers(t float64) bool {
	return c.Side == "both" || c.Side == "" || (c.Side == "left") == (t > 0)
}
