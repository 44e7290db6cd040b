package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/bridge/cdr"
	"gosmp/internal/fault"
)

// ErrValue is the kind of errors about values that do not fit their fields.
var ErrValue = errors.New("bad value")

// Encode encodes a tree as returned by [Definitions.Decode] or encoding/json; a sequence of uint8
// may also be a []byte. Missing fields are zero; fields that the message does not have are refused.
// The bytes are little-endian CDR, or big-endian if big is true. ROS 1 messages use its own
// serialization, which has no big-endian form.
func (d *Definitions) Encode(m *Message, value map[string]any, big bool) ([]byte, error) {
	form := cdr.Little
	switch {
	case d.System == ROS1 && big:
		return nil, fault.New(ErrValue, fault.At(m.Name), "big endian",
			"little endian, the only byte order of ROS 1")
	case d.System == ROS1:
		form = cdr.ROS1
	case big:
		form = cdr.Big
	}
	w := &writer{of: d, b: cdr.Begin(nil, form), form: form, path: route{m.Name}}
	if err := w.message(m, value); err != nil {
		return nil, err
	}
	return w.b, nil
}

type writer struct {
	of   *Definitions
	b    []byte
	form cdr.Form
	path route // to the present field
}

// refuse returns an error about the current field.
func (w *writer) refuse(value any, expected string) error {
	const most = 100 // of a text that may be megabytes long
	found := fmt.Sprintf("%v", value)
	if len(found) > most {
		found = strings.ToValidUTF8(found[:most], "") + "..."
	}
	return fault.New(ErrValue, fault.At(w.path.String()), found, expected)
}

func (w *writer) message(m *Message, value any) error {
	switch {
	case m.List:
		return w.field(&m.Fields[0].Type, value)
	case m.Union != nil:
		return w.union(m, value)
	}
	fields, ok := value.(map[string]any)
	if value != nil && !ok {
		return w.refuse(value, "the fields of "+m.Name)
	}
	if len(m.Fields) == 0 {
		w.b = cdr.AppendEmpty(w.b, w.form)
	}
	known := 0
	for k := range m.Fields {
		f := &m.Fields[k]
		v, given := fields[f.Name]
		if given {
			known++
		}
		w.path = append(w.path, f.Name)
		if err := w.field(&f.Type, v); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	if known < len(fields) {
		return w.unknown(m, fields)
	}
	return nil
}

// unknown names a field that the message lacks.
func (w *writer) unknown(m *Message, fields map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if m.Field(name) == nil {
			expected := "one of " + strings.Join(m.fieldNames(), ", ")
			if len(m.Fields) == 0 {
				expected = "no field, as " + m.Name + " has none"
			}
			return w.refuse(fmt.Sprintf("field %q", name), expected)
		}
	}
	return nil
}

func (w *writer) field(y *Type, value any) error {
	if y.Many == One {
		return w.one(y, value)
	}
	if data, is := value.([]byte); is && y.Many == Sequence && y.Kind == Uint8 {
		w.b = append(cdr.Append32(w.b, uint32(len(data)), w.form), data...)
		return nil
	}
	list, ok := value.([]any)
	if value != nil && !ok {
		return w.refuse(value, "a list")
	}
	n := len(list)
	switch {
	case y.Many == Array && n > 0 && n != y.Count, y.Many == Bounded && n > y.Count:
		return w.refuse(fmt.Sprintf("%d elements", n), strconv.Itoa(y.Count))
	case y.Many == Array:
		n = y.Count
	default:
		w.b = cdr.Append32(w.b, uint32(n), w.form)
	}
	for k := range n {
		var v any
		if k < len(list) {
			v = list[k]
		}
		w.path = append(w.path, index(k))
		if err := w.one(y, v); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	return nil
}

func (w *writer) one(y *Type, value any) error {
	switch y.Kind {
	case Nested:
		return w.message(w.of.messages[y.Name], value)
	case String:
		text, ok := value.(string)
		if value != nil && !ok || y.Bound > 0 && len(text) > y.Bound {
			return w.refuse(value, y.String())
		}
		w.b = cdr.AppendString(w.b, text, w.form)
	case WString:
		text, ok := value.(string)
		if value != nil && !ok || y.Bound > 0 && cdr.WideLength(text) > y.Bound {
			return w.refuse(value, y.String())
		}
		w.b = cdr.AppendWide(w.b, text, w.form, w.of.wideUnit())
	case Bool:
		v, ok := value.(bool)
		if value != nil && !ok {
			return w.refuse(value, "true or false")
		}
		w.b = cdr.AppendBool(w.b, v)
	case Time:
		at, ok := value.(map[string]any)
		if value != nil && !ok {
			return w.refuse(value, "sec and nanosec")
		}
		for _, half := range [...]struct {
			name string
			kind Kind
		}{{"sec", Int32}, {"nanosec", Uint32}} {
			w.path = append(w.path, half.name)
			if err := w.number(&Type{Kind: half.kind}, at[half.name]); err != nil {
				return err
			}
			w.path = w.path[:len(w.path)-1]
		}
	default:
		return w.number(y, value)
	}
	return nil
}

// wideUnit returns the size of a unit of a wstring: ROS 2 sends 32 bits for each, DDS 16.
func (d *Definitions) wideUnit() int {
	if d.System == DDS {
		return cdr.WideDDS
	}
	return cdr.WideROS2
}

// limits of the integers, as float64 and exactly.
var limits = map[Kind]struct {
	least int64
	most  uint64
}{Int8: {math.MinInt8, math.MaxInt8}, Int16: {math.MinInt16, math.MaxInt16}, Int32: {math.MinInt32,
	math.MaxInt32},
	Int64: {math.MinInt64, math.MaxInt64}, Uint8: {0, math.MaxUint8}, Uint16: {0, math.MaxUint16},
	Uint32: {0, math.MaxUint32},
	Uint64: {0, math.MaxUint64}}

func (w *writer) number(y *Type, value any) error {
	if y.Kind == Float32 || y.Kind == Float64 {
		v, ok := asFloat(value)
		switch {
		case !ok:
			return w.refuse(value, "a number")
		case y.Kind == Float32:
			w.b = cdr.Append32(w.b, math.Float32bits(float32(v)), w.form)
		default:
			w.b = cdr.Append64(w.b, math.Float64bits(v), w.form)
		}
		return nil
	}
	bits, negative, ok := asInteger(value)
	limit := limits[y.Kind]
	if !ok || negative && int64(bits) < limit.least || !negative && bits > limit.most {
		return w.refuse(value, fmt.Sprintf("an integer from %d to %d", limit.least, limit.most))
	}
	switch kindFacts[y.Kind].size {
	case 1:
		w.b = cdr.Append8(w.b, uint8(bits))
	case 2:
		w.b = cdr.Append16(w.b, uint16(bits), w.form)
	case 4:
		w.b = cdr.Append32(w.b, uint32(bits), w.form)
	default:
		w.b = cdr.Append64(w.b, bits, w.form)
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

// asInteger returns an integer in two's complement.
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
