//go:build unix

package regular_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/regular"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "link")))
	for _, name := range []string{pipe, "/dev/zero", filepath.Join(dir, "link")} {
		_, err := regular.Open(name)
		require.ErrorIs(t, err, regular.ErrKind)
		require.ErrorContains(t, err, name)
		_, err = regular.ReadFile(name)
		require.ErrorIs(t, err, regular.ErrKind)
	}
	for _, name := range []string{"pipe", "link"} {
		_, err := regular.OpenIn(os.DirFS(dir), name)
		require.ErrorIs(t, err, regular.ErrKind)
	}
	text, err := regular.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "content", string(text))
	f, err := regular.OpenIn(os.DirFS(dir), "file")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = regular.ReadFile(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = regular.ReadFile(dir)
	require.ErrorIs(t, err, syscall.EISDIR)
}
