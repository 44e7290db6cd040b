package timebase

import (
	"errors"
	"fmt"
	"math"
)

// Time is a point of simulation time in integer nanoseconds. Its zero is defined by the experiment.
//
// Integer time keeps the tenth step of 20 ms at exactly 200 000 000 ns. Seconds in floating point
// are accepted only at the outer interface, by [FromSeconds], and returned there by [Time.Seconds].
type Time int64

// Duration is a difference of two instants in nanoseconds.
type Duration = Time

// Units of time, for writing spans and periods legibly: 20 * Millisecond.
const (
	Nanosecond  Time = 1
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// EndOfTime is later than every reachable instant; an open-ended span ends there.
const EndOfTime Time = math.MaxInt64

// The causes of errors, for errors.Is.
var (
	// ErrTimeRange reports seconds that are not a number, infinite, or outside the ±292 years of a
	// [Time].
	ErrTimeRange = errors.New("time outside the range of int64 nanoseconds")
	// ErrSpan reports a span with no length or a negative one.
	ErrSpan = errors.New("end of the span is not later than its start")
)

// wholeFloats is the distance from 0 within which a float64 represents each integer nanosecond: 104
// days. Beyond it, as for times since 1970, a nanosecond takes two parts.
const wholeFloats Time = 1 << 53

// FromSeconds rounds seconds to the nearest nanosecond, ties to even, as if by exact arithmetic. It
// fails with [ErrTimeRange] for NaN, infinities and values beyond ±2^63 ns.
func FromSeconds(s float64) (Time, error) {
	product := float64(s * 1e9) // rounded, even where the compiler fuses products and sums
	ns := math.RoundToEven(product)
	if off := product - ns; math.Abs(ns) < float64(wholeFloats) && off != 0.5 && off != -0.5 {
		return Time(ns), nil
	}
	return fromProduct(s, product, ns)
}

// fromProduct completes FromSeconds where the nearest nanosecond may differ from ns, the rounded
// product.
func fromProduct(s, product, ns float64) (Time, error) {
	// The product was rounded before the nanoseconds are. If that produced a tie, the lost part
	// decides.
	lost := math.FMA(s, 1e9, -product)
	switch {
	case math.Abs(ns) >= float64(wholeFloats): // an even nanosecond, and more than one may be lost
		lost = math.RoundToEven(lost)
	case product-ns == 0.5 && lost > 0:
		lost = 1
	case product-ns == -0.5 && lost < 0:
		lost = -1
	default:
		lost = 0
	}
	// 2^63 is exact in float64, but MaxInt64 is not, so the comparison must exclude it. NaN is in
	// no range.
	if inRange := ns >= -(1<<63) && ns < 1<<63; inRange {
		if t := Time(ns) + Time(lost); (t < 0) == (ns+lost < 0) { // otherwise it wrapped around
			return t, nil
		}
	}
	return 0, fmt.Errorf("%g s: %w", s, ErrTimeRange)
}

// InRange reports whether [FromSeconds] can represent a time.
func InRange(seconds float64) bool {
	_, err := FromSeconds(seconds)
	return err == nil
}

// Seconds returns t in seconds, the float64 nearest to the exact value. Up to 97 days from 0,
// [FromSeconds] turns it back into t; beyond that, float64 cannot represent every nanosecond, and
// Seconds returns the value that FromSeconds was given.
func (t Time) Seconds() float64 {
	if -wholeFloats <= t && t <= wholeFloats {
		return float64(t) / 1e9
	}
	s, n := t.Split()
	return float64(s) + float64(n)/1e9
}

// Split returns whole seconds and the remaining nanoseconds 0..999 999 999, as an OSI Timestamp
// requires; instants before zero have negative seconds and nanoseconds that count forwards.
func (t Time) Split() (seconds int64, nanos uint32) {
	s, n := int64(t/Second), int64(t%Second)
	if n < 0 {
		s, n = s-1, n+int64(Second)
	}
	return s, uint32(n)
}

// String returns t in seconds with nanosecond digits, "12.000000345s".
func (t Time) String() string {
	s, n := t.Split()
	if s < 0 && n > 0 { // -0.25 s is split into -1 s and 0.75 s
		s, n = s+1, uint32(Second)-n
		return fmt.Sprintf("-%d.%09ds", -s, n)
	}
	return fmt.Sprintf("%d.%09ds", s, n)
}

// Span is the half-open interval [Start, End): the time for which a stream datum is valid and over
// which an activity works.
type Span struct{ Start, End Time }

// Stamp returns the timing of an event: the span that starts and ends at t and has no length.
func Stamp(t Time) Span { return Span{t, t} }

// IsStamp reports whether s is the timing of an event rather than of a stream datum.
func (s Span) IsStamp() bool { return s.Start == s.End }

// Length returns the duration of s.
func (s Span) Length() Duration { return s.End - s.Start }

// Empty reports whether s covers no instant.
func (s Span) Empty() bool { return s.End <= s.Start }

// Contains reports whether t lies in [Start, End).
func (s Span) Contains(t Time) bool { return s.Start <= t && t < s.End }

// Intersect returns the part that s and o share; it is empty when they share none.
func (s Span) Intersect(o Span) Span {
	return Span{max(s.Start, o.Start), min(s.End, o.End)}
}

// String formats s as [start,end) in seconds, and the stamp of an event as @time.
func (s Span) String() string {
	if s.IsStamp() {
		return "@" + s.Start.String()
	}
	return fmt.Sprintf("[%v,%v)", s.Start, s.End)
}
