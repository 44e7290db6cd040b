package signal

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/timebase"
)

// source is a channel with one of its message types.
type source struct {
	channel string
	name    protoreflect.FullName
}

// layout describes what a collector reads from messages of one type. Numbers are read directly from
// the bytes, because a drive contains millions of them and decoding messages would take ten times
// as long.
type layout struct {
	fields map[protowire.Number]*field
	lists  bool
	ids    [][]protowire.Number // paths to the id of such an element, first choice first
	whole  []*field             // the fields of a message that is complete; see [complete]
}

// field is a field that a collector reads.
type field struct {
	protoreflect.FieldDescriptor
	index   int
	list    bool
	kind    protoreflect.Kind
	message *layout // nil for numbers
}

type layouts map[protoreflect.FullName]*layout

// of returns the layout of a type, which it creates once.
func (known layouts) of(d protoreflect.MessageDescriptor) *layout {
	if l := known[d.FullName()]; l != nil {
		return l
	}
	l := &layout{fields: map[protowire.Number]*field{}, ids: idPaths(d)}
	known[d.FullName()] = l // before its fields, which may be of this type
	for k := range d.Fields().Len() {
		f := d.Fields().Get(k)
		if skipped[f.Name()] || f.IsMap() || f.Kind() == protoreflect.GroupKind ||
			f.Message() == nil && !isNumber(f) {
			continue
		}
		own := &field{FieldDescriptor: f, index: len(l.fields), list: f.IsList(), kind: f.Kind()}
		if f.Message() != nil {
			own.message = known.of(f.Message())
		}
		l.fields[f.Number()], l.lists = own, l.lists || own.list
		if complete(d) {
			l.whole = append(l.whole, own)
		}
	}
	return l
}

// idPaths returns the fields that lead to the identifier of an object, as in idOf.
func idPaths(d protoreflect.MessageDescriptor) (paths [][]protowire.Number) {
	inside := func(f protoreflect.FieldDescriptor) bool {
		return f != nil && f.Message() != nil && !f.IsList()
	}
	for _, name := range []protoreflect.Name{"id", "tracking_id"} {
		f := d.Fields().ByName(name)
		if !inside(f) {
			continue
		}
		if v := f.Message().Fields().ByName("value"); v != nil &&
			v.Kind() == protoreflect.Uint64Kind {
			paths = append(paths, []protowire.Number{f.Number(), v.Number()})
		}
	}
	if f := d.Fields().ByName("header"); inside(f) && f.Message() != d {
		for _, rest := range idPaths(f.Message()) {
			paths = append(paths, append([]protowire.Number{f.Number()}, rest...))
		}
	}
	return paths
}

// id returns the identifier in a list element.
func (l *layout) id(data []byte) (uint64, bool) {
	for _, path := range l.ids {
		inner, found := data, true
		for _, number := range path[:len(path)-1] {
			if inner, found = last(inner, number, protowire.BytesType); !found {
				break
			}
			inner, _ = protowire.ConsumeBytes(inner)
		}
		if !found {
			continue
		}
		// proto3 writers omit the value 0
		value, _ := last(inner, path[len(path)-1], protowire.VarintType)
		n, _ := protowire.ConsumeVarint(value)
		return n, true
	}
	return 0, false
}

// last finds the last field with the given number and wire type.
func last(data []byte, number protowire.Number, is protowire.Type) (value []byte, found bool) {
	for len(data) > 0 {
		n, t, size := protowire.ConsumeTag(data)
		if size < 0 {
			return value, found
		}
		data = data[size:]
		if size = protowire.ConsumeFieldValue(n, t, data); size < 0 {
			return value, found
		}
		if n == number && t == is {
			value, found = data[:size], true
		}
		data = data[size:]
	}
	return value, found
}

// Add adds the numbers in an encoded message of a channel. From a message that ends too early, it
// adds the numbers before the end.
func (c *Collector) Add(channel string, t timebase.Time, d protoreflect.MessageDescriptor,
	data []byte) {
	from := source{channel, d.FullName()}
	root := c.roots[from]
	if root == nil {
		root = &node{}
		c.roots[from] = root
	}
	k := int(float64(t-c.first) / float64(c.span) * float64(c.intervals))
	k = min(max(k, 0), c.intervals-1)
	c.note(channel, k, t)
	c.add(channel, root, k, c.layouts.of(d), data)
}

func (c *Collector) add(channel string, n *node, k int, l *layout, data []byte) {
	if l.lists {
		n.count(l, data)
	}
	var set uint64 // fields of a complete message, which are few
	for len(data) > 0 {
		number, is, size := protowire.ConsumeTag(data)
		if size < 0 {
			return
		}
		data = data[size:]
		if size = protowire.ConsumeFieldValue(number, is, data); size < 0 {
			return
		}
		if f := l.fields[number]; f != nil {
			set |= 1 << f.index
			c.field(channel, n, k, l, f, is, data[:size])
		}
		data = data[size:]
	}
	for _, f := range l.whole {
		if set&(1<<f.index) == 0 {
			c.unset(channel, n, k, l, f)
		}
	}
}

