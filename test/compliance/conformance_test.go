package compliance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// namedTest matches a test as docs/CONFORMANCE.md names it: folder and function.
var namedTest = regexp.MustCompile("`([a-z/]+) ((?:Test|Fuzz|test_)\\w+)`")

// TestConformance_NamedTestsExist looks up every test that docs/CONFORMANCE.md names, and requires
// one in each row of its tables.
func TestConformance_NamedTestsExist(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "CONFORMANCE.md"))
	require.NoError(t, err)
	sections, rows, names := 0, 0, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if regexp.MustCompile(`^## \d\. `).MatchString(line) {
			sections++
		}
		if strings.HasPrefix(line, "| target |") {
			break // the counts of fuzz runs follow the tables
		}
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") ||
			strings.HasPrefix(line, "| what is proved") {
			continue
		}
		rows++
		found := namedTest.FindAllStringSubmatch(line, -1)
		require.NotEmpty(t, found, "a row without a test: %s", line)
		for _, name := range found {
			names[name[1]+" "+name[2]] = true
		}
	}
	for name := range names {
		folder, function, _ := strings.Cut(name, " ")
		require.True(t, defined(t, filepath.Join(root, folder), function), "%s does not exist",
			name)
	}
	require.Equal(t, 8, sections)
	require.Greater(t, rows, 40)
	require.Greater(t, len(names), 90)
	t.Logf("%d rows name %d tests", rows, len(names))
}

// defined reports whether a test file in the folder defines the function.
func defined(t *testing.T, folder, function string) bool {
	t.Helper()
	definition := regexp.MustCompile(`(?m)^(?:func|def) ` + function + `\(`)
	files, err := filepath.Glob(filepath.Join(folder, "*test*"))
	require.NoError(t, err)
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if definition.Match(text) {
			return true
		}
	}
	return false
}
