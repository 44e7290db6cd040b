package activity_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The go blocks of docs/ACTIVITY.md together form a program that prints the text block.
func TestTutorialRunsAndPrintsWhatItSays(t *testing.T) {
	page, err := os.ReadFile("../../docs/ACTIVITY.md")
	require.NoError(t, err)
	blocks := func(kind string) string {
		var all []string
		for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(
			string(page), -1) {
			all = append(all, m[1])
		}
		return strings.Join(all, "\n")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(blocks("go")), 0o600))
	out, err := exec.Command("gofmt", "-l", file).Output()
	require.NoError(t, err)
	require.Empty(t, string(out), "the blocks are formatted")
	cmd := exec.Command("go", "run", file)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err = cmd.Output()
	require.NoError(t, err, problems.String())
	require.Equal(t, blocks("text"), string(out))
}
