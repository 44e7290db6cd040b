package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeModelIsWhole compiles the model that README.md shows, after adding the imports.
func TestReadmeModelIsWhole(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "README.md"))
	require.NoError(t, err)
	_, code, found := strings.Cut(string(text), "```go\n")
	require.True(t, found)
	code, _, found = strings.Cut(code, "```")
	require.True(t, found)
	file := filepath.Join(t.TempDir(), "main.go")
	imports := `package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/timebase"
)

`
	require.NoError(t, os.WriteFile(file, []byte(imports+code), 0o600))
	vet := exec.Command("go", "vet", file)
	vet.Dir = root(t)
	output, err := vet.CombinedOutput()
	require.NoError(t, err, string(output))
	run := exec.Command("go", "run", file, "describe")
	run.Dir = root(t)
	output, err = run.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Contains(t, string(output), `<CoSimulation modelIdentifier="Nearest"`)
}
