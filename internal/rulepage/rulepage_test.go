package rulepage_test

import (
	"bytes"
	"go/format"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gosmp/internal/rulepage"
)

const root = "../.."

// TestCollect_FilesAreUpToDate: docs/RULES.md and the table of gosmp explain match the tables, the
// code and the tests.
func TestCollect_FilesAreUpToDate(t *testing.T) {
	rules, err := rulepage.Collect(root)
	require.NoError(t, err)
	var page, code bytes.Buffer
	require.NoError(t, rulepage.Markdown(&page, rules))
	require.NoError(t, rulepage.Source(&code, rules))
	table, err := format.Source(code.Bytes())
	require.NoError(t, err)
	for name, want := range map[string][]byte{"docs/RULES.md": page.Bytes(),
		"cmd/gosmp/internal/explain/table.go": table} {
		found, err := os.ReadFile(root + "/" + name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, found),
			"%s is not up to date: go generate ./cmd/gosmp/internal/explain", name)
	}
}

// TestCollect_RulesOfFMUsHaveClauses: each rule of an FMU has its clauses, unless no standard
// contains it and it is listed as good practice.
func TestCollect_RulesOfFMUsHaveClauses(t *testing.T) {
	rules, err := rulepage.Collect(root)
	require.NoError(t, err)
	practice, seen := []string{}, map[string]int{}
	for _, r := range rules {
		if strings.ContainsAny(strings.TrimPrefix(r.ID, "FMI<version>-"), "<*") {
			continue
		}
		switch name := r.Sheet.Name; name {
		case "FMUs":
			assert.Len(t, r.Clause, 3, r.ID)
			seen[name]++
		case "FMUs at runtime", "OSMP at runtime":
			seen[name]++
			if len(r.Clause) == 0 && r.ID != "examine.untested" { // it is about no call
				practice = append(practice, r.ID)
			}
		}
	}
	require.Len(t, seen, 3)
	require.Equal(t, goodPractice, practice)
}

// goodPractice lists the rules that no standard states.
var goodPractice = []string{
	"FMI<version>-R12", "FMI<version>-R24", "FMI<version>-S9", "FMI<version>-S11",
	"FMI<version>-I10", "FMI<version>-I11", "FMI<version>-Q2", "FMI<version>-Q3",
	"FMI<version>-Q4", "FMI<version>-Q5", "FMI<version>-Q10", "FMI<version>-Q11",
}

// TestCollect_EachIDMeansOneThing: no id occurs twice, each id that the code reports has a row, and
// each id of a check has a test.
func TestCollect_EachIDMeansOneThing(t *testing.T) {
	rules, err := rulepage.Collect(root)
	require.NoError(t, err)
	known := map[string]bool{}
	var families []*regexp.Regexp
	for _, r := range rules {
		require.False(t, known[r.ID], "%s has two rows", r.ID)
		known[r.ID] = true
		if strings.ContainsAny(r.ID, "<*") {
			pattern := regexp.MustCompile(`<[a-z]+>|\\\*`).ReplaceAllString(regexp.QuoteMeta(r.ID),
				".+")
			families = append(families, regexp.MustCompile("^"+pattern+"$"))
			continue
		}
		assert.NotEmpty(t, r.Tests, "no test names %s", r.ID)
	}
	for _, s := range rulepage.Sheets {
		ids, err := s.Reported(root)
		require.NoError(t, err)
	next:
		for _, id := range ids {
			for _, f := range families {
				if f.MatchString(id) {
					continue next
				}
			}
			assert.True(t, known[id], "the code reports %s, which no table in docs/%s has", id,
				s.Page)
		}
	}
}
