package trial

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadable(t *testing.T) {
	for data, text := range map[string]string{
		`{"actor":"ego","text":"","value":9.8577962450248}`: "(actor ego, value 9.8578)",
		`{"beyond":false,"at":[1,2.5],"time":8.4}`:          "(beyond false, at [1,2.5], time 8.4)",
		`{}`: `{}`, `{"text":""}`: `{"text":""}`, `{lead}`: `{lead}`, `{"a":1`: `{"a":1`,
		`7 of 9`: `7 of 9`, `{"a":1} x`: `{"a":1} x`, "": "",
	} {
		require.Equal(t, text, readable(data), data)
	}
}
