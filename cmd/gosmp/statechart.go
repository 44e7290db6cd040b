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

// chart is the input if it is a statechart. Standard input is a chart only if --as says so, because
// reading it twice is impossible.
func (c *drawCommand) chart() (*input, bool) {
	if c.File == "" || c.As != "" && c.As != asChart {
		return nil, false
	}
	if c.File == standardOutput && c.As != asChart {
		return nil, false
	}
	in, err := openInput(c.File)
	if err != nil {
		return nil, false
	}
	return in, c.As == asChart || in.kind() == asChart
}

// drawChart draws a statechart as SVG.
func (c *drawCommand) drawChart(in *input) error {
	text, err := in.text()
	if err != nil {
		return err
	}
	out := c.Out
	switch {
	case c.Frame != 0 || c.Time != nil:
		return unexpected("--frame and --time", "a statechart", "a trace of messages")
	case out == "" && in.piped:
		out = standardOutput
	case out == "":
		base := filepath.Base(in.name)
		out = strings.TrimSuffix(base, filepath.Ext(base)) + ".svg"
	}
	if out != standardOutput && !strings.EqualFold(filepath.Ext(out), ".svg") {
		return unexpected("--out", out, "a name that ends in .svg for a statechart")
	}
	var picture bytes.Buffer
	if err := statechart.Draw(&picture, in.name, text, c.Mark); err != nil {
		return err
	}
	return writeFile(out, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}
