package opendrive

import (
	"math"

	"gosmp/internal/portable"
)

// Geometry is one element of a reference line. It starts at S in (X, Y) with Heading and extends
// over Length.
type Geometry struct {
	S, X, Y, Heading, Length float64
	Curve                    Curve
	line                     int
}

// Curve is the shape of an element in its own frame: it starts at the origin and initially runs
// along u, except for cubics with a slope at the start. Implementations: [Straight], [Arc],
// [Spiral], [Poly3], [ParamPoly3].
type Curve interface {
	// at returns the point at a distance ds along the curve, 0 <= ds <= length, to the last digits
	// that float64 allows.
	at(ds, length float64) bend
}

// bend is a point of a curve: its place and heading in the frame of the curve, and its curvature.
type bend struct{ u, v, heading, curvature float64 }

// Straight is the element line.
type Straight struct{}

func (Straight) at(ds, _ float64) bend { return bend{u: ds} }

// Arc is the element arc: constant curvature in 1/m, positive to the left.
type Arc struct{ Curvature float64 }

// at uses the chord and its direction instead of a centre and a radius, so that a curvature of 0
// gives a straight line.
func (a Arc) at(ds, _ float64) bend {
	half := a.Curvature * ds / 2
	sin, cos := portable.Sincos(half)
	chord := ds * sincOf(half, sin)
	return bend{u: chord * cos, v: chord * sin, heading: 2 * half, curvature: a.Curvature}
}

// sincOf is sin(x)/x for a known sine.
func sincOf(x, sin float64) float64 {
	if math.Abs(x) < 1e-3 {
		return 1 - x*x/6 + x*x*x*x/120
	}
	return sin / x
}

// Spiral is the element spiral: the curvature changes linearly from Start to End, in 1/m.
type Spiral struct{ Start, End float64 }

// sharpest returns the largest curvature of an arc or a spiral, in 1/m.
func (g *Geometry) sharpest() float64 {
	switch c := g.Curve.(type) {
	case Arc:
		return math.Abs(c.Curvature)
	case Spiral:
		return max(math.Abs(c.Start), math.Abs(c.End))
	}
	return 0
}

// at integrates the direction numerically. Fresnel integrals lose digits when the curvature hardly
// changes; eight-point Gauss-Legendre quadrature over turns of at most 1 rad does not.
func (c Spiral) at(ds, length float64) bend {
	rate := 0.0
	if length > 0 {
		rate = (c.End - c.Start) / length
	}
	turn := func(s float64) float64 { return s * (c.Start + rate*s/2) }
	panels := max(1, int(math.Ceil(ds*max(math.Abs(c.Start), math.Abs(c.Start+float64(rate*ds))))))
	step := ds / float64(panels)
	var u, v float64
	for k := range panels {
		middle := (float64(k) + 0.5) * step
		for i, x := range gaussX {
			sin, cos := portable.Sincos(turn(middle + x*step/2))
			u += float64(gaussW[i] * cos)
			v += float64(gaussW[i] * sin)
		}
	}
	return bend{u: u * step / 2, v: v * step / 2, heading: turn(ds), curvature: c.Start +
		float64(rate*ds)}
}

// Nodes and weights of eight-point Gauss-Legendre quadrature on [-1, 1] (Abramowitz and Stegun,
// table 25.4).
var (
	gaussX = [...]float64{-0.9602898564975363, -0.7966664774136267, -0.5255324099163290,
		-0.1834346424956498,
		0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363}
	gaussW = [...]float64{0.1012285362903763, 0.2223810344533745, 0.3137066458778873,
		0.3626837833783620,
		0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763}
)

// quadrature integrates f over [a, b].
func quadrature(f func(float64) float64, a, b float64) (sum float64) {
	middle, half := (a+b)/2, (b-a)/2
	for i, x := range gaussX {
		sum += float64(gaussW[i] * f(middle+float64(half*x)))
	}
	return float64(sum * half)
}

// Poly3 is the deprecated element poly3: v as a cubic of u.
type Poly3 struct{ A, B, C, D float64 }

func (p Poly3) at(ds, length float64) bend {
	return p.param().atParameter(p.param().solve(ds, length, false))
}

// param returns the same curve with u as its parameter.
func (p Poly3) param() ParamPoly3 {
	return ParamPoly3{U: [4]float64{0, 1}, V: [4]float64{p.A, p.B, p.C, p.D}}
}

// ParamPoly3 is the element paramPoly3: u and v as cubics of a parameter, which runs from 0 to 1 if
// Normalized, else to the length of the element.
type ParamPoly3 struct {
	U, V       [4]float64
	Normalized bool
}

func (c ParamPoly3) at(ds, length float64) bend { return c.atParameter(c.solve(ds, length, true)) }

// end returns the parameter at the end of the element.
func (c ParamPoly3) end(length float64) float64 {
	if c.Normalized {
		return 1
	}
	return length
}

func (c ParamPoly3) atParameter(p float64) bend {
	u1, v1 := slope(&c.U, p), slope(&c.V, p)
	u2, v2 := float64(2*c.U[2])+float64(6*c.U[3]*p), float64(2*c.V[2])+float64(6*c.V[3]*p)
	b := bend{u: value(&c.U, p), v: value(&c.V, p)}
	if speed := float64(u1*u1) + float64(v1*v1); speed > 0 {
		b.heading = portable.Atan2(v1, u1)
		b.curvature = (float64(u1*v2) - float64(v1*u2)) / (speed * math.Sqrt(speed))
	}
	return b
}

func value(c *[4]float64, p float64) float64 {
	return c[0] + float64(p*(c[1]+float64(p*(c[2]+float64(p*c[3])))))
}
func slope(c *[4]float64, p float64) float64 {
	return c[1] + float64(p*(float64(2*c[2])+float64(3*p*c[3])))
}

func (c ParamPoly3) speed(p float64) float64 {
	u, v := slope(&c.U, p), slope(&c.V, p)
	return math.Sqrt(float64(u*u) + float64(v*v))
}

// arcLength returns the length of the curve from parameter 0 to p.
func (c ParamPoly3) arcLength(p float64) (sum float64) {
	const panels = 16
	for k := range panels {
		sum += quadrature(c.speed, float64(p*float64(k)/panels), float64(p*float64(k+1)/panels))
	}
	return sum
}

// solve returns the parameter at the distance ds. With stretch, the cubic is scaled to the length
// of the element, because files give lengths with few digits, and some lengths are wrong.
func (c ParamPoly3) solve(ds, length float64, stretch bool) float64 {
	if ds <= 0 || length <= 0 {
		return 0
	}
	end := c.end(length)
	want := ds
	if stretch {
		want = ds / length * c.arcLength(end)
	}
	low, high := 0.0, end*2
	p := end * ds / length
	for range 60 {
		miss := c.arcLength(p) - want
		if math.Abs(miss) <= 1e-13*max(1, want) {
			break
		}
		if miss > 0 {
			high = p
		} else {
			low = p
		}
		next := p - miss/c.speed(p)
		if !(next > low && next < high) { // also where the speed is 0
			next = (low + high) / 2
		}
		p = next
	}
	return p
}
