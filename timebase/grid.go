package timebase

import (
	"math"
	"math/bits"
)

// Grid is a regular spacing of instants, such as the communication points of a simulation. It is
// exact: see [Rational]. Its zero value means no spacing.
type Grid struct{ step Rational }

// The shortest and the longest spacing, in seconds.
const (
	shortest = 1e-9
	longest  = 1e9
)

// Every returns the Grid with a spacing in seconds; see [RationalOf]. Outside 1e-9 to 1e9 seconds,
// and for NaN, it returns the zero Grid.
func Every(seconds float64) Grid {
	if !(seconds >= shortest && seconds <= longest) {
		return Grid{}
	}
	r, err := RationalOf(seconds)
	if err != nil {
		return Grid{}
	}
	return Grid{r}
}

// EveryRational is like [Every] for a fraction.
func EveryRational(r Rational) Grid {
	if s := r.Seconds(); s < shortest || s > longest {
		return Grid{}
	}
	return Grid{r}
}

// IsZero reports whether g is the zero Grid.
func (g Grid) IsZero() bool { return g.step.num == 0 }

// Seconds returns the spacing in seconds, rounded once.
func (g Grid) Seconds() float64 { return g.step.Seconds() }

// Rational returns the spacing in seconds.
func (g Grid) Rational() Rational { return g.step }

// Step returns the spacing in nanoseconds, rounded.
func (g Grid) Step() Time { return g.step.Time() }

// Times returns a spacing that is n times as wide, n ≥ 1.
func (g Grid) Times(n int64) Grid {
	wide, fits := g.step.times(n)
	if !fits {
		return Every(g.Seconds() * float64(n))
	}
	return Grid{wide}
}

// Part returns an n-th of the spacing, n ≥ 1.
func (g Grid) Part(n int64) Grid {
	narrow, fits := g.step.over(Rational{max(n, 1), 1})
	if !fits {
		return Every(g.Seconds() / float64(n))
	}
	return EveryRational(narrow)
}

// sameRate is the tolerance within which the quotient of two spacings counts as a whole number.
const sameRate = 1e-9

// In returns how many times g fits into a wider spacing, and false if that is not a whole number.
func (g Grid) In(wide Grid) (times int64, whole bool) {
	if g.IsZero() || wide.IsZero() {
		return 0, false
	}
	ratio := wide.Seconds() / g.Seconds()
	n := math.Round(ratio)
	return int64(n), n >= 1 && n < 1<<53 && math.Abs(ratio-n) <= sameRate*n
}

// Point returns the k-th point after start, rounded to nanoseconds, or EndOfTime beyond the range
// of time.
func (g Grid) Point(start Time, k int64) Time {
	s := NewScale(start.Exactly(), g)
	return s.Point(k)
}

// Scale relates the instants of a run to the seconds that standards use. Instants are integers, so
// that they can be compared; the seconds of the points of its grid are start + k·h with exact start
// and h, rounded once. Its zero value has no grid.
type Scale struct {
	grid        Grid
	from        Rational
	start, stop Time
	// All points are (first + k·step)/den; first has 128 bits and a sign.
	high, low uint64
	negative  bool
	step, den uint64

	mark                      Time // an instant that is not a point of the grid
	startSeconds, stopSeconds float64
	markSeconds               float64
	h                         float64 // nanoseconds, for an estimate of k
}

// NewScale returns the scale of a run with its start and the spacing of its points; without a grid
// only the start is exact.
func NewScale(start Rational, g Grid) Scale {
	s := Scale{
		grid:         g,
		from:         start,
		startSeconds: start.Seconds(),
		stop:         EndOfTime,
		negative:     start.num < 0,
	}
	s.h = g.Seconds() * 1e9
	a, b := start.denominator(), g.step.denominator()
	common := gcd(a, b)
	high, den := bits.Mul64(a, b/common)
	more, step := bits.Mul64(magnitude(g.step.num), a/common)
	if high|more != 0 || den >= largestPart || step >= largestPart {
		// For example, with a nine-digit start and a sixteen-digit step, the start is rounded to
		// the parts of the step, which are smaller than a nanosecond.
		a, den, step = b, b, magnitude(g.step.num)
		start = Rational{nearest(start, b), b}
	}
	s.den, s.step = den, step
	s.high, s.low = bits.Mul64(magnitude(start.num), den/a)
	s.start = s.Point(0)
	return s
}

// nearest returns the nearest numerator of r with another denominator.
func nearest(r Rational, den uint64) int64 {
	high, low := bits.Mul64(magnitude(r.num), den)
	_, n := divide(high, low, r.denominator(), true)
	if r.num < 0 {
		return -int64(n)
	}
	return int64(n)
}

// Until returns s with a stop time, which need not be a point of the grid.
func (s Scale) Until(stop Rational) Scale {
	s.stop, s.stopSeconds = stop.Time(), stop.Seconds()
	return s
}

// With returns s with another spacing of its points.
func (s Scale) With(g Grid) Scale {
	other := NewScale(s.from, g)
	other.stop, other.stopSeconds = s.stop, s.stopSeconds
	return other
}

