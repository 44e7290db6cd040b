package curves

import (
	"math"

	"gonum.org/v1/plot/plotter"
)

// start is the beginning of a curve. Many outputs are 0 until their first sample arrives, such as
// the latitude of a GNSS receiver. An axis that begins at 0 would make a line of all that follows.
type start struct {
	begun, away     bool
	first, zero     float64 // times of the first point, and of the last one before it leaves 0
	left            float64 // time of the first point that is not 0
	last            float64 // time of the last point
	least, greatest float64 // after the curve has left 0
	atZero          bool
}

func (s *start) add(p plotter.XY) {
	if !s.begun {
		s.begun, s.first, s.zero, s.atZero = true, p.X, p.X, p.Y == 0
	}
	s.last = p.X
	switch {
	case !s.away && p.Y == 0:
		s.zero = p.X
	case !s.away:
		s.away, s.left, s.least, s.greatest = true, p.X, p.Y, p.Y
	default:
		s.least, s.greatest = min(s.least, p.Y), max(s.greatest, p.Y)
	}
}

// hides reports whether the zeros at the beginning are left out: they are short, and what follows
// varies, but by far less than its distance from 0.
func (s *start) hides() bool {
	const short, little = 0.05, 0.05
	distance := min(math.Abs(s.least), math.Abs(s.greatest))
	varies := s.greatest - s.least
	return s.atZero && s.away && s.least*s.greatest > 0 && varies > 0 &&
		varies < little*distance && s.zero-s.first <= short*(s.last-s.first)
}

// has reports whether a point is before the curve leaves 0.
func (s *start) has(p plotter.XY) bool { return p.X <= s.zero }
