package cosim

import (
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/internal/tabular"
	"gosmp/timebase"
)

// Table is a [Source] that reads its values from a CSV file in the format that [Recorder] writes.
// Between two rows, values of continuous variables are interpolated and others hold; the first row
// also applies before its time, and the last row after its time. Two rows with the same time are a
// discontinuity.
type Table struct {
	// Warnings describe the columns that are not used.
	Warnings []string

	variables []Variable
	columnsOf [][]int // columns of each variable in the file: one, or one per element
	times     []timebase.Time
	cells     [][]uint64 // by column, Size for each row
	blobs     [][][]byte
	leaps     [][]timebase.Time // of each continuous variable, where its value jumps
	wanted    []int
	frame     *Frame
	row       int // the last one at or before the time of At
	scale     *timebase.Scale
}

// ReadTable reads the variables that the columns of a file name. Kinds, sizes, continuity and items
// come from known. Columns may be separated by commas, semicolons or tabs; decimals may have a
// comma in a column of their own. Text that can be read in two ways is refused, and the error names
// both readings. ReadTable fails with an [Error] of the kind [ErrTable] or [ErrName] that states
// file, line and column.
func ReadTable(r io.Reader, file string, known []Variable) (*Table, error) {
	t := &Table{}
	begin := SkipMark(r)
	if err := Encoded(begin, file); err != nil {
		return nil, err
	}
	c := tabular.NewReader(begin)
	c.ReuseRecord, c.TrimLeadingSpace = true, true
	c.Comma = separator(begin)
	p := place{reader: c.Reader, file: file}
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
		if errors.Is(err, csv.ErrFieldCount) {
			err = p.fieldCount(record, len(head))
		}
		if err == nil {
			err = t.add(record, &p)
		}
		if err != nil {
			return nil, p.wrong(err)
		}
	}
	if len(t.times) == 0 {
		return nil, fault.New(ErrTable, fault.In(file), "no row", "at least one")
	}
	if err := p.ambiguity(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Table) columns(head []string, p *place, known []Variable) error {
	if !isTime(head[0]) {
		return fault.New(ErrTable, p.field(0), fmt.Sprintf("%q", head[0]),
			`"time" as the first column`)
	}
	numbers, found := byName(known), map[string]int{}
	for k, name := range head[1:] {
		n, element, err := p.variable(k+1, name, known, numbers)
		if err != nil {
			return err
		}
		if n < 0 {
			p.surplus = append(p.surplus, name)
			continue
		}
		if !t.column(known[n], element, k+1, found) {
			return fault.New(ErrTable, p.field(k+1), fmt.Sprintf("%q again", name),
				"one column for each input")
		}
	}
	if err := t.wholeArrays(p); err != nil {
		return err
	}
	t.cells, t.blobs = make([][]uint64, len(t.variables)), make([][][]byte, len(t.variables))
	return t.notice(p, known)
}

// byName returns the number of the first variable of each name.
func byName(known []Variable) map[string]int {
	numbers := make(map[string]int, len(known))
	for n := len(known) - 1; n >= 0; n-- {
		numbers[known[n].Name] = n
	}
	return numbers
}

// column records the column of a variable, or of one of its elements; it returns false if there
// already is one. found holds the variables of t by name.
func (t *Table) column(v Variable, element, column int, found map[string]int) bool {
	k, again := found[v.Name]
	if !again {
		k = len(t.variables)
		found[v.Name] = k
		v.Role = Output
		t.variables = append(t.variables, v)
		t.columnsOf = append(t.columnsOf, nil)
	} else if element < 0 || len(t.columnsOf[k]) != v.Size || t.columnsOf[k][element] != 0 {
		return false
	}
	if element < 0 {
		t.columnsOf[k] = []int{column}
		return true
	}
	if t.columnsOf[k] == nil {
		t.columnsOf[k] = make([]int, v.Size)
	}
	t.columnsOf[k][element] = column
	return true
}

// wholeArrays refuses arrays if only some of their elements have columns.
func (t *Table) wholeArrays(p *place) error {
	for k, columns := range t.columnsOf {
		missing := slices.Index(columns, 0)
		if missing < 0 {
			continue
		}
		v := &t.variables[k]
		return fault.New(ErrTable, p.field(0), fmt.Sprintf("no column %s%s", v.Name,
			Index(v.shape(), missing)), "one for each element of "+v.Name)
	}
	return nil
}

