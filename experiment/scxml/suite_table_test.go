package scxml_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:generate go test -count=1 -run ^TestSuite_TableIsInTheDocs$ . -args -update-docs

var updateDocs = flag.Bool("update-docs", false, "write the table of results into docs/SCXML.md")

const (
	docs       = "../../docs/SCXML.md"
	tableBegin = "<!-- table of results: go generate ./experiment/scxml -->\n"
	tableEnd   = "<!-- end of the table of results -->\n"
)

// TestSuite_TableIsInTheDocs tests X32: the table counts the tests that pass in a run of the suite.
// Without the suite this test is skipped.
func TestSuite_TableIsInTheDocs(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), tableBegin)
	require.True(t, found)
	old, after, found := strings.Cut(rest, tableEnd)
	require.True(t, found)
	table := table(results(t))
	if *updateDocs {
		require.NoError(t, os.WriteFile(docs, []byte(before+tableBegin+table+tableEnd+after),
			0o600))
		return
	}
	require.Equal(t, table, old, "run go generate ./experiment/scxml")
}

func table(passed map[string]bool) string {
	var b strings.Builder
	b.WriteString("\n| tests of the W3C | number | pass | which |\n|---|---|---|---|\n")
	row := func(what, list, remark string) {
		var pass, fail []string
		for _, number := range strings.Fields(list) {
			if passed[number] {
				pass = append(pass, number)
			} else {
				fail = append(fail, number)
			}
		}
		which := ranges(pass)
		switch {
		case len(fail) > 0 && len(pass) > 0:
			which = "not: " + ranges(fail)
		case len(fail) > 0:
			which = ranges(fail)
		case len(pass) > 100:
			which = "all"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s%s |\n", what, len(pass)+len(fail), len(pass), which,
			remark)
	}
	row("mandatory, automatic", mandatory, "")
	row("optional, without a web server", optional, "")
	row("optional, need a web server", basicHTTP,
		": a `send` of the type BasicHTTP raises error.execution, because experiments run offline")
	numbers := strings.Fields(manual)
	fmt.Fprintf(&b, "| manual | %d | | %s: judged by reading their logs |\n", len(numbers),
		ranges(numbers))
	b.WriteString("\n| deviation of the 316 pairs | why |\n|---|---|\n")
	var names []string
	for name := range deviations {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "| %s | %s |\n", path.Join(path.Dir(name),
			strings.TrimSuffix(path.Base(name), ".txml")), deviations[name])
	}
	b.WriteString("\n")
	return b.String()
}

// ranges shortens "518 519 520 522" to "518 to 520, 522".
func ranges(fields []string) string {
	var parts []string
	for i := 0; i < len(fields); {
		j := i
		for j+1 < len(fields) && number(fields[j+1]) == number(fields[j])+1 {
			j++
		}
		switch {
		case j > i+1:
			parts = append(parts, fields[i]+" to "+fields[j])
			i = j + 1
		default:
			parts = append(parts, fields[i])
			i++
		}
	}
	return strings.Join(parts, ", ")
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // 0 is not a test
	return n
}
