//go:build unix

package simsensor

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamedPipeIsRefusedWithoutWaitingForItsWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe.csv")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	_, err := Open(name, Options{})
	require.ErrorIs(t, err, ErrFile)
	require.Contains(t, err.Error(), "a device, pipe or socket")
}
