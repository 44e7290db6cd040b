package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/plaintext"
)

// Lines are truncated only on a terminal, and by characters instead of bytes.
func TestWriteTable_CutsOnTerminalsOnly(t *testing.T) {
	rows := [][]string{{"name", "description"}, {"größe", "ein langer Text"},
		{strings.Repeat("x", 70), "y"}}
	var b bytes.Buffer
	WriteTable(&b, rows[:2], 0)
	require.Equal(t, "  name   description\n  größe  ein langer Text\n", b.String())
	b.Reset()
	WriteTable(&b, rows[:2], 15)
	require.Equal(t, "  name   descr…\n  größe  ein l…\n", b.String())
	b.Reset()
	WriteTable(&b, rows[:2], 24)
	require.NotContains(t, b.String(), "…", "fits exactly")
	b.Reset()
	WriteTable(&b, rows, 0)
	require.Equal(t, "  name   description\n  größe  ein langer Text\n  "+strings.Repeat("x", 70)+
		"  y\n", b.String())
	require.Equal(t, 0, TerminalWidth(os.NewFile(^uintptr(0), "none")))
}

// TestWriteWrapped_ManyLines: a text of very many short lines is shortened like a long line.
func TestWriteWrapped_ManyLines(t *testing.T) {
	var out strings.Builder
	WriteWrapped(&out, "begin "+strings.Repeat("x\n", 1_000_000)+" end")
	require.Less(t, out.Len(), 2*plaintext.Longest)
	require.Contains(t, out.String(), "bytes) …")
	require.True(t, strings.HasPrefix(out.String(), "  begin"))
	require.True(t, strings.HasSuffix(out.String(), " end\n"))
}
