package repair

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
)

// The type of the messages must be one of OSI.
func TestRepair_UnknownType(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.osi")
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	err := (&Command{File: file, Out: file + "2", Type: "car"}).Run()
	require.ErrorContains(t, err, `--type: found "car", expected a top-level message of OSI`)
	require.Equal(t, cli.ExitInput, cli.ExitCode(err))
}
