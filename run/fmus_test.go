package run

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/internal/testfmu"
)

// TestWithExperiment verifies that rngSeed and physicsEngine are passed to the FMUs that have
// parameters for them, unless the user has set these.
func TestWithExperiment(t *testing.T) {
	variables := []cosim.Variable{
		{
			Name: "RandomSeed",
			Kind: cosim.Int32,
			Role: cosim.Parameter,
		}, {Name: "seed", Kind: cosim.Int32, Role: cosim.Output},
		{
			Name: "physicsEngine",
			Kind: cosim.String,
			Role: cosim.Parameter,
		}, {Name: "rngSeed", Kind: cosim.Int32, Role: cosim.Parameter},
		{Name: "PhysicsEngine", Kind: cosim.Int32, Role: cosim.Parameter},
	}
	given := []importer.StartValue{{Name: "rngSeed", Value: "5"}}
	require.Equal(
		t,
		[]importer.StartValue{
			{Name: "rngSeed", Value: "5"},
			{Name: "RandomSeed", Value: "7"},
			{Name: "physicsEngine", Value: "opensim"},
		},
		withExperiment(given, variables, trial.Given{Seed: 7 | 1<<31, Physics: "opensim"}),
	)
	require.Equal(
		t,
		[]importer.StartValue{{Name: "rngSeed", Value: "5"}, {Name: "RandomSeed", Value: "7"}},
		withExperiment(given, variables, trial.Given{Seed: 7}),
	)
	require.Len(t, given, 1)
}

// TestFMUs_Loading: a sweep worker is notified if a run has an FMU and therefore waits for other
// processes.
func TestFMUs_Loading(t *testing.T) {
	fmu, told := testfmu.Build(t, testfmu.Recipe{}), false
	m := &FMUs{Dir: filepath.Dir(fmu), Loading: func() { told = true }}
	_, err := m.Open(experiment.Participant{Name: "sensor", Src: filepath.Base(fmu)})
	require.NoError(t, err)
	require.True(t, told)
}
