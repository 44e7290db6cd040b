package trace_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
)

// TestFormat_SaysWhatItIs: commands use the table of formats instead of lists of their own.
func TestFormat_SaysWhatItIs(t *testing.T) {
	type is struct {
		title             string
		text, types       bool
		fields, one, live bool
	}
	for format, want := range map[trace.Format]is{
		trace.MCAP:      {"MCAP", false, true, false, false, true},
		trace.OSIFile:   {"OSI single-channel trace", false, false, false, true, true},
		trace.JSONLines: {"JSON Lines", true, true, true, false, false},
		trace.Text:      {"OSI single-channel trace in protobuf text", true, false, false, true, false},
		trace.CSV:       {"CSV", true, false, true, false, false},
		trace.Objects:   {"objects as CSV", true, false, false, false, false},
		trace.Unknown:   {},
	} {
		require.Equal(t, want, is{format.Title(), format.IsText(), format.StatesTypes(),
			format.StoresFields(), format.HasOneChannel(), slices.Contains(trace.Live(), format)},
			format)
	}
}

// TestFormat_ListsFollowTheTable: each listed format can be written, and has the properties that
// its list promises.
func TestFormat_ListsFollowTheTable(t *testing.T) {
	require.Equal(t, "a name that ends in .mcap, .jsonl, .csv, .txth or .osi",
		trace.Endings(trace.Writable()), "a format without an extension is omitted")
	require.Equal(t, "a name that ends in .mcap or .osi", trace.Endings(trace.Live()))
	require.Equal(t, []trace.Format{trace.MCAP, trace.JSONLines, trace.Text, trace.OSIFile},
		trace.ReadAndWritten())
	for _, format := range slices.Concat(trace.Writable(), trace.Live(), trace.ReadAndWritten()) {
		_, err := trace.Create(io.Discard, format, trace.SinkOptions{})
		require.NoError(t, err, format)
	}
	for _, format := range trace.ReadAndWritten() {
		require.Equal(t, format, trace.FormatOf("a."+string(format)), "readers choose it by name")
	}
}

// A message of length 0 would be written as a blank line or a length of 0, which readers skip or
// refuse.
func TestFormat_EmptyMessageInOneChannel(t *testing.T) {
	for _, format := range trace.Writable() {
		if !format.HasOneChannel() {
			continue
		}
		source, err := trace.OpenAt("drive_sv.osi", bytes.NewReader(make([]byte, 4)), 4,
			trace.Options{})
		require.NoError(t, err)
		k := &trace.Copy{Format: format}
		require.NoError(t, k.Run(io.Discard, source), format)
		require.EqualValues(t, 1, k.Empty, format)
		require.Zero(t, k.Messages, format)
	}
}
