package opendrive

import (
	"fmt"
	"math"

	"gosmp/internal/finding"
	"gosmp/internal/portable"
)

// Limits for the checks of reference lines.
const (
	planGapError   = 0.1  // m
	planGapWarning = 1e-3 // m
	planKink       = 1e-3 // rad
	planCorner     = 1.0  // rad; no vehicle can follow a sharper one
	planPoint      = 1e-3 // m; vehicles drive over shorter geometries, whatever their direction
	planStation    = 1e-3 // m
	planTiny       = 1e-2 // m
	polyLength     = 1e-3 // m
	polyStart      = 1e-6 // m, and rad
	profileStep    = 1e-2 // m or rad
)

func (c *checker) plan(r *Road) {
	for k := range r.Plan {
		g := &r.Plan[k]
		c.geometry(r, g)
		end, what := r.Length, "the road ends"
		if k+1 < len(r.Plan) {
			next := &r.Plan[k+1]
			end, what = next.S, "the next geometry begins"
			c.planJoint(r, g, next)
			if next.S <= g.S {
				c.add("X-PLAN-ORDER", finding.Error, next.line, r.at(next.S),
					fmt.Sprintf("s = %g follows s = %g", next.S, g.S),
					"sort geometries by s")
				continue
			}
		}
		if math.Abs(g.S+g.Length-end) > planStation {
			c.add("X-PLAN-S", finding.Warning, g.line, r.at(g.S),
				fmt.Sprintf("s + length = %.6f, but %s at %.6f", g.S+g.Length, what, end),
				"correct s or length")
		}
	}
}

// planJoint checks the joint between two geometries.
func (c *checker) planJoint(r *Road, g, next *Geometry) {
	b := g.Curve.at(g.Length, g.Length)
	sin, cos := portable.Sincos(g.Heading)
	x, y := g.X+float64(cos*b.u)-float64(sin*b.v), g.Y+float64(sin*b.u)+float64(cos*b.v)
	start := next.Curve.at(0, next.Length)
	nextSin, nextCos := portable.Sincos(next.Heading)
	gap := portable.Hypot(next.X+float64(nextCos*start.u)-float64(nextSin*start.v)-x,
		next.Y+float64(nextSin*start.u)+float64(nextCos*start.v)-y)
	if severity, bad := c.graded(gap, planGapWarning, planGapError); bad {
		c.add("X-PLAN-GAP", severity, next.line, r.at(next.S),
			fmt.Sprintf("the reference line jumps by %.4g m from (%.4f, %.4f)", gap, x, y),
			"make the geometry begin at the end of the previous one")
	}
	turn := math.Abs(math.Remainder(next.Heading+start.heading-g.Heading-b.heading, 2*math.Pi))
	corner := planCorner
	if min(g.Length, next.Length) < planPoint {
		corner = math.Inf(1)
	}
	if severity, bad := c.graded(turn, planKink, corner); bad {
		c.add("X-PLAN-KINK", severity, next.line, r.at(next.S),
			fmt.Sprintf("the heading jumps by %.4g rad", turn), "correct hdg")
	}
}

func (c *checker) geometry(r *Road, g *Geometry) {
	switch {
	case g.Length <= 0:
		c.add("X-PLAN-TINY", finding.Error, g.line, r.at(g.S), fmt.Sprintf("length = %.4g m",
			g.Length), "remove the geometry")
	case g.Length < planTiny:
		c.add("X-PLAN-TINY", finding.Warning, g.line, r.at(g.S), fmt.Sprintf("length = %.4g m",
			g.Length), "merge it with its neighbour")
	}
	switch curve := g.Curve.(type) {
	case Arc:
		if curve.Curvature == 0 {
			c.add("X-PLAN-FLAT", finding.Note, g.line, r.at(g.S),
				"an arc of curvature 0; some tools divide by it", "use a line")
		}
	case Spiral:
		if curve.Start == curve.End {
			c.add("X-PLAN-FLAT", finding.Note, g.line, r.at(g.S),
				fmt.Sprintf("a spiral of constant curvature %g", curve.Start),
				"use an arc or a line")
		}
	case Poly3:
		if curve.A != 0 || curve.B != 0 {
			c.add("X-POLY-START", finding.Warning, g.line, r.at(g.S),
				fmt.Sprintf("a = %g, b = %g, expected 0", curve.A, curve.B), "turn hdg instead")
		}
	case ParamPoly3:
		c.paramPoly3(r, g, curve)
	}
}

