package trace

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"gosmp/internal/fault"
)

// maxDecoded bounds the memory of a decoded message. A nested message without content takes two
// bytes in a file, but hundreds once it is decoded.
const maxDecoded = 2 << 30

// alwaysAffordable is the size of messages that need not be examined, because each byte decodes to
// at most 1 kB.
const alwaysAffordable = maxDecoded >> 10

// Unmarshal decodes a message like proto.Unmarshal, but fails with [ErrContent] if it would need
// too much memory.
func Unmarshal(b []byte, m proto.Message) error {
	if err := affordable(b, m.ProtoReflect().Type()); err != nil {
		return err
	}
	return proto.Unmarshal(b, m)
}

// Affordable returns the error that [Decoder.Decode] returns for a message that needs too much
// memory.
func (d *Decoder) Affordable(m *Message) error {
	if len(m.Data) < alwaysAffordable {
		return nil
	}
	t, err := d.Type(m.Channel)
	if err != nil {
		return err
	}
	if err := affordable(m.Data, t); err != nil {
		return undecodable(m, err)
	}
	return nil
}

// affordableText returns an error if a message in JSON or in protobuf's text format would need too
// much memory. In text, a nested message takes at least three bytes.
func affordableText(b []byte) error {
	const most = maxDecoded >> 8
	if len(b) < 2*most || bytes.Count(b, []byte("{"))+bytes.Count(b, []byte("<")) < most {
		return nil
	}
	return fault.New(ErrContent, fault.Place{}, fmt.Sprintf("more than %d nested messages", most),
		"fewer").WithHint("divide the message, or remove its empty parts")
}

// affordable returns an error if a decoded message would need more than [maxDecoded].
func affordable(b []byte, t protoreflect.MessageType) error {
	if len(b) < alwaysAffordable {
		return nil
	}
	if layoutOf(t).cost(b, maxDecoded, protowire.DefaultRecursionLimit) < maxDecoded {
		return nil
	}
	return fault.New(ErrContent, fault.Place{},
		fmt.Sprintf("a message of %d bytes that needs more than %d MB when it is decoded", len(b),
			maxDecoded>>20), "fewer nested messages").
		WithHint("divide it, or remove its empty parts")
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
