package run

import (
	"math"
	"strconv"

	"gosmp/cosim"
	"gosmp/timebase"
)

// lastValues keeps the last values of plain outputs.
type lastValues struct {
	signals []*cosim.Signal
	cells   [][]uint64
}

func (l *lastValues) watch(r *Simulation) error {
	for _, s := range r.signals {
		if !s.Variable.Kind.IsBlob() {
			l.signals = append(l.signals, s)
		}
	}
	l.cells = make([][]uint64, len(l.signals))
	r.Engine.Observe(l)
	return nil
}

// Begin does nothing.
func (l *lastValues) Begin(*cosim.Result) error { return nil }

// Row stores the values.
func (l *lastValues) Row(timebase.Time, cosim.Row) error {
	for k, s := range l.signals {
		l.cells[k] = append(l.cells[k][:0], s.Cells()...)
	}
	return nil
}

// End does nothing.
func (l *lastValues) End(*cosim.Result) error { return nil }

// metrics returns the values that are scalar, finite numbers. They are rounded as in a table of
// results, so that single-precision numbers have no more digits than needed.
func (l *lastValues) metrics() map[string]float64 {
	values := map[string]float64{}
	for k, s := range l.signals {
		if len(l.cells[k]) != 1 || s.Label() == "time" {
			continue
		}
		v, err := strconv.ParseFloat(
			string(cosim.AppendValue(nil, s.Variable.Kind, l.cells[k][0])),
			64,
		)
		if err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			values["output."+s.Label()] = v
		}
	}
	return values
}