// notice warns once about the columns that are not inputs. It refuses a table without any input.
func (t *Table) notice(p *place, known []Variable) error {
	if len(p.surplus) == 0 {
		return nil
	}
	names := make([]string, len(known))
	for k := range known {
		names[k] = known[k].Name
	}
	first := fmt.Sprintf("%q", p.surplus[0])
	if len(t.variables) == 0 {
		return fault.New(ErrName, p.field(1), first, "an input").
			WithHint(similar.Hint(p.surplus[0], names))
	}
	text := fmt.Sprintf("%s: %s is ignored, because no input has this name", p.file, first)
	if more := len(p.surplus); more > 1 {
		text = fmt.Sprintf("%s: %s are ignored, because no inputs have these names", p.file,
			someNames(p.surplus))
	}
	for _, name := range p.surplus[:min(len(p.surplus), mostNames)] {
		if hint := similar.Hint(name, names); hint != "" {
			text += "; " + hint
			break
		}
	}
	t.Warnings = append(t.Warnings, text)
	return nil
}

// add adds a row.
func (t *Table) add(record []string, p *place) error {
	seconds, err := decimal.Float(p.number(0, strings.TrimSpace(record[0]), Float64), 64)
	var at timebase.Time
	if err == nil {
		at, err = timebase.FromSeconds(seconds)
	}
	if err != nil {
		return fault.New(ErrTable, p.field(0), fmt.Sprintf("%q", record[0]), "a time in seconds")
	}
	if n := len(t.times); n > 0 && at < t.times[n-1] {
		return fault.New(ErrTable, p.field(0), record[0]+" s after "+
			string(appendFloat(nil, t.times[n-1].Seconds(), 64))+" s",
			"times that do not go back")
	}
	t.times = append(t.times, at)
	for k := range t.variables {
		v, columns := &t.variables[k], t.columnsOf[k]
		values := make([]string, 0, v.Size)
		for _, column := range columns {
			values = append(values, record[column])
		}
		if v.Size != len(columns) {
			values = strings.Fields(record[columns[0]])
		}
		if len(values) != v.Size {
			return fault.New(ErrTable, p.field(columns[0]), fmt.Sprintf("%d elements", len(values)),
				fmt.Sprint(v.Size))
		}
		for n, text := range values {
			cell, blob, err := p.value(columns[min(n, len(columns)-1)], v, text)
			if err != nil {
				return err
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

// ParseValue parses a value: a number becomes a cell, and a text or hexadecimal digits become
// bytes.
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
		f, err = decimal.Float(text, 64)
		cell = math.Float64bits(f)
	case k == Float32:
		f, err = decimal.Float(text, 32)
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

// whole returns the text of an integer without the decimal zeros that tools with a single number
// type write.
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

// Variables returns the columns of the file.
func (t *Table) Variables() []Variable { return t.variables }

// Bind determines which columns are used.
func (t *Table) Bind(outputs []int) (*Frame, error) {
	t.wanted, t.frame = outputs, NewFrame(t.variables, outputs)
	t.frame.Slopes = make([]float64, len(t.frame.Cells))
	t.leaps = make([][]timebase.Time, len(t.variables))
	for _, n := range outputs {
		if v := &t.variables[n]; v.Continuous && !v.Kind.IsBlob() {
			t.leaps[n] = t.findLeaps(v.Size, t.cells[n])
		}
	}
	return t.frame, nil
}

// findLeaps lists the times at which the last row of a column differs from the first one.
func (t *Table) findLeaps(size int, column []uint64) (leaps []timebase.Time) {
	first := 0
	for row := 1; row < len(t.times); row++ {
		if t.times[row] != t.times[first] {
			first = row
		}
		if row+1 < len(t.times) && t.times[row+1] == t.times[row] || row == first {
			continue
		}
		if !slices.Equal(column[first*size:(first+1)*size], column[row*size:(row+1)*size]) {
			leaps = append(leaps, t.times[row])
		}
	}
	return leaps
}

// jumps implements jumper.
func (t *Table) jumps(variable int, after, until timebase.Time) bool {
	k, exact := slices.BinarySearch(t.leaps[variable], after)
	if exact {
		k++
	}
	return k < len(t.leaps[variable]) && t.leaps[variable][k] <= until
}

func (t *Table) timeless() {}

func (t *Table) setScale(s *timebase.Scale) { t.scale = s }

// At sets the values at a time.
func (t *Table) At(at timebase.Time) error {
	for t.row > 0 && at < t.times[t.row] {
		t.row--
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
