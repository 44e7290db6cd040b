package run

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/importer/worker"
)

// TestBlamed: a failure caused by the machine is not a result of the run.
func TestBlamed(t *testing.T) {
	killed := &worker.DeathError{Cause: worker.ErrEnded, Signal: "SIGKILL"}
	crashed := &worker.DeathError{Cause: worker.ErrEnded, Signal: "SIGSEGV"}
	denied := &fs.PathError{Op: "mkdir", Path: "/tmp/x", Err: syscall.EACCES}
	for _, c := range []struct {
		err         error
		preparing   bool
		lost, unfit bool
	}{
		{fmt.Errorf("results.csv: %w", syscall.ENOSPC), false, true, true},
		{fmt.Errorf("quota: %w", syscall.EDQUOT), false, true, true},
		{fmt.Errorf("limit: %w", syscall.EFBIG), true, true, true},
		{fmt.Errorf("sensor: %w", importer.ErrLibrary), true, true, true},
		{denied, true, true, true},
		{denied, false, false, false}, // the run itself received the error
		{fmt.Errorf("sensor: %w", killed), false, true, false},
		{crashed, false, false, false}, // the FMU will do so again
		{&worker.DeathError{Cause: worker.ErrTimeout}, false, false, false},
		{&fs.PathError{Op: "open", Path: "a.fmu", Err: syscall.ENOENT}, true, false, false},
		{nil, true, false, false},
	} {
		lost, unfit := blamed(c.err, c.preparing)
		require.Equal(t, []bool{c.lost, c.unfit}, []bool{lost, unfit}, "%v", c.err)
	}
}

// TestOptions_Set: settings of a plan become options without a command line in between.
func TestOptions_Set(t *testing.T) {
	var o Options
	for _, x := range [][2]string{{"--stop-time", "0.5"}, {"--step-size", "0.1"}, {"--step-size",
		"a=b=0.2"}, {"--rollback", "true"},
		{"--algorithm", "parallel"}, {"--output-variable", "a"}, {"--output-variable", "b"},
		{"--variant", "Other"}} {
		require.NoError(t, o.set(x[0], x[1]))
	}
	stop, step := 0.5, 0.1
	require.Equal(
		t,
		Options{
			StopTime:        &stop,
			StepSize:        &step,
			StepSizes:       map[string]float64{"a=b": 0.2},
			Rollback:        true,
			Parallel:        true,
			OutputVariables: []string{"a", "b"},
			Variant:         "Other",
		},
		o,
	)
	for _, c := range [][3]string{
		{"--stop-time", "soon", `--stop-time: found "soon", expected seconds such as`},
		{"--tolerance", "small", `--tolerance: found "small", expected a number such as 0.5`},
		{"--tolerance", "inf", `--tolerance: found "inf", expected a number such as 0.5`},
		{"--rollback", "maybe", `--rollback: found "maybe", expected true or false`},
		{"--algorithm", "x", `--algorithm: found "x", expected sequential or parallel`},
		{"--step-size", "x", `--step-size: found "x", expected seconds such as 0.02 or 1/60, from 1e-9 to 1e9`},
		{"--json", "true",
			"--json: found an option that runs of a sweep do not have, expected one of " +
				"--connect, --algorithm, "},
	} {
		require.ErrorContains(t, o.set(c[0], c[1]), c[2])
	}
}
