// Package rulebook compares the rules of a specification with the tests that fail if one is broken.
// It is for tests.
package rulebook

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rule is a rule, in words, and its tests: Go or Python functions, or scripts of command lines by
// their file names. Because the type is an alias, tables of rules need no field names.
type Rule = struct {
	ID    any // a number or a text
	Says  string
	Tests []string
}

// Check requires that each rule occurs once and has tests, and that each of these tests exists in
// this repository or is listed in others.
func Check(t *testing.T, rules []Rule, others ...string) {
	t.Helper()
	there, err := tests()
	require.NoError(t, err)
	require.Empty(t, problems(rules, func(test string) bool {
		return there[test] || slices.Contains(others, test)
	}))
}

// problems lists the rules without tests, and the tests that do not exist.
func problems(rules []Rule, there func(test string) bool) (list []string) {
	seen := map[any]bool{}
	for _, r := range rules {
		problem := func(text string) {
			list = append(list, fmt.Sprintf("rule %v, %s: %s", r.ID, r.Says, text))
		}
		if seen[r.ID] {
			problem("a second one with this name")
		}
		seen[r.ID] = true
		if len(r.Tests) == 0 {
			problem("no tests")
		}
		for _, name := range r.Tests {
			if !there(name) {
				problem("there is no test " + name)
			}
		}
	}
	return list
}

var function = regexp.MustCompile(`(?m)^(?:func|def) ((?:Test|Fuzz|Benchmark|test_)\w+)\(`)

// tests returns the names of all tests of the repository.
var tests = sync.OnceValues(func() (map[string]bool, error) {
	top, err := repository()
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	return there, filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != top && (name[0] == '.' || name == "dist"): // not sources
			return filepath.SkipDir
		case strings.HasSuffix(name, ".txtar"):
			there[name] = true
		case strings.HasSuffix(name, "_test.go"), strings.HasPrefix(name, "test_") &&
			strings.HasSuffix(name, ".py"):
			content, err := os.ReadFile(path)
			for _, found := range function.FindAllStringSubmatch(string(content), -1) {
				there[found[1]] = true
			}
			return err
		}
		return nil
	})
})

// repository returns the folder that contains the go.mod of the package under test.
func repository() (string, error) {
	folder, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fs.ErrNotExist
		}
		folder = filepath.Dir(folder)
	}
	return "", err
}
