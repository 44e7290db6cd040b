package compare

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/proto/wire"
	"gosmp/trace"
)

// learn records the ids of messages that are equal byte for byte. As long as no id has been
// renamed, a comparison of such messages only adds each id under its own name. Most messages of a
// test are equal, so their ids are read from the bytes, which is much faster.
func (c *comparison) learn(p *pair, m *trace.Message) error {
	if c.options.ExactIDs || !m.Channel.IsOSI() || m.Channel.Type != "osi3.SensorData" {
		return nil
	}
	if p.tracks == nil {
		t, err := c.decoder.Type(m.Channel)
		if err != nil {
			return err
		}
		s := &search{tolerances: &c.tolerances, contains: map[protoreflect.FullName]bool{}}
		p.tracks = s.tracks(t.Descriptor(), &c.tolerances.top)
	}
	if p.tracks.read(m.Data, func(id uint64) { p.ids.add(id, id) }) {
		return nil
	}
	decoded, err := c.decoder.Decode(m)
	if err != nil {
		return err
	}
	d := c.differ(p, func(string, string, string, string) {})
	d.top(decoded.ProtoReflect(), decoded.ProtoReflect())
	return nil
}

// tracks is where a message contains tracked objects.
type tracks struct {
	fields map[wire.Key]*tracks // fields that are tracked objects, or contain some
	id     []wire.Key           // in a tracked object, the fields that lead to its id
}

// read calls learn for the id of each tracked object. It returns false if it finds bytes that are
// not well-formed.
func (t *tracks) read(b []byte, learn func(id uint64)) bool {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		if inner := t.fields[key]; inner != nil {
			var id uint64
			has, ok := find(b[lo:hi], inner.id, &id)
			if has {
				learn(id)
			}
			if !ok || !inner.read(b[lo:hi], learn) {
				return false
			}
		}
		i = hi
	}
	return true
}

// find merges the identifier at the end of a path of fields into id.
func find(b []byte, path []wire.Key, id *uint64) (has, ok bool) {
	if len(path) == 0 {
		return false, true
	}
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		switch {
		case hi < 0:
			return has, false
		case key == path[0] && len(path) == 1:
			has, ok = true, wire.MergeIdentifier(b[lo:hi], id)
		case key == path[0]:
			var inner bool
			inner, ok = find(b[lo:hi], path[1:], id)
			has = has || inner
		default:
			ok = true
		}
		if !ok {
			return has, false
		}
		i = hi
	}
	return has, true
}

// search looks for tracked objects in the types of a message.
type search struct {
	tolerances *tolerances
	contains   map[protoreflect.FullName]bool // whether a type contains tracked objects
}

// tracks returns where messages of a type at a place contain tracked objects, apart from ignored
// fields.
func (s *search) tracks(d protoreflect.MessageDescriptor, at *place) *tracks {
	t := &tracks{fields: map[wire.Key]*tracks{}}
	for k := range d.Fields().Len() {
		f := d.Fields().Get(k)
		if !s.leads(f) || s.tolerances.of(at.field(f)).Ignore {
			continue
		}
		inner := s.tracks(f.Message(), at.field(f))
		if isTracked(f) {
			path, _ := keyOf(f.Message())
			for _, step := range path {
				inner.id = append(inner.id, keyOfField(step))
			}
		}
		t.fields[keyOfField(f)] = inner
	}
	return t
}

// keyOfField returns the key of a field that is a message.
func keyOfField(f protoreflect.FieldDescriptor) wire.Key {
	return wire.Key(f.Number())<<3 | wire.Len //nolint:gosec // at most 1<<29
}

// leads reports whether a field is a list of tracked objects or contains one. OSI's types do not
// contain themselves.
func (s *search) leads(f protoreflect.FieldDescriptor) bool {
	d := f.Message()
	if d == nil {
		return false
	}
	contains, known := s.contains[d.FullName()]
	if !known {
		for k := range d.Fields().Len() {
			contains = s.leads(d.Fields().Get(k)) || contains
		}
		s.contains[d.FullName()] = contains
	}
	return contains || isTracked(f)
}
