package importer

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/worker"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/regular"
	"gosmp/internal/similar"
)

// StartValue is a start value as written by a user. The elements of an array are separated by
// blanks; an element in double quotes, with Go escapes, may contain blanks. A number may be
// followed by its unit, as in "20[degC]"; an Enumeration may be given as the name of an item; a
// Binary is given in hexadecimal, or as @ followed by the path of a file.
type StartValue struct {
	Name, Value string
	Elements    []string // of an array, instead of Value: texts may contain blanks
}

// words returns the elements of an array, or the single value of a scalar.
func (v StartValue) words(size int) []string {
	switch {
	case v.Elements != nil:
		return v.Elements
	case size == 1:
		return []string{v.Value}
	}
	return split(v.Value)
}

// split splits a text at blanks, except within double quotes, which it removes.
func split(text string) (words []string) {
	for {
		if text = strings.TrimSpace(text); text == "" {
			return words
		}
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		quoted, err := strconv.QuotedPrefix(text)
		rest := strings.TrimPrefix(text, quoted)
		if err == nil && text[0] == '"' && (rest == "" || strings.TrimSpace(rest) != rest) {
			word, _ = strconv.Unquote(quoted) // it is one
			end = len(quoted)
		}
		words, text = append(words, word), text[end:]
	}
}

// startValue is a checked start value.
type startValue struct {
	variable int
	cells    []uint64
	blobs    [][]byte
}

// starts holds the start values of an instance, grouped by the phase in which they are set.
type starts struct {
	structural, before, inputs []startValue
	sizes                      []int   // of all variables
	shapes                     [][]int // of all variables
	warnings                   []string
}

// unknown returns the error for a name that no variable has.
func (t *table) unknown(name, expected string) error {
	hint := cmp.Or(similar.Hint(name, t.names()), "gosmp inspect shows all variables")
	return fault.New(ErrValue, fault.At(name), "no variable of this name", expected).WithHint(hint)
}

// starts checks the start values given by a user.
func (t *table) starts(values []StartValue, all bool) (*starts, error) {
	s := &starts{}
	given, err := t.lookUp(values)
	if err != nil {
		return nil, err
	}
	if s.shapes, err = t.structured(given, values); err != nil {
		return nil, err
	}
	for _, shape := range s.shapes {
		s.sizes = append(s.sizes, elements(shape))
	}
	sent := map[storage]bool{}
	for k := range given {
		sent[t.list[k].storage()] = true
	}
	for k := range t.list {
		v := &t.list[k]
		var start StartValue
		n, user := given[k]
		switch {
		case user:
			start = values[n]
		case all && v.model != nil && v.settable && len(v.model.Start) > 0 &&
			v.kind != cosim.Binary && !sent[v.storage()]:
			start.Elements, sent[v.storage()] = v.model.Start, true
		default:
			continue
		}
		value, err := t.parse(k, start, s.sizes[k])
		if err != nil {
			return nil, err
		}
		warnings, err := t.checkRange(value, user)
		if err != nil {
			return nil, err
		}
		s.warnings = append(s.warnings, warnings...)
		switch {
		case v.model != nil && v.model.Causality == fmi.StructuralParameter:
			s.structural = append(s.structural, value)
		case v.role == cosim.Input || v.kind == worker.OSMP:
			s.inputs = append(s.inputs, value)
		default:
			s.before = append(s.before, value)
		}
	}
	return s, nil
}

// lookUp finds the variables for the given start values.
func (t *table) lookUp(values []StartValue) (map[int]int, error) {
	given, names := map[int]int{}, map[storage]string{}
	for n, value := range values {
		k, found := t.byName[value.Name]
		if !found {
			return nil, t.unknown(value.Name, "one that has a start value")
		}
		if _, twice := given[k]; twice {
			return nil, fault.New(ErrValue, fault.At(value.Name), "two start values", "one")
		}
		v := &t.list[k]
		if other, twice := names[v.storage()]; twice {
			return nil, fault.New(ErrValue, fault.At(value.Name), "a start value of "+other+
				" as well, which is an alias", "one of them")
		}
		names[v.storage()] = value.Name
		if !v.settable {
			found := "a notional binary variable that the FMU computes"
			if v.kind == cosim.Clock {
				found = "a clock"
			} else if v.model != nil {
				found = strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", v.model.Variability,
					v.model.Causality, v.model.Initial)), ", ")
			}
			return nil, fault.New(ErrValue, fault.At(value.Name), found,
				"an input, or a variable that is exact or approximate at the start "+
					"and not constant")
		}
		given[k] = n
	}
	return given, nil
}

func (t *table) names() []string {
	names := make([]string, len(t.list))
	for k := range t.list {
		names[k] = t.list[k].name
	}
	return names
}

