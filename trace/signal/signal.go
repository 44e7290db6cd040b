// Package signal finds numbers in messages by path.
//
// A path consists of names from the .proto files, separated by dots. A list element is chosen by
// its index, starting at 0, or by its id; [*] chooses all elements:
//
//	host_vehicle_data.vehicle_motion.velocity.x
//	moving_object[0].base.position.x
//	moving_object[id=7].base.velocity.x
//	moving_object[*].base.velocity.x      one number for each object, by its id
//
// Numbers, enumerators and booleans (0 and 1) count as numbers. A field that is not set has no
// number.
//
// Types: [Path], created by [Parse] and used by [Path.Bind] and [Path.Numbers].
package signal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/internal/similar"
)

// ErrPath reports a path that cannot be used.
var ErrPath = errors.New("unusable path")

// Path leads to numbers in messages.
type Path struct {
	text  string
	steps []step
}

// step is a field and the choice of its elements.
type step struct {
	name  string
	which choice
	n     uint64 // index or id
}

type choice int

const (
	single choice = iota // not a list
	byIndex
	byID
	all
)

// String returns the path as it was written.
func (p *Path) String() string { return p.text }

// Parse reads a path. An error is of kind [ErrPath].
func Parse(text string) (*Path, error) {
	p := &Path{text: text}
	for part := range strings.SplitSeq(text, ".") {
		s, err := parseStep(part)
		if err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrPath, text, err)
		}
		p.steps = append(p.steps, s)
	}
	return p, nil
}

func parseStep(part string) (step, error) {
	name, chosen, isList := strings.Cut(part, "[")
	s := step{name: name}
	if name == "" {
		return s, errors.New("found an empty name, expected names with dots between them")
	}
	if !isList {
		return s, nil
	}
	inside, closed := strings.CutSuffix(chosen, "]")
	number, named := strings.CutPrefix(inside, "id=")
	if s.which = byIndex; named {
		s.which = byID
	}
	if inside == "*" {
		s.which = all
	}
	var err error
	if s.which != all {
		s.n, err = strconv.ParseUint(number, 10, 64)
	}
	if !closed || err != nil {
		return s,
			fmt.Errorf("found %q, expected an index such as [0], an id such as [id=7], or [*]",
				"["+chosen)
	}
	return s, nil
}

// Bind binds a path to a message type. An error of kind [ErrPath] describes what does not fit.
func (p *Path) Bind(m protoreflect.MessageDescriptor) error {
	for k, s := range p.steps {
		f := m.Fields().ByName(protoreflect.Name(s.name))
		wrong := ""
		switch last := k == len(p.steps)-1; {
		case f == nil:
			var names []string
			for i := range m.Fields().Len() {
				names = append(names, string(m.Fields().Get(i).Name()))
			}
			wrong = fmt.Sprintf("%s has no field %q", m.FullName(), s.name)
			if hint := similar.Hint(s.name, names); hint != "" {
				wrong += "; " + hint
			}
		case f.IsMap():
			wrong = s.name + " is a map"
		case f.IsList() && s.which == single:
			wrong = fmt.Sprintf(
				"%s is a list; choose from it with %[1]s[0], %[1]s[id=7] or %[1]s[*]",
				s.name)
		case !f.IsList() && s.which != single:
			wrong = s.name + " is not a list"
		case last && !isNumber(f):
			wrong = fmt.Sprintf("%s is a %v, expected a number", s.name, f.Kind())
		case !last && f.Message() == nil:
			wrong = s.name + " has no fields"
		case s.which == byID && f.Message() == nil:
			wrong = s.name + " has no ids"
		}
		if wrong != "" {
			return fmt.Errorf("%w %q: %s", ErrPath, p.text, wrong)
		}
		m = f.Message()
	}
	return nil
}

// complete reports whether a message of a type has all its numbers even if some are not set.
// Writers of proto3 omit zeros, so that a vector whose y is 0 has only x and z. For other types of
// OSI, an unset number means that it is not known.
func complete(m protoreflect.MessageDescriptor) bool {
	switch m.FullName() {
	case "osi3.Vector3d", "osi3.Vector2d", "osi3.Orientation3d", "osi3.Dimension3d",
		"osi3.Timestamp":
		return true
	}
	return false
}

