package trace_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"gosmp/proto/osi3"
	"gosmp/trace"
)

// Nested messages without content take a hundred times as much memory when decoded as in the file.
func TestUnmarshal_ManyEmptyMessages(t *testing.T) {
	for name, c := range map[string]struct {
		field protowire.Number
		n     int
		into  proto.Message
	}{
		"moving objects": {5, 12 << 20, &osi3.GroundTruth{}},
		"lanes":          {9, 24 << 20, &osi3.GroundTruth{}},
		"a schema":       {1, 12 << 20, &descriptorpb.FileDescriptorSet{}},
	} {
		b := bytes.Repeat([]byte{byte(c.field<<3 | 2), 0}, c.n)
		err := trace.Unmarshal(b, c.into)
		require.ErrorIs(t, err, trace.ErrContent, name)
		require.ErrorContains(t, err, "needs more than 2048 MB when it is decoded", name)
	}
	// the same number of bytes in few messages
	b := protowire.AppendTag(nil, 1000, protowire.BytesType)
	b = protowire.AppendBytes(b, make([]byte, 24<<20))
	require.NoError(t, trace.Unmarshal(b, &osi3.GroundTruth{}))
	require.Error(t, trace.Unmarshal(b[:len(b)-1], &osi3.GroundTruth{}), "truncated")
}

// A channel whose schema is in the file is decoded without generated types, which takes more
// memory.
func TestDecoder_ManyEmptyMessagesOfItsOwnType(t *testing.T) {
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("a.proto"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("A"),
			Field: []*descriptorpb.FieldDescriptorProto{{Name: proto.String("a"),
				Number: proto.Int32(1), TypeName: proto.String(".A"),
				Label: descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(),
				Type:  descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()}}}}}
	schema, err := proto.Marshal(&descriptorpb.FileDescriptorSet{
		File: []*descriptorpb.FileDescriptorProto{file}})
	require.NoError(t, err)
	c := &trace.Channel{Topic: "a", Type: "A", Encoding: trace.Protobuf, Schema: schema}
	var d trace.Decoder
	_, err = d.Decode(&trace.Message{Channel: c, Data: bytes.Repeat([]byte{10, 0}, 4<<20)})
	require.ErrorIs(t, err, trace.ErrContent)
	require.ErrorContains(t, err, "channel a, 0")
	require.ErrorContains(t, err, "needs more than 2048 MB")
	m, err := d.Decode(&trace.Message{Channel: c, Data: bytes.Repeat([]byte{10, 0}, 100)})
	require.NoError(t, err)
	require.NotNil(t, m)
	_, err = d.Decode(&trace.Message{Channel: c, Data: nested(5_000_000)})
	require.ErrorIs(t, err, trace.ErrContent, "nested deeper than decoders permit")
}

// nested returns a message within a message, and so on.
func nested(levels int) (b []byte) {
	sizes, size := make([]int, levels), 0
	for i := range levels {
		sizes[i] = size
		size += 1 + protowire.SizeBytes(size) - size
	}
	for _, size := range slices.Backward(sizes) {
		b = protowire.AppendVarint(append(b, 10), uint64(size))
	}
	return b
}
