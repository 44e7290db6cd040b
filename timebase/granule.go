package timebase

import "fmt"

// Granule is the length of one tick. Time itself is counted in nanoseconds; ticks are a view of it
// for people who think in ticks, and are used in gosmp/timebase/activity for the aging of scheduled
// activities (100 units of order per tick) and for late alarm requests.
type Granule Time

// DefaultGranule is the length of a tick unless a program sets another.
const DefaultGranule = Granule(Millisecond)

// Tick returns the number of whole ticks at t, rounded towards earlier times.
func (g Granule) Tick(t Time) int64 {
	q, r := t/Time(g), t%Time(g)
	if r < 0 {
		q--
	}
	return int64(q)
}

// Time returns the instant of a tick.
func (g Granule) Time(tick int64) Time { return Time(tick) * Time(g) }

// Next returns the first tick boundary later than t.
func (g Granule) Next(t Time) Time { return g.Time(g.Tick(t) + 1) }

// Span rounds an interval in seconds to ticks. An interval that is not empty never becomes empty:
// it is at least one tick long. It returns [ErrTimeRange] for values outside the range of time and
// [ErrSpan] if to is not later than from.
func (g Granule) Span(from, to float64) (Span, error) {
	a, err := FromSeconds(from)
	if err != nil {
		return Span{}, err
	}
	b, err := FromSeconds(to)
	if err != nil {
		return Span{}, err
	}
	if !(to > from) {
		return Span{}, fmt.Errorf("from %g s to %g s: %w", from, to, ErrSpan)
	}
	if a < Time(g)-EndOfTime || b > EndOfTime-2*Time(g) {
		return Span{}, fmt.Errorf("from %g s to %g s: %w", from, to, ErrTimeRange)
	}
	s := Span{g.round(a), g.round(b)}
	if s.Empty() {
		s.End = s.Start + Time(g)
	}
	return s, nil
}

// round returns the tick boundary nearest to t, or the later one if two are equally near.
func (g Granule) round(t Time) Time { return g.Time(g.Tick(t + Time(g)/2)) }
