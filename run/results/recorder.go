package results

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/cosim"
	"gosmp/timebase"
)

// Format is a format of tables.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	Parquet Format = "parquet"
	MCAP    Format = "mcap"
)

// Formats lists all formats.
func Formats() []Format { return []Format{CSV, Parquet, MCAP} }

// HasTexts reports whether texts and binaries can be columns.
func (f Format) HasTexts() bool { return f != CSV }

// FormatOf returns the format of a file by its extension, and CSV for an extension of no format.
func FormatOf(name string) Format {
	for _, f := range Formats() {
		if strings.EqualFold(filepath.Ext(name), "."+string(f)) {
			return f
		}
	}
	return CSV
}

// table writes a table in one format. Its methods are called in this order, row any number of times.
type table interface {
	begin(r *cosim.Result) error
	row(t timebase.Time, seconds float64) error
	end() error
}

// Recorder writes columns into a file. It is a [cosim.Observer].
type Recorder struct {
	Rows int64 // that were recorded

	table  table
	every  timebase.Grid // zero: each row
	scale  timebase.Scale
	next   int64         // the point of the scale at which the next row is due
	newest timebase.Time // of the rows that were recorded
	result *cosim.Result
}

// New records columns in a format into w, which the caller closes after the run. every is the
// distance of rows; zero records all. Otherwise a row is the first one at or after each point of the
// grid, which begins at the start of the run, with the time that it has; and an event at the time of
// such a row has both of its rows.
func New(f Format, w io.Writer, columns []Column, every timebase.Grid) (*Recorder, error) {
	r := &Recorder{every: every}
	switch f {
	case CSV:
		r.table = newCSV(w, columns)
	case Parquet:
		r.table = newParquet(w, Elements(columns))
	case MCAP:
		r.table = newMCAP(w, columns)
	default:
		return nil, fmt.Errorf("found the format %q, expected csv, parquet or mcap", f)
	}
	return r, nil
}

// Begin implements [cosim.Observer].
func (r *Recorder) Begin(result *cosim.Result) error {
	r.result, r.Rows, r.next = result, 0, 0
	scale := result.Spec.Scale()
	r.scale = scale.With(r.every)
	return r.table.begin(result)
}

// Row implements [cosim.Observer].
func (r *Recorder) Row(t timebase.Time, row cosim.Row) error {
	if !r.wants(t, row) {
		return nil
	}
	r.newest = t
	r.Rows++
	return r.table.row(t, r.result.Seconds(t))
}

// Within implements [cosim.Finer].
func (r *Recorder) Within(t timebase.Time) error { return r.Row(t, cosim.AtPoint) }

func (r *Recorder) wants(t timebase.Time, row cosim.Row) bool {
	if r.every.IsZero() || r.Rows > 0 && t == r.newest && row == cosim.AfterEvent {
		return true
	}
	if t < r.scale.Point(r.next) {
		return false
	}
	for r.scale.Point(r.next) <= t {
		r.next++
	}
	return true
}

// End implements [cosim.Observer].
func (r *Recorder) End(*cosim.Result) error {
	if r.result == nil {
		return nil
	}
	return r.table.end()
}
