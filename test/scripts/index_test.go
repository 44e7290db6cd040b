package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIndexNamesEveryTest keeps test/README.md complete: a new folder or file of Python tests needs
// a line with the question that it answers.
func TestIndexNamesEveryTest(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	folders, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, f := range folders {
		if f.IsDir() {
			require.Contains(t, string(text), "["+f.Name()+"]("+f.Name()+")")
		}
	}
	files, err := filepath.Glob("../fmpy/test_*.py")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		require.Contains(t, string(text), "`"+filepath.Base(f)+"`")
	}
	for word := range strings.FieldsFuncSeq(string(text),
		func(r rune) bool { return strings.ContainsRune("`|,: \n", r) }) {
		if strings.HasPrefix(word, "test_") {
			require.FileExists(t, filepath.Join("..", "fmpy", word))
		}
	}
}

// TestPagesLinkToWhatExists follows every relative link of every page.
func TestPagesLinkToWhatExists(t *testing.T) {
	list, err := exec.Command("git", "-C", "../..", "ls-files", "--cached", "--others",
		"--exclude-standard", "*.md").Output()
	require.NoError(t, err)
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	pages := strings.Fields(string(list))
	require.Contains(t, pages, "README.md")
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join("../..", page))
		require.NoError(t, err)
		for _, l := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			_, err := os.Stat(filepath.Join("../..", filepath.Dir(page), l[1]))
			require.NoError(t, err, "%s links to %s", page, l[1])
		}
	}
}