func isNumber(f protoreflect.FieldDescriptor) bool {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind, protoreflect.StringKind,
		protoreflect.BytesKind:
		return false
	}
	return true
}

// Numbers calls take for the numbers in a message of a type to which the path was bound. The label
// names the elements chosen by [*] to which a number belongs, such as "7"; it is empty without [*].
func (p *Path) Numbers(m protoreflect.Message, take func(label string, number float64)) {
	numbers(m, p.steps, "", take)
}

func numbers(m protoreflect.Message, steps []step, label string, take func(string, float64)) {
	s, rest := steps[0], steps[1:]
	f := m.Descriptor().Fields().ByName(protoreflect.Name(s.name))
	if f == nil || !m.Has(f) && !complete(m.Descriptor()) {
		return
	}
	visit := func(v protoreflect.Value, label string) {
		if len(rest) > 0 {
			numbers(v.Message(), rest, label, take)
			return
		}
		take(label, number(v, f))
	}
	if s.which == single {
		visit(m.Get(f), label)
		return
	}
	list := m.Get(f).List()
	for k := range list.Len() {
		v := list.Get(k)
		id := uint64(k)
		if f.Message() != nil {
			if own, ok := idOf(v.Message()); ok {
				id = own
			} else if s.which == byID {
				continue
			}
		}
		switch {
		case s.which == all:
			visit(v, strings.TrimPrefix(label+"."+strconv.FormatUint(id, 10), "."))
		case s.which == byID && id == s.n, s.which == byIndex && uint64(k) == s.n:
			visit(v, label)
		}
	}
}

// idOf returns the identifier of an OSI object, which is in the object itself or, for detected
// objects, in its header.
func idOf(m protoreflect.Message) (uint64, bool) {
	fields := m.Descriptor().Fields()
	for _, name := range []protoreflect.Name{"id", "tracking_id"} {
		f := fields.ByName(name)
		if f == nil || f.Message() == nil || f.IsList() || !m.Has(f) {
			continue
		}
		value := f.Message().Fields().ByName("value")
		if value != nil && value.Kind() == protoreflect.Uint64Kind {
			return m.Get(f).Message().Get(value).Uint(), true
		}
	}
	if f := fields.ByName("header"); f != nil && f.Message() != nil && !f.IsList() && m.Has(f) {
		return idOf(m.Get(f).Message())
	}
	return 0, false
}

// number converts a scalar to a floating-point number.
func number(v protoreflect.Value, f protoreflect.FieldDescriptor) float64 {
	switch x := v.Interface().(type) {
	case bool:
		if x {
			return 1
		}
		return 0
	case float32:
		return float64(x)
	case float64:
		return x
	case uint32:
		return float64(x)
	case uint64:
		return float64(x)
	case int32:
		return float64(x)
	case int64:
		return float64(x)
	case protoreflect.EnumNumber:
		return float64(x)
	}
	panic(fmt.Sprintf("%s is bound to be a number", f.FullName()))
}

// Each calls visit with the path of every number that is set in a message; list elements are chosen
// by index.
func Each(m protoreflect.Message, visit func(path string)) { each(m, "", visit) }

func each(m protoreflect.Message, prefix string, visit func(string)) {
	fields := m.Descriptor().Fields()
	for k := range fields.Len() {
		f := fields.Get(k)
		if !m.Has(f) || f.IsMap() {
			continue
		}
		element := func(v protoreflect.Value, name string) {
			if f.Message() != nil {
				each(v.Message(), name+".", visit)
			} else if isNumber(f) {
				visit(name)
			}
		}
		name := prefix + string(f.Name())
		if !f.IsList() {
			element(m.Get(f), name)
			continue
		}
		for i := range m.Get(f).List().Len() {
			element(m.Get(f).List().Get(i), fmt.Sprintf("%s[%d]", name, i))
		}
	}
}
