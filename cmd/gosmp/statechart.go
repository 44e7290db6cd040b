package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/cmd/gosmp/internal/statechart"
)

// largestText bounds what is read of a file that people write.
const largestText = 16 << 20

// text is the whole content.
func (in *input) text() ([]byte, error) {
	r, err := in.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(r, largestText+1))
	if err == nil && len(text) > largestText {
		err = fmt.Errorf("%s: more than %d MB, expected a text that people write", in.name, largestText>>20)
	}
	return text, err
}

func (c *checkCommand) checkChart(in *input) (*checked, error) {
	text, err := in.text()
	if err != nil {
		return nil, err
	}
	return c.judge(in, asChart, statechart.Check(in.name, text, c.Events)), nil
}

// document is the input if it is a statechart or a map, which are drawn as SVG. Standard input is
// one only if --as says so, because reading it twice is impossible.
func (c *drawCommand) document() (in *input, kind string) {
	stated := c.As == asChart || c.As == asMap
	if c.File == "" || c.As != "" && !stated || c.File == standardOutput && !stated {
		return nil, ""
	}
	in, err := openInput(c.File)
	if err != nil {
		return nil, ""
	}
	if stated {
		return in, c.As
	}
	kind = in.kind()
	return in, kind
}

// drawDocument draws a statechart or a map as SVG.
func (c *drawCommand) drawDocument(in *input, kind string) error {
	out := c.Out
	switch {
	case c.Frame != 0 || c.Time != nil:
		return unexpected("--frame and --time", "a "+kind, "a trace of messages")
	case out == "" && in.piped:
		out = standardOutput
	case out == "":
		base := filepath.Base(in.name)
		out = strings.TrimSuffix(base, filepath.Ext(base)) + ".svg"
	}
	if out != standardOutput && !strings.EqualFold(filepath.Ext(out), ".svg") {
		return unexpected("--out", out, "a name that ends in .svg for a "+kind)
	}
	var picture bytes.Buffer
	draw := c.drawChart
	if kind == asMap {
		draw = c.drawMap
	}
	if err := draw(&picture, in); err != nil {
		return err
	}
	return writeFile(out, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}

func (c *drawCommand) drawChart(w io.Writer, in *input) error {
	text, err := in.text()
	if err != nil {
		return err
	}
	return statechart.Draw(w, in.name, text, c.Mark)
}
