package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/guard"
	"gosmp/run/fileuse"
)

const disksVariable = "GOSMP_GUARD_TEST"

// TestGuard_OutputsThatCannotBeWritten: every flag that names an output, of every command, is
// refused before anything runs if its disk is full or read-only, or if the file or folder is
// immutable or belongs to another user, whether or not the file exists. An older file keeps its
// content. Only a process in namespaces of its own sees the mounts.
func TestGuard_OutputsThatCannotBeWritten(t *testing.T) {
	if dir := os.Getenv(disksVariable); dir != "" {
		mountDisks(t, dir)
		refusesDisks(t, dir)
		return
	}
	dir := t.TempDir()
	for _, name := range places {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "old.out"), []byte("old"), 0o644))
	}
	makeImmutable(t, filepath.Join(dir, "immutable"))
	makeForeign(t, filepath.Join(dir, "foreign"))
	self := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	self.Env = append(os.Environ(), disksVariable+"="+dir)
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
}

// places are folders in which nothing can be written, for different reasons.
var places = []string{"full", "fixed", "bound", "single", "immutable", "foreign"}

// makeImmutable protects a folder and the files in it, also from the superuser. Where this is not
// permitted, the folder is removed, and not tried.
func makeImmutable(t *testing.T, folder string) {
	const immutable = 0x10 // FS_IMMUTABLE_FL
	set := func(name string, on int) error {
		f, err := os.Open(name)
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
		if err != nil {
			return err
		}
		return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags&^immutable|on)
	}
	for _, name := range []string{filepath.Join(folder, "old.out"), folder} {
		if err := set(name, immutable); err != nil {
			t.Logf("files are not made immutable here: %v", err)
			require.NoError(t, os.RemoveAll(folder))
			return
		}
		t.Cleanup(func() { require.NoError(t, set(name, 0)) })
	}
}

// makeForeign gives a folder and the file in it to another user. Where this is not permitted, the
// folder is removed, and not tried.
func makeForeign(t *testing.T, folder string) {
	const other = 54321
	for _, name := range []string{filepath.Join(folder, "old.out"), folder} {
		if err := os.Chown(name, other, other); err != nil {
			t.Logf("files are not given to another user here: %v", err)
			require.NoError(t, os.RemoveAll(folder))
			return
		}
	}
}

// mountDisks mounts small disks in memory in the folders full and fixed, each with an older file,
// and makes the folder bound and the older file in the folder single read-only.
func mountDisks(t *testing.T, dir string) {
	mount := func(source, target, kind string, flags uintptr) {
		if err := syscall.Mount(source, filepath.Join(dir, target), kind, flags,
			map[string]string{"tmpfs": "size=32k"}[kind]); err != nil {
			t.Skip("this system does not permit mounting: ", err)
		}
	}
	for _, name := range []string{"full", "fixed"} {
		mount("gosmp", name, "tmpfs", 0)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "old.out"), []byte("old"), 0o666))
	}
	require.ErrorIs(t, os.WriteFile(filepath.Join(dir, "full", "filler"), make([]byte, 1<<20),
		0o666), syscall.ENOSPC)
	mount("gosmp", "fixed", "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY)
	for _, name := range []string{"bound", "single/old.out"} {
		mount(filepath.Join(dir, name), name, "", syscall.MS_BIND)
		mount("", name, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY)
	}
}

// creates reports whether a flag or an argument with this role names a file or a folder that a
// command creates.
func creates(r fileuse.Role) bool {
	return writes(r) || r >= fileuse.OutFolder && r != fileuse.InOut
}

func refusesDisks(t *testing.T, dir string) {
	other := filepath.Join(dir, "other.fmu")
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	tried := 0
	for _, command := range newParser().Model.Leaves(false) {
		for _, v := range valuesOf(command) {
			role, _ := guard.RoleOf(nameOf(command), v.Name)
			if !creates(role) || v.Name == "bridge" {
				continue // a bridge's configuration names its output
			}
			tried++
			for k, file := range unwritable(dir, writes(role)) {
				if !testing.Short() || k == 0 || k%5 == tried%5 {
					refusesDisk(t, command, v, file, other)
				}
			}
		}
	}
	require.Greater(t, tried, 20)
	for _, name := range places {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			continue
		}
		old, err := os.ReadFile(filepath.Join(dir, name, "old.out"))
		require.NoError(t, err)
		require.Equal(t, "old", string(old))
	}
	left, err := os.ReadDir(filepath.Join(dir, "full"))
	require.NoError(t, err)
	require.Len(t, left, 2, "nothing is left behind")
}

// unwritable lists outputs that cannot be written, older and new files, or new folders.
func unwritable(dir string, files bool) (list []string) {
	names := []string{"folder"}
	if files {
		names = []string{"old.out", "new.out"}
	}
	for _, place := range places {
		if _, err := os.Stat(filepath.Join(dir, place)); err != nil {
			continue
		}
		for _, name := range names {
			if place != "single" || name == "old.out" {
				list = append(list, filepath.Join(dir, place, name))
			}
		}
	}
	return list
}

// refusesDisk requires that a command line with this output is refused.
func refusesDisk(t *testing.T, command *kong.Node, out *kong.Value, file, other string) {
	code := cli.ExitInput
	if filepath.Base(filepath.Dir(file)) == "full" {
		code = cli.ExitFailed
	}
	parser := newParser() // kong keeps file names from one command line to the next
	for _, fresh := range parser.Model.Leaves(false) {
		if nameOf(fresh) != nameOf(command) {
			continue
		}
		for _, v := range valuesOf(fresh) {
			if v.Name != out.Name {
				continue
			}
			line := commandLine(fresh, nil, v, "", file, other)
			parsed, err := parser.Parse(line)
			require.NoError(t, err, "%q", line)
			err = guard.Check(parsed)
			require.Equal(t, code, cli.ExitCode(err), "%q: %v", line, err)
			require.ErrorContains(t, err, out.Name+": ", "%q", line)
		}
	}
}
