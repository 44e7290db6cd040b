package cosim

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/charset"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/quantity"
)

// place holds the position of a table reader, and what it has learned about the dialect.
type place struct {
	reader  *csv.Reader
	file    string
	surplus []string // columns that are not inputs

	// For each mark: whether a number has shown what it means, because its digits are not grouped
	// as one to three digits and then three, and the first number in which the mark could separate
	// thousands.
	commaShown, pointShown     bool
	commaUnclear, pointUnclear *unclear
}

// unclear is a number whose mark may be a decimal mark or separate thousands.
type unclear struct {
	text string
	at   fault.Place
	kind Kind
}

// SkipMark returns a reader of a table without the byte order mark with which some spreadsheets
// begin their files. Package csv takes a quotation mark after it for an error.
func SkipMark(r io.Reader) *bufio.Reader {
	const mark = "\ufeff"
	b := bufio.NewReaderSize(r, 1<<16)
	if head, _ := b.Peek(len(mark)); string(head) == mark {
		_, _ = b.Discard(len(mark))
	}
	return b
}

// Encoded returns an error if a table is in another encoding than UTF-8. It reads nothing.
func Encoded(r *bufio.Reader, file string) error {
	head, _ := r.Peek(charset.HeadSize) // errors in the file are reported when it is read
	if name := charset.Of(head); name != "" {
		return fault.New(ErrTable, fault.Line(file, 1), "text in "+name, "UTF-8").
			WithHint("save the file as UTF-8")
	}
	return nil
}

// isTime reports whether a column has the time in seconds.
func isTime(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	name, unit, _ := strings.Cut(name, "[")
	return strings.TrimSpace(name) == "time" && (unit == "" || unit == "s]")
}

// separator finds a table's separator in its first line: the character after the time column. It is
// a comma, or the semicolon or tab that spreadsheets write where the comma is the decimal mark.
func separator(r *bufio.Reader) rune {
	line, _ := r.Peek(r.Size()) // errors in the file are reported when it is read
	quoted := false
	for k, c := range string(line) {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return ','
		case c == ',' || c == ';' || c == '\t':
			if isTime(strings.Trim(string(line[:k]), " \"")) {
				return c
			}
			return ','
		}
	}
	return ','
}

// variable finds the input, or the array element, that a column names, optionally with its unit in
// brackets. numbers are the variables by name. It returns n = -1 if there is none, and element = -1
// if the column has all elements.
func (p *place) variable(column int, name string, known []Variable, numbers map[string]int) (n,
	element int, err error) {
	find := func(name string) int {
		if n, found := numbers[name]; found {
			return n
		}
		return -1
	}
	n = find(name)
	start := strings.LastIndexByte(name, '[')
	if n >= 0 || start <= 0 || !strings.HasSuffix(name, "]") {
		return n, -1, nil
	}
	if n = find(strings.TrimSpace(name[:start])); n < 0 {
		return -1, -1, nil
	}
	v, inside := &known[n], name[start+1:len(name)-1]
	if len(v.shape()) > 0 {
		if k := v.element(inside); k >= 0 {
			return n, k, nil
		}
		return -1, -1, nil
	}
	if inside != v.Unit {
		expected := "no unit"
		if v.Unit != "" {
			expected = "the unit of the input, [" + v.Unit + "]"
		}
		return -1, -1, fault.New(ErrTable, p.field(column), fmt.Sprintf("%q", name), expected)
	}
	return n, -1, nil
}

// shape returns the dimensions of an array, or nil for a scalar.
func (v *Variable) shape() []int {
	if v.Dimensions == nil && v.Size != 1 {
		return []int{v.Size}
	}
	return v.Dimensions
}

// element returns the array element that a text such as 2,1 names, or -1 if there is none.
func (v *Variable) element(text string) int {
	var indices []uint64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 31)
		if err != nil {
			return -1
		}
		indices = append(indices, n)
	}
	return v.Element(indices)
}

// Element returns the position, in row-major order, of the array element with these indices, which
// start at 1; -1 if there is none.
func (v *Variable) Element(indices []uint64) int {
	shape, element := v.shape(), 0
	if len(indices) != len(shape) || len(shape) == 0 {
		return -1
	}
	for k, n := range indices {
		if n < 1 || n > uint64(shape[k]) {
			return -1
		}
		element = element*shape[k] + int(n) - 1
	}
	return element
}

// Index formats the indices of an element of an array of this shape, in brackets and starting at 1.
func Index(shape []int, element int) string {
	words := make([]string, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		words[k] = strconv.Itoa(element%shape[k] + 1)
		element /= shape[k]
	}
	return "[" + strings.Join(words, ",") + "]"
}

// mostNames is the number of names in a message.
const mostNames = 5

