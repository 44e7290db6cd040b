package expect_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
)

// TestJudge_ChannelsThatFallSilent: a condition on gaps also covers the time from the last message
// to the end of the trace or of the condition, and from a stated beginning to the first message.
func TestJudge_ChannelsThatFallSilent(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for topic, times := range map[string][2]int{"short": {0, 4}, "long": {0, 9}, "late": {5, 9},
		"single": {3, 3}} {
		c, err := sink.Add(trace.OSI(topic, "sd"))
		require.NoError(t, err)
		for k := times[0]; k <= times[1]; k++ {
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
		"channel: late, gap: {max: 0.1}":                           "", // its beginning is not known
		"channel: late, gap: {max: 0.1}, from: 0.4":                "",
		"channel: late, gap: {max: 0.1}, from: 0.45":               "",
		"channel: late, gap: {max: 0.1}, from: 0.3": "0.5 s, late: found no message before, from " +
			"0.3 s on, expected a gap of at most 0.1 s",
		"channel: late, gap: {max: 0.1}, from: -1e300": "0.5 s, late: found no message before, " +
			"from 0 s on",
		"channel: late, gap: {max: 0.5}, from: -3": "",
		"channel: single, gap: {max: 0.1}":         "found one message at this time",
	} {
		v := judged(t, open, condition)
		require.Equal(t, cause == "", v.Passed, "%s: %s", condition, v.Cause)
		require.Contains(t, v.Cause, cause, condition)
		require.LessOrEqual(t, v.Failures, int64(1), condition)
	}
}
