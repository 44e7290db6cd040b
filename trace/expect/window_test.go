package expect_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
)

// TestJudge_ChannelsThatFallSilent: a condition on gaps also covers the time from the last message
// to the end of the trace or of the condition.
func TestJudge_ChannelsThatFallSilent(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for topic, last := range map[string]int{"short": 4, "long": 9} {
		c, err := sink.Add(trace.OSI(topic, "sd"))
		require.NoError(t, err)
		for k := range last + 1 {
			require.NoError(t, sink.Write(&trace.Message{Channel: c,
				Time: timebase.Time(k) * 100 * timebase.Millisecond}))
		}
	}
	require.NoError(t, sink.Close())
	open := func() (trace.Source, error) {
		return trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	}
	const silent = "0.4 s, short: found no further message until the end at "
	for condition, cause := range map[string]string{
		"channel: long, gap: {max: 0.1}, until: 0.85": "",
		"channel: long, gap: {max: 0.1}, until: 0.8":  "",
		"channel: long, gap: {max: 0.1}":              "",
		"channel: short, gap: {min: 0.1}":             "",
		"channel: short, gap: {max: 0.5}":             "",
		"channel: short, gap: {max: 0.49}": silent + "0.9 s, expected a gap of at most " +
			"0.49 s",
		"channel: short, gap: {max: 0.1}":                          silent + "0.9 s",
		"channel: short, gap: {max: 0.1}, until: 0.5":              "",
		"channel: short, gap: {max: 0.1}, until: 0.55":             silent + "0.55 s",
		"channel: short, gap: {max: 0.1}, from: 0.25, until: 1000": silent + "0.9 s",
	} {
		v := judged(t, open, condition)
		require.Equal(t, cause == "", v.Passed, "%s: %s", condition, v.Cause)
		require.Contains(t, v.Cause, cause, condition)
	}
}
