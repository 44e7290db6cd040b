package plaintext_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/plaintext"
)

func TestShortened(t *testing.T) {
	whole := "a\n" + strings.Repeat("b", plaintext.Longest) + "\n"
	require.Equal(t, whole, plaintext.Shortened(whole))
	long := strings.Repeat("ä", 100000)
	require.Equal(t, "file:1: "+strings.Repeat("ä", 696)+"… (198212 bytes) …"+
		strings.Repeat("ä", 198)+"; do\nb\n", plaintext.Shortened("file:1: "+long+"; do\nb\n"))
}

// TestLines: the way in which a text is split into pieces makes no difference, no line is long, and
// the beginning of a line is written at once.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 5).Draw(t, "lines") {
			n := rapid.SampledFrom([]int{0, 1, 100, 1399, 1400, 1401, 1999, 2000, 2001, 2002, 5000,
				70000}).Draw(t, "bytes")
			text.WriteString(strings.Repeat("xyz", n/3+1)[:n] + "\n")
		}
		var out bytes.Buffer
		w := plaintext.Lines(&out)
		for rest := text.String(); rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			_, err := w.Write([]byte(rest[:n]))
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.Equal(t, plaintext.Shortened(text.String()), out.String())
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, len(line), plaintext.Longest+1)
		}
	})
	var out bytes.Buffer
	w := plaintext.Lines(&out)
	_, err := w.Write([]byte("ready? \x1b"))
	require.NoError(t, err)
	require.Equal(t, `ready? \u001b`, out.String())
	_, err = w.Write([]byte(strings.Repeat("ä", 5000) + "\n"))
	require.NoError(t, err)
	require.True(t, utf8.Valid(out.Bytes()))
	require.Less(t, out.Len(), plaintext.Longest)
}
