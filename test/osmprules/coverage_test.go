package osmprules

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// Folders whose test names carry the numbers of these rules. Other packages number the rules of
// other standards.
var folders = []string{"osmp", "internal/fmitest", "sensor/dummysensor", "test"}

// ruleNumbers returns the number of every rule in docs/OSMP_RULES.md.
func ruleNumbers() (list []string) {
	for _, group := range []struct {
		letter string
		count  int
	}{{"P", 8}, {"A", 9}, {"B", 10}, {"V", 7}, {"C", 10}, {"D", 8}, {"L", 1}, {"E", 1}, {"K", 4},
		{"G", 5}} {
		for n := range group.count {
			list = append(list, fmt.Sprint(group.letter, n+1))
		}
	}
	return list
}

// numberedTest is a test function that begins with numbers: func TestA1_A2_Mark in Go, def
// test_A1_A2_mark in Python.
var numberedTest = regexp.MustCompile(`(?m)^(?:func Test|def test_)((?:[A-Z][0-9]+_)+)`)

// testedIn returns, for every number, the folders with tests that are named after it.
func testedIn(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string,
			f fs.DirEntry, err error) error {
			if err != nil || f.IsDir() || !strings.HasSuffix(path, "_test.go") && filepath.Ext(
				path) != ".py" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			place, err := filepath.Rel(root, filepath.Dir(path))
			for _, names := range numberedTest.FindAllSubmatch(text, -1) {
				for number := range strings.SplitSeq(strings.TrimSuffix(string(names[1]), "_"),
					"_") {
					if !slices.Contains(found[number], filepath.ToSlash(place)) {
						found[number] = append(found[number], filepath.ToSlash(place))
					}
				}
			}
			return err
		}))
	}
	return found
}

func TestEveryRuleHasATest(t *testing.T) {
	found := testedIn(t)
	for _, number := range ruleNumbers() {
		require.NotEmpty(t, found[number], "no test is named after rule %s of docs/OSMP_RULES.md",
			number)
	}
}

var tableRow = regexp.MustCompile(`(?m)^\| ([A-Z][0-9]+) \| (.+) \| (.+) \|$`)

// The table lists every rule once, and every folder that it names contains a test of that number.
func TestTableOfRulesIsTrue(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "OSMP_RULES.md"))
	require.NoError(t, err)
	found := testedIn(t)
	var numbers []string
	for _, row := range tableRow.FindAllStringSubmatch(string(text), -1) {
		numbers = append(numbers, row[1])
		require.Greater(t, len(row[2]), 10, "%s has no explanation", row[1])
		for _, folder := range strings.Split(row[3], ", ") {
			require.Contains(t, found[row[1]], folder, "rule %s has no test there", row[1])
		}
	}
	require.Equal(t, ruleNumbers(), numbers)
}
