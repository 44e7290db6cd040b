package sensors

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// event is one published measurement.
type event struct {
	at     timebase.Time // since the start of the replay
	driver string
	row    simsensor.Row
}

// values calls visit for every field that the row has.
func (e *event) values(visit func(f simsensor.Field, value int64)) {
	for k, f := range e.row.Kind.Fields() {
		if e.row.Kind == simsensor.GPS && k == simsensor.GPSUTC && !e.row.HasUTC {
			continue
		}
		visit(f, e.row.Fields[k])
	}
}

// writeText writes "12.345000000s baro_sim barometer: pressure 101325 Pa, temperature 293 K".
func (e *event) writeText(w io.Writer) error {
	var parts []string
	e.values(func(f simsensor.Field, value int64) {
		parts = append(parts, strings.TrimRight(fmt.Sprintf("%s %d %s", f.Name, value, f.Unit),
			" "))
	})
	_, err := fmt.Fprintf(w, "%v %s %v: %s\n", e.at, e.driver, e.row.Kind, strings.Join(parts,
		", "))
	return err
}

// writeJSON writes the event as a JSON object: the time in seconds, the time stamp of the row, and
// the values under their names and units.
func (e *event) writeJSON(w io.Writer) error {
	var b bytes.Buffer
	seconds, nanos := e.at.Split()
	fmt.Fprintf(&b, `{"time":%d.%09d,"driver":%q,"sensor":%q,"stamp":%d,"values":{`, seconds, nanos,
		e.driver, e.row.Kind, e.row.Stamp)
	separator := ""
	e.values(func(f simsensor.Field, value int64) {
		name := f.Name
		if f.Unit != "" {
			name += " [" + f.Unit + "]"
		}
		fmt.Fprintf(&b, "%s%q:%d", separator, name, value) // names and units are plain ASCII
		separator = ","
	})
	b.WriteString("}}\n")
	_, err := w.Write(b.Bytes())
	return err
}
