package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

// T5: each line of a .txth file is a message in protobuf's text format; as an input the file is
// refused.
func TestText_EachLineIsAMessage(t *testing.T) {
	var messages []*osi3.GroundTruth
	for k := range timebase.Time(5) {
		messages = append(messages, &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(k), CountryCode: proto.Uint32(276),
			MapReference: proto.String("two  blanks,\n \\  \"quoted  text\" and \\\\"),
			MovingObject: []*osi3.MovingObject{{Id: message.ID(uint64(k))}, {}}})
	}
	var out bytes.Buffer
	sink, err := trace.Create(&out, trace.Text, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	_, err = sink.Add(trace.OSI("another", "gt"))
	require.ErrorIs(t, err, trace.ErrChannel)
	for k, m := range messages {
		b, err := proto.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: timebase.Time(k), Data: b}))
	}
	require.ErrorIs(t, sink.Write(&trace.Message{Channel: c, Data: []byte{0xff}}), trace.ErrContent)
	require.NoError(t, sink.Close())
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, len(messages))
	for k, line := range lines {
		var got osi3.GroundTruth
		require.NoError(t, prototext.Unmarshal([]byte(line), &got), line)
		require.True(t, proto.Equal(messages[k], &got), line)
		require.NotContains(t, strings.ReplaceAll(line, "two  blanks", ""), "version_major:3  ")
	}
	_, err = trace.OpenAt("a.txth", bytes.NewReader(out.Bytes()), int64(out.Len()), trace.Options{})
	require.ErrorContains(t, err, "found protobuf text (.txth), which is only for people to read")
}
