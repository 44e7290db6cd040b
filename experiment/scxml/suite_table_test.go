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

// TestSuite_TableIsInTheDocs is X32: the table comes from the lists that TestSuite, TestSuite_Claim
// and TestSuite_EveryFileIsClassified compare with what the charts do.
func TestSuite_TableIsInTheDocs(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), tableBegin)
	require.True(t, found)
	old, after, found := strings.Cut(rest, tableEnd)
	require.True(t, found)
	if *updateDocs {
		require.NoError(t, os.WriteFile(docs, []byte(before+tableBegin+table()+tableEnd+after), 0o600))
		return
	}
	require.Equal(t, table(), old, "run go generate ./experiment/scxml")
}

func table() string {
	var b strings.Builder
	b.WriteString("\n| tests of the W3C | number | pass | which |\n|---|---|---|---|\n")
	row := func(what, list string, pass bool, which string) {
		n := len(strings.Fields(list))
		passed := 0
		if pass {
			passed = n
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", what, n, passed, which)
	}
	row("mandatory, automatic", mandatory, true, "all")
	row("optional, without a web server", optional, true, ranges(optional))
	row("optional, need a web server", basicHTTP, false, ranges(basicHTTP)+": a `send` of the type BasicHTTP raises error.execution, because experiments run offline")
	fmt.Fprintf(&b, "| manual | %d | | %s: judged by reading their logs |\n", len(strings.Fields(manual)), ranges(manual))
	b.WriteString("\n| deviation of the 316 pairs | why |\n|---|---|\n")
	var names []string
	for name := range deviations {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "| %s | %s |\n", path.Join(path.Dir(name), strings.TrimSuffix(path.Base(name), ".txml")), deviations[name])
	}
	b.WriteString("\n")
	return b.String()
}

// ranges shortens "518 519 520 522" to "518 to 520, 522".
func ranges(list string) string {
	var parts []string
	fields := strings.Fields(list)
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
