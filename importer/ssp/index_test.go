package ssp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseIndex: a text that is not a number of an element is 0, which no element has.
func TestParseIndex(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "12": 12, "0": 0, "": 0,
		"a": 0, "1a": 0, "-1": 0, "1.5": 0, "1/": 0, "/1": 0, "1:": 0, ":1": 0,
		"99999999999999999999": 0} {
		require.Equal(t, want, parseIndex(text), "%q", text)
		require.Equal(t, want, parseIndex(" "+text+"\t"), "blanks around %q", text)
	}
}
