// Package decoded estimates how much memory a protobuf message will need before it is decoded. A
// nested message without content takes two bytes on the wire, but a hundred or more in memory.
package decoded

import (
	"reflect"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Size estimates the bytes of memory of a decoded message. It stops counting at a limit, and leaves
// errors in the message to the decoder.
func Size(b []byte, t protoreflect.MessageType, most int) int {
	return layoutOf(t).cost(b, most, protowire.DefaultRecursionLimit)
}

// layout has the cost of a message type.
type layout struct {
	size   int // bytes of memory of a message without content, including the pointer to it
	field  int // the same of each field
	nested map[protowire.Number]*layout
}

// layouts holds the layouts of messages with generated types; there are few of them.
var layouts struct {
	sync.Mutex
	known map[protoreflect.FullName]*layout
}

func layoutOf(t protoreflect.MessageType) *layout {
	if _, dynamic := t.Zero().Interface().(*dynamicpb.Message); dynamic {
		return compile(t.Descriptor(), map[protoreflect.FullName]*layout{}, true)
	}
	layouts.Lock()
	defer layouts.Unlock()
	if layouts.known == nil {
		layouts.known = map[protoreflect.FullName]*layout{}
	}
	return compile(t.Descriptor(), layouts.known, false)
}

// compile returns the layout of a message type. A dynamic message has maps instead of fields.
func compile(d protoreflect.MessageDescriptor, known map[protoreflect.FullName]*layout,
	dynamic bool) *layout {
	if l := known[d.FullName()]; l != nil {
		return l
	}
	l := &layout{size: 512, field: 128, nested: map[protowire.Number]*layout{}}
	if t, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName()); err == nil && !dynamic {
		const pointers = 2 * 8 // in a list with spare capacity
		l.size, l.field = int(reflect.TypeOf(t.Zero().Interface()).Elem().Size())+pointers, 16
	}
	known[d.FullName()] = l
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Message() != nil {
			l.nested[f.Number()] = compile(f.Message(), known, dynamic)
		}
	}
	return l
}

// cost estimates the memory that a decoded message needs, and stops at a limit. It ignores anything
// nested deeper than the decoder permits, and leaves errors to the decoder.
func (l *layout) cost(b []byte, most, depth int) int {
	total := l.size
	for len(b) > 0 && total < most {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return total
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return total
		}
		total += l.field
		if kind == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(b)
			if inner := l.nested[number]; inner == nil {
				total += len(content)
			} else if depth > 0 {
				total += inner.cost(content, most-total, depth-1)
			}
		}
		b = b[n:]
	}
	return total
}
