package simsensor

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// The amount of a file that [Auto] reads: part by part until they determine the unit, up to the
// limit.
const (
	decidePart  = bufferSize
	decideLimit = probeLimit
)

// settle replaces [Auto] with the unit suggested by the rows; doubt is nil if there is no doubt. A
// stated unit is kept. seen describes the content of the first part, if reading it again in the
// unit found would give the same. Afterwards, the reader must be restarted.
func (r *reader) settle() (doubt *Problem, seen *beginning) {
	if r.unit != Auto {
		return nil, nil
	}
	start := r.schedule.at
	// in the shortest unit, no distance is out of range
	r.unit, r.schedule.unit = Nanoseconds, Nanoseconds.Duration()
	r.lines.limit = decideLimit
	var all spacings
	var row Row
	var err error
	for part := int64(decidePart); part <= decideLimit && err == nil &&
		!all.decided(); part += decidePart {
		for err == nil && r.lines.offset() < part {
			if err = r.next(&row); err == nil {
				all.add(&row)
			}
		}
	}
	r.unit, doubt = all.decide()
	if ended := err != nil; ended && all.low == all.high {
		doubt = nil // all rows have the same time: the unit makes no difference
	}
	if doubt != nil {
		doubt.Place.File = r.name
	}
	r.schedule.unit = r.unit.Duration()
	first := &beginning{spaces: all, err: err, moved: r.schedule.moved}
	if r.lines.start < decidePart && r.rejected == 0 && first.fits(start, r.schedule.unit) {
		seen = first
	}
	return doubt, seen
}

// beginning describes the content of the first buffer of a file.
type beginning struct {
	spaces spacings // of its good rows
	bad    *Problem // the first rejected row
	err    error    // the error that stopped reading before the end of the buffer
	moved  bool     // the rows do not all have the same time
}

// fits reports whether rows that are good in nanoseconds are also good in another unit, that is,
// none is too late for it.
func (b *beginning) fits(start timebase.Time, unit timebase.Duration) bool {
	ended := b.err == nil || errors.Is(b.err, io.EOF) || errors.Is(b.err, errEnd)
	span := uint64(b.spaces.high) - uint64(b.spaces.low)
	return ended && b.spaces.rows > 0 && span < math.MaxInt64/uint64(unit) &&
		start <= timebase.EndOfTime-timebase.Duration(span)*unit
}

// votes counts, for each unit, the sensors whose rate is usual in that unit.
func (s *spacings) votes() (votes [unitCount]int) {
	for i := range s.sensors {
		distance, known := s.sensors[i].rate()
		if !known {
			continue
		}
		for _, u := range Units() {
			if usual(i, distance*u.Duration().Seconds()) {
				votes[u]++
			}
		}
	}
	return votes
}

// winner returns the unit in which more sensors have a usual rate than in any other.
func (s *spacings) winner() (unit Unit, found bool) {
	votes := s.votes()
	most := 0
	for _, u := range Units() {
		switch {
		case votes[u] > most:
			most, unit, found = votes[u], u, true
		case votes[u] == most:
			found = false
		}
	}
	return unit, found
}

func (s *spacings) decided() bool {
	_, found := s.winner()
	return found
}

// decide returns the unit in which most sensors have a usual rate, or the documented one if there
// is no such unit. It also returns a doubt if there is no such unit or if the documented unit is
// equally possible.
func (s *spacings) decide() (Unit, *Problem) {
	unit, found := s.winner()
	switch {
	case !found:
		return Milliseconds, s.doubt(Milliseconds, "as the format's description says")
	case unit == Milliseconds || s.misfit(timebase.Millisecond) >= 0:
		return unit, nil
	case unit == Seconds: // hardly any recording has stamps of whole seconds
		return Milliseconds, s.doubt(Milliseconds,
			"in which the rates are possible, as the format's description says")
	}
	return unit, s.doubt(unit, "in which the rates are more usual than in ms")
}

// doubt describes the row distances in the file, by sensor.
func (s *spacings) doubt(taken Unit, reason string) *Problem {
	p := fault.New(DoubtfulUnit, fault.Place{}, "",
		"sensors with three rows or more, at rates that are usual in one unit only").
		WithHint(fmt.Sprintf("the stamps are read in %v, %s; state the unit to be sure", taken,
			reason))
	var found []string
	for i, kind := range Kinds() {
		if distance, known := s.sensors[i].rate(); known {
			found = append(found, apart(kind, distance))
		}
	}
	if p.Found = strings.Join(found, ", "); len(found) == 0 {
		p.Found = "no sensor with three rows"
	}
	return p
}
