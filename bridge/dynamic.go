package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"gosmp/bridge/cdr"
	"gosmp/internal/fault"
)

// ErrValue is the kind of errors about values that do not fit their fields.
var ErrValue = errors.New("bad value")

// Decode reads a message as a tree: a map for each message, []any for each array or sequence, bool, int64, uint64, float64, string, and
// a map with sec and nanosec for a time. Generated code is faster; this is for events with their data, for checks and for tools.
func (d *Definitions) Decode(m *Message, b []byte) (map[string]any, error) {
	r := cdr.NewReader(b)
	t := &tree{d, r, ""}
	value := t.message(m, m.Name)
	if err := r.End(); err != nil {
		return nil, t.explain(err, m.Name)
	}
	return value, nil
}

// Verify says what [Definitions.Decode] would find wrong with a message, without making its values.
func (d *Definitions) Verify(m *Message, b []byte) error {
	var r cdr.Reader
	r.Reset(b)
	d.skip(&r, m)
	if r.End() == nil {
		return nil
	}
	_, err := d.Decode(m, b) // which names the field
	return err
}

// skip reads a message and keeps nothing.
func (d *Definitions) skip(r *cdr.Reader, m *Message) {
	for k := range m.Fields {
		y := &m.Fields[k].Type
		n := 1
		switch y.Many {
		case Array:
			n = y.Count
		case Sequence:
			n = r.Count(kindFacts[y.Kind].size, -1)
		case Bounded:
			n = r.Count(kindFacts[y.Kind].size, y.Count)
		}
		if y.Kind == Nested {
			inner := d.messages[y.Name]
			for ; n > 0 && r.Err() == nil; n-- {
				d.skip(r, inner)
			}
			continue
		}
		for ; n > 0 && r.Err() == nil; n-- {
			skipOne(r, y.Kind)
		}
	}
}

func skipOne(r *cdr.Reader, k Kind) {
	switch {
	case k == String:
		r.Text()
	case k == Bool:
		r.Bool()
	case k == Time:
		r.Time()
	case kindFacts[k].size == 1:
		r.Uint8()
	case kindFacts[k].size == 2:
		r.Uint16()
	case kindFacts[k].size == 4:
		r.Uint32()
	default:
		r.Uint64()
	}
}

// tree reads values.
type tree struct {
	of   *Definitions
	r    *cdr.Reader
	path string // of the first error
}

// explain adds the path of the field.
func (t *tree) explain(err error, whole string) error {
	if t.path == "" {
		t.path = whole
	}
	return fmt.Errorf("%s: %w", t.path, err)
}

func (t *tree) message(m *Message, path string) map[string]any {
	value := make(map[string]any, len(m.Fields))
	for _, f := range m.Fields {
		if t.r.Err() != nil {
			break
		}
		value[f.Name] = t.field(f.Type, path+"."+f.Name)
	}
	return value
}

func (t *tree) field(y Type, path string) any {
	if y.Many == One {
		return t.one(y, path)
	}
	n := y.Count
	if y.Many != Array {
		most := -1
		if y.Many == Bounded {
			most = y.Count
		}
		n = t.r.Count(kindFacts[y.Kind].size, most)
		t.note(path)
	}
	list := []any{}
	for k := 0; k < n && t.r.Err() == nil; k++ {
		list = append(list, t.one(y, path+"["+strconv.Itoa(k)+"]"))
	}
	return list
}

// note keeps the path of the first error.
func (t *tree) note(path string) {
	if t.path == "" && t.r.Err() != nil {
		t.path = path
	}
}

func (t *tree) one(y Type, path string) (value any) {
	switch r := t.r; y.Kind {
	case Nested:
		return t.message(t.of.messages[y.Name], path)
	case Bool:
		value = r.Bool()
	case Int8:
		value = int64(int8(r.Uint8()))
	case Int16:
		value = int64(int16(r.Uint16()))
	case Int32:
		value = int64(int32(r.Uint32()))
	case Int64:
		value = int64(r.Uint64())
	case Uint8:
		value = uint64(r.Uint8())
	case Uint16:
		value = uint64(r.Uint16())
	case Uint32:
		value = uint64(r.Uint32())
	case Uint64:
		value = r.Uint64()
	case Float32:
		value = float64(r.Float32())
	case Float64:
		value = r.Float64()
	case String:
		value = r.String()
	case Time:
		v := r.Time()
		value = map[string]any{"sec": int64(v.Sec), "nanosec": uint64(v.Nanosec)}
	}
	t.note(path)
	return value
}

// Encode writes a tree as [Definitions.Decode] gives it, or as encoding/json decodes it. Fields that are missing are zero; others than
// those of the message are refused.
func (d *Definitions) Encode(m *Message, value map[string]any, big bool) ([]byte, error) {
	w := &writer{of: d, b: cdr.Begin(nil, big), big: big}
	if err := w.message(m, value, m.Name); err != nil {
		return nil, err
	}
	return cdr.End(w.b), nil
}

