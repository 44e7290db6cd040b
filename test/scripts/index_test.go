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

// TestPagesLinkToWhatExists follows every relative link of every page, to its file and heading.
func TestPagesLinkToWhatExists(t *testing.T) {
	list, err := exec.Command("git", "-C", "../..", "ls-files", "--cached", "--others",
		"--exclude-standard", "*.md").Output()
	require.NoError(t, err)
	link := regexp.MustCompile(`\]\(([^)#\s]*)(#[^)]*)?\)`)
	pages := strings.Fields(string(list))
	require.Contains(t, pages, "README.md")
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join("../..", page))
		require.NoError(t, err)
		for _, l := range link.FindAllStringSubmatch(withoutCode(string(text)), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			target := filepath.Join("../..", page)
			if l[1] != "" {
				target = filepath.Join("../..", filepath.Dir(page), l[1])
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", page, l[1])
			if l[2] != "" && strings.HasSuffix(target, ".md") {
				require.Contains(t, anchors(t, target), l[2], "%s links to %s%s", page, l[1], l[2])
			}
		}
	}
}

var fence = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`")

func withoutCode(text string) string { return fence.ReplaceAllString(text, "") }

// anchors returns the anchors of the headings of a page, as GitHub and the site make them.
func anchors(t *testing.T, page string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	other := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	outsideOfBlocks := regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(string(text), "")
	for _, h := range heading.FindAllStringSubmatch(outsideOfBlocks, -1) {
		words := other.ReplaceAllString(strings.ToLower(h[1]), "")
		list = append(list, "#"+strings.ReplaceAll(words, " ", "-"))
	}
	return list
}
