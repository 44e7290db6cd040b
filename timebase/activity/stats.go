package activity

import (
	"math/bits"

	"gosmp/timebase"
)

// Stats describes the performance of an activity. It needs a time source: a wall clock has one, a
// virtual clock uses [NodeSpec].Timing.
type Stats struct {
	Run Timing // duration of the callbacks
	// wall clock only: delay of the callbacks after the start of their spans, in model time
	Lateness Timing
}

// Timing is the distribution of a duration.
type Timing struct {
	Count    uint64
	Min, Max timebase.Duration
	// ns; an integer would overflow when a clock at high speed cannot keep up
	sum     float64
	buckets [64]uint64 // number of values with that many significant bits
}

// Stats returns a copy of the activity's statistics.
func (a *Activity) Stats() Stats {
	a.node.enter()
	defer a.node.leave()
	return a.stats
}

func (t *Timing) add(d timebase.Duration) {
	if t.Count == 0 || d < t.Min {
		t.Min = d
	}
	if t.Count == 0 || d > t.Max {
		t.Max = d
	}
	t.Count++
	t.sum += float64(d)
	t.buckets[bits.Len64(uint64(max(d, 0)))]++
}

// Mean returns the mean value, or 0 if there are no values.
func (t *Timing) Mean() timebase.Duration {
	if t.Count == 0 {
		return 0
	}
	return timebase.Duration(t.sum / float64(t.Count))
}

// Quantile returns a bound that the fraction q of all values does not exceed. It is accurate to a
// factor of two, and never above Max.
func (t *Timing) Quantile(q float64) timebase.Duration {
	want := q * float64(t.Count)
	var sum uint64
	for i, n := range t.buckets {
		if sum += n; n > 0 && float64(sum) >= want {
			return min(timebase.Duration(1)<<i-1, t.Max)
		}
	}
	return t.Max
}

// measured calls the callback and records how long it took.
func (a *Activity) measured(c *Cycle) error {
	n := a.node
	source := n.spec.Timing
	begin, start := source.Now(), timebase.Duration(0)
	if n.model != nil {
		start = n.model(begin) - c.Span.Start
		a.stats.Lateness.add(start)
	}
	err := a.call(c)
	end := source.Now()
	a.stats.Run.add(end - begin)
	if a.watch.limited {
		complete := end - begin
		if n.model != nil {
			complete = n.model(end) - c.Span.Start
		}
		a.watchCycle(start, complete)
	}
	return err
}
