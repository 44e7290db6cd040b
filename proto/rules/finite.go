package rules

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// mostGeometry exceeds any length on Earth in m, and any speed, angle or rate in traffic.
const mostGeometry = 1e8

// boundOf returns the largest sensible magnitude of the numbers in a message type: the limit for
// traffic in vectors, and any finite number in other types.
func boundOf(d protoreflect.MessageDescriptor) float64 {
	switch d.Name() {
	case "Vector3d", "Vector2d", "Dimension3d", "Orientation3d":
		return mostGeometry
	}
	return math.MaxFloat64
}

// Unusable is a number that cannot be used in computations: NaN, an infinity, or a magnitude that
// no length, speed or angle in traffic reaches.
type Unusable struct {
	Path   string // "GroundTruth.moving_object[3].base.position.x"
	Object string // the innermost enclosing message with an id, such as "moving_object 12", or ""
	Value  float64
}

// Finite reports whether only the magnitude of the number is wrong.
func (u *Unusable) Finite() bool { return !math.IsNaN(u.Value) && !math.IsInf(u.Value, 0) }

// FindUnusable returns the first unusable number in a message, or nil if there is none.
func FindUnusable(m proto.Message) *Unusable {
	r := m.ProtoReflect()
	return findUnusable(r, string(r.Descriptor().Name()), "")
}

// findUnusable builds a path only when it finds such a number, because most messages contain no
// unusable number.
func findUnusable(m protoreflect.Message, path, object string) *Unusable {
	found := within(m)
	if found != nil {
		found.Path, found.Object = path+found.Path, cmp.Or(found.Object, object)
	}
	return found
}

// within returns the first unusable number in a message, with its path relative to the message.
func within(m protoreflect.Message) *Unusable {
	fields, bound := m.Descriptor().Fields(), boundOf(m.Descriptor())
	for k := range fields.Len() {
		f := fields.Get(k)
		switch f.Kind() {
		case protoreflect.MessageKind, protoreflect.DoubleKind, protoreflect.FloatKind:
		default:
			continue
		}
		if f.IsMap() || !m.Has(f) {
			continue
		}
		if !f.IsList() {
			if found := inValue(f, m.Get(f), 0, bound); found != nil {
				return found
			}
			continue
		}
		list := m.Get(f).List()
		for i := range list.Len() {
			if found := inValue(f, list.Get(i), i, bound); found != nil {
				return found
			}
		}
	}
	return nil
}

func inValue(f protoreflect.FieldDescriptor, v protoreflect.Value, i int, bound float64) *Unusable {
	var found *Unusable
	if f.Message() == nil {
		if x := v.Float(); !(math.Abs(x) <= bound) {
			found = &Unusable{Value: x}
		}
	} else if found = within(v.Message()); found != nil && found.Object == "" {
		found.Object = objectOf(f, v.Message(), "")
	}
	if found != nil {
		found.Path = element("."+string(f.Name()), f, i) + found.Path
	}
	return found
}

// objectOf names a message by its field and its id, if it has one.
func objectOf(f protoreflect.FieldDescriptor, m protoreflect.Message, otherwise string) string {
	id := m.Descriptor().Fields().ByName("id")
	if id == nil || id.Message() == nil || id.Message().Name() != "Identifier" || !m.Has(id) {
		return otherwise
	}
	return fmt.Sprintf("%s %d", f.Name(), identifier(m.Get(id)))
}

// DiscardUnusable removes from a GroundTruth, SensorView or SensorData the objects, lines and other
// parts that have unusable numbers, so that the rest can be used in computations and drawn. It
// returns what it has removed.
func DiscardUnusable(m proto.Message) (removed []Unusable) {
	r := m.ProtoReflect()
	return discard(r, string(r.Descriptor().Name()), nil)
}

func discard(m protoreflect.Message, path string, removed []Unusable) []Unusable {
	fields, bound := m.Descriptor().Fields(), boundOf(m.Descriptor())
	for k := range fields.Len() {
		f := fields.Get(k)
		place := path + "." + string(f.Name())
		switch {
		case !m.Has(f):
		case f.Message() != nil && f.IsList():
			removed = discardElements(m.Mutable(f).List(), f, place, removed)
		case f.Message() != nil && isRoot(f.Message()):
			removed = discard(m.Mutable(f).Message(), place, removed)
		case f.Message() != nil:
			if u := findUnusable(m.Get(f).Message(), place, ""); u != nil {
				removed = append(removed, *u)
				m.Clear(f)
			}
		case (f.Kind() == protoreflect.DoubleKind || f.Kind() == protoreflect.FloatKind) &&
			!f.IsList():
			if x := m.Get(f).Float(); !(math.Abs(x) <= bound) {
				removed = append(removed, Unusable{Path: place, Value: x})
				m.Clear(f)
			}
		}
	}
	return removed
}

// discardElements keeps only the usable elements of a list.
func discardElements(list protoreflect.List, f protoreflect.FieldDescriptor, path string,
	removed []Unusable) []Unusable {
	kept := 0
	for i := range list.Len() {
		v := list.Get(i)
		if isRoot(f.Message()) {
			removed = discard(v.Message(), element(path, f, i), removed)
		} else if u := findUnusable(v.Message(), "", ""); u != nil {
			u.Path = element(path, f, i) + u.Path
			u.Object = cmp.Or(u.Object, objectOf(f, v.Message(), ""))
			removed = append(removed, *u)
			continue
		}
		list.Set(kept, v)
		kept++
	}
	list.Truncate(kept)
	return removed
}

// isRoot reports whether a message is a scene, from which only parts are removed.
func isRoot(d protoreflect.MessageDescriptor) bool {
	switch strings.TrimPrefix(string(d.FullName()), "osi3.") {
	case "GroundTruth", "SensorView", "SensorData":
		return true
	}
	return false
}
