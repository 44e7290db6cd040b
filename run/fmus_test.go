package run

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/fmi/archive"
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
		withExperiment(given, variables, nil, trial.Given{Seed: 7 | 1<<31, Physics: "opensim"}),
	)
	require.Equal(
		t,
		[]importer.StartValue{{Name: "rngSeed", Value: "5"}, {Name: "RandomSeed", Value: "7"}},
		withExperiment(given, variables, nil, trial.Given{Seed: 7}),
	)
	require.Len(t, given, 1)
}

// TestSeedFor: a seed outside the range of its parameter would be refused.
func TestSeedFor(t *testing.T) {
	for _, c := range []struct {
		low, high string
		seed      uint64
		want      string
	}{{"", "", 7, "7"}, {"", "", 7 | 1<<31, "7"}, {"0", "100", 100, "100"}, {"0", "100", 101, "0"},
		{"1", "100", 0, "1"}, {"1", "100", 205, "6"}, {"-5", "", 9, "9"}, {"0.5", "3.5", 4, "2"},
		{"5", "5", 1 << 30, "5"}, {"", "4294967295", 1<<31 - 1, "2147483647"}} {
		model := []archive.Variable{{Name: "seed", Min: c.low, Max: c.high}}
		require.Equal(t, c.want, seedFor(model, "seed", c.seed), c)
	}
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
