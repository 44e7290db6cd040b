package simsensor

import (
	"math"

	"gosmp/timebase"
)

// schedule turns the stamps of a file into publish times.
type schedule struct {
	unit  timebase.Duration // length of one unit
	at    timebase.Time     // of the last row placed; before any, the time of the first
	ref   int64             // highest stamp of this round
	begun bool              // a row of this round was placed
	laps  int64             // of the counter in this round
	moved bool              // the rows of the round do not all have the same time
}

// placement describes how a stamp was scheduled.
type placement uint8

const (
	placed      placement = iota
	placedHeld            // decreasing: at the time of its predecessor
	placedAgain           // the first row past the end of the counter
	// not placed: the distance to the predecessor exceeds an int64 of nanoseconds.
	tooFar
	beyondRange // not placed: the publish time exceeds an int64 of nanoseconds
)

// place moves s.at to the publish time of a row stamped stamp, and returns its distance to the
// previous row.
func (s *schedule) place(stamp int64) (timebase.Duration, placement) {
	if !s.begun {
		s.begun, s.ref = true, stamp
		return 0, placed
	}
	now := lap(s.ref, stamp, s.laps)
	where := placed
	switch {
	case now > s.laps:
		s.laps, where = now, placedAgain
	case now < s.laps || stamp < s.ref:
		return 0, placedHeld
	}
	if where == placedAgain {
		s.ref -= counterSize // which is below 0, so that the distance is right
	}
	units := uint64(stamp) - uint64(s.ref) // exact even where the signed difference overflows
	if units > math.MaxInt64/uint64(s.unit) {
		return 0, tooFar
	}
	d := timebase.Duration(units) * s.unit
	if s.at > timebase.EndOfTime-d {
		return d, beyondRange
	}
	s.at, s.ref = s.at+d, stamp
	s.moved = s.moved || d > 0
	return d, where
}

// counterSize is the number of values of the 32-bit counter with which sensor boards stamp rows. In
// microseconds, it starts again at 0 after 71.6 minutes.
const (
	counterSize = 1 << 32
	mostAcross  = 1 << 26 // between the last row of a lap and the first one of the next
)

// lap returns the lap of a 32-bit counter to which a stamp belongs, when the highest stamp of the
// newest lap is ref. A stamp soon after the end of the counter begins the next lap; one that is far
// higher than ref is late and belongs to the previous lap.
func lap(ref, stamp, newest int64) int64 {
	switch {
	case ref >= counterSize || stamp < 0 || stamp >= counterSize:
	case stamp+counterSize-ref < mostAcross:
		return newest + 1
	case newest > 0 && stamp-ref > counterSize/2:
		return newest - 1
	}
	return newest
}

// nextRound schedules the next row at distance 0 after the last one.
func (s *schedule) nextRound() { s.begun, s.moved, s.laps = false, false, 0 }
