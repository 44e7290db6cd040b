package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
)

// TestFormat_SaysWhatItIs: commands use the table of formats, and no lists of their own.
func TestFormat_SaysWhatItIs(t *testing.T) {
	type is struct {
		title       string
		text, types bool
	}
	for format, want := range map[trace.Format]is{
		trace.MCAP:      {"MCAP", false, true},
		trace.OSIFile:   {"OSI single-channel trace", false, false},
		trace.JSONLines: {"JSON Lines", true, true},
		trace.Text:      {"OSI single-channel trace in protobuf text", true, false},
		trace.CSV:       {"CSV", true, false},
		trace.Objects:   {"objects as CSV", true, false},
		trace.Unknown:   {},
	} {
		require.Equal(t, want, is{format.Title(), format.IsText(), format.StatesTypes()}, format)
	}
}
