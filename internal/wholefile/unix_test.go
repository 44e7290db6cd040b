//go:build unix

package wholefile

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode()
}

func TestWrite_ModeIsThatOfPlainCreation(t *testing.T) {
	folder := t.TempDir()
	for _, mask := range []int{0o022, 0o077, 0o002} {
		before := syscall.Umask(mask)
		path := filepath.Join(folder, "new")
		err := Write(context.Background(), path, text(""))
		syscall.Umask(before)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o666&^mask), mode(t, path))
		require.NoError(t, os.Remove(path))
	}
	path := filepath.Join(folder, "old")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Chmod(path, 0o755))
	require.NoError(t, Write(context.Background(), path, text("")))
	require.Equal(t, os.FileMode(0o755), mode(t, path), "an old file keeps its mode")
}

func TestWrite_PermissionIsAskedFor(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o400))
	require.ErrorIs(t, Write(context.Background(), path, text("new")), os.ErrPermission)
	only(t, path, "old")
}

// TestWrite_InAFolderOfAnotherUser: a file that may be written is overwritten, although no file can
// be created next to it. It keeps its content if writing fails.
func TestWrite_InAFolderOfAnotherUser(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may create files everywhere")
	}
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("older and longer"), 0o600))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o500))
	defer func() { require.NoError(t, os.Chmod(filepath.Dir(path), 0o700)) }()
	require.ErrorIs(t, Write(context.Background(), path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return io.ErrClosedPipe
	}), io.ErrClosedPipe)
	only(t, path, "older and longer")
	require.NoError(t, Write(context.Background(), path, text("new")))
	only(t, path, "new")
	require.ErrorIs(t, Write(context.Background(), path+"2", text("new")), os.ErrPermission)
}

func TestWrite_FollowsLinks(t *testing.T) {
	folder := t.TempDir()
	other := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(other, "inner"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(other, "inner"), filepath.Join(folder, "inner")))
	// The last link points out of a folder that is itself a link.
	require.NoError(t, os.Symlink("../file", filepath.Join(other, "inner", "second")))
	require.NoError(t, os.Symlink("inner/second", filepath.Join(folder, "first")))
	for _, content := range []string{"into nothing", "into a file"} {
		require.NoError(t, Write(context.Background(), filepath.Join(folder, "first"),
			text(content)))
		got, err := os.ReadFile(filepath.Join(other, "file"))
		require.NoError(t, err)
		require.Equal(t, content, string(got))
		require.Equal(t, content, read(t, filepath.Join(folder, "first")))
	}
	require.NoError(t, os.Symlink("round", filepath.Join(folder, "round")))
	require.ErrorIs(t, Write(context.Background(), filepath.Join(folder, "round"), text("")),
		syscall.ELOOP)
}

func read(t *testing.T, path string) string {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(got)
}

func TestWrite_PipesAndDevicesAreWrittenDirectly(t *testing.T) {
	require.NoError(t, Write(context.Background(), os.DevNull, text("x")))
	require.NotZero(t, mode(t, os.DevNull)&os.ModeDevice)

	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.True(t, Direct(pipe))
	got := make(chan string)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			got <- err.Error()
			return
		}
		content, _ := io.ReadAll(f)
		got <- string(content)
	}()
	require.NoError(t, Write(context.Background(), pipe, text("through")))
	require.Equal(t, "through", <-got)
	require.NotZero(t, mode(t, pipe)&os.ModeNamedPipe)
}

// A file that the shell has opened, and may have written to, is continued at its current position.
func TestWrite_StandardOutputGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = f.WriteString("head ")
	require.NoError(t, err)
	was := os.Stdout
	os.Stdout = f
	t.Cleanup(func() { os.Stdout = was })
	require.True(t, Direct(path))
	require.NoError(t, Write(context.Background(), path, text("tail")))
	require.NoError(t, f.Close())
	only(t, path, "head tail")
}

func TestWrite_FullDeviceIsReportedOnce(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	require.EqualError(t, Write(context.Background(), "/dev/full", text("x")),
		"write /dev/full: no space left on device")
}

// TestWrite_LeavesAPart: a killed process leaves the part that it has written under a name that
// refers to the file, the next process keeps it, and only files that no process is writing count as
// left behind.
func TestWrite_LeavesAPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "drive.mcap")
	if os.Getenv("WHOLEFILE_TEST") != "" {
		_ = Write(context.Background(), os.Getenv("WHOLEFILE_TEST"), func(w io.Writer) error {
			_, _ = w.Write(make([]byte, 1<<20))
			fmt.Println("written")
			select {}
		})
		return
	}
	self := exec.Command(os.Args[0], "-test.run", "^TestWrite_LeavesAPart$")
	self.Env = append(os.Environ(), "WHOLEFILE_TEST="+path)
	out, err := self.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, self.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.FileExists(t, path+".part")
	require.Empty(t, Left(path)) // it is being written
	require.NoError(t, self.Process.Kill())
	_ = self.Wait() // killed
	require.Equal(t, []string{path + ".part"}, Left(path))

	require.NoError(t, Write(context.Background(), path, func(w io.Writer) error {
		require.FileExists(t, path+".part2")
		require.Equal(t, []string{path + ".part"}, Left(path))
		_, err := w.Write([]byte("whole"))
		return err
	}))
	require.NoFileExists(t, path+".part2")
	part, err := os.Stat(path + ".part")
	require.NoError(t, err)
	require.Positive(t, part.Size())
	require.NoError(t, os.Remove(path+".part"))
	only(t, path, "whole")
}
