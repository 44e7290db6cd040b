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

func TestStateAfter(t *testing.T) {
	for _, c := range []struct {
		name     string
		s        fmi.State
		status   fmi.Status
		events   bool
		expected fmi.State
	}{
		{"fmi2Instantiate", 0, fmi.OK, false, fmi.Instantiated},
		{"fmi2ExitInitializationMode", fmi.InitializationMode, fmi.OK, false, fmi.StepComplete},
		{"fmi3ExitInitializationMode", fmi.InitializationMode, fmi.OK, true, fmi.EventMode},
		{"fmi3EnterStepMode", fmi.EventMode, fmi.Warning, true, fmi.StepComplete},
		{"fmi3EnterConfigurationMode", fmi.Instantiated, fmi.OK, false, fmi.ConfigurationMode},
		{"fmi3EnterConfigurationMode", fmi.StepComplete, fmi.OK, false, fmi.ReconfigurationMode},
		{"fmi3ExitConfigurationMode", fmi.ReconfigurationMode, fmi.OK, false, fmi.StepComplete},
		{"fmi3ExitConfigurationMode", fmi.ConfigurationMode, fmi.OK, false, fmi.Instantiated},
		{"fmi2DoStep", fmi.StepComplete, fmi.Discard, false, fmi.StepFailed},
		{"fmi3DoStep", fmi.StepComplete, fmi.Discard, false, fmi.StepComplete},
		{"fmi2DoStep", fmi.StepComplete, fmi.Pending, false, fmi.StepInProgress},
		{"fmi2SetReal", fmi.StepComplete, fmi.Error, false, fmi.Erroneous},
		{"fmi3SetFloat64", fmi.StepComplete, fmi.Error, false, fmi.Terminated},
		{"fmi2SetReal", fmi.StepComplete, fmi.Fatal, false, fmi.Dead},
		{"fmi2Terminate", fmi.StepComplete, fmi.OK, false, fmi.Terminated},
		{"fmi2GetReal", fmi.StepComplete, fmi.OK, false, fmi.StepComplete},
		{"go", fmi.StepComplete, fmi.OK, false, fmi.StepComplete},
	} {
		require.Equal(t, c.expected, fmu.StateAfter(c.name, c.s, c.status, c.events), c.name)
	}
}
