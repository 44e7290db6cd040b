package sensors

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gosmp/sensor/hub"
	"gosmp/sensor/simsensor"
)

// writeText writes "12.345000000s baro_sim barometer: pressure 101325 Pa, temperature 293 K".
func writeText(w io.Writer, e *hub.Event) error {
	var parts []string
	e.Values(func(f simsensor.Field, value int64) {
		parts = append(parts, strings.TrimRight(fmt.Sprintf("%s %d %s", f.Name, value, f.Unit),
			" "))
	})
	_, err := fmt.Fprintf(w, "%v %s %v: %s\n", e.At, e.Driver, e.Row.Kind, strings.Join(parts,
		", "))
	return err
}

// writeJSON writes the event as a JSON object: the time in seconds, the time stamp of the row, and
// the values under their names and units.
func writeJSON(w io.Writer, e *hub.Event) error {
	var b bytes.Buffer
	seconds, nanos := e.At.Split()
	fmt.Fprintf(&b, `{"time":%d.%09d,"driver":%q,"sensor":%q,"stamp":%d,"values":{`, seconds, nanos,
		e.Driver, e.Row.Kind, e.Row.Stamp)
	separator := ""
	e.Values(func(f simsensor.Field, value int64) {
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
