package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

const fuzzed = `package fuzzed

import "testing"

func FuzzFine(f *testing.F) { f.Fuzz(func(*testing.T, []byte) {}) }

func FuzzLong(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 0 {
			t.Fatal("an input that is not empty")
		}
	})
}

func FuzzSeed(f *testing.F) {
	f.Add("seed")
	f.Fuzz(func(*testing.T, string) { panic("at the first input") })
}
`

// TestFailedFuzzTargetsCanBeRepeatedFromTheLog runs Go's fuzzer on a module with two failing
// targets, and pastes the command that the log gives for one into a shell.
func TestFailedFuzzTargetsCanBeRepeatedFromTheLog(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles fuzz targets, which takes a while")
	}
	root := checkout(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"),
		[]byte("module fuzzed\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "room"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "room", "room_test.go"), []byte(fuzzed),
		0o600))
	c := exec.Command(filepath.Join(root, "scripts", "fuzz.sh"), "100x")
	text, err := c.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 1, c.ProcessState.ExitCode())
	for _, line := range []string{
		"3 fuzz targets, 100x each", "== ./room FuzzFine: fuzz: .*", "== FAILED: ./room FuzzLong",
		"== FAILED: ./room FuzzSeed",
		"failing input: FuzzSeed/seed#0", ".*panic: at the first input",
	} {
		require.Regexp(t, "(?m)^"+line+"$", string(text))
	}

	shown := regexp.MustCompile(
		`(?ms)^failing input: (\./room/testdata/fuzz/FuzzLong/\w+), \d+ bytes\. ` +
			`.*?\n(mkdir .*?\nend\n)`).FindSubmatch(text)
	require.NotNil(t, shown, "%s", text)
	file := filepath.Join(root, string(shown[1]))
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Dir(file)))
	paste := exec.Command("sh", "-c", string(shown[2]))
	paste.Dir = root
	require.NoError(t, paste.Run())
	pasted, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(written), string(pasted))
}
