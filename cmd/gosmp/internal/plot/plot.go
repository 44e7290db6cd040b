// Package plotcmd implements gosmp plot, which plots numbers in a file over time.
package plotcmd

import (
	"fmt"
	"io"
	"math"
	"path"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/quantity"
	"gosmp/report/curves"
	"gosmp/run/kind"
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

// series collects the numbers of one panel.
type series struct {
	path   string // what the user chose
	panel  *curves.Panel
	curves map[string]*curves.Curve
	steps  bool
}

// picture collects the panels.
type picture struct {
	command *Command
	list    []*series
	until   float64
}

// Run draws the picture.
func (c *Command) Run() error {
	in, err := inputfile.Open(c.File)
	if err != nil {
		return err
	}
	p := &picture{command: c, until: math.Inf(1)}
	if c.Until != nil {
		p.until = *c.Until
	}
	read := map[string]func(*inputfile.File) error{kind.Trace: p.messages,
		kind.Recording: p.recording}[p.kindOf(in)]
	if read == nil {
		read = p.table
	}
	if err := read(in); err != nil || c.List {
		return err
	}
	return p.write(in)
}

// kindOf returns the kind of a file. If a message type was given, the file is a trace. A table of
// numbers that starts with the column time counts as a table here, even if other commands treat it
// as something else.
func (p *picture) kindOf(in *inputfile.File) string {
	if p.command.Type != "" {
		return kind.Trace
	}
	if in.IsTable() {
		return ""
	}
	return in.Kind()
}

// DefaultOut returns the path of the picture if no flag names one.
func (c *Command) DefaultOut() string {
	if c.List || !cli.IsRegular(c.File) {
		return ""
	}
	return cli.NameAfter(c.File, ".svg")
}

func (p *picture) write(in *inputfile.File) error {
	out := p.command.Out
	if out == "" && in.Piped {
		out = cli.StandardOutput
	} else if out == "" {
		out = cli.NameAfter(in.Name, ".svg")
	}
	if cli.SameFile(p.command.File, out) {
		return cli.Unexpected("--out", fmt.Sprintf("%q, the input", out), "another file")
	}
	format, err := cli.PictureFormat(out)
	if err != nil {
		return err
	}
	found := map[string]bool{} // paths with numbers in some channel
	for _, s := range p.list {
		found[s.path] = found[s.path] || !s.panel.Empty()
	}
	var panels []*curves.Panel
	for _, s := range p.list {
		if s.panel.Empty() && found[s.path] { // in other channels, such as of other sensors
			continue
		}
		if s.panel.Empty() {
			return cli.Unexpected("path", s.panel.Title+", which has no number in that time",
				"something to draw; --list shows the available names")
		}
		panels = append(panels, s.panel)
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

// add adds a panel.
func (p *picture) add(title, unit string, steps bool) *series {
	s := &series{path: title, panel: &curves.Panel{Title: title, Unit: unit},
		curves: map[string]*curves.Curve{}, steps: steps}
	p.list = append(p.list, s)
	return s
}

// take adds a number to the curve of a label, unless it is outside the plotted time range.
func (p *picture) take(s *series, label string, t, number float64) {
	if t < p.command.From || t > p.until {
		return
	}
	c := s.curves[label]
	if c == nil {
		c = s.panel.Curve(label, s.steps)
		s.curves[label] = c
	}
	c.Add(t, number)
}

// chosen reports for each name whether a path selects it. It returns an error if a path matches no
// name.
func (c *Command) chosen(names []string) ([]bool, error) {
	wanted := make([]bool, len(names))
	for _, pattern := range c.Paths {
		found := false
		for k, name := range names {
			matches, err := path.Match(pattern, name)
			if matches = matches && err == nil || pattern == name; matches {
				wanted[k], found = true, true
			}
		}
		if !found {
			return nil, unknown(pattern, names)
		}
	}
	if len(c.Paths) == 0 {
		for k := range wanted {
			wanted[k] = true
		}
	}
	return wanted, nil
}
