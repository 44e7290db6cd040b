package fmu_test

import (
	_ "embed" // of the table
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
)

// legalCalls3 is the table of legal calls; the file contains the legend.
//
//go:embed testdata/legal3.txt
var legalCalls3 string

var states3 = []fmi.State{fmi.Instantiated, fmi.ConfigurationMode, fmi.InitializationMode,
	fmi.StepComplete, fmi.EventMode, fmi.IntermediateUpdateMode, fmi.ReconfigurationMode,
	fmi.Terminated}

// readLegalCalls3 returns the states in which the table allows each function.
func readLegalCalls3(t *testing.T) (table map[string]map[fmi.State]bool) {
	table = map[string]map[fmi.State]bool{}
	_, rows, found := strings.Cut(legalCalls3, " I K M S V U R T\n")
	require.True(t, found)
	for _, line := range strings.Split(strings.TrimSpace(rows), "\n") {
		words := strings.Fields(line)
		names, cells := words[:len(words)-len(states3)], words[len(words)-len(states3):]
		row := map[fmi.State]bool{}
		for k, s := range states3 {
			row[s] = cells[k] == "x"
		}
		for _, name := range names {
			require.NotContains(t, table, name)
			table[name] = row
		}
	}
	return table
}

// An FMI 3.0 instance permits the calls that the standard permits, and refuses the rest with one
// line. Calls that are legal after fmi3Terminate are legal after an error as well.
func TestLegalCalls3_EveryFunctionInEveryState(t *testing.T) {
	table, functions := readLegalCalls3(t), 0
	for f := range fmu.Function(255) {
		name := strings.TrimPrefix(f.Name(fmi.FMI3), "fmi3")
		if name == "" || name == "unknown function" {
			continue
		}
		functions++
		row, known := table[name]
		if !known {
			row = table["*"]
		}
		for _, s := range states3 {
			require.Equal(t, row[s], fmu.Legal(f, fmi.FMI3, s), "%s in %v", name, s)
		}
		require.Equal(t, row[fmi.Terminated], fmu.Legal(f, fmi.FMI3, fmi.Erroneous), name)
		require.False(t, fmu.Legal(f, fmi.FMI3, fmi.StepFailed), name)
	}
	// five of the 75 functions take no instance or end it
	require.Equal(t, 70, functions)
}

// newCart3 creates an FMI 3.0 instance in a state.
func newCart3(t *testing.T, s fmi.State) (*fmu.Instance, *mock.Log) {
	i, log := newEcho(t)
	switch s {
	case fmi.Instantiated:
		require.Equal(t, fmi.OK, i.Reset())
	case fmi.InitializationMode:
		require.Equal(t, fmi.OK, i.Reset())
		require.Equal(t, fmi.OK, i.Initialize(fmu.ExperimentSetup{}))
	case fmi.Terminated:
		require.Equal(t, fmi.OK, i.Terminate())
	}
	require.Equal(t, s, i.State())
	return i, log
}

func TestIllegalCalls3_HaveOneLineAndEndTheRun(t *testing.T) {
	for _, s := range []fmi.State{fmi.Instantiated, fmi.InitializationMode, fmi.Terminated} {
		i, log := newCart3(t, s)
		_, status := i.Advance(0, 0.1)
		require.Equal(t, fmi.Error, status)
		require.Equal(t, fmi.Erroneous, i.State())
		oneLine(t, log, fmi.Error, "fmi3DoStep: illegal call sequence: ",
			fmt.Sprintf(`state is %q, allowed in "step complete"`, s.String()))
		require.Equal(t, fmi.Error, i.Terminate(), "not after an error")
		require.Equal(t, fmi.OK, i.GetString(refs(4), make([]string, 1)), "for debugging")
		require.Equal(t, fmi.OK, i.Reset())
		require.Equal(t, fmi.OK, i.Initialize(fmu.ExperimentSetup{}))
	}
}

// In FMI 3.0, values can be read before initialization, and a discarded step leaves the instance
// where it was.
func TestInstance3_ReadsStartValues(t *testing.T) {
	i, _ := newCart3(t, fmi.Instantiated)
	value := make([]float64, 1)
	require.Equal(t, fmi.OK, i.GetReal(refs(0), value))
	require.Equal(t, []float64{2}, value)
}

func TestInstance3_NumberOfValues(t *testing.T) {
	for n, text := range map[int]string{
		0: "found 0, expected 1", 2: "found 2, expected 1",
	} {
		i, log := newCart3(t, fmi.StepComplete)
		require.Equal(t, fmi.Error, i.GetReal(refs(0), make([]float64, n)))
		oneLine(t, log, fmi.Error, "fmi3GetFloat64: nValues: wrong argument: "+text)
		i, log = newCart3(t, fmi.Instantiated)
		require.Equal(t, fmi.Error, i.SetReal(refs(0), make([]float64, n)))
		oneLine(t, log, fmi.Error, "fmi3SetFloat64: nValues: wrong argument: "+text)
	}
}

// In FMI 3.0, loggingOn applies to all messages.
func TestInstance3_LoggingOffIsSilent(t *testing.T) {
	log := &mock.Log{}
	i, err := fmu.Instantiate(echoDefinition(), fmu.Config{Version: fmi.FMI3, InstanceName: "e",
		GUID: guid, Deliver: log.Deliver})
	require.NoError(t, err)
	require.Equal(t, fmi.Error, i.Terminate())
	require.Empty(t, log.Drain())
	require.Equal(t, fmi.OK, i.SetDebugLogging(true, nil))
	require.Equal(t, fmi.Error, i.Terminate())
	require.Len(t, log.Drain(), 1)
}

func TestInstance3_RefusesWhatItLacks(t *testing.T) {
	for text, c := range map[string]fmu.Config{
		"eventModeUsed: wrong argument": {Options3: fmu.Options3{EventModeUsed: true}},
		"providesIntermediateUpdate is false": {
			Options3: fmu.Options3{IntermediateVariables: []uint32{1}}},
		"instanceName: wrong argument":       {InstanceName: " \t"},
		"instantiationToken: wrong argument": {GUID: "other"},
	} {
		c.Version = fmi.FMI3
		if c.InstanceName == "" {
			c.InstanceName = "e"
		}
		if c.GUID == "" {
			c.GUID = guid
		}
		_, err := fmu.Instantiate(echoDefinition(), c)
		require.ErrorIs(t, err, fmu.ErrInstantiate)
		require.ErrorContains(t, err, text)
	}
}
