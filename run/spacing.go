package run

import (
	"math"

	"gosmp/timebase"
)

// unitOf returns the coarsest unit, up to a millisecond, to which the times of a trace may have
// been rounded.
func unitOf(first, last timebase.Time) timebase.Time {
	unit := timebase.Nanosecond
	for unit < timebase.Millisecond && first%(unit*1000) == 0 && last%(unit*1000) == 0 {
		unit *= 1000
	}
	return unit
}

// spacing returns the distance between n regular messages, from the times of the first and the last
// message. These times are rounded to a unit between nanoseconds and milliseconds, so the distance
// is a whole number of nanoseconds, or the simplest fraction that is consistent with the finest
// unit, such as 1/60 s.
func spacing(first, last timebase.Time, n int64) timebase.Grid {
	steps := timebase.Time(n - 1)
	if n < 2 || last <= first {
		return timebase.Grid{}
	}
	if (last-first)%steps == 0 {
		return timebase.EveryRational(((last - first) / steps).Exactly())
	}
	coarsest := unitOf(first, last)
	for unit := timebase.Nanosecond; unit <= coarsest; unit *= 1000 {
		low := max(last-first-unit, 1).Seconds() / float64(steps)
		high := (last - first + unit).Seconds() / float64(steps)
		if r := timebase.Simplest(low, high); r.IsSimple() {
			return timebase.EveryRational(r)
		}
	}
	return timebase.Every((last - first).Seconds() / float64(steps))
}

// lateness returns how much later than its grid point the time stamp of a message may be: up to a
// unit if the n messages are at all points, or at every second, third, …, and the points are not
// multiples of the unit.
func lateness(first, last timebase.Time, n int64, g timebase.Grid) timebase.Duration {
	unit := unitOf(first, last)
	if n < 2 || g.Rational().IsWhole() && g.Step()%unit == 0 || unit >= g.Step()/4 {
		return 0
	}
	points := int64(math.Round((last - first).Seconds() / float64(n-1) / g.Seconds()))
	if off := last - first - g.Point(0, points*(n-1)); points < 1 || off > unit || off < -unit {
		return 0
	}
	return unit
}
