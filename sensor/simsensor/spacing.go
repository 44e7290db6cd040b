package simsensor

import (
	"fmt"
	"math"

	"gosmp/timebase"
)

// spacings measure how far apart the rows of each sensor are, in units of the file.
type spacings [kindCount]struct {
	rows        int64
	first, last int64 // stamps; last is the highest
}

// plausibleSpacing bounds the mean distance of a sensor's rows in seconds. Whoever states a unit that is 1000 times too large or
// too small leaves these bounds with every usual rate: inertial and magnetic sensors from 1 Hz to 20 kHz, the others from
// one row per 20 s (thermometer: 5 min) to 1 kHz (GPS: 200 Hz).
var plausibleSpacing = [kindCount]struct{ least, most float64 }{
	{50e-6, 1}, {1e-3, 20}, {5e-3, 20}, {50e-6, 1}, {50e-6, 1}, {1e-3, 300},
}

func (s *spacings) add(row *Row) {
	k := &s[row.Kind.index()]
	if k.rows++; k.rows == 1 {
		k.first, k.last = row.Stamp, row.Stamp
	}
	k.last = max(k.last, row.Stamp)
}

// mean is the distance of a sensor's rows in units of the file; 0 when it has no two stamps.
func (s *spacings) mean(i int) float64 {
	if s[i].rows < 2 {
		return 0
	}
	return float64(uint64(s[i].last)-uint64(s[i].first)) / float64(s[i].rows-1)
}

// misfit is the first sensor whose rows are implausibly far apart or close together in a unit of d, or -1.
func (s *spacings) misfit(d timebase.Duration) int {
	for i, bound := range plausibleSpacing {
		mean := s.mean(i) * d.Seconds()
		if mean != 0 && (mean < bound.least || mean > bound.most) {
			return i
		}
	}
	return -1
}

// implausible judges the unit and proposes another one if that fits every sensor.
func (s *spacings) implausible(u Unit) (Problem, bool) {
	i := s.misfit(u.Duration())
	if i < 0 {
		return Problem{}, false
	}
	kind, mean := Kinds()[i], s.mean(i)
	p := Problem{
		Kind: ImplausibleUnit, Sensor: kind,
		Found: fmt.Sprintf("%s rows %.6g apart on average, which in %v is %s", kind, mean, u, inSeconds(mean*u.Duration().Seconds())),
		Expected: fmt.Sprintf("between %s and %s",
			inSeconds(plausibleSpacing[i].least), inSeconds(plausibleSpacing[i].most)),
		Hint: "check the unit of the stamps",
	}
	for other := range units {
		d := units[other].span
		if s.misfit(d) < 0 {
			p.Hint = fmt.Sprintf("if the file is in %v (%s), state that unit", Unit(other), inSeconds(mean*d.Seconds()))
			break
		}
	}
	return p, true
}

// inSeconds writes a duration for reading, "2.5 ms".
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
