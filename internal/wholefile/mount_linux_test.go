package wholefile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mountedVariable names a folder in which a test mounts something when it calls itself.
const mountedVariable = "GOSMP_MOUNTED_FOLDER"

// inNamespaces calls a test again in a process with namespaces of its own, so that only this
// process sees what it mounts. It returns the folder there, and "" in the first process, once the
// other one has passed in the folder.
func inNamespaces(t *testing.T, folder string) string {
	t.Helper()
	if inside := os.Getenv(mountedVariable); inside != "" {
		return inside
	}
	self := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	self.Env = append(os.Environ(), mountedVariable+"="+folder)
	self.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := self.CombinedOutput()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		t.Skip("this system does not permit namespaces: ", err)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skip(string(out))
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return ""
}

func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		t.Skip("this system does not permit mounting: ", err)
	}
}

// TestWrite_MountedFile: a file that is mounted by itself, as containers do with single files,
// cannot be replaced, and is overwritten.
func TestWrite_MountedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, name := range []string{path, path + ".outside"} {
		require.NoError(t, os.WriteFile(name, []byte("older and longer"), 0o600))
	}
	if inside := inNamespaces(t, dir); inside != "" {
		path := filepath.Join(inside, "file")
		mount(t, path+".outside", path, "", syscall.MS_BIND, "")
		require.ErrorIs(t, os.Rename(path+".outside", path), syscall.EBUSY)
		require.NoError(t, Write(context.Background(), path, text("new")))
		return
	}
	require.Equal(t, "new", read(t, path+".outside"))
	require.NoFileExists(t, path+".part")
}

// TestWrite_FullDiskWithoutAPlaceNextToTheFile: if the disk of a file is full and the file cannot be
// replaced, the old content stays, unless the new one is not longer. It makes no difference whether
// a file can be written next to it.
func TestWrite_FullDiskWithoutAPlaceNextToTheFile(t *testing.T) {
	dir := inNamespaces(t, t.TempDir())
	if dir == "" {
		return
	}
	disk, fixed := filepath.Join(dir, "disk"), filepath.Join(dir, "fixed")
	for _, place := range []string{disk, fixed} {
		require.NoError(t, os.Mkdir(place, 0o700))
		mount(t, "gosmp", place, "tmpfs", 0, "size=64k")
	}
	path, old := filepath.Join(fixed, "file"), strings.Repeat("old ", 2500)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(disk, "file"), []byte(old), 0o600))
	require.ErrorIs(t, os.WriteFile(filepath.Join(disk, "filler"), make([]byte, 1<<20), 0o600),
		syscall.ENOSPC)
	mount(t, filepath.Join(disk, "file"), path, "", syscall.MS_BIND, "")
	longer := strings.Repeat("new ", 10_000)
	require.ErrorIs(t, Write(context.Background(), path, text(longer)), syscall.ENOSPC)
	require.Equal(t, old, read(t, path))
	require.NoFileExists(t, path+".part", "nothing is lost")
	mount(t, "gosmp", fixed, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=64k")
	require.ErrorIs(t, os.WriteFile(path+".part", nil, 0o600), syscall.EROFS)

	require.ErrorIs(t, Write(context.Background(), path, text(longer)), syscall.ENOSPC)
	require.Equal(t, old, read(t, path))
	require.NoError(t, Write(context.Background(), path, text("shorter")))
	require.Equal(t, "shorter", read(t, path))
	require.NoError(t, os.Remove(filepath.Join(disk, "filler")))
	require.NoError(t, Write(context.Background(), path, text(longer)))
	require.Equal(t, longer, read(t, path))
}
