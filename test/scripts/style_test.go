package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// formatted lists the folders whose C sources follow .clang-format.
var formatted = []string{
	"build/loader", "build/testdata", "examples/link", "export", "importer/system/testdata",
	"importer/worker",
	"internal/chost/c", "internal/fmitest", "internal/testfmu/source", "test/bench", "test/chain",
	"test/compliance", "test/host", "test/platforms/testdata",
}

// TestCSourcesFollowOneStyle uses the clang-format of scripts/requirements-test.txt: other versions
// format some declarations differently. GOSMP_CLANG_FORMAT names another one.
func TestCSourcesFollowOneStyle(t *testing.T) {
	program := os.Getenv("GOSMP_CLANG_FORMAT")
	if program == "" {
		program = filepath.Join("..", "..", ".venv", "bin", "clang-format")
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("no clang-format in .venv: make test installs it")
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
	require.NoError(t, err, "%s\n%s -i makes it right", strings.TrimSpace(string(output)), program)
}
