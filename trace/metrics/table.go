package metrics

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"

	"gosmp/trace"
)

// WriteCSV measures a source and writes a row for each value: time in seconds, metric, id of the
// object, value, unit, and the channel of the SensorData that a metric of a sensor is about.
func WriteCSV(to io.Writer, s trace.Source, o Options) (*Result, error) {
	buffered := bufio.NewWriter(to)
	w := csv.NewWriter(buffered)
	head := []string{"time", "metric", "object", "value", "unit", "channel"}
	if err := w.Write(head); err != nil {
		return nil, err
	}
	units := map[string]string{}
	for _, m := range Metrics() {
		units[m.Name] = m.Unit
	}
	r, err := Measure(s, o, func(v Value) error {
		return w.Write([]string{trace.Seconds(v.Time), v.Metric, strconv.FormatUint(v.Object, 10),
			strconv.FormatFloat(v.Value, 'g', -1, 64), units[v.Metric], v.Channel})
	})
	if err != nil {
		return nil, err
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, err
	}
	return r, buffered.Flush()
}
