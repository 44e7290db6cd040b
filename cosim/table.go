package cosim

import (
	"bufio"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/timebase"
)

// Table is a [Source] that reads its values from a CSV file in the format that [Recorder] writes.
// Between two rows, values of continuous variables are interpolated and others hold; before the
// first row the first one applies, after the last one the last. Two rows with the same time are a
// discontinuity.
type Table struct {
	variables []Variable
	times     []timebase.Time
	cells     [][]uint64 // by column, Size for each row
	blobs     [][][]byte
	wanted    []int
	frame     *Frame
	row       int // the last one at or before the time of At
	scale     *timebase.Scale
}

// ReadTable reads the variables that the columns of a file name. Kinds, sizes and continuity come
// from known. It fails with an [Error] of the kind [ErrTable] or [ErrName], with file, line and
// column.
func ReadTable(r io.Reader, file string, known []Variable) (*Table, error) {
	t := &Table{}
	begin := bufio.NewReaderSize(r, 1<<16)
	c := csv.NewReader(begin)
	c.ReuseRecord, c.TrimLeadingSpace = true, true
	c.Comma = separator(begin)
	p := place{reader: c, file: file, decimalComma: c.Comma != ','}
	head, err := c.Read()
	if err != nil {
		return nil, p.wrong(err)
	}
	if err := t.columns(head, &p, known); err != nil {
		return nil, err
	}
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = t.add(record, &p)
		}
		if err != nil {
			return nil, p.wrong(err)
		}
	}
	if len(t.times) == 0 {
		return nil, &Error{Kind: ErrTable, Place: fault.Place{File: file}, Found: "no row",
			Expected: "at least one"}
	}
	return t, nil
}

// place is the position of the reader.
type place struct {
	reader       *csv.Reader
	file         string
	decimalComma bool // it cannot be the separator
}

// separator finds the one of a table by its first line: a semicolon or a tab outside quotes, which
// spreadsheets write where the comma is that of numbers, else a comma.
func separator(r *bufio.Reader) rune {
	line, _ := r.Peek(r.Size()) // what is wrong with the file is reported when it is read
	quoted, found := false, ','
	for _, c := range string(line) {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n' || c == ',':
			return found
		case (c == ';' || c == '\t') && found == ',':
			found = c
		}
	}
	return found
}

// number is the text of a number with a decimal point.
func (p *place) number(text string) string {
	if p.decimalComma && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		return strings.Replace(text, ",", ".", 1)
	}
	return text
}

func (p *place) field(k int) fault.Place {
	line, column := p.reader.FieldPos(k)
	return fault.Place{File: p.file, Line: line, Column: column}
}

func (p *place) wrong(err error) error {
	var known *Error
	var syntax *csv.ParseError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &syntax):
		return &Error{Kind: ErrTable, Place: fault.Place{File: p.file, Line: syntax.Line,
			Column: syntax.Column}, Cause: syntax.Err}
	case errors.Is(err, io.EOF):
		return &Error{Kind: ErrTable, Place: fault.Place{File: p.file}, Found: "an empty file",
			Expected: `a line of names, as "time","x"`}
	}
	return &Error{Kind: ErrTable, Place: fault.Place{File: p.file}, Cause: err}
}

func (t *Table) columns(head []string, p *place, known []Variable) error {
	if first := strings.TrimPrefix(head[0], "\ufeff"); first != "time" && first != "time [s]" {
		return &Error{Kind: ErrTable, Place: p.field(0), Found: fmt.Sprintf("%q", head[0]),
			Expected: `"time" as the first column`}
	}
	for k, name := range head[1:] {
		n := slices.IndexFunc(known, func(v Variable) bool { return v.Name == name })
		if n < 0 {
			var names []string
			for i := range known {
				names = append(names, known[i].Name)
			}
			return &Error{Kind: ErrName, Place: p.field(k + 1), Found: fmt.Sprintf("%q", name),
				Expected: "an input", Hint: similar.Hint(name, names)}
		}
		if slices.ContainsFunc(t.variables, func(v Variable) bool { return v.Name == name }) {
			return &Error{Kind: ErrTable, Place: p.field(k + 1), Found: fmt.Sprintf("%q again",
				name), Expected: "one column for each input"}
		}
		v := known[n]
		v.Role = Output
		t.variables = append(t.variables, v)
	}
	t.cells, t.blobs = make([][]uint64, len(t.variables)), make([][][]byte, len(t.variables))
	return nil
}

