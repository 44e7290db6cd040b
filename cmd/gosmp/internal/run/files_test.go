package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "512": 512, "1k": 1024, "512M": 512 << 20,
		"2GB": 2 << 30, "1GiB": 1 << 30, "1T": 1 << 40} {
		n, err := parseSize(text)
		require.NoError(t, err)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"M", "-1", "0", "1.5G", "9999999T", "12X"} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
}
