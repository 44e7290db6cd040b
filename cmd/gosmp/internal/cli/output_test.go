package cli_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
)

// TestWriteJSON_IsSafeToShow: JSON allows texts that reverse or hide parts of a line in a terminal.
// Such texts are escaped, so that a JSON reader gets the same text.
func TestWriteJSON_IsSafeToShow(t *testing.T) {
	const topic = "drive\u202exslx\u009b2J"
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return cli.WriteJSON(b, topic) },
		func(b *bytes.Buffer) error { return cli.WriteIndentedJSON(b, topic) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		require.Equal(t, `"drive\u202exslx\u009b2J"`+"\n", b.String())
		var back string
		require.NoError(t, json.Unmarshal(b.Bytes(), &back))
		require.Equal(t, topic, back)
	}
}
