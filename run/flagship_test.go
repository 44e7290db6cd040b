//go:build linux && cgo

package run_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
	"gosmp/run"
)

// TestFMUs_TheDemoRunsFromAProgram follows docs/EXPERIMENTS.md: trial.Open and Trial.Run run the
// demo with its FMUs, and end as OpenExperiment and Case do.
func TestFMUs_TheDemoRunsFromAProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("packs two FMUs")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/braking")))
	for program, file := range map[string]string{"cmd/osmpdummysensor": "OSMPDummySensor.fmu",
		"examples/aeb": "OSMPEmergencyBrake.fmu"} {
		packFMU(t, program, filepath.Join(dir, file))
	}
	file := filepath.Join(dir, "braking.exc")
	document, err := os.ReadFile(file)
	require.NoError(t, err)

	fmus := &run.FMUs{Dir: dir}
	defer func() { require.NoError(t, fmus.Close()) }()
	x, err := trial.Open(
		"braking.exc",
		document,
		trial.Options{Files: os.DirFS(dir), FMU: fmus.Open, System: fmus.System},
	)
	require.NoError(t, err)
	v, err := x.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, "passed", v.Outcome)
	require.InDelta(t, 20, v.Time, 1e-9)

	result, err := run.Run(t.Context(), run.Defaults(file))
	require.NoError(t, err)
	require.True(t, result.Passed)
	require.Equal(t, v.TraceHash, result.Verdict.TraceHash)

	row := run.Case(
		t.Context(),
		run.CaseOptions{File: file, Set: []trial.Setting{{Name: "lead.x", Value: "75"}}},
	)
	require.Equal(t, run.Passed, row.Outcome, row.Cause)
	require.NotEqual(t, v.TraceHash, row.TraceHash)
}
