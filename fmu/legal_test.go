package fmu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
)

func TestMayCall(t *testing.T) {
	for _, c := range []struct {
		v     fmi.Version
		name  string
		s     fmi.State
		legal bool
		known bool
	}{
		{fmi.FMI2, "fmi2DoStep", fmi.StepComplete, true, true},
		{fmi.FMI2, "fmi2DoStep", fmi.Instantiated, false, true},
		{fmi.FMI2, "fmi2GetString", fmi.Terminated, true, true},
		{fmi.FMI2, "fmi2GetVersion", fmi.Terminated, false, false},
		{fmi.FMI2, "fmi3DoStep", fmi.StepComplete, false, false},
		{fmi.FMI3, "fmi3EnterStepMode", fmi.EventMode, true, true},
		{fmi.FMI3, "fmi3SetFloat64", fmi.Terminated, false, true},
		{fmi.FMI1, "fmiDoStep", fmi.StepComplete, false, false},
	} {
		legal, known := fmu.MayCall(c.v, c.name, c.s)
		require.Equal(t, []bool{c.legal, c.known}, []bool{legal, known}, c.name)
	}
	require.Contains(t, fmu.Names(fmi.FMI2), "fmi2CancelStep")
	require.Contains(t, fmu.Names(fmi.FMI3), "fmi3GetAdjointDerivative")
}
