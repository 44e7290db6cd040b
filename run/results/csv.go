package results

import (
	"io"

	"gosmp/cosim"
	"gosmp/timebase"
)

// csvTable leaves the format of lines to [cosim.Recorder].
type csvTable struct{ to *cosim.Recorder }

func newCSV(w io.Writer, columns []Column) *csvTable {
	parts := make([]cosim.Part, len(columns))
	for k, c := range columns {
		parts[k] = cosim.Part{Signal: c.Signal, Label: c.Label, Count: c.Signal.Variable.Size}
		if c.Element != Whole {
			parts[k].First, parts[k].Count = c.Element, 1
		}
	}
	return &csvTable{cosim.NewPartRecorder(w, parts...)}
}

func (t *csvTable) begin(r *cosim.Result) error { return t.to.Begin(r) }

func (t *csvTable) row(at timebase.Time, _ float64) error { return t.to.Row(at, cosim.AtPoint) }

func (t *csvTable) end() error { return t.to.End(nil) }