type writer struct {
	of  *Definitions
	b   []byte
	big bool
}

func refuse(path string, value any, expected string) error {
	return &Error{Place: fault.At(path), Kind: ErrValue, Found: fmt.Sprintf("%v", value), Expected: expected}
}

func (w *writer) message(m *Message, value any, path string) error {
	fields, ok := value.(map[string]any)
	if value != nil && !ok {
		return refuse(path, value, "the fields of "+m.Name)
	}
	known := 0
	for _, f := range m.Fields {
		v, given := fields[f.Name]
		if given {
			known++
		}
		if err := w.field(f.Type, v, path+"."+f.Name); err != nil {
			return err
		}
	}
	if known < len(fields) {
		return refuse(path, fmt.Sprintf("%d fields", len(fields)), fmt.Sprintf("only the %d that %s has", len(m.Fields), m.Name))
	}
	return nil
}

func (w *writer) field(y Type, value any, path string) error {
	if y.Many == One {
		return w.one(y, value, path)
	}
	list, ok := value.([]any)
	if value != nil && !ok {
		return refuse(path, value, "a list")
	}
	n := len(list)
	switch {
	case y.Many == Array && n > 0 && n != y.Count, y.Many == Bounded && n > y.Count:
		return refuse(path, fmt.Sprintf("%d elements", n), strconv.Itoa(y.Count))
	case y.Many == Array:
		n = y.Count
	default:
		w.b = cdr.Append32(w.b, uint32(n), w.big)
	}
	for k := range n {
		var v any
		if k < len(list) {
			v = list[k]
		}
		if err := w.one(y, v, path+"["+strconv.Itoa(k)+"]"); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) one(y Type, value any, path string) error {
	switch y.Kind {
	case Nested:
		return w.message(w.of.messages[y.Name], value, path)
	case String:
		text, ok := value.(string)
		if value != nil && !ok || y.Bound > 0 && len(text) > y.Bound {
			return refuse(path, value, y.String())
		}
		w.b = cdr.AppendString(w.b, text, w.big)
	case Bool:
		v, ok := value.(bool)
		if value != nil && !ok {
			return refuse(path, value, "true or false")
		}
		w.b = cdr.AppendBool(w.b, v)
	case Time:
		at, ok := value.(map[string]any)
		if value != nil && !ok {
			return refuse(path, value, "sec and nanosec")
		}
		if err := w.one(Type{Kind: Int32}, at["sec"], path+".sec"); err != nil {
			return err
		}
		return w.one(Type{Kind: Uint32}, at["nanosec"], path+".nanosec")
	default:
		return w.number(y, value, path)
	}
	return nil
}

// limits of the integers, as float64 and exactly.
var limits = map[Kind]struct {
	least int64
	most  uint64
}{Int8: {math.MinInt8, math.MaxInt8}, Int16: {math.MinInt16, math.MaxInt16}, Int32: {math.MinInt32, math.MaxInt32},
	Int64: {math.MinInt64, math.MaxInt64}, Uint8: {0, math.MaxUint8}, Uint16: {0, math.MaxUint16}, Uint32: {0, math.MaxUint32},
	Uint64: {0, math.MaxUint64}}

func (w *writer) number(y Type, value any, path string) error {
	if y.Kind == Float32 || y.Kind == Float64 {
		v, ok := asFloat(value)
		switch {
		case !ok:
			return refuse(path, value, "a number")
		case y.Kind == Float32:
			w.b = cdr.Append32(w.b, math.Float32bits(float32(v)), w.big)
		default:
			w.b = cdr.Append64(w.b, math.Float64bits(v), w.big)
		}
		return nil
	}
	bits, negative, ok := asInteger(value)
	limit := limits[y.Kind]
	if !ok || negative && int64(bits) < limit.least || !negative && bits > limit.most {
		return refuse(path, value, fmt.Sprintf("an integer from %d to %d", limit.least, limit.most))
	}
	switch kindFacts[y.Kind].size {
	case 1:
		w.b = cdr.Append8(w.b, uint8(bits))
	case 2:
		w.b = cdr.Append16(w.b, uint16(bits), w.big)
	case 4:
		w.b = cdr.Append32(w.b, uint32(bits), w.big)
	default:
		w.b = cdr.Append64(w.b, bits, w.big)
	}
	return nil
}

func asFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case nil:
		return 0, true
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case int:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// asInteger returns the two's complement.
func asInteger(value any) (bits uint64, negative, ok bool) {
	switch v := value.(type) {
	case nil:
		return 0, false, true
	case int:
		return uint64(v), v < 0, true
	case int64:
		return uint64(v), v < 0, true
	case uint64:
		return v, false, true
	case float64: // as encoding/json decodes numbers
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return 0, false, false
		}
		return uint64(int64(v)), v < 0, true
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return uint64(n), n < 0, true
		}
		n, err := strconv.ParseUint(v.String(), 10, 64)
		return n, false, err == nil
	}
	return 0, false, false
}
