package packed_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/packed"
)

func TestFMU_IsPackedOnce(t *testing.T) {
	own, common := t.TempDir(), filepath.Join(t.TempDir(), "common")
	there := filepath.Join(own, "examples-fog.fmu")
	require.NoError(t, os.WriteFile(there, nil, 0o600))
	t.Setenv(packed.Folder, "")
	file, err := packed.FMU(own, "examples/fog")
	require.NoError(t, err)
	require.Equal(t, there, file)
	t.Setenv(packed.Folder, own)
	file, err = packed.FMU(t.TempDir(), "examples/fog")
	require.NoError(t, err)
	require.Equal(t, there, file)
	t.Setenv(packed.Folder, common)
	_, err = packed.FMU(own, "examples/none")
	require.ErrorContains(t, err, "gosmp/examples/none")
	left, err := os.ReadDir(common)
	require.NoError(t, err)
	require.Empty(t, left)
}
