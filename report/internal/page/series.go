package page

import "math"

// mostStretches is the maximum number of time intervals in a series.
const mostStretches = 600

// Series collects numbers over time. It keeps only the minimum and maximum of each time interval,
// so that no peak is lost and memory does not grow.
//
//	s := page.NewSeries()
//	s.Add(0.1, 13.9)
//	c := s.Curve("speed, m/s")
type Series struct {
	Steps bool // a value holds until the next one
	every int  // numbers in an interval
	count int  // in the newest interval
	kept  []stretch
}

type stretch struct{ at, low, high float64 }

// NewSeries returns an empty series.
func NewSeries() *Series { return &Series{every: 1} }

// Add adds a number at a time in seconds, which must not be earlier than previous times. It ignores
// numbers that are not finite.
func (s *Series) Add(t, x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	if n := len(s.kept); n > 0 && s.count < s.every {
		last := &s.kept[n-1]
		last.low, last.high = math.Min(last.low, x), math.Max(last.high, x)
		s.count++
		return
	}
	if len(s.kept) == mostStretches {
		for k := range mostStretches / 2 {
			a, b := s.kept[2*k], s.kept[2*k+1]
			s.kept[k] = stretch{a.at, math.Min(a.low, b.low), math.Max(a.high, b.high)}
		}
		s.kept, s.every = s.kept[:mostStretches/2], 2*s.every
	}
	s.kept, s.count = append(s.kept, stretch{t, x, x}), 1
}

// Empty reports whether there are no numbers.
func (s *Series) Empty() bool { return len(s.kept) == 0 }

// Curve returns the series as a curve of a page.
func (s *Series) Curve(path string) Curve {
	c := Curve{Path: path, Steps: s.Steps, Times: []float64{}, Values: []any{}}
	for _, k := range s.kept {
		c.Append(k.at, k.low, k.high)
	}
	c.Round()
	return c
}

// Append adds the minimum and maximum of an interval that starts at a time.
func (c *Curve) Append(at, low, high float64) {
	c.Times = append(c.Times, math.Round(at*1e6)/1e6)
	c.Values = append(c.Values, pair(low, high))
}
