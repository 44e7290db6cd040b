package draw

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/importer/ssp"
	"gosmp/mocksim/opendrive/draw"
	"gosmp/report/systemgraph"
	"gosmp/run"
	"gosmp/run/kind"
	"gosmp/run/statechart"
)

// drawings returns, for each kind of document, the function that draws it as SVG.
func (c *Command) drawings() map[string]func(io.Writer, *inputfile.File) error {
	return map[string]func(io.Writer, *inputfile.File) error{
		kind.Statechart: c.drawChart, kind.Map: c.drawMap, kind.System: c.drawSystem,
	}
}

// document returns the input and its kind, unless the input is certain to be messages. Standard
// input is a document only if --as selects one, because it cannot be read twice.
func (c *Command) document() (in *inputfile.File, is string) {
	stated := c.As == kind.Statechart || c.As == kind.Map
	if c.File == "" || c.As != "" && !stated || c.File == cli.StandardOutput && !stated {
		return nil, ""
	}
	in, err := inputfile.Open(c.File)
	if err != nil {
		return nil, ""
	}
	if stated {
		return in, c.As
	}
	return in, in.Kind()
}

// drawDocument draws a document as SVG.
func (c *Command) drawDocument(in *inputfile.File, is string) error {
	out := c.Out
	switch {
	case c.Frame != 0 || c.Time != nil:
		return cli.Unexpected("--frame and --time", "a "+is, "a trace of messages")
	case out == "" && in.Piped:
		out = cli.StandardOutput
	case out == "":
		out = cli.NameAfter(in.Name, ".svg")
	}
	if out != cli.StandardOutput && !strings.EqualFold(filepath.Ext(out), ".svg") {
		return cli.Unexpected("--out", out, "a name that ends in .svg for a "+is)
	}
	var picture bytes.Buffer
	if err := c.drawings()[is](&picture, in); err != nil {
		return err
	}
	return write(out, &picture)
}

func (c *Command) drawChart(w io.Writer, in *inputfile.File) error {
	text, err := in.Text()
	if err != nil {
		return err
	}
	return statechart.Draw(w, in.Name, text, c.Mark)
}

func (c *Command) drawMap(w io.Writer, in *inputfile.File) error {
	if len(c.Mark) > 0 {
		return cli.Unexpected("--mark", "a map", "a statechart")
	}
	m, err := in.ReadMap()
	if err != nil {
		return err
	}
	return draw.Map(w, m)
}

// drawSystem draws the components of a system and their connections. Errors in the system do not
// matter, as long as there is something to draw.
func (c *Command) drawSystem(w io.Writer, in *inputfile.File) error {
	if len(c.Mark) > 0 {
		return cli.Unexpected("--mark", "a system", "a statechart")
	}
	s, _, err := ssp.Load(in.Name, ssp.Options{Variant: c.Variant})
	if s == nil {
		return err
	}
	if len(s.Components) == 0 && err != nil {
		return errors.Join(err, s.Close())
	}
	return errors.Join(systemgraph.Write(w, run.GraphOf(s)), s.Close())
}
