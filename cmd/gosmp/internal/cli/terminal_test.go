package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsTerminal_NullDeviceAndFiles(t *testing.T) {
	for _, path := range []string{os.DevNull, "terminal.go"} {
		f, err := os.Open(path)
		require.NoError(t, err)
		require.False(t, IsTerminal(f), path)
		require.NoError(t, f.Close())
	}
}