// Mark states the seconds of an instant between two points, such as an event. Only the newest mark
// is valid.
func (s *Scale) Mark(t Time, seconds float64) { s.mark, s.markSeconds = t, seconds }

// Distance returns the time from one instant to another in nanoseconds, which need not be a whole
// number between two points of the grid. A nil scale has no grid.
func (s *Scale) Distance(from, to Time) float64 {
	if s == nil || s.grid.step.IsWhole() {
		return float64(to - from)
	}
	i, first := s.Index(from)
	k, second := s.Index(to)
	if !first || !second {
		return float64(to - from)
	}
	parts, rest := bits.Mul64(s.step, magnitude(k-i))
	carry, low := bits.Mul64(rest, uint64(Second))
	d := quotient(parts*uint64(Second)+carry, low, s.den)
	if k < i {
		return -d
	}
	return d
}

// Grid returns the spacing of the points.
func (s *Scale) Grid() Grid { return s.grid }

// IsZero reports whether s has no grid.
func (s *Scale) IsZero() bool { return s.grid.IsZero() }

// numerator returns the numerator of point k: its absolute value and whether it is negative.
func (s *Scale) numerator(k int64) (high, low uint64, negative bool) {
	high, low = bits.Mul64(s.step, uint64(k))
	var carry uint64
	if !s.negative {
		low, carry = bits.Add64(low, s.low, 0)
		high, _ = bits.Add64(high, s.high, carry)
		return high, low, false
	}
	low, carry = bits.Sub64(low, s.low, 0)
	high, carry = bits.Sub64(high, s.high, carry)
	if carry == 0 {
		return high, low, false
	}
	low, carry = bits.Sub64(0, low, 0)
	high, _ = bits.Sub64(0, high, carry)
	return high, low, true
}

// Point returns the k-th point after the start, k ≥ 0, rounded to nanoseconds, or EndOfTime beyond
// the range of time.
func (s *Scale) Point(k int64) Time {
	if s.den == 0 {
		return s.start
	}
	high, low, negative := s.numerator(k)
	top, rest := bits.Mul64(high, uint64(Second))
	if top != 0 {
		return EndOfTime
	}
	carry, low := bits.Mul64(low, uint64(Second))
	high, top = bits.Add64(rest, carry, 0)
	if top != 0 {
		return EndOfTime
	}
	over, ns := divide(high, low, s.den, !negative)
	switch {
	case over != 0 || ns > uint64(EndOfTime):
		return EndOfTime
	case negative:
		return -Time(ns)
	}
	return Time(ns)
}

// divide returns a quotient, rounded to the nearest integer; a tie is rounded up if up is set, and
// otherwise down.
func divide(high, low, den uint64, up bool) (over, q uint64) {
	over, rest := high/den, high%den
	q, rest = bits.Div64(rest, low, den)
	if half := den - rest; rest > half || rest == half && up {
		var carry uint64
		q, carry = bits.Add64(q, 1, 0)
		over += carry
	}
	return over, q
}

// Index returns the number of the point at t, and false if there is none.
func (s *Scale) Index(t Time) (k int64, is bool) {
	if s.grid.IsZero() || t < s.start {
		return 0, false
	}
	k = int64(math.Round(float64(t-s.start) / s.h))
	return k, k >= 0 && s.Point(k) == t
}

// seconds returns the k-th point in seconds, rounded once.
func (s *Scale) seconds(k int64) float64 {
	if k == 0 {
		return s.startSeconds
	}
	high, low, negative := s.numerator(k)
	x := quotient(high, low, s.den)
	if negative {
		return -x
	}
	return x
}

// Seconds returns t in seconds: the seconds of the grid point at t, or of the start or the stop as
// stated, or otherwise of the nanosecond.
func (s *Scale) Seconds(t Time) float64 {
	if k, is := s.Index(t); is {
		return s.seconds(k)
	}
	switch {
	case t == s.stop && t != EndOfTime:
		return s.stopSeconds
	case t == s.start && s.den != 0:
		return s.startSeconds
	case t == s.mark && s.markSeconds != 0:
		return s.markSeconds
	}
	return t.Seconds()
}

// Milliseconds returns [Scale.Seconds] in milliseconds, rounded once: the second point of 1/60 s is
// 16.666666666666668 and not a thousand times the rounded seconds.
func (s *Scale) Milliseconds(t Time) float64 {
	k, is := s.Index(t)
	if !is {
		return float64(t) / float64(Millisecond)
	}
	high, low, negative := s.numerator(k)
	top, rest := bits.Mul64(high, 1000)
	carry, low := bits.Mul64(low, 1000)
	high, over := bits.Add64(rest, carry, 0)
	if top != 0 || over != 0 {
		return s.seconds(k) * 1000
	}
	x := quotient(high, low, s.den)
	if negative {
		return -x
	}
	return x
}

// Step reports whether a span extends from one point of the grid to the next, and returns its end
// in seconds if it does.
func (s *Scale) Step(span Span) (end float64, regular bool) {
	k, is := s.Index(span.Start)
	if !is || s.Point(k+1) != span.End {
		return 0, false
	}
	return s.seconds(k + 1), true
}
