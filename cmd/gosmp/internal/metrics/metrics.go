// Package metrics implements gosmp metrics, which measures a trace and writes the results as CSV.
package metrics

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/trace"
	"gosmp/trace/metrics"
)

// Command implements gosmp metrics.
type Command struct {
	File    string   `arg:"" predictor:"file" help:"Trace with GroundTruth or SensorView, and SensorData to measure a sensor; - is standard input."`
	Out     string   `short:"o" predictor:"file" placeholder:"FILE" help:"Write every value as CSV; - is standard output. By default a summary is shown."`
	Truth   string   `placeholder:"TOPIC" help:"Channel of the ground truth; by default the first GroundTruth or SensorView."`
	Data    string   `placeholder:"TOPIC" help:"Channel of the SensorData; by default each SensorData of the trace."`
	Channel []string `sep:"none" placeholder:"TOPIC" help:"Measure only these channels of the trace: a topic, its last part, or a type such as SensorView or sv. May be repeated."`
	Range   float64  `placeholder:"M" help:"Objects farther away from the host vehicle are ignored in the detection rate. No limit by default."`
	Gate    float64  `default:"2.5" placeholder:"M" help:"Maximum distance between a detection without ground_truth_id and its object, ${default} by default."`
	Type    string   `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it."`
	JSON    bool     `name:"json" help:"Print the summary as JSON."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `Metrics: speed, gap, time_to_collision and headway along the host vehicle's ` +
		`heading, post_encroachment_time; and, for a SensorData, detection_rate, ` +
		`false_detections, position_error, yaw_error, length_error and width_error. TRACES.md ` +
		`contains the formulas.

The exit code is 0 if everything was measured, 1 if nothing was measured or something is ` +
		`missing (a message cannot be decoded and was omitted, or the trace is damaged and was ` +
		`used up to the damage), and 2 for files that cannot be read.

Each SensorData of the trace is measured. The CSV has the columns time (in seconds), metric, ` +
		`object (id), value, unit, channel (of the SensorData). A JSON document has the members ` +
		`formatVersion (1), file, truth, data (the first SensorData), messages, missing (a list ` +
		`of texts), and metrics: name, unit, channel, count, mean, least and greatest (value, ` +
		`time, object).`
}

// metricsReport is the JSON output, which is a contract.
type metricsReport struct {
	FormatVersion int             `json:"formatVersion"`
	File          string          `json:"file"`
	Truth         string          `json:"truth"`
	Data          string          `json:"data,omitempty"`
	Messages      int64           `json:"messages"`
	Missing       []string        `json:"missing"`
	Metrics       []metricSummary `json:"metrics"`
}

type metricSummary struct {
	Name     string        `json:"name"`
	Unit     string        `json:"unit,omitempty"`
	Channel  string        `json:"channel,omitempty"` // of a SensorData
	Count    int64         `json:"count"`
	Mean     float64       `json:"mean"`
	Least    metricExtreme `json:"least"`
	Greatest metricExtreme `json:"greatest"`
}

type metricExtreme struct {
	Value  float64 `json:"value"`
	Time   float64 `json:"time"`
	Object uint64  `json:"object"`
}

