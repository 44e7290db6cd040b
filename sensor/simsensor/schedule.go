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
	begun bool              // a row of this round has been placed
	moved bool              // the rows of the round do not all have the same time
}

// placement is how a stamp was scheduled.
type placement uint8

const (
	placed      placement = iota
	placedHeld            // decreasing: at the time of its predecessor
	tooFar                // not placed: the distance to the predecessor exceeds an int64 of nanoseconds
	beyondRange           // not placed: the publish time exceeds an int64 of nanoseconds
)

// place moves s.at to the publish time of a row stamped stamp, and returns its distance to the row
// before.
func (s *schedule) place(stamp int64) (timebase.Duration, placement) {
	if !s.begun {
		s.begun, s.ref = true, stamp
		return 0, placed
	}
	if stamp < s.ref {
		return 0, placedHeld
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
	return d, placed
}

// nextRound schedules the next row at distance 0 after the last one.
func (s *schedule) nextRound() { s.begun, s.moved = false, false }
