package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// formatted are the folders whose C sources follow .clang-format.
var formatted = []string{
	"build/loader", "build/testdata", "examples/link", "export", "importer/system/testdata", "importer/worker",
	"internal/chost/c", "internal/fmitest", "internal/testfmu/source", "test/bench", "test/chain", "test/compliance", "test/host", "test/platforms/testdata",
}

// TestCSourcesFollowOneStyle runs if clang-format is installed, or named by GOSMP_CLANG_FORMAT.
// Versions before 20 format some declarations differently.
func TestCSourcesFollowOneStyle(t *testing.T) {
	program := os.Getenv("GOSMP_CLANG_FORMAT")
	if program == "" {
		var err error
		if program, err = exec.LookPath("clang-format"); err != nil {
			t.Skip("clang-format is not installed; pip install clang-format brings it")
		}
	}
	words := []string{"--dry-run", "-Werror"}
	for _, folder := range formatted {
		for _, pattern := range []string{"*.c", "*.h"} {
			files, err := filepath.Glob(filepath.Join("..", "..", folder, pattern))
			require.NoError(t, err)
			words = append(words, files...)
		}
	}
	require.Greater(t, len(words), 25)
	output, err := exec.Command(program, words...).CombinedOutput()
	require.NoError(t, err, "%s\nclang-format -i makes it right", strings.TrimSpace(string(output)))
}
