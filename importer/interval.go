package importer

import (
	"fmt"
	"math"
	"math/bits"

	"gosmp/internal/state"
	"gosmp/timebase"
)

// partsOfNanosecond is the resolution of intervals.
const partsOfNanosecond = 1 << 30

// interval is a duration: whole nanoseconds, and 2^-30 of them. Sums of it do not drift: after a
// billion intervals of a third of a second they are half a nanosecond off.
type interval struct {
	ns   int64
	part int64 // below partsOfNanosecond
}

// never is longer than any run.
var never = interval{ns: math.MaxInt64}

func decimalOf(seconds float64) (interval, error) {
	switch {
	case math.IsNaN(seconds) || seconds < 0:
		return interval{}, fmt.Errorf("%v s", seconds)
	case seconds >= float64(math.MaxInt64)/1e9:
		return never, nil
	}
	ns, rest := math.Modf(seconds * 1e9)
	// what the product has lost, which may be some nanoseconds
	rest += math.FMA(seconds, 1e9, -(seconds * 1e9))
	whole := math.Floor(rest)
	d := interval{ns: int64(ns) + int64(whole)}
	return d.plus(interval{part: int64(math.Round((rest - whole) * partsOfNanosecond))}), nil
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
	high, low = bits.Mul64(rest, partsOfNanosecond)
	part, rest := bits.Div64(high, low, resolution)
	if rest >= resolution-rest {
		part++
	}
	return interval{ns: int64(ns)}.plus(interval{part: int64(part)}), nil
}

// plus adds intervals; the sum is at most never.
func (d interval) plus(e interval) interval {
	carry, part := int64(0), d.part+e.part
	switch {
	case part >= partsOfNanosecond:
		carry, part = 1, part-partsOfNanosecond
	case part < 0:
		carry, part = -1, part+partsOfNanosecond
	}
	if d.ns == math.MaxInt64 || e.ns > 0 && d.ns > math.MaxInt64-1-e.ns {
		return never
	}
	return interval{d.ns + e.ns + carry, part}
}

// after is the first time after t that is d and a number of intervals e, which is not 0.
func (d interval) after(t timebase.Time, e interval) interval {
	missed := uint64(0)
	if gap := uint64(t) - uint64(d.ns); int64(t) > d.ns && e.ns < 1<<33 {
		high, low := bits.Mul64(gap, partsOfNanosecond)
		missed, _ = bits.Div64(high, low, uint64(e.ns*partsOfNanosecond+e.part))
	} else if int64(t) > d.ns {
		missed = gap / uint64(e.ns+1)
	}
	missed -= min(missed, 1)
	high, low := bits.Mul64(uint64(e.part), missed)
	whole := high<<34 | low>>30
	d = d.plus(interval{e.ns*int64(missed) + int64(whole), int64(low % partsOfNanosecond)})
	for d.time() <= t {
		d = d.plus(e)
	}
	return d
}

// time is a duration since time 0, rounded.
func (d interval) time() timebase.Time {
	if d.part >= partsOfNanosecond/2 && d.ns < math.MaxInt64 {
		return timebase.Time(d.ns + 1)
	}
	return timebase.Time(d.ns)
}

// ticking is the state of a clock.
type ticking struct {
	due      interval // time of the next tick, from time 0; never if it is not known
	last     interval // time of the last one
	interval interval // between two ticks
	count    uint64   // of ticks
	seen     uint64   // the count at the input of a triggered clock
	tuning   tuning   // that the FMU gets in the next event
}

func (s *ticking) append(b []byte) []byte {
	for _, d := range []interval{s.due, s.last, s.interval} {
		b = state.AppendUint64(state.AppendUint64(b, uint64(d.ns)), uint64(d.part))
	}
	return s.tuning.append(state.AppendUint64(state.AppendUint64(b, s.count), s.seen))
}

func (s *ticking) read(d *state.Decoder) {
	for _, to := range []*interval{&s.due, &s.last, &s.interval} {
		to.ns, to.part = int64(d.Uint64()), int64(d.Uint64())
	}
	s.count, s.seen = d.Uint64(), d.Uint64()
	s.tuning.read(d)
}
