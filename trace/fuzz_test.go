package trace_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// mostFuzzed bounds the work on one input: chunks of a few bytes can unpack to megabytes of
// messages.
const mostFuzzed = 2000

// FuzzOpenAt reads arbitrary bytes as a trace, directly and as a stream, and writes the messages to
// another trace. It must not panic or loop forever, and the new trace must be readable.
func FuzzOpenAt(f *testing.F) {
	for _, format := range []trace.Format{trace.OSIFile, trace.MCAP, trace.JSONLines} {
		for _, compression := range []mcap.Compression{mcap.None, mcap.Zstd, mcap.LZ4} {
			var b bytes.Buffer
			sink, err := trace.Create(&b, format, trace.SinkOptions{Compression: compression})
			require.NoError(f, err)
			c, err := sink.Add(trace.Channel{Topic: "a", Type: "osi3.SensorView",
				Encoding: trace.Protobuf, SchemaEncoding: trace.Protobuf, Schema: []byte{1}})
			require.NoError(f, err)
			for k := range timebase.Time(3) {
				require.NoError(f, sink.Write(&trace.Message{Channel: c, Time: k, Publish: k,
					Data: []byte{0x12, 2, 0x10, byte(k)}}))
			}
			require.NoError(f, sink.Close())
			f.Add(b.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<16 {
			return
		}
		o := trace.Options{Type: "sv"}
		if s, err := trace.OpenAt("a.osi", bytes.NewReader(content), int64(len(content)),
			o); err == nil {
			copied(t, s)
		}
		if s, err := trace.OpenStream("a.osi", bytes.NewReader(content), o); err == nil {
			copied(t, s)
		}
	})
}

// copied writes the messages of a source to a trace and reads them back.
func copied(t *testing.T, s trace.Source) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	channels, written := map[*trace.Channel]*trace.Channel{}, 0
	for written < mostFuzzed {
		m, err := s.Next()
		if err != nil {
			break
		}
		if _, known := channels[m.Channel]; !known {
			// topics may repeat, and versions may differ
			channels[m.Channel], _ = sink.Add(*m.Channel)
		}
		if c := channels[m.Channel]; c != nil {
			require.NoError(t,
				sink.Write(&trace.Message{Channel: c, Time: m.Time, Publish: m.Publish,
					Sequence: m.Sequence, Data: m.Data}))
			written++
		}
	}
	require.NoError(t, s.Close())
	require.NoError(t, sink.Close())
	again, err := trace.OpenAt("b.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()),
		trace.Options{})
	require.NoError(t, err)
	for range written {
		_, err := again.Next()
		require.NoError(t, err)
	}
	_, err = again.Next()
	require.True(t, errors.Is(err, io.EOF))
}
