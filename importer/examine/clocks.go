package examine

import (
	"encoding/binary"
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// Qualifiers of intervals (FMI 3.0.2, 2.2.10).
const (
	notYetKnown = iota
	unchanged
	changed
)

// isTimed reports whether a clock ticks at times that the FMU determines.
func (v *variable) isTimed() bool {
	return v.Causality == fmi.Input && v.IntervalVariability != "triggered"
}

// isAperiodic reports whether the intervals of a clock vary.
func (v *variable) isAperiodic() bool {
	return v.IntervalVariability == "changing" || v.IntervalVariability == "countdown"
}

// statesInterval reports whether the model description states the interval of a clock.
func (v *variable) statesInterval() bool { return v.Timing != nil && v.Timing.Interval != nil }

// clocksThat returns the clocks for which has returns true.
func (s *subject) clocksThat(has func(v *variable) bool) (list []*variable) {
	for k := range s.clocks {
		if v := &s.clocks[k]; has(v) {
			list = append(list, v)
		}
	}
	return list
}

// activatedByFMU returns the clocks whose ticks the importer has to inquire.
func (s *subject) activatedByFMU() []*variable {
	return s.clocksThat(func(v *variable) bool { return v.Causality != fmi.Input })
}

func (s *subject) timedClocks() []*variable { return s.clocksThat((*variable).isTimed) }

// periodicClocks returns the clocks whose intervals do not vary, except with tunable parameters.
func (s *subject) periodicClocks() []*variable {
	return s.clocksThat(func(v *variable) bool { return v.isTimed() && !v.isAperiodic() })
}

func references(list []*variable) (all []uint32) {
	for _, v := range list {
		all = append(all, v.ValueReference)
	}
	return all
}

// timing appends a call that inquires intervals or shifts of clocks.
func (p *play) timing(slot int, name string, list []*variable) int {
	return p.add(probe.Op{Code: "fmi3" + name, Slot: slot, References: references(list),
		Values: len(list)})
}

// interval is the answer of a call of [play.timing].
type interval struct {
	value     float64
	qualifier int
	counter   uint64 // of a fraction
	divisor   uint64
}

// intervals decodes the answer for n clocks; nil if there is none.
func (r *run) intervals(at, n int) (list []interval) {
	rec, code := &r.Records[at], r.play.ops[at].Code
	if rec.Runs == 0 || rec.Status > warning {
		return nil
	}
	fraction := code == "fmi3GetIntervalFraction" || code == "fmi3GetShiftFraction"
	qualified := code == "fmi3GetIntervalDecimal" || code == "fmi3GetIntervalFraction"
	need := 8 * n
	if fraction {
		need *= 2
	}
	if qualified {
		need += 4 * n
	}
	if len(rec.Out) < need {
		return nil
	}
	e := binary.NativeEndian
	for k := range n {
		one := interval{qualifier: unchanged}
		bits := e.Uint64(rec.Out[8*k:])
		if fraction {
			one.counter, one.divisor = bits, e.Uint64(rec.Out[8*(n+k):])
			one.value = float64(one.counter) / float64(one.divisor)
		} else {
			one.value = math.Float64frombits(bits)
		}
		if qualified {
			one.qualifier = int(int32(e.Uint32(rec.Out[need-4*n+4*k:])))
		}
		list = append(list, one)
	}
	return list
}

// due reports whether two times are the same but for rounding errors.
func due(a, b float64) bool { return math.Abs(a-b) <= float64(1e-9*max(1, math.Abs(b))) }

// ticksWith reports whether a variable belongs to one of the given clocks.
func (v *variable) ticksWith(clocks ...[]*variable) bool {
	return slices.ContainsFunc(slices.Concat(clocks...), func(c *variable) bool {
		return slices.Contains(v.Clocks, c.ValueReference)
	})
}
