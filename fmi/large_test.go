package fmi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
)

// TestLookUps_AllocateNothing matters because checks call these functions for hundreds of thousands
// of variables.
func TestLookUps_AllocateNothing(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
			_, _ = fmi.ParseType(v, "String")
			_ = fmi.Combinations(v)
		}
	}))
}