// someNames quotes names: all of them if there are only a few.
func someNames(names []string) string {
	var words []string
	for k, name := range names {
		if k == mostNames {
			words = append(words, fmt.Sprintf("%d more", len(names)-k))
			break
		}
		words = append(words, strconv.Quote(name))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// value parses a value of a column.
func (p *place) value(column int, v *Variable, text string) (cell uint64, blob []byte, err error) {
	if number, is := v.item(text); is {
		return uint64(number), nil, nil
	}
	plain := text
	if !v.Kind.IsBlob() {
		plain = p.number(column, strings.TrimSpace(text), v.Kind)
	}
	if cell, blob, err = ParseValue(v.Kind, plain); err == nil {
		return cell, blob, nil
	}
	return 0, nil, fault.New(ErrTable, p.field(column), fmt.Sprintf("%q", text), v.expectation())
}

// item returns the number of the enumeration item with this name.
func (v *Variable) item(name string) (int64, bool) {
	for k := range v.Items {
		if v.Items[k].Name == name {
			return v.Items[k].Value, true
		}
	}
	return 0, false
}

func (v *Variable) expectation() string {
	if len(v.Items) == 0 {
		return "a value of type " + v.Kind.String()
	}
	var names []string
	for _, item := range v.Items {
		names = append(names, item.Name)
	}
	return "a whole number or one of " + strings.Join(names, ", ")
}

// grouped matches a number that may have a thousands separator: one to three digits, a mark, and
// three digits.
var grouped = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}$`)

// number returns the text of a number with a decimal point. It records evidence of how the table
// writes decimals.
func (p *place) number(column int, text string, kind Kind) string {
	comma, point := strings.Count(text, ","), strings.Count(text, ".")
	if comma+point != 1 {
		return text
	}
	shown, kept := &p.pointShown, &p.pointUnclear
	if comma == 1 {
		shown, kept = &p.commaShown, &p.commaUnclear
	}
	switch {
	case !grouped.MatchString(text):
		*shown = true
	case *kept == nil || kind != Float64 && kind != Float32:
		*kept = &unclear{text: text, at: p.field(column), kind: kind}
	}
	return strings.Replace(text, ",", ".", 1)
}

// ambiguity refuses a table in which a number can be read in two ways. A point is the decimal mark
// unless the table uses commas as decimal marks. A comma is the decimal mark if other commas in the
// table are, or if it cannot separate columns; but an integer is never written with a comma and
// decimals.
func (p *place) ambiguity() error {
	u := p.pointUnclear
	if u == nil || !p.commaShown {
		u = p.commaUnclear
		if u == nil || !p.pointShown && u.kind.IsFloat() &&
			(p.commaShown || p.reader.Comma != ',') {
			return nil
		}
	}
	return fault.New(ErrTable, u.at, fmt.Sprintf("%q, which is %s or %s", u.text,
		strings.Replace(u.text, ",", ".", 1), strings.NewReplacer(",", "", ".",
			"").Replace(u.text)), "one decimal separator in the table, and no thousands separator")
}

// fieldCount returns the error for a row whose number of fields differs from the heading. If commas
// separate both columns and decimals, the error describes both readings.
func (p *place) fieldCount(record []string, columns int) error {
	e := fault.New(ErrTable, p.field(0), quantity.Of(int64(len(record)), "field"),
		strconv.Itoa(columns))
	surplus := len(record) - columns
	digits := func(text string) bool {
		_, err := decimal.Float(text, 64)
		return err == nil && !strings.ContainsAny(text, ".eE")
	}
	if p.reader.Comma != ',' || surplus < 1 || surplus > columns || slices.ContainsFunc(record,
		func(text string) bool { return !digits(text) }) {
		return e
	}
	readings := []string{joined(record, 0, surplus)}
	if surplus < columns {
		readings = append(readings, joined(record, columns-surplus, surplus))
	}
	e.Found += ", as in " + strings.Join(readings, " or ")
	e.Expected += ", with a decimal point, or semicolons between columns"
	return e
}

// joined returns a row read as if, after some whole numbers, each of the decimal numbers had its
// decimals in the next field.
func joined(record []string, whole, decimal int) string {
	words := slices.Clone(record[:whole])
	for record = record[whole:]; len(record) > 0; decimal-- {
		if decimal > 0 {
			words, record = append(words, record[0]+"."+record[1]), record[2:]
		} else {
			words, record = append(words, record[0]), record[1:]
		}
	}
	return strings.Join(words, "; ")
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
		return fault.Wrap(ErrTable, fault.Place{File: p.file, Line: syntax.Line,
			Column: syntax.Column}, syntax.Err)
	case errors.Is(err, io.EOF):
		return fault.New(ErrTable, fault.In(p.file), "an empty file",
			`a line of names, as "time","x"`)
	}
	return fault.Wrap(ErrTable, fault.In(p.file), err)
}
