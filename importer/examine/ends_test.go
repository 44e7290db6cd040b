package examine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// TestExamine_EndOfTheSimulation checks that an FMU that asks to end the simulation is not accused
// for calls that were not made.
func TestExamine_EndOfTheSimulation(t *testing.T) {
	rules := strings.Fields("R2 R6 R8 R9 R10 R11 I9 Q1")
	if !testing.Short() {
		rules = nil
	}
	for major, flags := range map[int]string{2: "-DDISCARDS -DENDS", 3: "-DENDS"} {
		for _, after := range []string{"-1", "0.05", "0.35"} { // s
			t.Run(fmt.Sprintf("FMI %d after %s s", major, after), func(t *testing.T) {
				t.Parallel()
				fmu := build(t, major, flags+" -DENDSAFTER="+after)
				r := run(t, fmu, examine.Options{Only: rules})
				for _, f := range r.Findings() {
					require.Equal(t, fmt.Sprintf("FMI%d-R2", major), f.ID, "%v", f)
				}
				require.NotEmpty(t, r.Findings())
				v := r.Verdict(fmt.Sprintf("FMI%d-Q1", major))
				require.NotContains(t, v.Why, "fails", "%+v", v)
			})
		}
	}
}

// TestExamine_EndBeforeNoData checks that an FMU that ends before a step without data is not judged
// by such a step.
func TestExamine_EndBeforeNoData(t *testing.T) {
	for _, after := range []string{"-1", "0.05"} { // s
		fmu := build(t, 2, "-DOSMP -DDISCARDS -DENDS -DENDSAFTER="+after)
		v := run(t, fmu, examine.Options{Only: []string{"OSMP-B8"}}).Verdict("OSMP-B8")
		require.Equal(t, examine.NotTested, v.Outcome, "%+v", v)
		require.Contains(t, v.Why, "has ended the simulation")
	}
}
