package bridge

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gosmp/bridge/cdr"
)

// Decode decodes a message into a tree: a map for each message, []any for each array or sequence,
// bool, int64, uint64, float64, string, and a map with sec and nanosec for a time. Generated code
// is faster; Decode is meant for events with data, for checks and for tools.
func (d *Definitions) Decode(m *Message, b []byte) (map[string]any, error) {
	t := &tree{of: d, r: &cdr.Reader{}, left: mostNested(b), path: route{m.Name}}
	d.reset(t.r, b)
	value := t.message(m)
	if err := t.r.End(); err != nil {
		if t.found == "" {
			t.found = m.Name
		}
		return nil, fmt.Errorf("%s: %w", t.found, err)
	}
	return value, nil
}

// reset starts reading a message in the serialization of the system.
func (d *Definitions) reset(r *cdr.Reader, b []byte) {
	if d.System == ROS1 {
		r.ResetROS1(b)
		return
	}
	r.Reset(b)
}

// mostNested bounds the number of nested messages in these bytes: in ROS 1, messages without fields
// take no bytes.
func mostNested(b []byte) int { return deepest*len(b) + 1<<16 }

const tooManyNested = "more nested messages than its bytes can contain"

// route is the path to a field: names, and indices in brackets.
type route []string

func (r route) String() string {
	var b strings.Builder
	for k, step := range r {
		if k > 0 && !strings.HasPrefix(step, "[") {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

func index(k int) string { return "[" + strconv.Itoa(k) + "]" }

// Verify returns the error that [Definitions.Decode] would return for a message, without creating
// its values.
func (d *Definitions) Verify(m *Message, b []byte) error {
	k := skipper{of: d, left: mostNested(b)}
	d.reset(&k.r, b)
	k.message(m)
	if k.r.End() == nil {
		return nil
	}
	_, err := d.Decode(m, b) // which names the field
	return err
}

// skipper reads a message without storing anything.
type skipper struct {
	of   *Definitions
	r    cdr.Reader
	left int // nested messages
}

func (s *skipper) message(m *Message) {
	if s.left--; s.left < 0 {
		s.r.Refuse(tooManyNested)
	}
	if m.Union != nil {
		s.union(m)
		return
	}
	if len(m.Fields) == 0 {
		s.r.Empty()
	}
	for k := range m.Fields {
		if s.r.Err() != nil {
			return
		}
		s.field(&m.Fields[k].Type)
	}
}

func (s *skipper) field(y *Type) {
	n := 1
	switch y.Many {
	case Array:
		n = y.Count
	case Sequence:
		n = s.r.Count(kindFacts[y.Kind].size, -1)
	case Bounded:
		n = s.r.Count(kindFacts[y.Kind].size, y.Count)
	}
	if n == 0 {
		return
	}
	switch y.Kind {
	case Nested:
		inner := s.of.messages[y.Name]
		for ; n > 0 && s.r.Err() == nil; n-- {
			s.message(inner)
		}
	case String:
		for ; n > 0 && s.r.Err() == nil; n-- {
			if text := s.r.Text(); y.Bound > 0 && len(text) > y.Bound {
				s.r.Refuse(tooLong(y))
			}
		}
	case WString:
		for ; n > 0 && s.r.Err() == nil; n-- {
			s.r.Wide(s.of.wideUnit(), y.Bound)
		}
	case Bool:
		for ; n > 0 && s.r.Err() == nil; n-- {
			s.r.Bool()
		}
	case Time:
		s.r.Skip(2*n, 4)
	default:
		s.r.Skip(n, kindFacts[y.Kind].size)
	}
}

func tooLong(y *Type) string { return fmt.Sprintf("a string longer than its bound of %d", y.Bound) }

// tree reads values.
type tree struct {
	of    *Definitions
	r     *cdr.Reader
	left  int    // nested messages
	path  route  // to the current field
	found string // the path of the first error
}

// note records the path of the first error.
func (t *tree) note() {
	if t.found == "" && t.r.Err() != nil {
		t.found = t.path.String()
	}
}

func (t *tree) message(m *Message) map[string]any {
	if t.left--; t.left < 0 {
		t.r.Refuse(tooManyNested)
		t.note()
	}
	if len(m.Fields) == 0 {
		t.r.Empty()
		t.note()
	}
	if m.Union != nil {
		return t.union(m)
	}
	value := make(map[string]any, len(m.Fields))
	for k := range m.Fields {
		if t.r.Err() != nil {
			break
		}
		f := &m.Fields[k]
		t.path = append(t.path, f.Name)
		value[f.Name] = t.field(&f.Type)
		t.path = t.path[:len(t.path)-1]
	}
	return value
}

func (t *tree) field(y *Type) any {
	if y.Many == One {
		return t.one(y)
	}
	n := y.Count
	if y.Many != Array {
		most := -1
		if y.Many == Bounded {
			most = y.Count
		}
		n = t.r.Count(kindFacts[y.Kind].size, most)
		t.note()
	}
	list := []any{}
	for k := 0; k < n && t.r.Err() == nil; k++ {
		if y.Kind == Nested {
			t.path = append(t.path, index(k))
			list = append(list, t.one(y))
			t.path = t.path[:len(t.path)-1]
			continue
		}
		list = append(list, t.read(y))
		if t.r.Err() != nil {
			t.path = append(t.path, index(k))
			t.note()
		}
	}
	return list
}

func (t *tree) one(y *Type) any {
	if y.Kind == Nested {
		m := t.of.messages[y.Name]
		if m.List {
			return t.list(m)
		}
		return t.message(m)
	}
	value := t.read(y)
	t.note()
	return value
}

// list reads a list within a list.
func (t *tree) list(m *Message) any {
	if t.left--; t.left < 0 {
		t.r.Refuse(tooManyNested)
		t.note()
	}
	return t.field(&m.Fields[0].Type)
}

// read reads a basic value.
func (t *tree) read(y *Type) (value any) {
	switch r := t.r; y.Kind {
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
		text := r.Text()
		if y.Bound > 0 && len(text) > y.Bound {
			r.Refuse(tooLong(y))
		}
		value = string(text)
	case WString:
		value = r.Wide(t.of.wideUnit(), y.Bound)
	case Time:
		v := r.Time()
		value = map[string]any{"sec": int64(v.Sec), "nanosec": uint64(v.Nanosec)}
	}
	return value
}

// Finite replaces NaN and infinity, which JSON cannot represent, with nil in a tree returned by
// [Definitions.Decode].
func Finite(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = Finite(inner)
		}
	case []any:
		for k := range v {
			v[k] = Finite(v[k])
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	return value
}
