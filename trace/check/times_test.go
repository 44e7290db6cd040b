package check_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"

	"google.golang.org/protobuf/proto"
)

// The times of a channel are the ones that gosmp inspect shows, from the least to the greatest log
// time, even if time stamps differ.
func TestFile_TimesAreLogTimes(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("gt", "gt"))
	require.NoError(t, err)
	const late = 1_700_000_000 * timebase.Second
	for _, at := range []timebase.Time{0, 2 * timebase.Second, timebase.Second} {
		data, err := proto.Marshal(&osi3.GroundTruth{Timestamp: message.Time(at)})
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: late + at, Publish: at,
			Data: data}))
	}
	require.NoError(t, sink.Close())
	r, err := check.File("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), check.Options{})
	require.NoError(t, err)
	s, err := trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	require.NoError(t, err)
	require.Equal(t, []timebase.Time{late, late + 2*timebase.Second},
		[]timebase.Time{r.Channels[0].First, r.Channels[0].Last})
	require.Equal(t, []timebase.Time{s.Info().Start, s.Info().End},
		[]timebase.Time{r.Channels[0].First, r.Channels[0].Last})
}
