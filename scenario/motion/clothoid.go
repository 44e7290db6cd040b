package motion

import (
	"math"
	"slices"

	"gosmp/internal/portable"
)

// Spiral is a piece of a line whose curvature is linear (ClothoidSplineSegment).
type Spiral struct {
	X, Y, Heading     float64 // of its start
	Curvature, Change float64 // at its start, 1/m, and its change per metre, 1/m2
	Length            float64 // m
	Begin, End        float64 // times, s; NaN if unknown
}

// Clothoids is a trajectory of spirals.
type Clothoids struct {
	spirals []Spiral
	from    []float64 // s at the start of each spiral
	nodes   []node
}

// node is a place from which the following path can be integrated in one step.
type node struct {
	s, x, y float64
	spiral  int
}

// NewClothoids creates a trajectory of consecutive spirals.
func NewClothoids(spirals []Spiral) (*Clothoids, error) {
	c := &Clothoids{spirals: slices.Clone(spirals)}
	s := 0.0
	for k := range c.spirals {
		p := &c.spirals[k]
		if !(p.Length > 0) || math.IsInf(p.Length, 1) {
			return nil, ErrCurve
		}
		c.from = append(c.from, s)
		// Between two nodes the heading turns by at most 1/16 rad, for which way is exact.
		turn := float64(p.Length * max(math.Abs(p.Curvature),
			math.Abs(p.Curvature+float64(p.Change*p.Length))))
		n := int(min(max(math.Ceil(16*turn), 1), 1<<16))
		x, y := p.X, p.Y
		for i := range n {
			a, b := p.Length*float64(i)/float64(n), p.Length*float64(i+1)/float64(n)
			c.nodes = append(c.nodes, node{s + a, x, y, k})
			dx, dy := p.way(a, b)
			x, y = x+dx, y+dy
		}
		s += p.Length
	}
	if len(c.spirals) == 0 {
		return nil, ErrCurve
	}
	c.from = append(c.from, s)
	return c, nil
}

// Finish returns where a spiral ends.
func (p *Spiral) Finish() (x, y, heading float64) {
	c, err := NewClothoids([]Spiral{*p})
	if err != nil {
		return p.X, p.Y, p.Heading
	}
	var at Point
	c.At(p.Length, &at)
	return at.X, at.Y, at.Heading
}

func (p *Spiral) heading(d float64) float64 {
	return p.Heading + float64(d*(p.Curvature+float64(p.Change*d)/2))
}

// Nodes and weights of the four-point Gauss-Legendre quadrature.
var (
	gaussNodes   = [2]float64{0.3399810435848563, 0.8611363115940526}
	gaussWeights = [2]float64{0.6521451548625461, 0.3478548451374538}
)

// way integrates the direction from one distance to another.
func (p *Spiral) way(from, to float64) (dx, dy float64) {
	half, middle := (to-from)/2, (to+from)/2
	for k, x := range gaussNodes {
		s1, c1 := portable.Sincos(p.heading(middle - float64(half*x)))
		s2, c2 := portable.Sincos(p.heading(middle + float64(half*x)))
		dx += float64(gaussWeights[k] * (c1 + c2))
		dy += float64(gaussWeights[k] * (s1 + s2))
	}
	return dx * half, dy * half
}

// Length returns the length of all spirals combined.
func (c *Clothoids) Length() float64 { return c.from[len(c.from)-1] }

// At computes the point of the spirals at s.
func (c *Clothoids) At(s float64, out *Point) {
	s = min(max(s, 0), c.Length())
	k, found := slices.BinarySearchFunc(c.nodes, s, func(n node, s float64) int {
		switch {
		case n.s < s:
			return -1
		case n.s > s:
			return 1
		}
		return 0
	})
	if !found {
		k--
	}
	n := &c.nodes[k]
	p := &c.spirals[n.spiral]
	d := s - c.from[n.spiral]
	dx, dy := p.way(n.s-c.from[n.spiral], d)
	h := p.heading(d)
	*out = Point{X: n.x + dx, Y: n.y + dy, Heading: h, Direction: h, Time: p.Begin}
	if p.End > p.Begin {
		out.Time += float64((p.End - p.Begin) * d / p.Length)
	}
}

// Times returns the start time of the first spiral and the end time of the last one.
func (c *Clothoids) Times() (first, last float64, ok bool) {
	first, last = c.spirals[0].Begin, c.spirals[len(c.spirals)-1].End
	return first, last, last > first
}

// AtTime returns the arc length at a time. The speed is constant on each spiral.
func (c *Clothoids) AtTime(t float64) float64 {
	for k := range c.spirals {
		p := &c.spirals[k]
		if t < p.End && p.End > p.Begin {
			return c.from[k] + float64(p.Length*max(t-p.Begin, 0)/(p.End-p.Begin))
		}
	}
	return c.Length()
}
