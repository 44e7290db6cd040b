package results

import (
	"slices"
	"strings"

	"gosmp/cosim"
)

// member is a member of a JSON message: a value, or an object with members. Variables of one
// structure, such as gps.latitude and gps.longitude, share an object.
type member struct {
	key     string
	column  *Column // nil for an object
	members []*member
}

// name returns the variable of a column, with the index of the element, if any.
func (c *Column) name() string {
	v := &c.Signal.Variable
	if c.Element == Whole {
		return v.Name
	}
	return v.Name + cosim.Index(v.Dimensions, c.Element)
}

// add adds a column at the path in its name. A column that would be inside a value, as a.b if there
// is an a, keeps the rest of its name.
func (m *member) add(c *Column, names map[string]bool) {
	keys := parts(c.name())
	for k := range keys[:len(keys)-1] {
		if names[strings.Join(keys[:k+1], ".")] {
			keys = append(keys[:k:k], strings.Join(keys[k:], "."))
			break
		}
	}
	for _, key := range keys[:len(keys)-1] {
		next := m.find(key)
		if next == nil {
			next = &member{key: key}
			m.members = append(m.members, next)
		}
		m = next
	}
	m.members = append(m.members, &member{key: keys[len(keys)-1], column: c})
}

// parts splits a structured name at its dots, except in brackets and quotes, and in names that are
// not structured.
func parts(name string) (list []string) {
	depth, quoted, start := 0, false, 0
	for k, c := range name {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case c == '.' && depth == 0:
			if k == start || k == len(name)-1 {
				return []string{name}
			}
			list, start = append(list, name[start:k]), k+1
		}
	}
	return append(list, name[start:])
}

func (m *member) find(key string) *member {
	k := slices.IndexFunc(m.members, func(x *member) bool { return x.key == key })
	if k < 0 {
		return nil
	}
	return m.members[k]
}

// lay adds the values of an object to a topic. It adds the text before the first value to before,
// and returns the text that must precede whatever follows.
func (m *member) lay(x *topic, before string) (after string) {
	if m.column != nil {
		x.before, x.columns = append(x.before, before), append(x.columns, m.column)
		return ""
	}
	before += "{"
	for k, child := range m.members {
		if k > 0 {
			before += ","
		}
		before = child.lay(x, before+string(quoted(child.key))+":")
	}
	return before + "}"
}

// schema describes the object for JSON Schema.
func (m *member) schema() map[string]any {
	if m.column != nil {
		return m.column.schema()
	}
	properties := map[string]any{}
	for _, child := range m.members {
		properties[child.key] = child.schema()
	}
	return map[string]any{"type": "object", "properties": properties}
}
