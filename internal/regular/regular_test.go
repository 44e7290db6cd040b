//go:build unix

package regular_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestOpenStream: a pipe is read from its first byte, as soon as a program writes to it. One to
// which no program writes is refused after some time, and a device at once, except for the empty
// one.
func TestOpenStream(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	_, err := regular.OpenStreamWithin(pipe, 50*time.Millisecond)
	require.ErrorContains(t, err, "found a pipe to which no program has written within 50ms")
	_, err = regular.OpenStream("/dev/zero")
	require.ErrorIs(t, err, regular.ErrKind)
	_, err = regular.OpenStream(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(pipe, []byte("piped"), 0o600) }()
	for name, want := range map[string]string{pipe: "piped", file: "content", os.DevNull: ""} {
		s, err := regular.OpenStream(name)
		require.NoError(t, err)
		var text strings.Builder
		_, err = io.Copy(&text, s) // uses WriteTo
		require.NoError(t, err)
		require.Equal(t, want, text.String())
		require.NoError(t, s.Close())
	}
	require.NoError(t, <-wrote)
}

// TestReadOnce: a pipe is read to its end, but content that does not end is refused.
func TestReadOnce(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	text, err := regular.ReadAtMost(file, 3) // not for regular files
	require.NoError(t, err)
	require.Equal(t, "content", string(text))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = r.Close() }()
	_, err = w.WriteString("piped")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	text, err = regular.ReadAtMost(fmt.Sprintf("/dev/fd/%d", r.Fd()), 5)
	require.NoError(t, err)
	require.Equal(t, "piped", string(text))
	_, err = regular.ReadAtMost("/dev/zero", 1000)
	require.EqualError(t, err, "read /dev/zero: found more than 1000 bytes from a pipe or device, "+
		"expected an end; save its content to a file first")
	_, err = regular.ReadOnce(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = regular.ReadOnce(dir)
	require.ErrorIs(t, err, syscall.EISDIR)
}