// add adds a row.
func (t *Table) add(record []string, p *place) error {
	seconds, err := strconv.ParseFloat(p.number(strings.TrimSpace(record[0])), 64)
	var at timebase.Time
	if err == nil {
		at, err = timebase.FromSeconds(seconds)
	}
	if err != nil {
		return &Error{Kind: ErrTable, Place: p.field(0), Found: fmt.Sprintf("%q", record[0]),
			Expected: "a time in seconds"}
	}
	if n := len(t.times); n > 0 && at < t.times[n-1] {
		return &Error{Kind: ErrTable, Place: p.field(0), Found: record[0] + " s after " +
			string(appendFloat(nil, t.times[n-1].Seconds(), 64)) + " s",
			Expected: "times that do not go back"}
	}
	t.times = append(t.times, at)
	for k := range t.variables {
		v := &t.variables[k]
		values := []string{record[k+1]}
		if v.Size != 1 {
			values = strings.Fields(record[k+1])
		}
		if len(values) != v.Size {
			return &Error{Kind: ErrTable, Place: p.field(k + 1), Found: fmt.Sprintf("%d elements",
				len(values)), Expected: fmt.Sprint(v.Size)}
		}
		for _, text := range values {
			if v.Kind != String && v.Kind != Binary {
				text = p.number(text)
			}
			cell, blob, err := ParseValue(v.Kind, text)
			if err != nil {
				return &Error{Kind: ErrTable, Place: p.field(k + 1), Found: fmt.Sprintf("%q", text),
					Expected: "a value of type " + v.Kind.String()}
			}
			if v.Kind.IsBlob() {
				t.blobs[k] = append(t.blobs[k], blob)
			} else {
				t.cells[k] = append(t.cells[k], cell)
			}
		}
	}
	return nil
}

// ParseValue parses a value: a cell, or the bytes of a text or of hexadecimal digits.
func ParseValue(k Kind, text string) (cell uint64, blob []byte, err error) {
	if k == String {
		return 0, []byte(text), nil
	}
	text = strings.TrimSpace(text)
	var f float64
	var i int64
	switch {
	case k == Binary:
		blob, err = hex.DecodeString(text)
	case k == Float64:
		f, err = strconv.ParseFloat(text, 64)
		cell = math.Float64bits(f)
	case k == Float32:
		f, err = strconv.ParseFloat(text, 32)
		cell = uint64(math.Float32bits(float32(f)))
	case k == Boolean:
		return parseBoolean(text)
	case k == Clock:
		cell, err = strconv.ParseUint(text, 10, 64)
	case isInteger(k) && isSigned(k):
		i, err = strconv.ParseInt(whole(text), 10, 8<<width(k))
		cell = uint64(i)
	case isInteger(k):
		cell, err = strconv.ParseUint(whole(text), 10, 8<<width(k))
	default:
		err = strconv.ErrSyntax
	}
	return cell, blob, err
}

// whole is the text of an integer that is written with zeros after the point, as tools do that have
// only one type of number.
func whole(text string) string {
	if number, zeros, found := strings.Cut(text, "."); found && number != "" && strings.Trim(zeros,
		"0") == "" {
		return number
	}
	return text
}

func parseBoolean(text string) (uint64, []byte, error) {
	switch strings.ToLower(text) {
	case "1", "1.0", "true":
		return 1, nil, nil
	case "0", "0.0", "false":
		return 0, nil, nil
	}
	return 0, nil, strconv.ErrSyntax
}

// Variables are the columns of the file.
func (t *Table) Variables() []Variable { return t.variables }

// Bind determines which columns are used.
func (t *Table) Bind(outputs []int) (*Frame, error) {
	t.wanted, t.frame = outputs, NewFrame(t.variables, outputs)
	t.frame.Slopes = make([]float64, len(t.frame.Cells))
	return t.frame, nil
}

func (t *Table) setScale(s *timebase.Scale) { t.scale = s }

// At sets the values at a time.
func (t *Table) At(at timebase.Time) error {
	if at < t.times[t.row] {
		t.row = 0
	}
	for t.row+1 < len(t.times) && t.times[t.row+1] <= at {
		t.row++
	}
	for k, n := range t.wanted {
		v, p := &t.variables[n], &t.frame.Ports[k]
		if v.Kind.IsBlob() {
			copy(t.frame.Blobs[p.Offset:p.Offset+p.Size], t.blobs[n][t.row*v.Size:])
			continue
		}
		copy(t.frame.Cells[p.Offset:p.Offset+p.Size], t.cells[n][t.row*v.Size:])
		if v.Continuous && v.Kind == Float64 {
			t.interpolate(at, t.cells[n], t.frame.Cells[p.Offset:p.Offset+p.Size],
				t.frame.Slopes[p.Offset:p.Offset+p.Size])
		}
	}
	return nil
}

// interpolate interpolates between the values of the current and the next row, and computes their
// slopes.
func (t *Table) interpolate(at timebase.Time, column, to []uint64, slopes []float64) {
	clear(slopes)
	if t.row+1 == len(t.times) || at < t.times[t.row] {
		return
	}
	span := t.scale.Distance(t.times[t.row], t.times[t.row+1])
	part := t.scale.Distance(t.times[t.row], at) / span
	for k := range to {
		a, b := math.Float64frombits(to[k]), math.Float64frombits(column[(t.row+1)*len(to)+k])
		slopes[k] = (b - a) / (span / 1e9)
		if part > 0 {
			to[k] = math.Float64bits(a + float64((b-a)*part))
		}
	}
}
