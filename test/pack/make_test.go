package pack

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sensor/simsensor/demodrive"
)

// bare returns a PATH that contains these programs and nothing else.
func bare(t *testing.T, programs ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		path, err = filepath.EvalSymlinks(path)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(folder, name)))
	}
	return folder
}

// makeTarget runs make at the root of the project with exactly this environment.
func makeTarget(t *testing.T, env []string, words ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("make")
	require.NoError(t, err)
	c := exec.Command(path, append([]string{"--no-print-directory", "-C", "../.."}, words...)...)
	c.Env = env
	text, err := c.CombinedOutput()
	return string(text), err
}

// goSetting returns what "go env" prints.
func goSetting(t *testing.T, name string) string {
	t.Helper()
	text, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// TestMakeFMU_NeedsGoAndACompilerOnly builds the FMU without modules, network, home folder or other
// programs on the path. as and ld belong to gcc.
func TestMakeFMU_NeedsGoAndACompilerOnly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("FMUs are built on Linux")
	}
	path := filepath.Join(t.TempDir(), "OSMPDummySensor.fmu")
	text, err := makeTarget(t, []string{
		// compiled packages are not an input
		"PATH=" + bare(t, "sh", "go", "gcc", "as", "ld"), "GOCACHE=" + goSetting(t, "GOCACHE"),
		"GOMODCACHE=" + filepath.Join(t.TempDir(), "empty"), "GOPROXY=off", "GOTOOLCHAIN=local",
	}, "fmu", "FMU="+path, "SCENARIO=", "UNIT=")
	require.NoError(t, err, text)
	require.True(t, strings.HasPrefix(text, "building the packer"), "a line at once: %s", text)

	var demo bytes.Buffer
	require.NoError(t, demodrive.Write(&demo))
	require.Equal(t, demo.String(), string(read(t, path, "resources/scenario.csv")))

	// The packer builds the same FMU in a complete environment.
	again := filepath.Join(t.TempDir(), "OSMPDummySensor.fmu")
	said, err := exec.Command("go", "run", "../../cmd/osmpdummysensor", "pack", "-o",
		again).CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, contents(t, path), contents(t, again))
}

// contents returns the files of an FMU by name.
func contents(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	list := map[string]string{}
	for _, file := range z.File {
		f, err := file.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		list[file.Name] = string(content)
	}
	return list
}

// TestMakeFMU_WithoutAHome verifies that make names the folder for Go's caches, and the variables
// that choose another one. The go command is a double that prints its settings and fails.
func TestMakeFMU_WithoutAHome(t *testing.T) {
	tools := bare(t, "sh")
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"),
		[]byte("#!/bin/sh\necho \"cache $GOCACHE modules $GOMODCACHE\"\nexit 1\n"), 0o700))
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	text, err := makeTarget(t, []string{"PATH=" + tools}, "fmu")
	require.Error(t, err)
	require.Contains(t, text, "HOME is not set, so Go keeps its files in "+root+
		"/.cache; set GOCACHE and GOMODCACHE")
	require.Contains(t, text, "cache "+root+"/.cache/go-build modules "+root+"/.cache/go-mod")
	for _, set := range [][]string{{"HOME=/h"}, {"GOCACHE=/c", "GOMODCACHE=/m"}} {
		text, err = makeTarget(t, append(slices.Clone(set), "PATH="+tools), "fmu")
		require.Error(t, err)
		require.NotContains(t, text, ".cache")
		require.NotContains(t, text, "HOME is not set")
	}
}

func TestMakeFMU_NamesWhatIsMissing(t *testing.T) {
	text, err := makeTarget(t, []string{"PATH=" + bare(t, "sh"), "HOME=/nonexistent"}, "fmu")
	require.Error(t, err)
	require.Contains(t, text, "Go is missing: install it from https://go.dev/dl/")

	text, err = makeTarget(t, []string{"PATH=" + bare(t, "sh", "go"), "GOCACHE=" + goSetting(t,
		"GOCACHE"), "HOME=/nonexistent",
		"GOFLAGS=-mod=mod", "GOPROXY=off"}, "fmu", "FMU="+filepath.Join(t.TempDir(), "X.fmu"))
	require.Error(t, err)
	require.Contains(t, text,
		`gcc: tool missing: exec: "gcc": executable file not found in $PATH; install a C `+
			`compiler by: apt-get install gcc libc6-dev`)
}
