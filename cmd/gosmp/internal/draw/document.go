package draw

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/cmd/gosmp/internal/statechart"
	"gosmp/mocksim/opendrive/draw"
)

// document is the input if it is a statechart or a map, which are drawn as SVG. Standard input is
// one only if --as says so, because reading it twice is impossible.
func (c *Command) document() (in *inputfile.File, kind string) {
	stated := c.As == inputfile.Statechart || c.As == inputfile.Map
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
	kind = in.Kind()
	return in, kind
}

// drawDocument draws a statechart or a map as SVG.
func (c *Command) drawDocument(in *inputfile.File, kind string) error {
	out := c.Out
	switch {
	case c.Frame != 0 || c.Time != nil:
		return cli.Unexpected("--frame and --time", "a "+kind, "a trace of messages")
	case out == "" && in.Piped:
		out = cli.StandardOutput
	case out == "":
		base := filepath.Base(in.Name)
		out = strings.TrimSuffix(base, filepath.Ext(base)) + ".svg"
	}
	if out != cli.StandardOutput && !strings.EqualFold(filepath.Ext(out), ".svg") {
		return cli.Unexpected("--out", out, "a name that ends in .svg for a "+kind)
	}
	var picture bytes.Buffer
	draw := c.drawChart
	if kind == inputfile.Map {
		draw = c.drawMap
	}
	if err := draw(&picture, in); err != nil {
		return err
	}
	return cli.WriteFile(out, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
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
