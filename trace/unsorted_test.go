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

// unsorted returns a file without an index whose messages are not in the order of their log times.
func unsorted(t *testing.T, omit mcap.Parts) []byte {
	b, w := foreign(t, mcap.Options{Omit: omit, ChunkSize: 60}, viewChannel(1, "view", "3.8.0"),
		viewChannel(2, "late", "3.8.0"))
	for _, at := range []uint64{4, 2, 9, 7, 7, 1, 8} {
		id := uint16(1)
		if at == 1 {
			id = 2 // its channel record comes after other messages
		}
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: id, Sequence: uint32(at),
			LogTime: at, Data: []byte{0x12, 0}}))
	}
	require.NoError(t, w.WriteMetadata(&mcap.Metadata{Name: trace.MetadataName,
		Values: map[string]string{"version": "3.8.0"}}))
	require.NoError(t, w.Close())
	return b.Bytes()
}

func timesOf(t *testing.T, s trace.Source) (times []timebase.Time, err error) {
	for {
		m, err := s.Next()
		if err != nil {
			return times, err
		}
		require.EqualValues(t, m.Time, m.Sequence)
		times = append(times, m.Time)
	}
}

// A file without an index is read in the order of log times, like one with an index. A cut is still
// an error.
func TestOpenAt_SortsFilesWithoutAnIndex(t *testing.T) {
	none := mcap.ChunkIndexes | mcap.MessageIndexes
	for name, omit := range map[string]mcap.Parts{
		"chunks": none, "no chunks": none | mcap.Chunks,
		"no summary": none | mcap.RepeatedChannels | mcap.RepeatedSchemas,
	} {
		content := unsorted(t, omit)
		s := open(t, "a.mcap", content, trace.Options{})
		require.Len(t, s.Channels(), 2, name)
		require.Equal(t, "3.8.0", s.Info().Metadata["version"])
		require.False(t, s.Info().Indexed)
		times, err := timesOf(t, s)
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, []timebase.Time{1, 2, 4, 7, 7, 8, 9}, times, name)

		end := bytes.LastIndexByte(content, byte(mcap.OpDataEnd))
		times, err = timesOf(t, open(t, "a.mcap", content[:end-10], trace.Options{}))
		require.True(t, trace.IsDamage(err), name)
		require.Equal(t, []timebase.Time{1, 2, 4, 7, 7, 8, 9}, times, name)

		s = open(t, "a.mcap", content, trace.Options{Select: trace.Selection{Start: 2, End: 8,
			Topics: []string{"view"}}})
		times, err = timesOf(t, s)
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, []timebase.Time{2, 4, 7, 7}, times, name)
	}
}

// Nothing is read from a damaged chunk, and the messages that can be read are still sorted.
func TestOpenAt_SortsWhatStandsBeforeDamage(t *testing.T) {
	content := unsorted(t, mcap.ChunkIndexes|mcap.MessageIndexes)
	last := bytes.LastIndex(content, []byte{8, 0, 0, 0, 0, 0, 0, 0})
	content[last+3] = 1
	times, err := timesOf(t, open(t, "a.mcap", content, trace.Options{}))
	require.True(t, trace.IsDamage(err))
	require.False(t, errors.Is(err, io.EOF))
	require.IsIncreasing(t, times[:4])
	require.NotContains(t, times, timebase.Time(8))
}
