package plaintext_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/plaintext"
)

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\nü 漢 👩‍🚒":      "plain\ttext\nü 漢 👩‍🚒",
		"\x1b[31mred\x1b]0;title\a": `\u001b[31mred\u001b]0;title\u0007`,
		"a\rb\x00\x7f\u009b":        `a\u000db\u0000\u007f\u009b`,
		"\u202egnp.exe\u2066\u200f": `\u202egnp.exe\u2066\u200f`,
		"\xff":                      "\ufffd",
	} {
		require.Equal(t, want, plaintext.Clean(text))
	}
}

// TestWriter: the way in which a text is split into pieces makes no difference, the output is safe,
// and a JSON text keeps its meaning.
func TestWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.Rune()).Draw(t, "text")
		b, err := json.Marshal(text)
		require.NoError(t, err)
		var out bytes.Buffer
		w := plaintext.Writer(&out)
		for rest := b; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			_, err := w.Write(rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.Equal(t, plaintext.Clean(string(b)), out.String())
		for _, c := range out.String() {
			require.True(t, plaintext.Safe(c))
		}
		require.True(t, utf8.Valid(out.Bytes()))
		var back string
		require.NoError(t, json.Unmarshal(out.Bytes(), &back))
		require.Equal(t, text, back)
	})
}
