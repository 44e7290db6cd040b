package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// Union describes a union in IDL. A value has one of the fields of the message: the field whose
// label is the value of the discriminator, or else the default field, or else none.
type Union struct {
	Discriminator Type
	Labels        map[int64]int // from each label to the index of the field that it selects
	Default       int           // index of the default field, or -1 if there is none
}

// DiscriminatorName is the name of the discriminator in trees of values.
const DiscriminatorName = "_d" // which no field in IDL can have

// Selected returns the index of the field that a discriminator selects, or -1 if there is none.
func (u *Union) Selected(value int64) int {
	if k, is := u.Labels[value]; is {
		return k
	}
	return u.Default
}

// implied returns a discriminator value that selects a field; ok is false if there is none.
func (u *Union) implied(field int) (value int64, ok bool) {
	for label, selected := range u.Labels {
		if selected == field && (!ok || label < value) {
			value, ok = label, true
		}
	}
	for n := int64(0); !ok && field == u.Default && n <= int64(len(u.Labels)); n++ {
		if _, taken := u.Labels[n]; !taken && u.holds(n) {
			return n, true
		}
	}
	return value, ok
}

// holds reports whether the discriminator can have a value.
func (u *Union) holds(value int64) bool {
	limit, integer := limits[u.Discriminator.Kind]
	if !integer { // bool
		return value == 0 || value == 1
	}
	return value >= limit.least && (value < 0 || uint64(value) <= limit.most)
}

// union writes a union: its discriminator, and the field that it selects. Without a discriminator,
// the given field selects itself.
func (w *writer) union(m *Message, value any) error {
	fields, ok := value.(map[string]any)
	if value != nil && !ok {
		return w.refuse(value, "the fields of "+m.Name)
	}
	d, given := fields[DiscriminatorName]
	if !given {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			k := slices.IndexFunc(m.Fields, func(f Field) bool { return f.Name == name })
			if k < 0 {
				return w.unknown(m, fields)
			}
			n, implied := m.Union.implied(k)
			if !implied {
				return w.refuse(name, "a "+DiscriminatorName+" that selects it")
			}
			d = m.discriminator(n)
		}
	}
	w.path = append(w.path, DiscriminatorName)
	if err := w.one(&m.Union.Discriminator, d); err != nil {
		return err
	}
	w.path = w.path[:len(w.path)-1]
	selected := m.Union.Selected(discriminated(d))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != DiscriminatorName && (selected < 0 || m.Fields[selected].Name != name) {
			return w.refuse(fmt.Sprintf("field %q", name), "the one that "+DiscriminatorName+
				" selects, and no other")
		}
	}
	if selected < 0 {
		return nil
	}
	f := &m.Fields[selected]
	w.path = append(w.path, f.Name)
	err := w.field(&f.Type, fields[f.Name])
	if err == nil {
		w.path = w.path[:len(w.path)-1]
	}
	return err
}

// discriminator returns a discriminator value as it occurs in a tree.
func (m *Message) discriminator(n int64) any {
	if m.Union.Discriminator.Kind == Bool {
		return n != 0
	}
	return n
}

// discriminated returns the number of a discriminator value from a tree.
func discriminated(value any) int64 {
	if is, boolean := value.(bool); boolean {
		if is {
			return 1
		}
		return 0
	}
	bits, _, _ := asInteger(value)
	return int64(bits)
}

// union reads a union.
func (t *tree) union(m *Message) map[string]any {
	t.path = append(t.path, DiscriminatorName)
	d := t.one(&m.Union.Discriminator)
	t.path = t.path[:len(t.path)-1]
	value := map[string]any{DiscriminatorName: d}
	if k := m.Union.Selected(discriminated(d)); k >= 0 && t.r.Err() == nil {
		f := &m.Fields[k]
		t.path = append(t.path, f.Name)
		value[f.Name] = t.field(&f.Type)
		t.path = t.path[:len(t.path)-1]
	}
	return value
}

// union skips a union.
func (s *skipper) union(m *Message) {
	t := tree{of: s.of, r: &s.r}
	d := t.read(&m.Union.Discriminator)
	if k := m.Union.Selected(discriminated(d)); k >= 0 && s.r.Err() == nil {
		s.field(&m.Fields[k].Type)
	}
}

// listed returns the type of a list of lists. It is a list of messages whose only field is a list,
// which has the same bytes. listed adds this message to the definitions.
func (d *Definitions) listed(inside string, inner Type) (Type, error) {
	name := inside + "/List_" + strings.Map(func(r rune) rune {
		switch r {
		case '/', '[', '<', '=':
			return '_'
		case ']':
			return -1
		}
		return r
	}, inner.String())
	if d.System != DDS {
		return Type{}, fault.New(ErrDefinition, fault.Place{}, "a list of lists",
			"messages that "+string(d.System)+" can carry").
			WithHint("put a struct around the inner list")
	}
	const longest = 1000 // of a name, which also limits the nesting of lists
	if len(name) > longest {
		return Type{}, fault.New(ErrDefinition, fault.Place{}, "lists nested too deep",
			"less deeply nested lists")
	}
	m := &Message{Name: name, List: true, Fields: []Field{{Name: "values", Type: inner}},
		Text: inner.String() + " values\n"}
	if d.messages[name] != nil { // the name determines m.Text
		return Type{Name: name}, nil
	}
	return Type{Name: name}, d.keep(m)
}
