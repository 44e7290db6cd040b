package simsensor

import (
	"maps"
	"math/bits"
	"slices"

	"gosmp/timebase"
)

// survey gathers the data for a report on all rows, in memory that does not grow with the file.
type survey struct {
	unit      timebase.Duration
	spaces    spacings
	perKind   [kindCount]distances
	recording recording
}

func (s *survey) add(row *Row, at timebase.Time) {
	s.spaces.add(row)
	s.perKind[row.Kind.Index()].add(row, at, s.unit)
	s.recording.add(row)
}

// sensors returns the reports of the sensors that have rows.
func (s *survey) sensors() []SensorReport {
	var reports []SensorReport
	for i, kind := range Kinds() {
		if d := &s.perKind[i]; d.rows > 0 {
			reports = append(reports, d.report(kind, s.unit))
		}
	}
	return reports
}

// oddities evaluates the whole file.
func (s *survey) oddities(u Unit, doubt *Problem) []Problem {
	var odd []Problem
	if doubt != nil {
		odd = append(odd, *doubt)
	} else if p, ok := s.spaces.implausible(u); ok {
		odd = append(odd, p)
	}
	return append(odd, s.recording.oddities()...)
}

// distances holds the distances between one sensor's rows.
type distances struct {
	rows, repeated, withUTC int64
	first, last             timebase.Time
	min, max                timebase.Duration
	// by distance in units of the file, rounded down: at most 12 bits times 53
	counts map[uint64]int64
}

func (d *distances) add(row *Row, at timebase.Time, unit timebase.Duration) {
	if row.HasUTC {
		d.withUTC++
	}
	if d.rows++; d.rows == 1 {
		d.first, d.last = at, at
		d.counts = map[uint64]int64{}
		return
	}
	gap := at - d.last
	if gap == 0 {
		d.repeated++
	}
	if d.rows == 2 {
		d.min = gap
	}
	d.min, d.max, d.last = min(d.min, gap), max(d.max, gap), at
	d.counts[roundDown(uint64(gap/unit))]++
}

// roundDown keeps the first 12 binary digits.
func roundDown(v uint64) uint64 {
	drop := max(0, bits.Len64(v)-12)
	return v >> drop << drop
}

func (d *distances) report(kind Kind, unit timebase.Duration) SensorReport {
	s := SensorReport{Kind: kind, Rows: d.rows, Repeated: d.repeated, WithUTC: d.withUTC,
		Min: d.min, Max: d.max}
	s.Median = max(d.min, d.median(unit))
	if d.last > d.first {
		s.Rate = float64(d.rows-1) / (d.last - d.first).Seconds()
	}
	return s
}

// median returns the middle distance, or the lower of the middle two.
func (d *distances) median(unit timebase.Duration) timebase.Duration {
	before := int64(0)
	for _, v := range slices.Sorted(maps.Keys(d.counts)) {
		if before += d.counts[v]; before >= d.rows/2 { // of rows-1 distances
			return timebase.Duration(v) * unit
		}
	}
	return 0
}
