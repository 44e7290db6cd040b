package cosim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/internal/state"
	"gosmp/timebase"
)

// Extrapolation describes how an input from another participant changes within a step.
type Extrapolation uint8

const (
	// Hold keeps the newest value for the whole step.
	Hold Extrapolation = iota
	// Slope takes the value at the beginning of the step, and its slope, from the line through the
	// producer's two newest values. If the producer steps first, this line ends at its new value.
	// If the connection lags, the value continues from the newest one, with the slope that the
	// producer states in its frame, or otherwise with the slope of the line; the first step then
	// holds the value. Slope requires continuous variables of kind Float64 and a participant with
	// [Traits].Slopes; any other connection holds.
	Slope
)

// line is the memory of a link with linear extrapolation: the values of the producer, converted,
// at the two newest times at which they were seen.
type line struct {
	at     [2]timebase.Time // the newest one is at[1]
	values [2][]float64
	slopes []float64 // at the newest time, as stated by the producer; NaN if not stated
	count  int       // number of known values, up to 2
	scale  *timebase.Scale
}

// newLine creates a line for a number of elements.
func newLine(elements int) *line {
	return &line{values: [2][]float64{make([]float64, elements), make([]float64, elements)},
		slopes: slices.Repeat([]float64{math.NaN()}, elements)}
}

// sample records the values of the cells at a time. If that time is already known, they replace its
// earlier values.
func (l *line) sample(at timebase.Time, cells []uint64) {
	switch {
	case l.count == 0 || at == l.at[1] || at < l.at[1]:
		l.count = max(l.count, 1)
	default:
		l.values[0], l.values[1] = l.values[1], l.values[0]
		l.at[0], l.count = l.at[1], 2
	}
	l.at[1] = at
	for k, cell := range cells {
		l.values[1][k] = math.Float64frombits(cell)
	}
}

// slope returns the change of an element per second, in a step that begins at t.
func (l *line) slope(k int, t timebase.Time) float64 {
	if stated := l.slopes[k]; t >= l.at[1] && !math.IsNaN(stated) {
		return stated
	}
	if l.count < 2 {
		return 0
	}
	return (l.values[1][k] - l.values[0][k]) / (l.scale.Distance(l.at[0], l.at[1]) / 1e9)
}

// value returns the value of an element at t.
func (l *line) value(k int, t timebase.Time) float64 {
	if t == l.at[1] {
		return l.values[1][k]
	}
	if l.count == 2 && t == l.at[0] {
		return l.values[0][k]
	}
	return l.values[1][k] + float64(l.slope(k, t)*(l.scale.Distance(l.at[1], t)/1e9))
}

// set copies another line into this one.
func (l *line) set(other *line) {
	l.at, l.count = other.at, other.count
	copy(l.values[0], other.values[0])
	copy(l.values[1], other.values[1])
	copy(l.slopes, other.slopes)
}

func (l *line) appendState(b []byte) []byte {
	b = append(b, byte(l.count))
	for k, values := range l.values {
		b = state.AppendUint64(b, uint64(l.at[k]))
		for _, v := range values {
			b = state.AppendFloat64(b, v)
		}
	}
	for _, v := range l.slopes {
		b = state.AppendFloat64(b, v)
	}
	return b
}

func (l *line) restoreState(d *state.Decoder) {
	l.count = int(d.Byte())
	for k, values := range l.values {
		l.at[k] = timebase.Time(d.Uint64())
		for e := range values {
			values[e] = d.Float64()
		}
	}
	for e := range l.slopes {
		l.slopes[e] = d.Float64()
	}
}

// extrapolate prepares a link for linear extrapolation, if both ends can take part in it.
func (l *link) extrapolate() {
	from, to := &l.from.variables[l.output], &l.to.variables[l.input]
	if l.from.source != nil || !l.to.traits.Slopes || !from.Continuous || !to.Continuous ||
		!from.Kind.IsFloat() || to.Kind != Float64 || to.Held {
		return
	}
	l.line, l.keptLine, l.factor = newLine(l.size), newLine(l.size), 1
	for _, c := range l.connection.Conversions {
		l.factor *= c.factor // mappings do not apply to floating-point values
	}
	l.to.lines = append(l.to.lines, l)
	if l.in.Slopes == nil {
		l.in.Slopes = make([]float64, len(l.in.Cells))
	}
}

// follow sets extrapolated inputs to their values at the beginning of a step.
func (m *member) follow() {
	for _, l := range m.lines {
		for k := range l.size {
			l.in.Cells[l.toAt+k] = math.Float64bits(l.line.value(k, m.now))
			l.in.Slopes[l.toAt+k] = l.line.slope(k, m.now)
		}
	}
}

// noteHeld records which connections are extrapolated, and reports connections that should be
// extrapolated but hold their values.
func (e *Engine) noteHeld(links []*link) {
	var names []string
	for k, l := range links {
		e.result.Links[k].Extrapolated = l.line != nil
		if l.connection.Extrapolation == Slope && l.line == nil && l.from.source == nil {
			names = append(names, l.name())
		}
	}
	if len(names) > 4 {
		names = append(slices.Clip(names[:4]), fmt.Sprintf("%d more", len(names)-4))
	}
	if len(names) > 0 {
		e.result.Notes = append(e.result.Notes,
			"not extrapolated, but held, as the input cannot take slopes or a value is "+
				"not continuous: "+
				strings.Join(names, ", "))
	}
}
