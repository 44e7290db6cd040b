package convert

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/decimal"
	"gosmp/internal/quantity"
	"gosmp/timebase"
	"gosmp/trace"
)

// Part describes one file of a split trace in the JSON output.
type Part struct {
	File     string  `json:"file"`
	Messages int64   `json:"messages"`
	Start    float64 `json:"start"`
	End      float64 `json:"end"`

	first, last timebase.Time
}

// split returns how the flags split the output into parts.
func (c *Command) split() (s trace.Split, err error) {
	drives := c.Restarts == splitRestarts
	if c.SplitTime == nil && c.SplitSize == "" && !drives {
		return s, nil
	}
	if drives && len(c.Files) > 1 {
		return s, cli.Unexpected("--restarts", "split with several traces", "one trace at a time")
	}
	if c.Out == cli.StandardOutput || c.To == toFoxglove {
		return s, cli.Unexpected("--split-time, --split-size or --restarts split", "it with "+
			map[bool]string{true: "-o -", false: "--to foxglove"}[c.Out == cli.StandardOutput],
			"a file name with the extension of a trace format")
	}
	if c.SplitTime != nil {
		s.Time, err = inputfile.TraceTime("--split-time", *c.SplitTime)
		if err == nil && s.Time == 0 {
			err = cli.Unexpected("--split-time", "0 s", "a longer time")
		}
		if err != nil {
			return s, err
		}
	}
	if c.SplitSize != "" {
		s.Size, err = parseSize(c.SplitSize)
	}
	return s, err
}

// units maps the units of sizes to bytes.
var units = map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10,
	"mib": 1 << 20, "gib": 1 << 30}

// parseSize parses a size such as 100MB.
func parseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, known := units[strings.ToLower(text[len(number):])]
	value, err := decimal.Float(strings.TrimSpace(number), 64)
	size := math.Floor(value * unit)
	if !known || err != nil || !(size >= 1 && size <= 1<<62) {
		return 0, cli.Unexpected("--split-size", fmt.Sprintf("%q", text),
			"a size such as 500kB, 100MB or 2GiB")
	}
	return int64(size), nil
}

// writeParts writes the parts of a trace.
func (c *Command) writeParts(k *trace.Copy, source trace.Source, s trace.Split, r *Result) error {
	parts, err := k.RunParts(source, s, func(number int, write func(io.Writer) error) error {
		name := trace.PartName(c.Out, number, 0)
		if err := c.apart(name); err != nil {
			return err
		}
		if err := c.write(name, write); err != nil {
			return err
		}
		final := trace.PartName(c.Out, number, k.Messages)
		r.Parts = append(r.Parts, Part{File: final})
		if final == name {
			return nil
		}
		if err := c.apart(final); err != nil {
			return errors.Join(err, os.Remove(name))
		}
		return cli.Flushed(os.Rename(name, final))
	})
	for n, p := range parts {
		r.Parts[n] = Part{r.Parts[n].File, p.Messages, p.First.Seconds(), p.Last.Seconds(), p.First,
			p.Last}
	}
	return err
}

// apart refuses a part whose file is also an input.
func (c *Command) apart(part string) error {
	if slices.ContainsFunc(c.Files, func(f string) bool { return cli.SameFile(f, part) }) {
		return cli.Unexpected("--out", fmt.Sprintf("%q, whose part %q is an input", c.Out, part),
			"another name")
	}
	return nil
}

// partLines returns the lines of text about the parts.
func (r *Result) partLines() (text string) {
	for _, p := range r.Parts {
		text += fmt.Sprintf("  %s: %s", p.File, quantity.Of(p.Messages, "message"))
		if p.Messages > 0 {
			text += fmt.Sprintf(", %s s to %s s", trace.Seconds(p.first), trace.Seconds(p.last))
		}
		text += "\n"
	}
	return text
}
