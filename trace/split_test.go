package trace_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// sized returns a message with a text of the given length that is hard to compress.
func sized(t require.TestingT, n int64, size int) []byte {
	random := rand.New(rand.NewPCG(uint64(n), uint64(size)))
	text := make([]byte, size)
	for k := range text {
		text[k] = byte('!' + random.IntN('z'-'!'))
	}
	b, err := proto.Marshal(&osi3.GroundTruth{Timestamp: message.Time(timebase.Time(n)),
		MapReference: proto.String(string(text))})
	require.NoError(t, err)
	return b
}

// timed returns an MCAP file with messages of the given sizes at the given times in ms.
func timed(t require.TestingT, at []int64, sizes []int) trace.Source {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	for k, ms := range at {
		require.NoError(t, sink.Write(&trace.Message{Channel: c,
			Time: timebase.Time(ms) * timebase.Millisecond, Data: sized(t, int64(k), sizes[k])}))
	}
	require.NoError(t, sink.Close())
	s, err := trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	require.NoError(t, err)
	return s
}

// split splits a trace and returns the files of its parts.
func split(t require.TestingT, c *trace.Copy, from trace.Source, s trace.Split) (files [][]byte,
	parts []trace.Part) {
	parts, err := c.RunParts(from, s, func(number int, write func(io.Writer) error) error {
		require.Equal(t, len(files)+1, number)
		var b bytes.Buffer
		err := write(&b)
		files = append(files, b.Bytes())
		return err
	})
	require.NoError(t, err)
	require.Len(t, parts, len(files))
	return files, parts
}

// The time of parts is counted from the first message. A part without messages is not written.
func TestRunParts_ByTime(t *testing.T) {
	at := []int64{500, 1400, 1499, 1500, 2000, 9000, 9100, 10499, 10500}
	c := &trace.Copy{Format: trace.MCAP}
	_, parts := split(t, c, timed(t, at, make([]int, len(at))),
		trace.Split{Time: timebase.Second})
	const ms = timebase.Millisecond
	require.Equal(t, []trace.Part{{3, 500 * ms, 1499 * ms}, {2, 1500 * ms, 2000 * ms},
		{2, 9000 * ms, 9100 * ms}, {1, 10499 * ms, 10499 * ms}, {1, 10500 * ms, 10500 * ms}}, parts)
	require.EqualValues(t, 9, c.Messages)
	require.Equal(t, 500*ms, c.First)
	require.Equal(t, 10500*ms, c.Last)

	files, parts := split(t, c, timed(t, nil, nil), trace.Split{Time: timebase.Second})
	require.Len(t, files, 1, "of an empty trace")
	require.Zero(t, parts[0].Messages)
}

// Whatever the messages are, no part exceeds the limit, and together the parts make up the trace.
func TestRunParts_BySize(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 20_000), 1, 60).Draw(rt, "sizes")
		format := rapid.SampledFrom([]trace.Format{trace.MCAP, trace.OSIFile, trace.JSONLines,
			trace.Text}).Draw(rt, "format")
		compression := rapid.SampledFrom([]mcap.Compression{"", mcap.LZ4, mcap.Zstd}).
			Draw(rt, "compression")
		limit := rapid.Int64Range(1, 400_000).Draw(rt, "limit")
		at := make([]int64, len(sizes))
		for k := range at {
			at[k] = int64(1000 * k)
		}
		c := &trace.Copy{Format: format, Compression: compression}
		files, parts := split(rt, c, timed(rt, at, sizes), trace.Split{Size: limit})
		var sources []trace.Source
		for k, f := range files {
			largest := limit
			if format != trace.MCAP && format != trace.OSIFile {
				largest += 200_000
			}
			require.True(rt, int64(len(f)) <= largest || parts[k].Messages == 1,
				"part %d: %d bytes of %d, %d messages", k, len(f), limit, parts[k].Messages)
			s, err := trace.OpenAt("ground_truth."+string(format), bytes.NewReader(f),
				int64(len(f)), trace.Options{})
			require.NoError(rt, err)
			sources = append(sources, s)
		}
		n := int64(0)
		damage, err := trace.Each(trace.Merge(sources...), func(m *trace.Message) error {
			require.Equal(rt, sized(rt, n, sizes[n]), m.Data)
			n++
			return nil
		})
		require.NoError(rt, damage)
		require.NoError(rt, err)
		require.EqualValues(rt, len(sizes), n)
	})
}

// A limit that would need thousands of files is refused.
func TestRunParts_TooMany(t *testing.T) {
	at, sizes := make([]int64, 10_001), make([]int, 10_001)
	for k := range at {
		at[k] = int64(k)
	}
	c := &trace.Copy{Format: trace.OSIFile}
	_, err := c.RunParts(timed(t, at, sizes), trace.Split{Time: timebase.Millisecond},
		func(_ int, write func(io.Writer) error) error { return write(io.Discard) })
	require.ErrorIs(t, err, trace.ErrContent)
	require.ErrorContains(t, err, fmt.Sprint("more than ", 9999, " parts"))
}
