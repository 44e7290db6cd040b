package simsensor

import (
	"fmt"
	"math"
	"math/bits"

	"gosmp/timebase"
)

// spacings measures how far apart the rows of each sensor are, in units of the file. Its memory
// does not grow with the file.
type spacings struct {
	sensors   [kindCount]spacing
	rows      int64
	low, high int64 // stamps of all rows
}

// spacing is a histogram of the distances between one sensor's rows.
type spacing struct {
	rows    int64
	highest int64 // stamp
	// Indexed by the number of binary digits of the distance. A decreasing stamp counts as distance
	// 0: the row is published at the time of its predecessor.
	counts [65]int64
	sums   [65]float64
}

func (s *spacings) add(row *Row) {
	if s.rows++; s.rows == 1 {
		s.low, s.high = row.Stamp, row.Stamp
	}
	s.low, s.high = min(s.low, row.Stamp), max(s.high, row.Stamp)
	k := &s.sensors[row.Kind.Index()]
	if k.rows++; k.rows == 1 {
		k.highest = row.Stamp
		return
	}
	distance := uint64(0)
	if row.Stamp > k.highest {
		// exact even where the signed difference overflows
		distance = uint64(row.Stamp) - uint64(k.highest)
		k.highest = row.Stamp
	}
	class := bits.Len64(distance)
	k.counts[class]++
	k.sums[class] += float64(distance)
}

// rate returns the mean distance between a sensor's rows in units of the file. The longest
// hundredth of the distances, and at least the longest one, is left out: a pause in a recording
// does not reflect the rate of the sensor. The rate is unknown for fewer than three rows, and for
// rows that all have the same time.
func (k *spacing) rate() (distance float64, known bool) {
	if k.rows < 3 {
		return 0, false
	}
	all := k.rows - 1
	drop := (all + 99) / 100
	kept, sum := all-drop, 0.0
	for class := len(k.counts) - 1; class >= 0; class-- {
		count := k.counts[class]
		if count == 0 {
			continue
		}
		dropped := min(drop, count)
		drop -= dropped
		// rounding before the sum gives the same result on every processor
		sum += float64(k.sums[class] / float64(count) * float64(count-dropped))
	}
	return sum / float64(kept), sum > 0
}

// limits bound a distance between rows, in seconds.
type limits struct{ least, most float64 }

// usual reports whether a sensor, numbered as in [Kinds], often has rows that far apart.
func usual(sensor int, seconds float64) bool {
	l := &sensors[sensor].usual
	return seconds >= l.least && seconds < l.most
}

func possible(sensor int, seconds float64) bool {
	l := &sensors[sensor].possible
	return seconds >= l.least && seconds <= l.most
}

// misfit returns the first sensor whose rows are impossibly far apart or close together in a unit
// of d, or -1.
func (s *spacings) misfit(d timebase.Duration) int {
	for i := range s.sensors {
		if distance, known := s.sensors[i].rate(); known && !possible(i, distance*d.Seconds()) {
			return i
		}
	}
	return -1
}

// implausible checks the unit and proposes another one if that fits every sensor.
func (s *spacings) implausible(u Unit) (Problem, bool) {
	i := s.misfit(u.Duration())
	if i < 0 {
		return Problem{}, false
	}
	kind, limits := Kinds()[i], sensors[i].possible
	mean, _ := s.sensors[i].rate()
	p := Problem{
		Kind: ImplausibleUnit,
		Found: fmt.Sprintf("%s, which in %v is %s", apart(kind, mean), u,
			inSeconds(mean*u.Duration().Seconds())),
		Expected: fmt.Sprintf("between %s and %s", inSeconds(limits.least), inSeconds(limits.most)),
		Hint:     "check the unit of the stamps",
	}
	for _, other := range Units() {
		d := other.Duration()
		if s.misfit(d) < 0 {
			p.Hint = fmt.Sprintf("if the file is in %v (%s), state that unit", other,
				inSeconds(mean*d.Seconds()))
			break
		}
	}
	return p, true
}

func apart(kind Kind, distance float64) string {
	return fmt.Sprintf("%s rows %.6g apart on average", kind, distance)
}

// inSeconds formats a duration for readers, "2.5 ms".
func inSeconds(s float64) string {
	scaled, unit := s, "s"
	switch a := math.Abs(s); {
	case a >= 1 || a == 0:
	case a >= 1e-3:
		scaled, unit = s*1e3, "ms"
	case a >= 1e-6:
		scaled, unit = s*1e6, "us"
	default:
		scaled, unit = s*1e9, "ns"
	}
	return fmt.Sprintf("%.6g %s", scaled, unit)
}