// Run measures the trace.
func (c *Command) Run() error {
	if c.Out != "" && cli.SameFile(c.File, c.Out) {
		return cli.Unexpected("--out", fmt.Sprintf("%q, the input", c.Out), "another file")
	}
	o := trace.Options{Type: c.Type}
	topics, err := inputfile.ResolveChannels([]string{c.File}, c.Channel, o)
	if err != nil {
		return err
	}
	o.Select.Topics = topics
	s, err := inputfile.OpenTrace(c.File, o)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // opened read-only
	missing := cli.Missing{}
	measured := metrics.Options{Truth: c.Truth, Data: c.Data, Each: true, Range: c.Range,
		Gate:    c.Gate,
		Missing: func(err error) { missing.Add(trace.InFile(c.File, err)) }}
	if !(c.Gate > 0) || !(c.Range >= 0) {
		return cli.Unexpected("--gate and --range", fmt.Sprintf("%v and %v", c.Gate, c.Range),
			"lengths in meters")
	}
	var r *metrics.Result
	if c.Out == "" {
		r, err = metrics.Measure(s, measured, func(metrics.Value) error { return nil })
	} else {
		err = cli.TransformFile(c.Out, func(w io.Writer) (err error) {
			r, err = metrics.WriteCSV(w, s, measured)
			return err
		})
	}
	if unknown := o.Select.Require(s.Channels()); unknown != nil {
		if err != nil { // because nothing was selected
			return cli.Invalid("--channel", unknown)
		}
		missing.Add(unknown)
	}
	if err != nil {
		return missing.Cause(trace.InFile(c.File, err))
	}
	if r.WentBack > 0 {
		fmt.Fprintf(plaintext.Lines(os.Stderr),
			"gosmp: warning: %s: time goes back %s; measurements over time restart there\n",
			c.File, quantity.Of(r.WentBack, "time"))
	}
	texts := missing.Texts()
	if err := c.report(cli.Shown(cli.Besides(c.Out), c.JSON), r, texts); err != nil {
		return cli.Flushed(err)
	}
	switch {
	case len(r.Metrics) == 0:
		return cli.Negative(c.File + ": nothing was measured")
	case len(texts) > 0:
		return cli.Negative("part of the trace was not measured, see above")
	}
	return nil
}

func (c *Command) report(out io.Writer, r *metrics.Result, missing []string) error {
	if c.JSON {
		d := documentOf(c.File, r)
		d.Missing = missing
		return cli.WriteIndentedJSON(out, d)
	}
	for _, text := range missing {
		cli.WriteWrapped(out, "missing: "+text)
	}
	if len(r.Metrics) == 0 {
		_, err := fmt.Fprintln(out, "nothing to measure: "+lacking(r))
		return err
	}
	fmt.Fprintln(out, measured(r))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	several := len(r.Sensors) > 1
	if several {
		fmt.Fprint(w, "channel\t")
	}
	fmt.Fprintln(w, "metric\tunit\tvalues\tmean\tleast\tat\tobject\tgreatest\tat\tobject\t")
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for _, m := range r.Metrics {
		if several {
			fmt.Fprint(w, cmp.Or(m.Channel, r.Truth)+"\t")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s s\t%d\t%s\t%s s\t%d\t\n", m.Name, m.Unit,
			quantity.Grouped(m.Count), number(m.Mean), number(m.Least.Value),
			trace.Seconds(m.Least.Time), m.Least.Object, number(m.Greatest.Value),
			trace.Seconds(m.Greatest.Time), m.Greatest.Object)
	}
	return w.Flush()
}

// measured describes what was measured.
func measured(r *metrics.Result) string {
	sensors := "detections of channel " + r.Data
	if len(r.Sensors) > 1 {
		sensors = "detections of channels " + strings.Join(r.Sensors, ", ")
	}
	switch {
	case r.Data == "":
		return "truth of channel " + r.Truth
	case r.Truth == "":
		return sensors
	}
	return "truth of channel " + r.Truth + ", " + sensors
}

// lacking states what is missing if nothing was measured.
func lacking(r *metrics.Result) string {
	const objects = "no moving objects with a velocity"
	switch {
	case r.Data == "":
		return "channel " + r.Truth + " has " + objects
	case r.Truth == "":
		return "no ground truth to compare channel " + r.Data + " with"
	}
	return "channels " + r.Truth + " and " + r.Data + " have " + objects
}

func documentOf(file string, r *metrics.Result) *metricsReport {
	d := &metricsReport{FormatVersion: 1, File: file, Truth: r.Truth, Data: r.Data,
		Messages: r.Messages, Metrics: []metricSummary{}}
	extreme := func(v metrics.Value) metricExtreme {
		return metricExtreme{v.Value, v.Time.Seconds(), v.Object}
	}
	for _, m := range r.Metrics {
		d.Metrics = append(d.Metrics, metricSummary{m.Name, m.Unit, m.Channel, m.Count, m.Mean,
			extreme(m.Least), extreme(m.Greatest)})
	}
	return d
}
