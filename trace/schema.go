package trace

import (
	"fmt"
	"sync"

	"gosmp/internal/fault"
	"gosmp/internal/quantity"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

var schemas sync.Map // of full name to []byte

// SchemaOf returns the FileDescriptorSet of an OSI type, with all the files that it imports, each
// file after its own imports. It fails with [ErrType] for types outside package osi3.
func SchemaOf(fullType string) ([]byte, error) {
	if known, found := schemas.Load(fullType); found {
		return known.([]byte), nil
	}
	t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(fullType))
	if err != nil {
		return nil, fault.New(ErrType, fault.Place{}, fmt.Sprintf("%q", fullType),
			"a message of OSI, such as osi3.SensorView")
	}
	set, seen := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	collect(set, seen, t.Descriptor().ParentFile())
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		return nil, err
	}
	schemas.Store(fullType, data)
	return data, nil
}

func collect(set *descriptorpb.FileDescriptorSet, seen map[string]bool,
	f protoreflect.FileDescriptor) {
	if seen[f.Path()] {
		return
	}
	seen[f.Path()] = true
	for k := range f.Imports().Len() {
		collect(set, seen, f.Imports().Get(k).FileDescriptor)
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
}

// Decoder decodes messages of any protobuf channel: OSI messages with package osi3, others with the
// schema of their channel. It must be used by one goroutine only.
type Decoder struct {
	types map[*Channel]protoreflect.MessageType
}

// Decode decodes a message. It fails with [ErrType] if the channel does not carry protobuf messages
// or has no usable schema, and with [ErrContent] if the bytes are not a message of that type.
func (d *Decoder) Decode(m *Message) (proto.Message, error) {
	t, err := d.Type(m.Channel)
	if err != nil {
		return nil, err
	}
	decoded := t.New().Interface()
	if err := Unmarshal(m.Data, decoded); err != nil {
		return nil, undecodable(m, err)
	}
	return decoded, nil
}

// undecodable returns the error for a message that does not fit its type.
func undecodable(m *Message, cause error) error {
	return fault.New(ErrContent, fault.At(fmt.Sprintf("channel %s, %s s", m.Channel.Topic,
		Seconds(m.Time))), quantity.Of(len(m.Data), "byte"), "a message of type "+m.Channel.Type).
		WithCause(cause)
}

// Type returns the message type of a channel.
func (d *Decoder) Type(c *Channel) (protoreflect.MessageType, error) {
	if t := d.types[c]; t != nil {
		return t, nil
	}
	t, err := protobufType(c)
	if err != nil {
		return nil, err
	}
	if d.types == nil {
		d.types = map[*Channel]protoreflect.MessageType{}
	}
	d.types[c] = t
	return t, nil
}

// selectOrKeep is the hint for a channel whose messages cannot be decoded.
const selectOrKeep = "select the channels to use with --channel, or write MCAP, which keeps all " +
	"messages"

func protobufType(c *Channel) (protoreflect.MessageType, error) {
	place := "channel " + c.Topic
	if c.Encoding != Protobuf {
		e := fault.New(ErrType, fault.At(place),
			fmt.Sprintf("messages in encoding %q", c.Encoding), "protobuf")
		e.Hint = selectOrKeep
		return nil, e
	}
	if t, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(
		c.Type)); err == nil {
		return t, nil
	}
	refuse := func(err error) (protoreflect.MessageType, error) {
		e := fault.New(ErrType, fault.At(place),
			fmt.Sprintf("schema %q, which cannot be used", c.Type),
			"a FileDescriptorSet with all imports")
		e.Cause, e.Hint = err, selectOrKeep
		return nil, e
	}
	var set descriptorpb.FileDescriptorSet
	if err := Unmarshal(c.Schema, &set); err != nil {
		return refuse(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return refuse(err)
	}
	descriptor, err := files.FindDescriptorByName(protoreflect.FullName(c.Type))
	if err != nil {
		return refuse(err)
	}
	message, is := descriptor.(protoreflect.MessageDescriptor)
	if !is {
		return refuse(fmt.Errorf("%s is not a message", c.Type))
	}
	return dynamicpb.NewMessageType(message), nil
}
