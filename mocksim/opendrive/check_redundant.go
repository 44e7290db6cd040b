package opendrive

import (
	"fmt"
	"math"

	"gosmp/internal/finding"
)

// sameCurve is the largest difference, in m or rad, at which two polynomials count as the same.
const sameCurve = 1e-6

// redundant finds records that repeat the previous one.
func (c *checker) redundant(r *Road) {
	c.sameRecords(r.Elevation, "elevation", 0, r.Length, r.at)
	c.sameRecords(r.Superelevation, "superelevation", 0, r.Length, r.at)
	c.sameRecords(r.LaneOffset, "laneOffset", 0, r.Length, r.at)
	for _, s := range r.Sections {
		for _, l := range s.Lanes {
			if l.ID == 0 || s.divided {
				continue
			}
			c.sameRecords(l.Widths, "width", l.Origin, s.End, l.at)
			c.sameRecords(l.Borders, "border", l.Origin, s.End, l.at)
		}
	}
	for k := 1; k < len(r.Plan); k++ {
		a, b := &r.Plan[k-1], &r.Plan[k]
		_, first := a.Curve.(Straight)
		_, second := b.Curve.(Straight)
		if first && second && math.Abs(math.Remainder(a.Heading-b.Heading, 2*math.Pi)) < sameCurve {
			c.add("X-REDUNDANT", finding.Note, b.line, r.at(b.S),
				"a line continues the previous one", "join them")
		}
	}
}

// sameRecords compares the records of a profile up to an end. Their s count from an origin.
func (c *checker) sameRecords(p Profile, name string, origin, end float64,
	at func(float64) string) {
	for k := 1; k < len(p); k++ {
		length := end - origin - p[k].S
		if k+1 < len(p) {
			length = p[k+1].S - p[k].S
		}
		same := length >= 0
		for i := range 5 {
			s := p[k].S + length*float64(i)/4
			same = same && math.Abs(p[k].At(s)-p[k-1].At(s)) < sameCurve
		}
		if same {
			c.add("X-REDUNDANT", finding.Note, p[k].line, at(origin+p[k].S),
				fmt.Sprintf("%s repeats the previous record", name), "remove it")
		}
	}
}
