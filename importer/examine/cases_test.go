package examine_test

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
)

// unusual are the correct FMUs that are examined in short mode.
var unusual = []string{"clean/c2-discard-end.fmu", "clean/c3-clock.fmu",
	"clean/co-four-buffers.fmu"}

// TestExamine_SharedCases examines FMUs that are not part of the project if they are available.
// Each FMU has one fault, or is unusual but correct. In short mode, only the rules that are broken
// are tested, and a few of the correct FMUs.
func TestExamine_SharedCases(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "cases", "fmu")
	f, err := os.Open(filepath.Join(folder, "expected.csv"))
	if err != nil {
		t.Skip("there are no shared cases")
	}
	defer func() { require.NoError(t, f.Close()) }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		name, rule, severity, may := row[0], row[1], row[2], strings.Fields(row[3])
		clean := rule == "-"
		if !clean && !strings.HasPrefix(name, "r") {
			continue // the fault does not show at run time
		}
		if testing.Short() && clean && !slices.Contains(unusual, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := examine.Options{}
			if testing.Short() && !clean {
				o.Lives, o.Only = 60, []string{rule}
			}
			report, err := examine.Examine(context.Background(), filepath.Join(folder, name), o)
			require.NoError(t, err)
			found := map[string]string{}
			for _, f := range report.Findings() {
				if f.Severity > 0 {
					found[f.ID] = f.Severity.String()
				}
				// a note about a fault that occurs only once comes from the intended fault
				if f.ID != rule && !slices.Contains(may, f.ID) &&
					(clean || f.Severity > finding.Note) {
					t.Errorf("not expected: %v", f)
				}
			}
			if !clean {
				require.Equal(t, severity, found[rule], "%v", found)
			}
			if !testing.Short() {
				requireRepeats(t, filepath.Join(folder, name), report)
			}
			t.Log(report.Summary(), report.Time, report.Trials)
		})
	}
}
