package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTables: docs/SCALE.md contains the figures of the model.
func TestTables(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/SCALE.md")
	require.NoError(t, err)
	var b strings.Builder
	write(&b)
	_, rest, found := strings.Cut(string(text), "<!-- go run ./sweep/queue/model/tables -->\n")
	require.True(t, found)
	tables, _, _ := strings.Cut(rest, "<!-- end -->")
	require.Equal(t, b.String(), tables)
}
