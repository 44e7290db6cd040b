package trace_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
)

// part returns an .osi file with messages at the given seconds.
func part(t *testing.T, seconds ...int64) trace.Source {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.OSIFile, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("GroundTruth", "gt"))
	require.NoError(t, err)
	for _, n := range seconds {
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: oldMessage(n, 3)}))
	}
	return open(t, "ground_truth.osi", b.Bytes(), trace.Options{})
}

// Parts of one recording become one channel, in any format; parts that overlap are refused.
func TestCopy_JoinsParts(t *testing.T) {
	for _, format := range []trace.Format{trace.OSIFile, trace.MCAP} {
		var b bytes.Buffer
		c := &trace.Copy{Format: format, Join: true}
		require.NoError(t, c.Run(&b, trace.Merge(part(t, 3, 4), part(t, 0, 1, 2), part(t, 5))))
		require.EqualValues(t, 6, c.Messages)
		s := open(t, "ground_truth."+string(format), b.Bytes(), trace.Options{})
		require.Len(t, s.Channels(), 1)
		for n := range 6 {
			m, err := s.Next()
			require.NoError(t, err)
			require.Equal(t, timebase.Time(n)*timebase.Second, m.Time)
		}
		err := (&trace.Copy{Format: format, Join: true}).Run(io.Discard, trace.Merge(part(t, 0, 2),
			part(t, 1, 3)))
		require.ErrorIs(t, err, trace.ErrTime)
		require.ErrorContains(t, err, "parts that overlap at 2")
	}
	var b bytes.Buffer
	require.NoError(t, (&trace.Copy{Format: trace.MCAP}).Run(&b, trace.Merge(part(t, 0),
		part(t, 1))))
	require.Len(t, open(t, "a.mcap", b.Bytes(), trace.Options{}).Channels(), 2, "without Join")
}
