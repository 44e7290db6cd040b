package dummysensor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/model/modeltest"
	"gosmp/sensor/dummysensor"
)

// accelerometer returns a scenario of n rows spaced by the given number of units, with an end row.
func accelerometer(n, distance int) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, "1,%d,0,0,-9807\n", distance*k)
	}
	return b.String() + "0\n"
}

// untouched returns an instance in initialization mode for which the host sets only the scenario.
func untouched(t *testing.T, scenario string, loggingOn bool) *rig {
	t.Helper()
	r := rigOf(t, dummysensor.Definition(), mock.NewMemory(), modeltest.Host{Resources: "/nowhere",
		LoggingOff: !loggingOn})
	require.Equal(t, fmi.OK, r.SetupExperiment(fmu.ExperimentSetup{}))
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	r.set(set{"replay.scenarioFile": scenario})
	return r
}

// All rows of a file in microseconds are played with its name as the only parameter.
func TestTimeUnit_IsFoundInTheFile(t *testing.T) {
	for _, c := range []struct {
		distance int
		step     int64
	}{{2500, 2_500_000}, {10, 10_000_000}, {1_000_000, 1_000_000}} {
		r := untouched(t, file(t, accelerometer(400, c.distance)), true)
		require.Equal(t, fmi.OK, r.ExitInitializationMode())
		if lines := r.lines(); c.distance == 10 {
			require.Empty(t, lines, "milliseconds, as documented")
		} else {
			require.Len(t, lines, 1)
			require.Contains(t, lines[0],
				"fmi2OK simsensor: replay.timeUnit: the rows of the scenario file suggest "+
					"time stamps in ")
		}
		r.steps(399, c.step)
		require.Equal(t, 400, r.integer("replay.rows"))
		require.False(t, r.step(c.step) > fmi.OK)
		require.True(t, r.boolean("replay.finished"))
	}
}

// An implausible or doubtful unit is reported to the host as the status of the initialization, in
// one line, even with logging off; the scenario is played.
func TestTimeUnit_DoubtIsAWarningWithLoggingOff(t *testing.T) {
	for _, loggingOn := range []bool{true, false} {
		for _, c := range []struct {
			scenario, unit string
			texts          []string
		}{
			{accelerometer(100, 200), "auto", []string{"doubtful unit of time",
				"accelerometer rows 200 apart", "read in ms"}},
			{accelerometer(100, 1000), "auto", []string{"doubtful unit of time", "read in us"}},
			{"32,0,280\n32,10,281\n0\n", "auto", []string{"doubtful unit of time",
				"no sensor with three rows"}},
			{accelerometer(100, 2500), "ms", []string{"implausible unit of time", "2.5 s",
				"if the file is in us (2.5 ms)"}},
		} {
			r := untouched(t, file(t, c.scenario), loggingOn)
			r.set(set{"replay.timeUnit": c.unit})
			require.Equal(t, fmi.Warning, r.ExitInitializationMode())
			lines := r.lines()
			require.Len(t, lines, 1)
			require.Contains(t, lines[0],
				"fmi2Warning logStatusWarning: fmi2ExitInitializationMode: replay.timeUnit: ")
			for _, text := range c.texts {
				require.Contains(t, lines[0], text)
			}
			require.Equal(t, 1, r.integer("replay.rows"))
			r.steps(2, cycle)
			require.Empty(t, r.lines(), "it is logged once")
		}
	}
}

// If a host reads in initialization mode and then sets the unit, the doubt is reported once, and
// nothing more after the unit is set.
func TestTimeUnit_StatedAfterTheDoubt(t *testing.T) {
	r := untouched(t, file(t, "32,0,280\n32,10,281\n0\n"), false)
	_, status := r.host.TryGet("replay.rows")
	require.Equal(t, fmi.Warning, status)
	require.Len(t, r.lines(), 1)
	r.set(set{"replay.timeUnit": "s"})
	require.Equal(t, 1, r.integer("replay.rows"))
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	require.Empty(t, r.lines())
	r.steps(1, 10e9)
	require.Equal(t, 2, r.integer("replay.rows"))
}

// A saved state continues in the unit that was found, even in an instance for which it was stated.
func TestTimeUnit_IsPartOfStates(t *testing.T) {
	name := file(t, accelerometer(400, 2500))
	first, second := untouched(t, name, true), untouched(t, name, true)
	second.set(set{"replay.timeUnit": "us"})
	require.Equal(t, fmi.OK, first.ExitInitializationMode())
	require.Equal(t, fmi.OK, second.ExitInitializationMode())
	first.steps(7, cycle)
	saved := first.save()
	first.steps(3, cycle)
	require.Equal(t, fmi.OK, second.SetFMUstate(saved))
	second.now = 7 * cycle
	second.steps(3, cycle)
	require.Equal(t, first.outputs(), second.outputs())
	require.Equal(t, 81, second.integer("replay.rows"))
}

func TestTimeUnit_RealRecordingPlaysAllItsRows(t *testing.T) {
	name, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "data", "simsensor",
		"derived_hover_sorted_us.csv"))
	require.NoError(t, err)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("the real recording is not here: %v", err)
	}
	r := untouched(t, name, false)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(2057, cycle) // 41.14 s
	require.Equal(t, 45_776, r.integer("replay.rows"))
	require.Empty(t, r.lines())
}
