package campaign

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

func TestAnywhere(t *testing.T) {
	dir := t.TempDir()
	row := sweep.Row{Outcome: sweep.Faulty, Cause: "sensor: " + filepath.Join(dir, "sub", "a.fmu") +
		": unusable start value"}
	require.Equal(t, "sensor: "+filepath.Join("sub", "a.fmu")+": unusable start value",
		anywhere(row, dir).Cause)
	root := filepath.VolumeName(dir) + string(filepath.Separator)
	require.Equal(t, row, anywhere(row, root))
}

// The rows do not depend on whether runs are computed in this process or in processes of their own.
func TestRun_InProcessAndInProcesses(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	var tables []string
	for _, program := range []string{"", program} {
		folder, jobs := t.TempDir(), 2
		states := 0
		o := Options{File: "testdata/driving.sweep.yaml", Out: filepath.Join(folder, "out"),
			Store: filepath.Join(folder, "store"), Program: program, Jobs: &jobs,
			Progress: func(Progress) { states++ }}
		results, err := Run(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, 6, results.Finished)
		require.Equal(t, 8, states, "the beginning, six runs, the end")
		table, err := os.ReadFile(filepath.Join(o.Out, sweep.TableFile))
		require.NoError(t, err)
		tables = append(tables, string(table))

		results, err = Run(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, 6, results.Reused)
	}
	require.Equal(t, tables[0], tables[1])
}

// Files of single runs are written by the program, so a sweep without one cannot keep them.
func TestOpen_KeepingNeedsAProgram(t *testing.T) {
	_, err := Open(Options{File: "testdata/driving.sweep.yaml", Keep: 1})
	require.ErrorContains(t, err, "--keep: found no program")
}
