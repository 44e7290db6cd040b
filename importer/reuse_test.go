//go:build linux && cgo

package importer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
)

const manyRuns = 8

// lives runs an FMU several times with a reserve, waits after each run until the reserve has
// nothing left to do, compares the runs with one in a new process, and returns the largest number
// of instances that a process has served.
func lives(t *testing.T, f *importer.FMU, r *importer.Reserve) int {
	t.Helper()
	alone, most := watched(t, f, nil), 0
	for n := range manyRuns {
		require.Equal(t, alone, watched(t, f, r), "run %d", n)
		require.Eventually(t, r.Idle, time.Minute, time.Millisecond)
		most = max(most, r.Lives())
	}
	return most
}

// TestReserve_UsesProcessesAgain checks that a process serves several runs of an FMU that leaves
// nothing behind, and that the runs equal a run in a new process.
func TestReserve_UsesProcessesAgain(t *testing.T) {
	for version := 2; version <= 3; version++ {
		f, r := open(t, testfmu.Recipe{Version: version}), reserve(t)
		require.Greater(t, lives(t, f, r), 2, "FMI %d: %v", version, r.Notes())
		require.Empty(t, r.Notes())
	}
}

// TestReserve_UsesProcessesOfManyFMUs checks that processes are also used again if many FMUs take
// turns.
func TestReserve_UsesProcessesOfManyFMUs(t *testing.T) {
	r := reserve(t)
	var fmus []*importer.FMU
	for k := range 10 {
		fmus = append(fmus, open(t, testfmu.Recipe{
			Orders: []string{fmt.Sprintf("Reset status 0 %d", k+1)}})) // different files
	}
	most := 0
	for range 4 {
		for _, f := range fmus {
			watched(t, f, r)
			require.Eventually(t, r.Idle, time.Minute, time.Millisecond)
			most = max(most, r.Lives())
		}
	}
	require.Positive(t, most)
}

// TestReserve_StartsRandomNumbersAgain checks that the C library's random numbers start again for
// each life of a process, as in a new one.
func TestReserve_StartsRandomNumbersAgain(t *testing.T) {
	f := open(t, testfmu.Recipe{Orders: []string{"EnterInitializationMode draw"}})
	r := reserve(t)
	require.Greater(t, lives(t, f, r), 2, "%v", r.Notes())
}

// TestReserve_UsesNoProcessAgainThatDiffers checks that an FMU whose process differs from a new one
// after a life has a new process for each run, and is named.
func TestReserve_UsesNoProcessAgainThatDiffers(t *testing.T) {
	for _, order := range []string{"DoStep remember", "Instantiate remember",
		"FreeInstance remember", "DoStep thread 0 2", "DoStep open", "DoStep child 0 2",
		"DoStep handle", "DoStep locale"} {
		for version := 2; version <= 3; version++ {
			f, r := open(t, testfmu.Recipe{Version: version, Orders: []string{order}}), reserve(t)
			require.Zero(t, lives(t, f, r), order)
			notes := r.Notes()
			require.Len(t, notes, 1, order)
			require.Contains(t, notes[0].String(), f.Path+": each run has a new process: ")
			require.Empty(t, r.Notes())
		}
	}
}

// TestReserve_UsesNoProcessAgainAfterAFailure checks that an FMU that fails, prints or changes its
// folder keeps new processes.
func TestReserve_UsesNoProcessAgainAfterAFailure(t *testing.T) {
	for _, order := range []string{"DoStep status 3 4", "DoStep crash 0 4", "DoStep discard 0 3",
		"unload crash", "unload print 3", "FreeInstance crash", "DoStep floats"} {
		f, r := open(t, testfmu.Recipe{Orders: []string{order}}), reserve(t)
		require.Zero(t, lives(t, f, r), order)
	}
}

// TestReserve_UsesProcessesAgainForTheSameVariables checks that start values for other variables
// need another trial.
func TestReserve_UsesProcessesAgainForTheSameVariables(t *testing.T) {
	f, r := open(t, testfmu.Recipe{}), reserve(t)
	require.Greater(t, lives(t, f, r), 2)
	x := newRun(f, "out")
	x.quiet, x.pool.Reserve = true, r
	alone := newRun(f, "out")
	alone.quiet = true
	require.NoError(t, alone.do(t))
	before := r.Lives()
	require.NoError(t, x.do(t))
	require.Equal(t, alone.csv.String(), x.csv.String())
	require.Eventually(t, r.Idle, time.Minute, time.Millisecond)
	require.Equal(t, before, r.Lives())
}

// TestReserve_UsesThePackedSensorAgain checks this for an FMU with a language runtime.
func TestReserve_UsesThePackedSensorAgain(t *testing.T) {
	f, r := packed(t, "OSMPDummySensor.fmu"), reserve(t)
	run := func(r *importer.Reserve) string {
		x := newRun(f, "count", "valid", "gps.latitude")
		x.quiet, x.pool.Reserve = true, r
		require.NoError(t, x.do(t))
		return x.csv.String()
	}
	alone, most := run(nil), 0
	for range manyRuns {
		require.Equal(t, alone, run(r))
		require.Eventually(t, r.Idle, time.Minute, time.Millisecond)
		most = max(most, r.Lives())
	}
	require.Greater(t, most, 4)
	require.Empty(t, r.Notes())
}
