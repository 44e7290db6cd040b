package results

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/cosim"
	"gosmp/timebase"
)

// Format is a table format.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	Parquet Format = "parquet"
	MCAP    Format = "mcap"
)

// Formats lists all formats.
func Formats() []Format { return []Format{CSV, Parquet, MCAP} }

// HasTexts reports whether columns can contain texts and binaries.
func (f Format) HasTexts() bool { return f != CSV }

// FormatOf returns the format of a file by its extension, or CSV if the extension is unknown.
func FormatOf(name string) Format {
	for _, f := range Formats() {
		if strings.EqualFold(filepath.Ext(name), "."+string(f)) {
			return f
		}
	}
	return CSV
}

// table writes a table in one format. Its methods are called in this order; row is called any
// number of times.
type table interface {
	begin(r *cosim.Result) error
	row(t timebase.Time, seconds float64) error
	end() error
}

// Recorder writes columns to a file. It is a [cosim.Observer].
type Recorder struct {
	Rows int64 // number of recorded rows

	table  table
	every  timebase.Grid // zero for each row
	scale  timebase.Scale
	next   int64         // the grid point at which the next row is due
	newest timebase.Time // of the recorded rows
	result *cosim.Result
}

// New records columns to w in a format. The caller closes w after the run. every is the distance
// between rows; zero records all rows. Otherwise, the recorder keeps the first row at or after each
// point of the grid, which starts at the start of the run, with the time of that row. For an event
// at that time, it keeps both rows.
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
