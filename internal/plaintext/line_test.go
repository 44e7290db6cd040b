package plaintext_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/plaintext"
)

// TestPrintf: a text in the arguments stays within its line, whatever it contains.
func TestPrintf(t *testing.T) {
	const name = "a\nerror:\tb\x1b[31m\u202e"
	const shown = `a\nerror:\tb\u001b[31m\u202e`
	var out bytes.Buffer
	plaintext.Printf(&out, "%s, %v, %s\t%d %v\n", name, errors.New(name), "plain", 3, time.Second)
	require.Equal(t, shown+", "+shown+", plain\t3 1s\n", out.String())
	require.Equal(t, shown, plaintext.Line(name))
}
