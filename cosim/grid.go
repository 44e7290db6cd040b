package cosim

import (
	"math"
	"math/bits"

	"gosmp/timebase"
)

// Grid is a regular spacing of communication points. Its zero value means no spacing.
type Grid struct {
	seconds float64
	ns      uint64
	part    uint64 // of a nanosecond, in units of 2^-fraction
}

const fraction = 30

// Every returns a spacing in seconds. It need not be whole nanoseconds: the k-th point of a third
// of a second is k/3 s, rounded. Outside 1e-9 to 1e9 seconds, and for NaN, it returns the zero
// Grid.
func Every(seconds float64) Grid {
	if !(seconds >= 1e-9 && seconds <= 1e9) {
		return Grid{}
	}
	product := float64(seconds * 1e9) // rounded, also where the compiler fuses products and sums
	ns, rest := math.Modf(product)
	rest += math.FMA(seconds, 1e9, -product) // what the product has lost: of long steps some nanoseconds
	whole := math.Floor(rest)
	part := uint64(math.Round((rest - whole) * (1 << fraction)))
	return Grid{seconds, uint64(int64(ns)+int64(whole)) + part>>fraction, part & (1<<fraction - 1)}
}

// IsZero reports whether g is the zero Grid.
func (g Grid) IsZero() bool { return g.ns == 0 && g.part == 0 }

// Seconds is the spacing as given to [Every].
func (g Grid) Seconds() float64 { return g.seconds }

// Step is the spacing in nanoseconds, rounded.
func (g Grid) Step() timebase.Time { return g.Point(0, 1) }

// Point is the k-th point after start, rounded to nanoseconds; EndOfTime beyond the range of time.
func (g Grid) Point(start timebase.Time, k int64) timebase.Time {
	high, low := bits.Mul64(g.part, uint64(k))
	low, carry := bits.Add64(low, 1<<(fraction-1), 0)
	parts := (high+carry)<<(64-fraction) | low>>fraction // high is below 2^fraction
	high, low = bits.Mul64(g.ns, uint64(k))
	distance, carry := bits.Add64(low, parts, 0)
	if high > 0 || carry > 0 {
		return timebase.EndOfTime
	}
	if distance > uint64(timebase.EndOfTime) || start > 0 && timebase.Time(distance) > timebase.EndOfTime-start {
		return timebase.EndOfTime
	}
	return start + timebase.Time(distance)
}
