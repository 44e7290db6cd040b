package toolchain

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
)

// script creates a program that runs these lines of shell.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a tool")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700))
	return path
}

func TestRunner_ShowsDownloadsAtOnceAndKeepsComplaints(t *testing.T) {
	var shown []string
	r := Runner{Progress: func(line string) { shown = append(shown, line) }}
	path := script(t, `printf 'go: down' >&2; echo 'loading example.org/a v1.2.3' >&2
echo '# example.org/b' >&2; echo 'b.go:3: undefined: x' >&2; printf 'more' >&2; exit 3`)
	_, err := r.Output(context.Background(), Call{Program: path, Arguments: []string{"build"}})
	require.Equal(t, []string{"downloading example.org/a v1.2.3"}, shown)
	var failure *CallError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "# example.org/b\nb.go:3: undefined: x\nmore", failure.Output)
	require.EqualError(t, err, "a tool build: exit status 3: b.go:3: undefined: x")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
}

func TestRunner_GivesOutputFolderAndSettings(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	var commands []string
	r := Runner{Commands: func(line string) { commands = append(commands, line) }}
	path := script(t, `echo "$PWD $CHOSEN"; echo complaint >&2`)
	out, err := r.Output(context.Background(), Call{Program: path, Folder: folder,
		Env: []string{"CHOSEN=yes"}})
	require.NoError(t, err)
	require.Equal(t, folder+" yes\n", string(out))
	require.Equal(t, []string{"CHOSEN=yes " + path}, commands)
}

func TestRunner_ReportsTheEndOfTheContextAsSuch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Runner{}.Output(ctx, Call{Program: script(t, "sleep 60")})
	require.ErrorIs(t, err, context.Canceled)
}

func TestNative_MissingCompilersAreNamed(t *testing.T) {
	for _, command := range []string{"", "no-such-compiler -m64"} {
		_, err := Native(command)
		require.ErrorIs(t, err, ErrMissing)
		require.ErrorContains(t, err, "apt-get install gcc libc6-dev")
	}
}

func TestCheck_ReportsWhatIsMissingBesideTheCompiler(t *testing.T) {
	c, err := Native("cc")
	require.NoError(t, err, "these tests need a C compiler: apt-get install gcc libc6-dev")
	require.NoError(t, c.Check(context.Background(), Runner{}))

	headless := Compiler{Command: []string{c.Command[0], "-nostdinc"}}
	err = headless.Check(context.Background(), Runner{})
	require.ErrorIs(t, err, ErrMissing)
	require.ErrorContains(t, err, "dlfcn.h")
	require.ErrorContains(t, err, "headers of the C library")
}

func TestBuild_MakesAProgram(t *testing.T) {
	c, err := Native("cc")
	require.NoError(t, err)
	folder := t.TempDir()
	source, program := filepath.Join(folder, "a.c"), filepath.Join(folder, "a")
	require.NoError(t, os.WriteFile(source,
		[]byte(
			"#include <math.h>\nint main(int n, char **v) { (void)v; return "+
				"(int)cos(N * n) + 6; }\n"), 0o600))
	u := Unit{Output: program, Sources: []string{source}, Flags: []string{"-DN=0"},
		Libraries: []string{"-lm"}}
	require.NoError(t, c.Build(context.Background(), Runner{}, u))
	var exit *exec.ExitError
	require.ErrorAs(t, exec.Command(program).Run(), &exit)
	require.Equal(t, 7, exit.ExitCode())

	u.Flags = nil
	err = c.Build(context.Background(), Runner{}, u)
	require.ErrorContains(t, err, "a: ")
	require.ErrorContains(t, err, "N")
}

func TestZigAndCross_AskForTheVersion(t *testing.T) {
	path := script(t, `echo "9.9 $1"`)
	zig, err := Zig(context.Background(), Runner{}, path, "x86-windows-gnu")
	require.NoError(t, err)
	require.Equal(t,
		Compiler{Command: []string{path, "cc", "-target", "x86-windows-gnu"},
			Version: "9.9 version", IsZig: true}, zig)
	require.Equal(t, `"`+path+`" cc -target x86-windows-gnu`, zig.CC())
	home, err := zig.Home()
	require.NoError(t, err)
	want, err := filepath.EvalSymlinks(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, want, home)

	cross, err := Cross(context.Background(), Runner{}, path, "install it")
	require.NoError(t, err)
	require.Equal(t, "9.9 -dumpversion", cross.Version)

	_, err = Cross(context.Background(), Runner{}, "no-such-gcc", "install it by: magic")
	var found *fault.Error
	require.ErrorAs(t, err, &found)
	require.Equal(t, "install it by: magic", found.Hint)
}
