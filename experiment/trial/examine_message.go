package trial

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/experiment/scxml"
	"gosmp/internal/similar"
)

// messages returns the types of the OSI messages that all events carry as their value, or nil.
func (e *chartExaminer) messages(names []string) (list []protoreflect.MessageDescriptor) {
	for _, name := range names {
		v, known := e.variable(name)
		if !known || !v.Kind.IsBlob() || v.Size != 1 {
			return nil
		}
		m, is := messageType(v)
		if !is {
			return nil
		}
		list = append(list, m.Descriptor())
	}
	return list
}

// place is where the path of a part ends in a message.
type place struct {
	field   protoreflect.FieldDescriptor // nil if the path leaves the message
	lacking string                       // the first name that is not a field
	of      protoreflect.MessageDescriptor
}

// follow follows the path of a part of a message, such as moving_object[].base. Members of lists
// and of plain values, such as the length of a list, are not in the message.
func follow(m protoreflect.MessageDescriptor, path string) (p place) {
	p.of = m
	for name := range strings.SplitSeq(path, ".") {
		plain := strings.TrimSuffix(name, "[]")
		if p.of == nil || strings.HasSuffix(plain, "[]") {
			return place{}
		}
		if p.field = p.of.Fields().ByName(protoreflect.Name(plain)); p.field == nil {
			p.lacking = plain
			return p
		}
		if p.field.IsList() != (plain != name) { // the list itself, or a character of a text
			p.of = nil
			continue
		}
		p.of = p.field.Message()
	}
	return p
}

// ofMessage examines the names of fields of a message, which is undefined if they do not exist.
func (e *chartExaminer) ofMessage(names []string, part string, at scxml.Position) {
	path, is := strings.CutPrefix(part, "data.value.")
	types := e.messages(names)
	if !is || len(types) == 0 {
		return
	}
	var first place
	for k, m := range types {
		p := follow(m, path)
		if p.lacking == "" {
			return // one of the events has it
		}
		if k == 0 {
			first = p
		}
	}
	var known []string
	for k := range first.of.Fields().Len() {
		known = append(known, string(first.of.Fields().Get(k).Name()))
	}
	slices.Sort(known)
	e.blind(at, fmt.Sprintf("a message of the type %s has no field %q", first.of.Name(),
		first.lacking), orList(similar.Hint(first.lacking, known), known))
}

// enumeration returns the names of the values that a part of a message can have.
func (e *chartExaminer) enumeration(names []string, part string) (c choice, is bool) {
	path, is := strings.CutPrefix(part, "data.value.")
	types := e.messages(names)
	if !is || len(types) != 1 {
		return c, false
	}
	p := follow(types[0], path)
	if p.field == nil || p.field.Enum() == nil || p.field.IsList() {
		return c, false
	}
	c = choice{what: "value of " + string(p.field.Name()), field: "name",
		values: map[string]bool{}}
	values := p.field.Enum().Values()
	for k := range values.Len() {
		c.values[string(values.Get(k).Name())] = true
	}
	return c, true
}

// textFields holds the fields of the data of events that are texts.
var textFields = []string{"actor", "other", "side", "text", "name", "variable", "zone", "kind",
	"path", "cause", "reason"}

// textMembers holds the members of a text.
var textMembers = strings.Fields(`at charAt charCodeAt codePointAt concat endsWith includes indexOf
 lastIndexOf length localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll
 search slice split startsWith substr substring toLocaleLowerCase toLocaleUpperCase toLowerCase
 toUpperCase trim trimEnd trimLeft trimRight trimStart`)

// ofTexts examines the names of members of texts: an actor in the data of a collision is a name,
// which has no speed.
func (e *chartExaminer) ofTexts(names []string, part string, at scxml.Position) {
	field, member, found := strings.Cut(strings.TrimPrefix(part, "data."), ".")
	if !found || !strings.HasPrefix(part, "data.") || !slices.Contains(textFields, field) ||
		slices.Contains(textMembers, strings.TrimSuffix(member, "[]")) ||
		strings.Contains(member, ".") {
		return
	}
	if slices.ContainsFunc(names, func(name string) bool {
		return strings.HasPrefix(name, bridgeEvent) || !slices.Contains(dataOf[name], field)
	}) {
		return
	}
	e.blind(at, fmt.Sprintf("_event.data.%s is a text, which has no %q", field, member),
		"compare the text itself")
}
