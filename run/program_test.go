//go:build unix

package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/run"
)

// TestSUT_AProgramThatLeavesAProcessBehind: the run does not wait for a process that holds the
// program's standard error open until the test ends.
func TestSUT_AProgramThatLeavesAProcessBehind(t *testing.T) {
	folder := t.TempDir()
	fifo, script := filepath.Join(folder, "fifo"), filepath.Join(folder, "program.sh")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	t.Cleanup(func() {
		f, err := os.OpenFile(fifo, os.O_RDWR, 0)
		require.NoError(t, err)
		_, err = f.WriteString("\n")
		require.NoError(t, err)
		require.NoError(t, f.Close())
	})
	require.NoError(t, os.WriteFile(script, fmt.Appendf(nil, "exec 3>&2 >&-\n(read line < %s) &\n"+
		"exit 3\n", fifo), 0o600))
	_, err := run.Run(t.Context(), tested("exec:/bin/sh "+script))
	require.ErrorIs(t, err, importer.ErrFailed)
}