// structured returns the shapes of all variables given the structural parameters set by a user.
func (t *table) structured(given map[int]int, values []StartValue) ([][]int, error) {
	structure := map[uint32]uint64{}
	for k := range t.list {
		n, user := given[k]
		if v := &t.list[k]; !user || !v.isStructural() {
			continue
		}
		v, err := t.parse(k, values[n], 1)
		if err != nil {
			return nil, err
		}
		structure[t.list[k].references[0]] = v.cells[0]
	}
	shapes := make([][]int, len(t.list))
	for k := range t.list {
		var err error
		if shapes[k], err = t.shapeOf(&t.list[k], structure); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

// parse parses a start value.
func (t *table) parse(k int, start StartValue, size int) (startValue, error) {
	v, value := &t.list[k], startValue{variable: k}
	kind, words := kindOf(v.kind), start.words(size)
	if len(words) != size {
		return value, fault.New(ErrValue, fault.At(v.name), fmt.Sprintf("%d elements", len(words)),
			fmt.Sprintf("%d, with blanks between them", size))
	}
	items := t.items(v)
	for _, word := range words {
		if kind.IsBlob() {
			blob, err := t.parseBlob(v, word)
			if err != nil {
				return value, err
			}
			value.blobs = append(value.blobs, blob)
			continue
		}
		if number, is := items[word]; is {
			word = number
		}
		cell, err := t.parseCell(v, kind, word)
		if err != nil {
			return value, err
		}
		value.cells = append(value.cells, cell)
	}
	return value, nil
}

func (t *table) parseBlob(v *variable, text string) ([]byte, error) {
	if v.kind == cosim.String {
		return []byte(text), nil
	}
	if path, isFile := strings.CutPrefix(text, "@"); isFile {
		content, err := regular.ReadFile(path)
		if err == nil && len(content) > math.MaxInt32 {
			err = fmt.Errorf("%d bytes are more than 2 GiB", len(content))
		}
		if err != nil {
			return nil, fault.Wrap(ErrValue, fault.At(v.name), err)
		}
		return content, nil
	}
	bytes, err := hex.DecodeString(text)
	if err != nil {
		return nil, fault.New(ErrValue, fault.At(v.name), strconv.Quote(text),
			"hexadecimal digits, or @ and the path of a file")
	}
	return bytes, nil
}

// items returns the numbers of the items of an enumeration by name; if a name occurs twice, the
// first item counts.
func (t *table) items(v *variable) map[string]string {
	if v.model == nil || v.model.Type != fmi.Enumeration { // messages have no model
		return nil
	}
	numbers := map[string]string{}
	for _, item := range slices.Backward(t.types[v.model.DeclaredType]) {
		numbers[item.Name] = item.Value
	}
	return numbers
}

func (t *table) parseCell(v *variable, kind cosim.Kind, word string) (uint64, error) {
	number, unit, hasUnit := strings.Cut(word, "[")
	if hasUnit && strings.HasSuffix(unit, "]") {
		return t.inUnit(v, kind, number, strings.TrimSuffix(unit, "]"))
	}
	cell, _, err := cosim.ParseValue(kind, word)
	if err != nil {
		return 0, fault.New(ErrValue, fault.At(v.name), strconv.Quote(word), t.expectation(v))
	}
	return cell, nil
}

func (t *table) expectation(v *variable) string {
	if v.model.Type != fmi.Enumeration {
		return v.model.Type.ExpectedValue()
	}
	var names []string
	for _, item := range t.types[v.model.DeclaredType] {
		names = append(names, item.Name)
	}
	return "a whole number or one of " + strings.Join(names, ", ")
}

// inUnit converts a number from a unit or a display unit of the variable.
func (t *table) inUnit(v *variable, kind cosim.Kind, number, name string) (uint64, error) {
	x, err := decimal.Float(strings.TrimSpace(number), 64)
	if err != nil || kind != cosim.Float64 {
		return 0, fault.New(ErrValue, fault.At(v.name), strconv.Quote(number),
			"a number of a floating-point variable before the unit")
	}
	own := t.units[v.model.Unit]
	for _, d := range own.DisplayUnits {
		if d.Name == name && d.Factor != 0 {
			return math.Float64bits((x - d.Offset) / d.Factor), nil
		}
	}
	from := t.units[name]
	factor, offset, fits := from.Conversion(own)
	switch {
	case name == v.model.Unit:
		return math.Float64bits(x), nil
	case !own.Defined() || !from.Defined():
		return 0, fault.New(ErrValue, fault.At(v.name), "the unit "+name,
			"one of "+strings.Join(t.unitsOf(v), ", "))
	case !fits:
		return 0, fault.New(ErrValue, fault.At(v.name), "the unit "+name,
			"a unit of the dimension of "+v.model.Unit)
	}
	return math.Float64bits(float64(x*factor) + offset), nil
}

func (t *table) unitsOf(v *variable) []string {
	list := []string{orElse(v.model.Unit, "no unit")}
	for _, d := range t.units[v.model.Unit].DisplayUnits {
		list = append(list, d.Name)
	}
	for name, u := range t.units {
		own := t.units[v.model.Unit]
		if _, _, fits := u.Conversion(own); fits && name != v.model.Unit && u.Defined() &&
			own.Defined() {
			list = append(list, name)
		}
	}
	slices.Sort(list[1:])
	return slices.Compact(list)
}
