package check_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
)

// manyChannels returns an MCAP file with a message in each of so many channels of OSI.
func manyChannels(t *testing.T, channels int) []byte {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for k := range channels {
		c, err := sink.Add(trace.OSI(fmt.Sprintf("sensor%d", k), "sd"))
		require.NoError(t, err)
		at := timebase.Time(k) * timebase.Millisecond
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at}))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// Channels share their schema and the rules of their type: what they need grows little with their
// number, of which there may be 65 535.
func TestFile_ManyChannels(t *testing.T) {
	const channels, most = 1000, 40e3 // bytes for each channel
	file := manyChannels(t, channels)
	size := int64(len(file))
	for what, use := range map[string]func() error{
		"check": func() error {
			_, err := check.File("many.mcap", bytes.NewReader(file), size, check.Options{Rules: true})
			return err
		},
		"open": func() error {
			s, err := trace.OpenAt("many.mcap", bytes.NewReader(file), size, trace.Options{})
			if err != nil {
				return err
			}
			return s.Close()
		},
	} {
		require.NoError(t, use())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, use())
		runtime.ReadMemStats(&after)
		require.Less(t, float64(after.TotalAlloc-before.TotalAlloc)/channels, most, what)
	}
}
