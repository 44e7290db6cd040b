//go:build !fmucore

package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/toolchain"
)

func TestPlatformsAreThoseOfFMI(t *testing.T) {
	require.Equal(t, []string{"linux64", "aarch64-linux", "win64", "linux32", "win32"},
		PlatformNames())
	var names []string
	for k := range platforms {
		names = append(names, platforms[k].folderIn(fmi.FMI3))
	}
	require.Equal(t, []string{"x86_64-linux", "aarch64-linux", "x86_64-windows", "x86-linux",
		"x86-windows"}, names)
}

func TestPack_RefusesUnknownPlatforms(t *testing.T) {
	_, messages, err := commandLine("pack", "-o", filepath.Join(t.TempDir(), "Sample.fmu"),
		"-package", ".", "-platforms", "linux64,darwin64")
	require.ErrorIs(t, err, ErrUsage)
	require.Contains(t, messages, "found the platform darwin64")
	require.Contains(t, messages, "expected some of linux64, aarch64-linux, win64, linux32, win32")
}

// A wrong name is found before a compiler of 400 MB is downloaded for it.
func TestPack_CheckNeedsNoCompiler(t *testing.T) {
	output := filepath.Join(t.TempDir(), "Sample.fmu")
	flags := []string{"pack", "-check", "-o", output, "-package", ".", "-zig",
		filepath.Join(t.TempDir(), "no-such-zig")}
	_, messages, err := commandLine(append(flags, "-platforms", "win64 linux63")...)
	require.ErrorIs(t, err, ErrUsage)
	require.Contains(t, messages, "found the platform linux63, expected some of linux64")
	_, messages, err = commandLine(append(flags, "-platforms", "win64 linux64")...)
	require.NoError(t, err)
	require.Empty(t, messages)
	require.NoFileExists(t, output)
}

func TestPack_NamesAMissingZig(t *testing.T) {
	_, messages, err := commandLine("pack", "-o", filepath.Join(t.TempDir(), "Sample.fmu"),
		"-package", ".", "-platforms", "win64",
		"-zig", filepath.Join(t.TempDir(), "no-such-zig"))
	require.ErrorIs(t, err, ErrTool)
	require.Contains(t, messages, "no-such-zig")
	require.Contains(t, messages, "compiler for win64")
	require.Contains(t, messages, "install it by: pip install ziglang")
}

func TestCompilerThatFailsIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zig")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho broken >&2\nexit 3\n"), 0o755))
	_, messages, err := commandLine("pack", "-o", filepath.Join(t.TempDir(), "Sample.fmu"),
		"-package", ".", "-platforms", "win64",
		"-zig", path)
	require.ErrorIs(t, err, ErrTool)
	require.Contains(t, messages, "broken")
}

// The settings of one platform must not depend on environment variables for the compiler of this
// machine.
func TestCrossTargetsAreIndependentOfTheEnvironment(t *testing.T) {
	k := cross(&platforms[2], toolchain.Compiler{Command: []string{"/opt/a folder/zig", "cc",
		"-target", "x86_64-windows-gnu"}})
	require.Equal(t, []string{"GOOS=windows", "GOARCH=amd64",
		`CC="/opt/a folder/zig" cc -target x86_64-windows-gnu`,
		"CGO_CFLAGS=-O2 -g0", "CGO_CPPFLAGS=", "CGO_LDFLAGS=", "GOAMD64=v1"}, k.env)
	require.NotContains(t, k.loaderFlags("h", fmi.FMI2, "c"), "-fPIC")
}

// Fused multiplication and addition would give other last bits than on x86.
func TestARMRoundsLikeX86(t *testing.T) {
	for _, q := range platforms {
		require.Equal(t, q.goarch == "arm64", len(q.flags) > 0, q.folder)
	}
}
