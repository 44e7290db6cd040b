// Package plot implements gosmp plot, which plots numbers in a file over time.
package plot

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/report/curves"
	"gosmp/run/series"
)

// Command implements gosmp plot.
type Command struct {
	File    string   `arg:"" predictor:"file" help:"Trace of messages (${traces}), results of a run (CSV), or a recording (simsensor CSV); - is standard input."`
	Paths   []string `arg:"" optional:"" sep:"none" name:"path" help:"The numbers to draw: a message field such as moving_object[id=7].base.velocity.x, a column name, or a name pattern."`
	Out     string   `short:"o" predictor:"file" placeholder:"FILE" help:"Picture to write; the extension determines the format. By default NAME.svg in the working directory."`
	List    bool     `help:"List what can be drawn."`
	Channel []string `sep:"none" placeholder:"TOPIC" help:"Use only these channels of a trace: a topic, its last part, or a type such as SensorView or sv. May be repeated."`
	Type    string   `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it."`
	Unit    string   `short:"u" default:"auto" predictor:"unit" help:"Unit of the time stamps of a recording: ms, us, s or ns; auto, the default, determines it from the rates of the sensors."`
	From    float64  `placeholder:"S" help:"Omit data before this time, in seconds."`
	Until   *float64 `placeholder:"S" help:"Omit data after this time, in seconds."`
}

// Help returns the text that follows the summary of the command.
func (Command) Help() string {
	return `Each path has its own panel, and all panels share one time axis. List elements are ` +
		`selected by index, moving_object[0], by id, moving_object[id=7], or all of them, ` +
		`moving_object[*], with one curve per id. Column names may be patterns with * and ?; ` +
		`the columns of a recording are named by sensor and field, such as gps.ground_speed. ` +
		`Without a path, all columns are drawn.

Exit codes: 0 drawn; 2 the file or a path cannot be used.`
}

// Run draws the picture.
func (c *Command) Run() error {
	in, err := inputfile.Open(c.File)
	if err != nil {
		return err
	}
	o := series.Options{Paths: c.Paths, Channels: c.Channel, Type: c.Type, Unit: c.Unit,
		From: c.From, Until: math.Inf(1)}
	if c.Until != nil {
		o.Until = *c.Until
	}
	if c.List {
		groups, err := series.List(&in.File, o)
		return errors.Join(list(groups), err)
	}
	panels, err := series.Panels(&in.File, o)
	if err != nil {
		return err
	}
	return c.write(in, panels)
}

// list prints names.
func list(groups []series.Group) error {
	out := plaintext.Writer(os.Stdout)
	var err error
	for _, g := range groups {
		indent := ""
		if g.Title != "" {
			indent = "  "
			_, err = fmt.Fprintln(out, g.Title)
		}
		for _, name := range g.Names {
			if err == nil {
				_, err = fmt.Fprintln(out, indent+name)
			}
		}
	}
	return cli.Flushed(err)
}

// DefaultOut returns the path of the picture if no flag names one.
func (c *Command) DefaultOut() string {
	if c.List || !cli.IsRegular(c.File) {
		return ""
	}
	return cli.NameAfter(c.File, ".svg")
}

func (c *Command) write(in *inputfile.File, panels []*curves.Panel) error {
	out := c.Out
	if out == "" && in.Piped {
		out = cli.StandardOutput
	} else if out == "" {
		out = cli.NameAfter(in.Name, ".svg")
	}
	if cli.SameFile(c.File, out) {
		return cli.Unexpected("--out", fmt.Sprintf("%q, the input", out), "another file")
	}
	format, err := cli.PictureFormat(out)
	if err != nil {
		return err
	}
	if len(panels) > curves.MaxPanels {
		return cli.Unexpected("path", quantity.Of(len(panels), "panel"),
			fmt.Sprintf("at most %d; select names, --list shows the available ones",
				curves.MaxPanels))
	}
	write := func(w io.Writer) error { return curves.Write(w, format, panels) }
	if err := cli.WriteFile(out, write); err != nil {
		return err
	}
	return cli.Announce(out)
}
