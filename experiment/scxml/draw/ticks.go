package draw

import "gosmp/timebase"

// Ticks returns times at round numbers of seconds between begin and end for the labels of an axis:
// at most eleven, with a step of 1, 2 or 5 times a power of ten.
func Ticks(begin, end timebase.Time) (at []timebase.Time) {
	if end <= begin {
		return []timebase.Time{begin}
	}
	step, next := timebase.Time(1), 0
	for (end-begin)/step > 10 {
		step = step / [...]timebase.Time{1, 2, 5}[next] * [...]timebase.Time{2, 5, 10}[next]
		next = (next + 1) % 3
	}
	first := begin / step * step
	if first < begin {
		first += step
	}
	for n := range (end-first)/step + 1 {
		at = append(at, first+n*step)
	}
	return at
}
