package wholefile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// text writes a text.
func text(content string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}
}

// only requires that a file has this content and is the only one in its folder.
func only(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, string(got))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "%v", entries)
}

func TestWrite_MakesAndReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, Write(context.Background(), path, text("one")))
	only(t, path, "one")
	require.NoError(t, Write(context.Background(), path, text("2")))
	only(t, path, "2")
	t.Chdir(filepath.Dir(path))
	require.NoError(t, Write(context.Background(), "file", text("near")))
	only(t, path, "near")
}

func TestWrite_FailureLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	failed := errors.New("no more")
	require.Equal(t, failed, Write(context.Background(), path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return failed
	}))
	only(t, path, "old")

	elsewhere := &fs.PathError{Op: "read", Path: "input", Err: fs.ErrInvalid}
	require.EqualError(t, Write(context.Background(), path,
		func(io.Writer) error { return elsewhere }), "read input: invalid argument")
	only(t, path, "old")
}

func TestWrite_InterruptionLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	for name, size := range map[string]int{"while writing": 1 << 20, "at the end": 1} {
		ctx, cancel := context.WithCancel(context.Background())
		require.ErrorIs(t, Write(ctx, path, func(w io.Writer) error {
			cancel()
			_, err := w.Write(make([]byte, size))
			return err
		}), context.Canceled, name)
		only(t, path, "old")
	}
}

func TestWrite_ErrorsNameTheFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "none", "file")
	require.ErrorContains(t, Write(context.Background(), path, text("")), path+": ")
	require.ErrorIs(t, Write(context.Background(), path, text("")), fs.ErrNotExist)
	require.ErrorContains(t, Write(context.Background(), folder, text("")), folder+": ")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}
