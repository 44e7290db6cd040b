// Package report implements gosmp report, which writes a trace as a single HTML file that works
// offline.
package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/report/signalpage"
	"gosmp/report/tracepage"
	"gosmp/run/kind"
	"gosmp/run/series"
	"gosmp/trace"
	"gosmp/trace/metrics"
)

// Command implements gosmp report.
type Command struct {
	File    string   `arg:"" predictor:"file" help:"Trace of messages (${traces}), results of a run (CSV), or a recording (simsensor CSV); - is standard input."`
	Out     string   `short:"o" predictor:"file" placeholder:"FILE.html" help:"Report to write; - is standard output. By default NAME.html in the working directory."`
	Truth   string   `placeholder:"TOPIC" help:"Channel of the ground truth; by default the first GroundTruth or SensorView."`
	Data    string   `placeholder:"TOPIC" help:"Channel of the SensorData; by default the first one."`
	Channel []string `sep:"none" placeholder:"TOPIC" help:"Show only these channels of a trace: a topic, its last part, or a type such as SensorView or sv. May be repeated."`
	Range   float64  `placeholder:"M" help:"Objects farther away from the host vehicle are ignored in the detection rate. No limit by default."`
	Frames  int      `default:"600" placeholder:"N" help:"Maximum number of moments in the view from above, ${default} by default."`
	Type    string   `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it."`
	Unit    string   `short:"u" default:"auto" predictor:"unit" help:"Unit of the time stamps of a recording: ms, us, s or ns; auto, the default, determines it from the rates of the sensors."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `The report is a single HTML file that works offline: channels, the scene from ` +
		`above with a time slider, the findings of gosmp check, and the metrics of gosmp ` +
		`metrics with plots. For results and recordings, it contains selectable curves. The ` +
		`same file produces the same bytes.

The exit code is 0 if the report was written, 1 if it was written but a message cannot be ` +
		`decoded or the trace is damaged and is shown only up to the damage, and 2 for files ` +
		`that cannot be read.`
}

// Run writes the report of a trace.
func (c *Command) Run() error {
	if c.Frames < 1 || !(c.Range >= 0) {
		return cli.Unexpected("--frames and --range", fmt.Sprintf("%v and %v", c.Frames, c.Range),
			"a number from 1 on and a length")
	}
	instead := "a trace of messages (" + trace.Extensions() + "), results (CSV) or a recording; " +
		"for the results of a sweep there is gosmp sweep report"
	if _, err := os.Stat(filepath.Join(c.File, "sweep.json")); err == nil {
		return cli.Unexpected("report", c.File+", a folder with results of a sweep", instead)
	}
	in, err := inputfile.Open(c.File)
	if err != nil {
		return err
	}
	read := c.columns(in)
	if is := in.Kind(); is != kind.Trace && c.Type == "" && read == nil {
		return cli.Unexpected("report", fmt.Sprintf("%s, which looks like a %s", in.Name, is),
			instead)
	}
	out := c.Out
	if out == "" {
		out = cli.NameAfter(in.Name, ".html")
	}
	if cli.SameFile(c.File, out) {
		return cli.Unexpected("--out", fmt.Sprintf("%q, the input", out), "another file")
	}
	if read != nil {
		return c.signals(in, read, out)
	}
	from, err := in.OpenContent()
	if err != nil {
		return err
	}
	defer from.Close()
	c.Channel, err = inputfile.ResolveChannelsAt(in.Name, from, from.Size, c.Channel,
		trace.Options{Type: c.Type})
	if err != nil {
		return err
	}
	missing := cli.Missing{}
	o := tracepage.Options{Type: c.Type, Channels: c.Channel, Frames: c.Frames,
		Metrics: metrics.Options{Truth: c.Truth, Data: c.Data, Range: c.Range,
			Missing: func(err error) { missing.Add(trace.InFile(in.Name, err)) }}}
	if err := cli.TransformFile(out, func(w io.Writer) error {
		return tracepage.Write(w, filepath.Base(in.Name), from, from.Size, o)
	}); err != nil {
		return err
	}
	if err := cli.Announce(out); err != nil {
		return err
	}
	for _, text := range missing.Texts() {
		cli.WriteWrapped(plaintext.Lines(os.Stderr), "missing: "+text)
		err = errPart
	}
	return err
}

var errPart = cli.Negative("the report does not show the whole trace, see above")

// columns returns the function that reads numbers over time, or nil for a trace of messages.
func (c *Command) columns(in *inputfile.File) func() (*series.Columns, error) {
	switch {
	case c.Type != "":
	case series.IsTable(&in.File):
		return func() (*series.Columns, error) { return series.Table(&in.File, "report") }
	case in.Kind() == kind.Recording && strings.EqualFold(filepath.Ext(in.Name), ".csv"):
		// a file of unknown kind is also treated as a recording
		return func() (*series.Columns, error) { return series.Recording(&in.File, c.Unit) }
	}
	return nil
}

// signals writes the report of numbers over time.
func (c *Command) signals(in *inputfile.File, read func() (*series.Columns, error),
	out string) error {
	columns, err := read()
	if err != nil {
		return err
	}
	defer columns.Close()
	p := signalpage.New(filepath.Base(in.Name))
	p.Text = "The curves show the lowest and the highest value in each short interval."
	if columns.Stamps != "" {
		p.Text += " " + columns.Stamps + "."
	}
	list := make([]*signalpage.Signal, len(columns.Names))
	for k, name := range columns.Names {
		list[k] = p.Signal(name, columns.Units[k], columns.Steps)
	}
	if err := columns.Each(func(k int, t, x float64) { list[k].Add(t, x) }); err != nil {
		return err
	}
	if err := cli.TransformFile(out, p.Write); err != nil {
		return err
	}
	return cli.Announce(out)
}

// DefaultOut returns the path of the report if no flag names one.
func (c *Command) DefaultOut() string {
	if !cli.IsRegular(c.File) {
		return ""
	}
	if in, err := inputfile.Open(c.File); err != nil ||
		in.Kind() != kind.Trace && c.Type == "" && c.columns(in) == nil {
		return "" // the command reports the error
	}
	return cli.NameAfter(c.File, ".html")
}
