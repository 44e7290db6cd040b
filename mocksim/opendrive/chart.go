package opendrive

import (
	"math"
	"sort"

	"gosmp/internal/portable"
)

// chart is the fast form of an element: it replaces functions that need an integral or an
// inversion, panel by panel, by Chebyshev polynomials that agree with the exact form within
// chartAccuracy. An element without panels is evaluated exactly.
type chart struct {
	ends     []float64 // the ends of the panels, in ds
	panels   []panel
	sin, cos float64 // of the heading at the start of the element
}

const (
	chartAccuracy = 1e-9 // m
	chartDegree   = 11
	chartChecks   = 23  // points of a panel at which the accuracy is tested
	chartTurn     = 0.5 // rad, of the first panels
	chartMost     = 30  // rad; an element that turns further is left to the exact form
	chartDepth    = 12  // halvings before an element is left to the exact form
)

// panel holds the polynomials of a part of an element: u and v of a spiral, the parameter of a
// cubic.
type panel struct {
	middle, half float64 // in ds
	series       [2][chartDegree + 1]float64
}

// newChart computes the fast form of an element.
func newChart(g *Geometry) (c chart) {
	c.sin, c.cos = portable.Sincos(g.Heading)
	c.panel(g)
	return c
}

// panel computes the panels of an element if its fast form is accurate.
func (c *chart) panel(g *Geometry) {
	sample, distance := fastForm(g)
	if sample == nil || !(g.Length > 0) {
		return
	}
	turn := g.turning()
	if turn > chartMost {
		return
	}
	parts := max(1, int(math.Ceil(turn/chartTurn)))
	for k := range parts {
		from, to := g.Length*float64(k)/float64(parts), g.Length*float64(k+1)/float64(parts)
		if !c.cover(from, to, chartDepth, sample, distance) {
			c.ends, c.panels = nil, nil
			return
		}
	}
}

// fastForm returns two functions: sample computes what the polynomials of a curve represent at ds,
// and distance how far apart, in m, two such values are on the curve.
func fastForm(g *Geometry) (sample func(ds float64) [2]float64, distance func(a,
	b [2]float64) float64) {
	switch c := g.Curve.(type) {
	case Spiral:
		return func(ds float64) [2]float64 { b := c.at(ds, g.Length); return [2]float64{b.u, b.v} },
			func(a, b [2]float64) float64 { return portable.Hypot(a[0]-b[0], a[1]-b[1]) }
	case Poly3:
		return parameterForm(c.param(), g.Length, false)
	case ParamPoly3:
		return parameterForm(c, g.Length, true)
	}
	return nil, nil
}

func parameterForm(c ParamPoly3, length float64, stretch bool) (func(float64) [2]float64,
	func(a, b [2]float64) float64) {
	return func(ds float64) [2]float64 { return [2]float64{c.solve(ds, length, stretch)} },
		func(a, b [2]float64) float64 {
			from, to := c.atParameter(a[0]), c.atParameter(b[0])
			return portable.Hypot(from.u-to.u, from.v-to.v) +
				float64(math.Abs(a[0]-b[0])*chartAccuracy)
		}
}

// turning returns approximately how far the element turns, in rad.
func (g *Geometry) turning() float64 {
	const samples = 8
	sharpest := 0.0
	for k := range samples + 1 {
		sharpest = max(sharpest, math.Abs(g.Curve.at(g.Length*float64(k)/samples,
			g.Length).curvature))
	}
	if turn := sharpest * g.Length; turn < math.MaxInt32 {
		return turn
	}
	return 0
}

// cover appends panels for [from, to], and reports whether they are accurate.
func (c *chart) cover(from, to float64, depth int, sample func(float64) [2]float64, distance func(a,
	b [2]float64) float64) bool {
	p := fit(from, to, sample)
	for k := range chartChecks {
		ds := from + (to-from)*float64(k)/(chartChecks-1)
		if distance(p.at(ds), sample(ds)) <= chartAccuracy {
			continue
		}
		middle := (from + to) / 2
		return depth > 0 && c.cover(from, middle, depth-1, sample, distance) && c.cover(middle, to,
			depth-1, sample, distance)
	}
	c.ends, c.panels = append(c.ends, to), append(c.panels, p)
	return true
}

// fit interpolates at the Chebyshev nodes of [from, to].
func fit(from, to float64, sample func(float64) [2]float64) panel {
	const n = chartDegree + 1
	p := panel{middle: (from + to) / 2, half: (to - from) / 2}
	for k := range n {
		angle := math.Pi * (float64(k) + 0.5) / n
		y := sample(p.middle + float64(p.half*portable.Cos(angle)))
		for j := range n {
			weight := 2.0 / n * portable.Cos(float64(j)*angle)
			if j == 0 {
				weight = 1.0 / n
			}
			p.series[0][j] += float64(weight * y[0])
			p.series[1][j] += float64(weight * y[1])
		}
	}
	return p
}

// at evaluates the series by Clenshaw's recurrence.
func (p *panel) at(ds float64) [2]float64 {
	x := (ds - p.middle) / p.half
	var b1, b2, c1, c2 float64
	for j := chartDegree; j > 0; j-- {
		b1, b2 = p.series[0][j]+float64(2*x*b1)-b2, b1
		c1, c2 = p.series[1][j]+float64(2*x*c1)-c2, c1
	}
	return [2]float64{p.series[0][0] + float64(x*b1) - b2, p.series[1][0] + float64(x*c1) - c2}
}

// at returns the point at ds in the frame of the element.
func (c *chart) at(g *Geometry, ds float64) bend {
	if len(c.panels) == 0 {
		return g.Curve.at(ds, g.Length)
	}
	k := 0
	if len(c.panels) > 1 {
		k = min(sort.SearchFloat64s(c.ends, ds), len(c.panels)-1)
	}
	value := c.panels[k].at(ds)
	switch curve := g.Curve.(type) {
	case Spiral:
		rate := (curve.End - curve.Start) / g.Length
		return bend{u: value[0], v: value[1], heading: ds * (curve.Start + rate*ds/2),
			curvature: curve.Start + float64(rate*ds)}
	case Poly3:
		return curve.param().atParameter(value[0])
	case ParamPoly3:
		return curve.atParameter(value[0])
	}
	return g.Curve.at(ds, g.Length)
}