func (c *checker) paramPoly3(r *Road, g *Geometry, curve ParamPoly3) {
	moved := math.Abs(curve.U[0]) > polyStart || math.Abs(curve.V[0]) > polyStart
	if moved || math.Abs(curve.V[1]) > polyStart*math.Abs(curve.U[1]) || curve.U[1] <= 0 {
		c.add("X-POLY-START", finding.Warning, g.line, r.at(g.S),
			fmt.Sprintf("aU = %g, aV = %g, bV = %g, expected 0; bU = %g, expected above 0",
				curve.U[0], curve.V[0], curve.V[1], curve.U[1]),
			"change hdg, x and y instead")
	}
	if length := curve.arcLength(curve.end(g.Length)); !(math.Abs(length-g.Length) <= polyLength) {
		c.add("X-POLY-LENGTH", finding.Warning, g.line, r.at(g.S),
			fmt.Sprintf("length = %.6f m, but the curve is %.6f m long", g.Length, length),
			"correct length or pRange")
	}
}

func (c *checker) profiles(r *Road) {
	c.profile(r, "elevation", r.Elevation)
	c.profile(r, "superelevation", r.Superelevation)
	c.banks(r)
	c.profile(r, "laneOffset", r.LaneOffset)
	for k := range r.Shapes {
		s := &r.Shapes[k]
		if k > 0 && s.S <= r.Shapes[k-1].S {
			c.add("X-PROFILE-ORDER", finding.Error, s.line, r.at(s.S),
				fmt.Sprintf("shape at s = %g follows s = %g", s.S, r.Shapes[k-1].S),
				"sort shapes by s")
		}
		if _, right := r.edges(s.S); s.Parts[0].S > right {
			c.add("X-SHAPE-COVER", finding.Warning, s.line, r.at(s.S),
				fmt.Sprintf("the shape begins at t = %.4g, the road at %.4g", s.Parts[0].S, right),
				"begin the shape at the right edge of the road")
		}
	}
	if len(r.Shapes) > 0 && len(r.Superelevation) > 0 {
		c.add("X-SHAPE-COVER", finding.Warning, r.Shapes[0].line, "road "+r.ID,
			"shape together with superelevation, which is deprecated", "use one of them")
	}
}

// Superelevations, in rad. No road for cars reaches 60 degrees; the steepest test tracks have 50
// degrees. Beyond 90 degrees, a road is upside down.
const (
	steepestBank = math.Pi / 3
	upright      = math.Pi / 2
)

// banks reports the steepest superelevation at the ends of the records. Some files have degrees.
func (c *checker) banks(r *Road) {
	steepest, most := -1, 0.0
	for k := range r.Superelevation {
		p := &r.Superelevation[k]
		end := r.Length
		if k+1 < len(r.Superelevation) {
			end = r.Superelevation[k+1].S
		}
		if bank := max(math.Abs(p.At(p.S)), math.Abs(p.At(end))); bank > most {
			steepest, most = k, bank
		}
	}
	if severity, bad := c.graded(most, steepestBank, upright); bad {
		p := &r.Superelevation[steepest]
		c.add("X-BANK", severity, p.line, r.at(p.S),
			fmt.Sprintf("superelevation up to %.4g rad", most), "correct it; the unit is rad")
	}
}

// profile checks the records of a profile whose first record should start at 0.
func (c *checker) profile(r *Road, name string, p Profile) {
	for k := range p {
		at := r.at(p[k].S)
		if k == 0 {
			if p[0].S > Tolerance {
				c.add("X-PROFILE-START", finding.Warning, p[0].line, at,
					fmt.Sprintf("%s begins at s = %g; it is 0 before", name, p[0].S),
					"begin at s = 0")
			}
			continue
		}
		if c.order(p, k, name, at) {
			continue
		}
		if step := p[k].At(p[k].S) - p[k-1].At(p[k].S); math.Abs(step) > profileStep {
			c.add("X-PROFILE-STEP", finding.Warning, p[k].line, at, fmt.Sprintf("%s jumps by %.4g",
				name, step), "begin the record with the previous value")
		}
	}
}

// order reports a record that does not come after the previous one.
func (c *checker) order(p Profile, k int, name, at string) (bad bool) {
	switch {
	case p[k].S < p[k-1].S:
		c.add("X-PROFILE-ORDER", finding.Error, p[k].line, at, fmt.Sprintf("%s at %g follows %g",
			name, p[k].S, p[k-1].S), "sort the records")
	case p[k].S == p[k-1].S:
		c.add("X-PROFILE-ORDER", finding.Warning, p[k].line, at,
			fmt.Sprintf("a second %s at %g; the last one applies", name, p[k].S),
			"remove one of them")
	default:
		return false
	}
	return true
}
