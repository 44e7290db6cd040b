package sweeps

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
)

// A name that cannot be written into a job file is the fault of the input, even if the file goes to
// standard output.
func TestPlan_RefusedNamesAreTheInputsFault(t *testing.T) {
	folder, plan := t.TempDir(), "../../../../examples/braking/range.sweep.yaml"
	for _, out := range []string{"", filepath.Join(folder, "job")} {
		c := planSweep{Plan: plan, Store: "a\nrm b", Slurm: true, Shards: 1, Cpus: 1,
			Memory: 1, Out: out}
		err := c.Run()
		require.ErrorContains(t, err, "without control characters")
		require.Equal(t, cli.ExitInput, cli.ExitCode(err))
		require.NoFileExists(t, filepath.Join(folder, "job"))
	}
}
