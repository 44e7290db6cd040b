package plotcmd

import (
	"fmt"
	"os"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/internal/similar"
)

// unknown returns the error for a path that matches no name.
func unknown(pattern string, names []string) error {
	expected := "a name or a pattern of names; --list shows them"
	if hint := similar.Hint(pattern, names); hint != "" {
		expected += "; " + hint
	}
	return cli.Unexpected("path", fmt.Sprintf("%q, which is not in the file", pattern), expected)
}

// list prints names.
func list(names []string) error {
	_, err := fmt.Fprintln(plaintext.Writer(os.Stdout), strings.Join(names, "\n"))
	return cli.Flushed(err)
}

// table plots a table whose first column is the time in seconds.
func (p *picture) table(in *inputfile.File) error {
	c, err := in.Table("plot")
	if err != nil {
		return err
	}
	return p.columns(c, false)
}

// recording plots the measurements of the sensors of a recording.
func (p *picture) recording(in *inputfile.File) error {
	c, err := in.Recorded(p.command.Unit)
	if err != nil {
		return err
	}
	return p.columns(c, true)
}

// columns plots numbers over time. With onlySeen, it creates no panels for names without numbers.
func (p *picture) columns(c *inputfile.Columns, onlySeen bool) error {
	defer c.Close()
	if p.command.List {
		return list(c.Names)
	}
	wanted, err := p.command.chosen(c.Names)
	if err != nil {
		return err
	}
	of := make([]*series, len(c.Names))
	for k, name := range c.Names {
		if wanted[k] {
			of[k] = p.add(name, c.Units[k], c.Steps)
		}
	}
	seen := make([]bool, len(of))
	err = c.Each(func(k int, t, x float64) {
		if of[k] != nil {
			seen[k] = true
			p.take(of[k], "", t, x)
		}
	})
	if !onlySeen {
		return err
	}
	p.list = p.list[:0]
	for k, s := range of {
		if seen[k] {
			p.list = append(p.list, s)
		}
	}
	return err
}
