package examine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
)

// TestExamine_ReportsFindingsAsTheyAreFound checks that findings are reported during an
// examination, in an order that does not depend on which trial ends first.
func TestExamine_ReportsFindingsAsTheyAreFound(t *testing.T) {
	fmu := build(t, 2, "-DRESET -DCATEGORY -DLENIENT -DUNKNOWN")
	list := func() (ids []string, early int) {
		done, all := 0, 0
		report, err := examine.Examine(context.Background(), fmu, examine.Options{
			Time:     time.Hour,
			Progress: func(n, total int, _ string) { done, all = n, total },
			Found: func(f finding.Finding) {
				ids = append(ids, f.ID)
				if done+1 < all {
					early++
				}
			}})
		require.NoError(t, err)
		require.Len(t, report.Findings(), len(ids))
		return ids, early
	}
	first, early := list()
	require.Contains(t, first, "FMI2-G2", "an observation in all runs, certain at the end")
	require.Equal(t, 2, early, "the trials of illegal calls come last: %v", first)
	second, _ := list()
	require.Equal(t, first, second)
}

// TestLedger_RulesThatAreNotRequested checks that a finding does not wait for the verdict on another
// rule if no trial tests it, as with --only.
func TestLedger_RulesThatAreNotRequested(t *testing.T) {
	require.True(t, examine.Certain([][]string{{"R9"}, {"Q1"}}, "R9", "R21"))
	require.False(t, examine.Certain([][]string{{"R9"}, {"Q1", "R21"}}, "R9", "R21"))
	require.False(t, examine.Certain([][]string{{"R9"}, {"R9"}}, "R9", ""))
	require.False(t, examine.Certain([][]string{{"R9"}, {"Q1"}}, "R9", "Q8"), "as any trial may")
}

// TestExamine_ReportsNothingAfterItsEnd checks that an examination that is ended from outside
// reports no finding that comes only from its end.
func TestExamine_ReportsNothingAfterItsEnd(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	_, err := examine.Examine(ctx, build(t, 2, ""), examine.Options{Time: time.Hour,
		Progress: func(done, _ int, _ string) {
			if done == 3 {
				end()
			}
		},
		Found: func(f finding.Finding) { t.Errorf("found %+v in a sound FMU", f) }})
	require.NoError(t, err)
}
