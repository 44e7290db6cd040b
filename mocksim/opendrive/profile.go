package opendrive

import (
	"sort"
)

// Cubic is a polynomial of the distance to S: A + B d + C d^2 + D d^3.
type Cubic struct {
	S, A, B, C, D float64
	line          int
}

// At returns the value at s.
func (c *Cubic) At(s float64) float64 {
	d := s - c.S
	return c.A + float64(d*(c.B+float64(d*(c.C+float64(d*c.D)))))
}

// Slope returns the first derivative at s.
func (c *Cubic) Slope(s float64) float64 {
	d := s - c.S
	return c.B + float64(d*(float64(2*c.C)+float64(3*d*c.D)))
}

// Profile is a quantity along a road: the record with the largest S that is not above s applies.
// Before the first record the quantity is 0.
type Profile []Cubic

// constant reports whether there is at most one record, which is constant from the start.
func (p Profile) constant() bool {
	return len(p) == 0 || len(p) == 1 && p[0].S <= 0 && p[0].B == 0 && p[0].C == 0 && p[0].D == 0
}

// at returns the record that applies at s, or nil before the first one.
func (p Profile) at(s float64) *Cubic {
	if len(p) == 1 { // the usual case
		if p[0].S <= s {
			return &p[0]
		}
		return nil
	}
	k := sort.Search(len(p), func(k int) bool { return p[k].S > s })
	if k == 0 {
		return nil
	}
	return &p[k-1]
}

// At returns the value at s.
func (p Profile) At(s float64) float64 {
	if c := p.at(s); c != nil {
		return c.At(s)
	}
	return 0
}

// Slope returns the first derivative at s.
func (p Profile) Slope(s float64) float64 {
	if c := p.at(s); c != nil {
		return c.Slope(s)
	}
	return 0
}

// Shape is a cross section of the road surface at a station: polynomials in t, in the order of t.
type Shape struct {
	S     float64
	Parts Profile // S of each part is its t
	line  int
}

// height returns the height of the shape at t; below the t of all parts the first one applies.
func (s *Shape) height(t float64) float64 {
	if c := s.Parts.at(t); c != nil {
		return c.At(t)
	}
	return s.Parts[0].At(t)
}

// shapeHeight returns the height of the lateral shape at (s, t): linear between stations, constant
// outside.
func shapeHeight(shapes []Shape, s, t float64) float64 {
	if len(shapes) == 0 {
		return 0
	}
	k := sort.Search(len(shapes), func(k int) bool { return shapes[k].S > s })
	switch k {
	case 0:
		return shapes[0].height(t)
	case len(shapes):
		return shapes[k-1].height(t)
	}
	from, to := &shapes[k-1], &shapes[k]
	share := (s - from.S) / (to.S - from.S)
	return float64(from.height(t)*(1-share)) + float64(to.height(t)*share)
}
