package trace

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gosmp/proto/wire"
	"gosmp/timebase"
)

// stampNode is a message type that contains time stamps, directly or in nested messages.
type stampNode struct {
	own      stamper
	children map[wire.Number]*stampNode // by field number; nil stands for an osi3.Timestamp
}

// otherClocks names the time stamps that do not hold simulation time.
var otherClocks = map[protoreflect.Name]bool{"system_time": true}

var stampNodes sync.Map // of full name to *stampNode

// stampsOf returns the node of a message type.
func stampsOf(fullType string) *stampNode {
	if known, found := stampNodes.Load(fullType); found {
		return known.(*stampNode)
	}
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(fullType))
	if err != nil {
		return &stampNode{}
	}
	node := stampTree(t.Descriptor(), map[protoreflect.FullName]*stampNode{})
	if node == nil {
		node = &stampNode{}
	}
	stampNodes.Store(fullType, node)
	return node
}

// stampTree returns the node of a message, or nil if there is no time stamp in it. No OSI message
// contains itself through messages that have time stamps.
func stampTree(d protoreflect.MessageDescriptor,
	known map[protoreflect.FullName]*stampNode) *stampNode {
	if node, done := known[d.FullName()]; done {
		return node
	}
	known[d.FullName()] = nil
	node := &stampNode{own: stampOf(string(d.FullName())), children: map[wire.Number]*stampNode{}}
	for k := range d.Fields().Len() {
		f := d.Fields().Get(k)
		switch {
		case f.Message() == nil || otherClocks[f.Name()]:
		case f.Message().FullName() == "osi3.Timestamp":
			node.children[wire.Number(f.Number())] = nil
		default:
			if child := stampTree(f.Message(), known); child != nil {
				node.children[wire.Number(f.Number())] = child
			}
		}
	}
	if len(node.children) == 0 {
		node = nil
	}
	known[d.FullName()] = node
	return node
}

// shift appends a message to b, with all its time stamps moved. It returns false if the message is
// malformed.
func (n *stampNode) shift(b, message []byte, by timebase.Time) ([]byte, bool) {
	for i := 0; i < len(message); {
		key, lo, hi := wire.Field(message, i)
		if hi < 0 {
			return b, false
		}
		child, known := n.children[key.Number()]
		switch {
		case !known || key.Type() != wire.Len:
			b = append(b, message[i:hi]...)
		case child == nil:
			var v [3]uint64
			if !numbers(message[lo:hi], v[:]) {
				return b, false
			}
			moved := timebase.Time(int64(v[1]))*timebase.Second + timebase.Time(uint32(v[2])) + by
			seconds, nanos := moved.Split()
			b = wire.AppendTimestamp(b, key.Number(), seconds, nanos)
		default:
			var at int
			var ok bool
			b, at = wire.Begin(b, key.Number())
			if b, ok = child.shift(b, message[lo:hi], by); !ok {
				return b, false
			}
			b = wire.End(b, at)
		}
		i = hi
	}
	return b, true
}
