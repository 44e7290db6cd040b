package plotcmd

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/internal/similar"
	"gosmp/sensor/simsensor"
)

// unknown reports a path that leads to nothing.
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

// openTable opens a file as a table.
func openTable(in *inputfile.File) (*csv.Reader, func(), error) {
	content, err := in.Open()
	if err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(content)
	r.ReuseRecord = true
	return r, func() { _ = content.Close() }, nil // it was only read
}

// columns draws a table whose first column is the time in seconds.
func (p *picture) columns(in *inputfile.File) error {
	r, done, err := openTable(in)
	if err != nil {
		return err
	}
	defer done()
	head, err := r.Read()
	if err != nil || len(head) < 2 || head[0] != "time" {
		return cli.Unexpected("plot",
			in.Name+", which is no table that begins with the column time",
			"a trace, results of a run, or a recording")
	}
	names := append([]string(nil), head[1:]...)
	if p.command.List {
		return list(names)
	}
	return p.rows(in, r, names)
}

func (p *picture) rows(in *inputfile.File, r *csv.Reader, names []string) error {
	wanted, err := p.command.chosen(names)
	if err != nil {
		return err
	}
	of := make([]*series, len(names))
	for k, name := range names {
		if wanted[k] {
			of[k] = p.add(name, "", false)
		}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return cli.Invalid(in.Name, err)
		}
		t, err := strconv.ParseFloat(row[0], 64)
		if err != nil {
			line, _ := r.FieldPos(0)
			return cli.Unexpected(fmt.Sprintf("%s:%d", in.Name, line), strconv.Quote(row[0]),
				"a time in seconds")
		}
		for k, s := range of {
			if s == nil {
				continue
			}
			number, err := strconv.ParseFloat(row[k+1], 64)
			if err != nil {
				number = math.NaN() // a text
			}
			p.take(s, "", t, number)
		}
	}
}

// recording draws what the sensors of a recording have measured.
func (p *picture) recording(in *inputfile.File) error {
	names, units, first := fieldsOfRecordings()
	if p.command.List {
		return list(names)
	}
	wanted, err := p.command.chosen(names)
	if err != nil {
		return err
	}
	player, err := in.Play(simsensor.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = player.Close() }() // it was only read
	of := make([]*series, len(names))
	var row simsensor.Row
	for {
		at, ok, err := player.Next(math.MaxInt64, &row)
		if err != nil || !ok {
			p.onlySeen(of)
			return err
		}
		for k := range row.Kind.Fields() {
			n := first[row.Kind] + k
			if !wanted[n] {
				continue
			}
			if of[n] == nil {
				of[n] = &series{}
				*of[n] = *p.add(names[n], units[n], true)
				p.list[len(p.list)-1] = of[n]
			}
			p.take(of[n], "", at.Seconds(), float64(row.Fields[k]))
		}
	}
}

// onlySeen puts the panels into the order of the fields.
func (p *picture) onlySeen(of []*series) {
	p.list = p.list[:0]
	for _, s := range of {
		if s != nil {
			p.list = append(p.list, s)
		}
	}
}

// fieldsOfRecordings are the names and units of all fields, and where those of a sensor begin.
func fieldsOfRecordings() (names, units []string, first map[simsensor.Kind]int) {
	first = map[simsensor.Kind]int{}
	for _, k := range simsensor.Kinds() {
		if !k.Sensor() {
			continue
		}
		first[k] = len(names)
		for _, f := range k.Fields() {
			names = append(names, k.String()+"."+strings.ReplaceAll(f.Name, " ", "_"))
			units = append(units, f.Unit)
		}
	}
	return names, units, first
}
