package platforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSimulator_SameBytesOnARM verifies that a simulated drive gives the same messages, recording
// and pictures on both architectures.
func TestSimulator_SameBytesOnARM(t *testing.T) {
	packed(t) // without other platforms there is no emulator either
	if _, err := exec.LookPath("qemu-aarch64"); err != nil || runtime.GOARCH != "amd64" {
		t.Skip("no qemu-aarch64: apt-get install qemu-user (on an x86-64 processor)")
	}
	root := filepath.Join("..", "..")
	folder := t.TempDir()
	run := commands(t, folder)
	for _, name := range []string{"crossing", "hills", "left", "motorway"} {
		outputs := []string{"--trace=drive.osi", "--recording=drive.csv", "--picture=drive.svg",
			"--page=drive.html"}
		written := map[string]map[string][]byte{}
		for arch, command := range run {
			out := t.TempDir()
			road, err := filepath.Abs(filepath.Join(root, "examples", "maps", name+".xodr"))
			require.NoError(t, err)
			drive := append(append(command[1:len(command):len(command)], "simulate", road,
				"--actors=15", "--lane-changes", "--duration=5", "--noise=gps=1"), outputs...)
			simulate := exec.Command(command[0], drive...)
			simulate.Dir = out
			text, err := simulate.CombinedOutput()
			require.NoError(t, err, "%s", text)
			files, err := filepath.Glob(filepath.Join(out, "*"))
			require.NoError(t, err)
			written[arch] = map[string][]byte{}
			for _, file := range files {
				content, err := os.ReadFile(file)
				require.NoError(t, err)
				written[arch][filepath.Base(file)] = content
			}
			require.Len(t, written[arch], len(outputs))
		}
		for file, content := range written["amd64"] {
			require.True(t, string(content) == string(written["arm64"][file]),
				"%s of %s differs on arm64", file, name)
		}
	}
}

// commands builds gosmp for both architectures, and returns the words with which each one starts.
func commands(t *testing.T, folder string) map[string][]string {
	t.Helper()
	long(t)
	run := map[string][]string{}
	for arch, emulator := range map[string][]string{"amd64": nil, "arm64": {"qemu-aarch64"}} {
		program := filepath.Join(folder, arch)
		build := exec.Command("go", "build", "-o", program, "./cmd/gosmp")
		build.Dir = filepath.Join("..", "..")
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s", out)
		run[arch] = append(emulator, program)
	}
	return run
}
