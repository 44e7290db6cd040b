//go:build linux && cgo

package worker_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/worker"
	"gosmp/internal/testfmu"
)

// Rule 28: only a process with the marker and the memory is a worker: a program started by an FMU
// is an ordinary process, even if it is the same executable.
func TestRule28_ProgramsThatAnFMUStartsAreNotWorkers(t *testing.T) {
	g := start(t, testfmu.Recipe{Orders: []string{"DoStep self 0 1"}},
		worker.Options{}).initialized()
	g.do(worker.Step, worker.Arguments{Step: 1})
	g.do(worker.Step, worker.Arguments{Step: 1})
	require.NoError(t, g.p.Close())
	require.Contains(t, g.printed, "PASS", "what a test program prints that has nothing to test")
	require.Contains(t, g.printed, "it ended with 0")
}

// Rule 32: a worker has no signal handlers, so an FMU's own handlers work, and the end of the
// worker is reported with the signal.
func TestRule32_SignalsBelongToTheFMU(t *testing.T) {
	for _, version := range []int{2, 3} {
		g := start(t, testfmu.Recipe{Version: version, Orders: []string{"load handlers",
			"Instantiate handlers", "DoStep handlers 0 1",
			"DoStep handle 0 1", "DoStep crash 0 2"}}, worker.Options{}).initialized()
		g.do(worker.Step, worker.Arguments{Step: 1})
		_, err := g.p.Do(worker.Step, &worker.Arguments{Step: 1}, limit)
		var death *worker.DeathError
		require.ErrorAs(t, err, &death)
		require.Equal(t, "SIGSEGV", death.Signal)
		require.Contains(t, death.Function, "DoStep")
		require.NoError(t, g.p.Close())
		// Standard output and standard error are two pipes, so the order between them is undefined.
		printed := slices.DeleteFunc(g.printed,
			func(line string) bool { return line == "about to write to address 8" })
		require.Equal(t, []string{"handlers:", "handlers:", "handlers:", "recovered"}, printed)
	}
}
