package decoded_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"gosmp/internal/decoded"
	"gosmp/proto/osi3"
)

// TestSize: the estimate of a message of empty objects is neither below the memory that the decoder
// allocates nor many times as much, and counting stops at the limit.
func TestSize(t *testing.T) {
	const objects = 100_000
	text := bytes.Repeat([]byte{5<<3 | 2, 0}, objects) // moving_object
	message := &osi3.GroundTruth{}
	kind := message.ProtoReflect().Type()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, proto.Unmarshal(text, message))
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Len(t, message.GetMovingObject(), objects)
	used := int(after.HeapAlloc - before.HeapAlloc)
	estimate := decoded.Size(text, kind, 1<<40)
	require.Greater(t, estimate, used*3/4)
	require.Less(t, estimate, used*3)
	const most = 1 << 20
	require.Less(t, decoded.Size(text, kind, most), most+4096)
	dynamic := dynamicpb.NewMessageType(kind.Descriptor())
	require.Greater(t, decoded.Size(text, dynamic, 1<<40), estimate)
	require.Positive(t, decoded.Size([]byte{0xff, 0xff}, kind, most), "the decoder reports the error")
}
