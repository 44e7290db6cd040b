package importer

import (
	"fmt"
	"math"

	"gosmp/cosim"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
)

// outside reports whether a value is outside the range in the model description, for which the FMU
// was designed. NaN is in no range. The bounds are read like values of the variable, so that a
// value of 32 bits can equal its bound.
func (t *table) outside(v *variable, cell uint64) bool {
	kind := kindOf(v.kind)
	bound := func(text string) (uint64, bool) {
		limit, _, err := cosim.ParseValue(kind, text)
		return limit, err == nil && text != "" && atMost(kind, limit, limit) // NaN is no bound
	}
	low, hasLow := bound(v.model.Min)
	high, hasHigh := bound(v.model.Max)
	return hasLow && !atMost(kind, low, cell) || hasHigh && !atMost(kind, cell, high)
}

// atMost reports whether one number is at most as large as another, apart from rounding.
func atMost(kind cosim.Kind, a, b uint64) bool {
	switch kind {
	case cosim.Float64:
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		return !math.IsNaN(x) && !math.IsNaN(y) && !decimal.Exceeds(x, y)
	case cosim.Float32:
		return math.Float32frombits(uint32(a)) <= math.Float32frombits(uint32(b))
	case cosim.UInt64:
		return a <= b
	}
	return int64(a) <= int64(b)
}

// checkRange refuses values of a user outside the range of a variable. Such values of the FMU
// itself, and numbers that are not finite where there is no bound, yield warnings.
func (t *table) checkRange(value startValue, user bool) (warnings []string, err error) {
	v := &t.list[value.variable]
	kind := kindOf(v.kind)
	for _, cell := range value.cells {
		out := t.outside(v, cell)
		if !out && isFinite(kind, cell) {
			continue
		}
		found := string(cosim.AppendValue(nil, kind, cell))
		expected := fmt.Sprintf("one from %s to %s", orElse(v.model.Min, "-infinity"),
			orElse(v.model.Max, "infinity"))
		if user && out {
			return nil, fault.New(ErrValue, fault.At(v.name), found,
				expected+", the range for which the FMU is designed")
		}
		warnings = append(warnings, fmt.Sprintf("%s: start value %s, expected %s", v.name, found,
			expected))
	}
	return warnings, nil
}

func isFinite(kind cosim.Kind, cell uint64) bool {
	x := 0.0
	switch kind {
	case cosim.Float64:
		x = math.Float64frombits(cell)
	case cosim.Float32:
		x = float64(math.Float32frombits(uint32(cell)))
	}
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}
