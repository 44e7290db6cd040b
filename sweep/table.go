package sweep

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/charset"
	"gosmp/internal/fault"
	"gosmp/internal/tabular"
)

// isTable reports whether a plan is a table of runs, by its name.
func isTable(name string) bool { return strings.EqualFold(path.Ext(name), ".csv") }

// csvTable is a plan read from a CSV table, with a line for each run and a column for each setting,
// which is named in the header. The column experiment names the experiment, which is the same in
// each line, and the column seed, if there is one, the seed of the run. Columns are separated by
// commas, semicolons or tabs.
type csvTable struct{ *Plan }

const (
	experimentColumn = "experiment"
	seedColumn       = "seed"
)

func (p csvTable) read(text []byte) error {
	if err := charset.Check(text); err != nil {
		return fault.Wrap(ErrPlan, p.place(""), err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	in := tabular.NewReader(bytes.NewReader(text))
	in.Comma, in.FieldsPerRecord, in.TrimLeadingSpace = separator(text), -1, true
	head, err := in.Read()
	if err != nil {
		return p.wrong(err)
	}
	for k := range head {
		head[k] = strings.TrimSpace(head[k])
	}
	for k, name := range head {
		p.columns["parameters."+name] = positionOf(in, k)
		p.columns["set."+name] = positionOf(in, k)
	}
	if err := p.head(head); err != nil {
		return err
	}
	columns := make([][]any, len(head))
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p.wrong(err)
		}
		at := func(k int) fault.Place {
			row, column := in.FieldPos(k)
			return fault.Place{File: p.File, Line: row, Column: column, Object: head[k]}
		}
		if len(line) != len(head) {
			row, column := in.FieldPos(0)
			return fault.New(ErrPlan, fault.Place{File: p.File, Line: row, Column: column},
				fmt.Sprintf("%d columns", len(line)),
				fmt.Sprintf("%d columns, as in the head", len(head)))
		}
		if err := p.line(at, head, line, columns); err != nil {
			return err
		}
	}
	if p.Experiment == "" {
		return fault.New(ErrPlan, p.cell(""), "no line after the head", "a line for each run")
	}
	return p.parameters(head, columns)
}

// positionOf returns the column of the text at which a field of the last line begins.
func positionOf(in *tabular.Reader, k int) int {
	_, column := in.FieldPos(k)
	return column
}

// separator returns the column separator: the candidate that is most frequent in the first line.
func separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	best := ','
	for _, r := range ";\t" {
		if bytes.ContainsRune(first, r) && bytes.Count(first, []byte(string(r))) >
			bytes.Count(first, []byte(string(best))) {
			best = r
		}
	}
	return best
}

// head checks the names of the columns.
func (p csvTable) head(head []string) error {
	if !slices.Contains(head, experimentColumn) {
		return fault.New(ErrPlan, p.cell(""), "no column "+experimentColumn,
			"a column "+experimentColumn+" with the file of the experiment, an FMU or a system")
	}
	if len(head) > mostParameters {
		return fault.New(ErrPlan, p.cell(""), fmt.Sprintf("%d columns", len(head)),
			fmt.Sprintf("at most %d", mostParameters))
	}
	for k, name := range head {
		switch {
		case name == "":
			return fault.New(ErrPlan, p.cell(fmt.Sprintf("column %d", k+1)), "no name",
				"the name of what it sets")
		case slices.Contains(head[:k], name):
			return fault.New(ErrPlan, p.cell(name), "the column a second time", "it once")
		}
	}
	return nil
}

// line reads the values of one run.
func (p csvTable) line(at func(k int) fault.Place, head, line []string, columns [][]any) error {
	for k, text := range line {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
			return fault.New(ErrPlan, at(k), "no value", "a value in each line")
		case head[k] == experimentColumn && p.Experiment != "" && text != p.Experiment:
			return fault.New(ErrPlan, at(k), strconv.Quote(text),
				fmt.Sprintf("%q, as in the lines before: a plan has one experiment", p.Experiment))
		case head[k] == experimentColumn:
			p.lines[experimentColumn], p.columns[experimentColumn] = at(k).Line, at(k).Column
			p.Experiment = text
		case head[k] == seedColumn:
			seed, err := strconv.ParseUint(text, 10, 64)
			if err != nil || seed == 0 {
				return fault.New(ErrPlan, at(k), strconv.Quote(text),
					"a positive whole number")
			}
			p.rowSeeds = append(p.rowSeeds, seed)
		default:
			columns[k] = append(columns[k], valueOf(text))
		}
	}
	if len(columns[0]) > mostCases || len(p.rowSeeds) > mostCases {
		return fault.New(ErrPlan, at(0), "more lines",
			fmt.Sprintf("at most %d runs", mostCases))
	}
	return nil
}

// valueOf reads a value as a number, true or false, or otherwise a text.
func valueOf(text string) any {
	if x, err := strconv.ParseFloat(text, 64); err == nil && plainNumber(text) {
		return x
	}
	if text == "true" || text == "false" {
		return text == "true"
	}
	return text
}

// plainNumber reports whether a number has only digits, a sign, a point and an exponent, and no
// more digits than a float64 can represent; anything else, such as NaN, 0x10 and identifiers of 20
// digits, is a text.
func plainNumber(text string) bool {
	const most = 15
	digits := strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("0123456789+-.eE", r)
	}) < 0
	return digits && (strings.ContainsAny(text, ".eE") || len(strings.TrimLeft(text, "+-")) <= most)
}

// parameters creates a parameter for each column. They vary together.
func (p csvTable) parameters(head []string, columns [][]any) error {
	first := ""
	for k, name := range head {
		if name == experimentColumn || name == seedColumn {
			continue
		}
		p.lines["parameters."+name] = 1
		if !(&Parameter{Name: name}).Direct() { // a variable of an FMU whose name has no dot
			p.Set = append(p.Set, Target{name, name})
			p.lines["set."+name] = 1
		}
		if err := p.add(Parameter{Name: name, points: columns[k], with: first}); err != nil {
			return err
		}
		if first == "" {
			first = name
		}
	}
	if first == "" { // only seeds vary
		p.Seeds, p.rowSeeds = p.rowSeeds, nil
	}
	return nil
}

// cell returns the place of the name of a column, or of the header if the name is empty.
func (p csvTable) cell(column string) fault.Place {
	return fault.Place{File: p.File, Line: 1, Column: max(1, p.columns["parameters."+column]),
		Object: column}
}

// wrong converts an error of the CSV reader.
func (p csvTable) wrong(err error) error {
	if errors.Is(err, io.EOF) {
		return fault.New(ErrPlan, p.cell(""), "an empty file",
			"a header with the names of the columns")
	}
	var at *csv.ParseError
	if errors.As(err, &at) {
		return fault.Wrap(ErrPlan, fault.Place{File: p.File, Line: at.Line, Column: at.Column},
			at.Err)
	}
	return fault.Wrap(ErrPlan, fault.In(p.File), err)
}