// count counts the elements of lists, so that long lists are left out.
func (n *node) count(l *layout, data []byte) {
	if n.counts == nil {
		n.counts, n.seen = make([]int, len(l.fields)), make([]int, len(l.fields))
	}
	clear(n.counts)
	clear(n.seen)
	for len(data) > 0 {
		number, is, size := protowire.ConsumeTag(data)
		if size < 0 {
			return
		}
		data = data[size:]
		if size = protowire.ConsumeFieldValue(number, is, data); size < 0 {
			return
		}
		switch f := l.fields[number]; {
		case f == nil || !f.list:
		case f.message == nil && is == protowire.BytesType:
			f.packed(data[:size], func(float64) { n.counts[f.index]++ })
		default:
			n.counts[f.index]++
		}
		data = data[size:]
	}
}

// field adds a field or a list element.
func (c *Collector) field(channel string, n *node, k int, l *layout, f *field, is protowire.Type,
	value []byte) {
	child := c.child(n, l, f)
	if child == nil {
		return
	}
	switch {
	case f.message != nil && is == protowire.BytesType:
		inner, _ := protowire.ConsumeBytes(value)
		if f.list {
			id, named := f.message.id(inner)
			if child = c.chosen(n, child, f, id, named); child == nil {
				return
			}
		}
		c.add(channel, child, k, f.message, inner)
	case f.message != nil:
	case !f.list:
		if x, ok := f.number(is, value); ok {
			c.take(channel, child, k, f, x)
		}
	case is == protowire.BytesType:
		f.packed(value, func(x float64) {
			if e := c.chosen(n, child, f, 0, false); e != nil {
				c.take(channel, e, k, f, x)
			}
		})
	default:
		if x, ok := f.number(is, value); ok {
			if e := c.chosen(n, child, f, 0, false); e != nil {
				c.take(channel, e, k, f, x)
			}
		}
	}
}

// chosen returns the node of the next element of a list, or nil if it is left out.
func (c *Collector) chosen(n, list *node, f *field, id uint64, named bool) *node {
	place := n.seen[f.index]
	n.seen[f.index]++
	if named {
		return c.element(list, id, true)
	}
	if n.counts[f.index] > mostElements {
		return nil
	}
	return c.element(list, uint64(place), false)
}

// take adds a number to its curve.
func (c *Collector) take(channel string, n *node, k int, f *field, x float64) {
	if n.curve == nil && !n.full {
		c.begin(channel, n, f)
	}
	if n.curve == nil {
		return
	}
	n.curve.set = true
	if !math.IsNaN(x) && !math.IsInf(x, 0) {
		n.curve.add(k, x)
	}
}

// unset adds the number 0 for a field of a complete message that is not set. Fields that are never
// set leave room for others.
func (c *Collector) unset(channel string, of *node, k int, l *layout, f *field) {
	known := of.children != nil && of.children[f.index] != nil
	if !known && (c.nodes > c.most/4 || len(c.curves) > mostCurves/4) {
		return
	}
	n := c.child(of, l, f)
	if n == nil {
		return
	}
	if n.curve == nil && !n.full {
		c.begin(channel, n, f)
	}
	if n.curve != nil {
		n.curve.add(k, 0)
	}
}

// packed calls take for the numbers in a packed list.
func (f *field) packed(value []byte, take func(float64)) {
	data, _ := protowire.ConsumeBytes(value)
	is := protowire.VarintType
	switch f.kind {
	case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		is = protowire.Fixed64Type
	case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		is = protowire.Fixed32Type
	}
	for len(data) > 0 {
		size := protowire.ConsumeFieldValue(1, is, data)
		if size < 0 {
			return
		}
		if x, ok := f.number(is, data[:size]); ok {
			take(x)
		}
		data = data[size:]
	}
}

// number decodes a number, if its wire type is that of the field's kind.
func (f *field) number(is protowire.Type, data []byte) (float64, bool) {
	switch is {
	case protowire.Fixed64Type:
		n, _ := protowire.ConsumeFixed64(data)
		return fixed64(f.kind, n)
	case protowire.Fixed32Type:
		n, _ := protowire.ConsumeFixed32(data)
		return fixed32(f.kind, n)
	case protowire.VarintType:
		n, _ := protowire.ConsumeVarint(data)
		return varint(f.kind, n)
	}
	return 0, false
}

func fixed64(kind protoreflect.Kind, n uint64) (float64, bool) {
	switch kind {
	case protoreflect.DoubleKind:
		return math.Float64frombits(n), true
	case protoreflect.Fixed64Kind:
		return float64(n), true
	case protoreflect.Sfixed64Kind:
		return float64(int64(n)), true
	}
	return 0, false
}

func fixed32(kind protoreflect.Kind, n uint32) (float64, bool) {
	switch kind {
	case protoreflect.FloatKind:
		return float64(math.Float32frombits(n)), true
	case protoreflect.Fixed32Kind:
		return float64(n), true
	case protoreflect.Sfixed32Kind:
		return float64(int32(n)), true
	}
	return 0, false
}

func varint(kind protoreflect.Kind, n uint64) (float64, bool) {
	switch kind {
	case protoreflect.BoolKind, protoreflect.Uint64Kind:
		return float64(n), true
	case protoreflect.Uint32Kind:
		return float64(uint32(n)), true
	case protoreflect.Int64Kind:
		return float64(int64(n)), true
	case protoreflect.Int32Kind, protoreflect.EnumKind:
		return float64(int32(n)), true
	case protoreflect.Sint64Kind, protoreflect.Sint32Kind:
		return float64(protowire.DecodeZigZag(n)), true
	}
	return 0, false
}
