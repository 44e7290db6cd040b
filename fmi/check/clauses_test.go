package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/check"
)

// TestClause_EachRuleHasOne checks that each row of the page has a clause for every version of FMI,
// because findings cite the clause.
func TestClause_EachRuleHasOne(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "FMU_RULES.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| ([A-Z][0-9]+) \|`).FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		for _, version := range []fmi.Version{fmi.FMI1, fmi.FMI2, fmi.FMI3} {
			require.NotEmpty(t, check.Clause(version, row[1]), row[1])
		}
	}
}
