package importer

import (
	"fmt"
	"math"
	"math/bits"

	"gosmp/internal/state"
	"gosmp/timebase"
)

const (
	// partsOfNanosecond is the number of parts per nanosecond to which a sum is rounded if its
	// exact value needs too many digits.
	partsOfNanosecond = 1 << 30
	// finest limits the denominators of intervals, so that sums of two parts fit in 64 bits.
	finest = 1 << 62
)

// interval is a duration: whole nanoseconds and part/den of a nanosecond. Sums of an interval are
// exact, so that the ticks of a clock do not drift and coincide with the ticks of other clocks.
type interval struct {
	ns        int64
	part, den uint64 // part < den, in lowest terms; den 0 stands for 1
}

// never is longer than any run.
var never = interval{ns: math.MaxInt64}

// decimalOf converts a number of seconds, which represents the simplest fraction that rounds to it:
// 0.016666666666666666 is 1/60.
func decimalOf(seconds float64) (interval, error) {
	switch {
	case math.IsNaN(seconds) || seconds < 0:
		return interval{}, fmt.Errorf("%v s", seconds)
	case seconds >= float64(math.MaxInt64)/1e9:
		return never, nil
	}
	if r, err := timebase.RationalOf(seconds); err == nil {
		return fractionOf(r.Parts())
	}
	return never, nil // off by the last bits
}

func fractionOf(counter, resolution uint64) (interval, error) {
	if resolution == 0 {
		return interval{}, fmt.Errorf("%d/0 s", counter)
	}
	high, low := bits.Mul64(counter, 1e9)
	if high >= resolution {
		return never, nil
	}
	ns, rest := bits.Div64(high, low, resolution)
	if ns >= math.MaxInt64 {
		return never, nil
	}
	return intervalOf(int64(ns), rest, resolution), nil
}

// intervalOf returns ns + part/den in lowest terms, with part at most den.
func intervalOf(ns int64, part, den uint64) interval {
	if g := gcd(part, den); g > 1 {
		part, den = part/g, den/g
	}
	if den >= finest {
		part, den = rounded(part, den), partsOfNanosecond
	}
	if part == den {
		return interval{ns: ns + 1}
	}
	if part == 0 {
		return interval{ns: ns}
	}
	return interval{ns, part, den}
}

// rounded returns the numerator of part/den for the denominator partsOfNanosecond.
func rounded(part, den uint64) uint64 {
	high, low := bits.Mul64(part, partsOfNanosecond)
	q, rest := bits.Div64(high, low, den)
	if rest >= den-rest {
		q++
	}
	return q
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// parts returns the fraction of a nanosecond and its denominator.
func (d interval) parts() (part, den uint64) { return d.part, max(d.den, 1) }

// plus adds intervals; the sum is at most never.
func (d interval) plus(e interval) interval {
	if d.ns == math.MaxInt64 || e.ns > 0 && d.ns > math.MaxInt64-1-e.ns {
		return never
	}
	a, b := d.parts()
	p, q := e.parts()
	if high, den := bits.Mul64(b, q/gcd(b, q)); high == 0 && den < finest {
		a, p, b = a*(den/b), p*(den/q), den
	} else {
		a, p, b = rounded(a, b), rounded(p, q), partsOfNanosecond
	}
	if a+p >= b {
		return intervalOf(d.ns+e.ns+1, a+p-b, b)
	}
	return intervalOf(d.ns+e.ns, a+p, b)
}

// times returns n·d.
func (d interval) times(n int64) interval {
	part, den := d.parts()
	high, low := bits.Mul64(part, uint64(n))
	whole, rest := bits.Div64(high, low, den)
	return intervalOf(d.ns*n+int64(whole), rest, den)
}

// after returns the first time after t that is d plus a multiple of e; e must not be 0.
func (d interval) after(t timebase.Time, e interval) interval {
	if gap := float64(t) - float64(d.ns); gap > 0 {
		part, den := e.parts()
		// slightly fewer than were missed, to allow for rounding of the quotient
		missed := int64(gap / (float64(e.ns) + float64(part)/float64(den)) * (1 - 1e-12))
		d = d.plus(e.times(max(missed-1, 0)))
	}
	for d.time() <= t {
		d = d.plus(e)
	}
	return d
}

// time returns the time at duration d after time 0, rounded.
func (d interval) time() timebase.Time {
	if part, den := d.parts(); part >= den-part && d.ns < math.MaxInt64 {
		return timebase.Time(d.ns + 1)
	}
	return timebase.Time(d.ns)
}

// seconds returns d in seconds, rounded once, in the form passed to the FMU.
func (d interval) seconds() float64 {
	part, den := d.parts()
	return timebase.Time(d.ns).SecondsAnd(part, den)
}

// ticking is the state of a clock.
type ticking struct {
	due      interval // time of the next tick, from time 0; never if unknown
	last     interval // time of the last tick
	interval interval // between two ticks
	count    uint64   // of ticks
	seen     uint64   // the count at the input of a triggered clock
	tuning   tuning   // passed to the FMU in the next event
}

func (s *ticking) append(b []byte) []byte {
	for _, d := range []interval{s.due, s.last, s.interval} {
		b = state.AppendUint64(state.AppendUint64(b, uint64(d.ns)), d.part)
		b = state.AppendUint64(b, d.den)
	}
	return s.tuning.append(state.AppendUint64(state.AppendUint64(b, s.count), s.seen))
}

func (s *ticking) read(d *state.Decoder) {
	for _, to := range []*interval{&s.due, &s.last, &s.interval} {
		to.ns, to.part, to.den = int64(d.Uint64()), d.Uint64(), d.Uint64()
	}
	s.count, s.seen = d.Uint64(), d.Uint64()
	s.tuning.read(d)
}
