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

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/guard"
	"gosmp/run/fileuse"
)

const disksVariable = "GOSMP_GUARD_TEST"

// TestGuard_FullAndReadOnlyDisks: every flag that names an output, of every command, is refused
// before anything runs if its disk is full or cannot be written, whether or not the file exists. An
// older file keeps its content. The disks are small ones in memory, which only a process in
// namespaces of its own sees.
func TestGuard_FullAndReadOnlyDisks(t *testing.T) {
	if dir := os.Getenv(disksVariable); dir != "" {
		mountDisks(t, dir)
		refusesDisks(t, dir)
		return
	}
	self := exec.Command(os.Args[0], "-test.run", "^TestGuard_FullAndReadOnlyDisks$", "-test.v")
	self.Env = append(os.Environ(), disksVariable+"="+t.TempDir())
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
	require.Contains(t, string(out), "--- PASS: TestGuard_FullAndReadOnlyDisks")
}

// mountDisks creates the folders full and fixed on disks of their own, each with an older file.
func mountDisks(t *testing.T, dir string) {
	for _, name := range []string{"full", "fixed"} {
		place := filepath.Join(dir, name)
		require.NoError(t, os.Mkdir(place, 0o777))
		if err := syscall.Mount("gosmp", place, "tmpfs", 0, "size=32k"); err != nil {
			t.Skip("this system does not permit mounting: ", err)
		}
		require.NoError(t, os.WriteFile(filepath.Join(place, "old.out"), []byte("old"), 0o666))
	}
	require.ErrorIs(t, os.WriteFile(filepath.Join(dir, "full", "filler"), make([]byte, 1<<20),
		0o666), syscall.ENOSPC)
	require.NoError(t, syscall.Mount("gosmp", filepath.Join(dir, "fixed"), "tmpfs",
		syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
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
			for _, name := range []string{"old.out", "new.out"} {
				if !writes(role) {
					name = "folder"
				}
				for disk, code := range map[string]int{"full": cli.ExitFailed,
					"fixed": cli.ExitInput} {
					refusesDisk(t, command, v, filepath.Join(dir, disk, name), other, code)
				}
			}
		}
	}
	require.Greater(t, tried, 20)
	for _, disk := range []string{"full", "fixed"} {
		old, err := os.ReadFile(filepath.Join(dir, disk, "old.out"))
		require.NoError(t, err)
		require.Equal(t, "old", string(old))
	}
	left, err := os.ReadDir(filepath.Join(dir, "full"))
	require.NoError(t, err)
	require.Len(t, left, 2, "nothing is left behind")
}

// refusesDisk requires that a command line with this output is refused.
func refusesDisk(t *testing.T, command *kong.Node, out *kong.Value, file, other string, code int) {
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
