//go:build linux && cgo

package importer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
)

// updating describes an FMU with intermediate updates of three variables. It passes its input to an
// output, and its clock is the time that it has reached.
func updating(xml string) string {
	return strings.NewReplacer(
		"<CoSimulation ", `<CoSimulation providesIntermediateUpdate="true" `,
		`name="in" `, `name="in" intermediateUpdate="true" `,
		`name="out" `, `name="out" intermediateUpdate="true" `,
		`name="clock" `, `name="clock" intermediateUpdate="true" `).Replace(xml)
}

// updates returns a run of two steps of such an FMU, with a ramp at its input.
func updates(t *testing.T, orders ...string) *run {
	f := open(t, testfmu.Recipe{Version: 3, Orders: orders, Describe: updating})
	r := newRun(f, "out", "clock", "steps")
	r.options.Intermediate = true
	r.spec = cosim.Spec{Stop: 200e6, Step: cosim.Every(0.1)}
	return r
}

func (r *run) ramp(t *testing.T) {
	table, err := cosim.ReadTable(strings.NewReader("time,in\n0,1\n1,11\n"), "in.csv",
		[]cosim.Variable{{Name: "in", Kind: cosim.Float64, Size: 1, Continuous: true}})
	require.NoError(t, err)
	r.sources = []cosim.Source{table}
}

// The rows within a step contain the values of the finished updates. The number of steps, which the
// FMU does not provide at updates, keeps its value.
func TestIntermediate_RecordsTheValuesWithinSteps(t *testing.T) {
	r := updates(t, "DoStep update")
	r.ramp(t)
	require.NoError(t, r.do(t))
	require.Equal(t, `"time","out","clock","steps"
0.0,1.0,0.0,0
0.025,1.0,0.025,0
0.05,1.0,0.05,0
0.07500000000000001,1.0,0.07500000000000001,0
0.1,1.0,0.1,1
0.125,2.0,0.125,1
0.15000000000000002,2.0,0.15000000000000002,1
0.17500000000000002,2.0,0.17500000000000002,1
0.2,2.0,0.2,2
`, r.csv.String())
	require.Empty(t, r.warnings)
	require.EqualValues(t, 2, r.result.Steps)
}

// With derivatives, the input follows its ramp, so that each update has the value set in the
// previous update.
func TestIntermediate_InputsFollowTheirFileWithinSteps(t *testing.T) {
	r := updates(t, "DoStep update")
	r.ramp(t)
	r.options.Derivatives = true
	require.NoError(t, r.do(t))
	require.Equal(t, []string{"1.0", "1.0", "1.25", "1.5", "1.75", "2.0", "2.25", "2.5", "2.75"},
		column(r.csv.String(), 1))
	require.Empty(t, r.warnings)
}

func column(csv string, k int) (list []string) {
	for _, line := range strings.Split(strings.TrimSpace(csv), "\n")[1:] {
		list = append(list, strings.Split(line, ",")[k])
	}
	return list
}

// Intermediate values are recorded only on request: without the option, or with an FMU that does
// not support updates, there are rows only for the communication points.
func TestIntermediate_IsAskedFor(t *testing.T) {
	r := updates(t, "DoStep update")
	r.options.Intermediate = false
	require.NoError(t, r.do(t))
	require.Len(t, column(r.csv.String(), 0), 3)
	require.Empty(t, r.warnings)
	for name, c := range map[string]struct {
		change func(xml string) string
		watch  []string
		want   string
	}{
		"none": {func(xml string) string { return xml }, []string{"out"},
			"the FMU has none (providesIntermediateUpdate of FMI 3.0)"},
		"others": {updating, []string{"steps"},
			"the FMU offers none of the recorded variables there (intermediateUpdate)"},
	} {
		r := newRun(open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep update"},
			Describe: c.change}), c.watch...)
		r.options.Intermediate = true
		require.NoError(t, r.do(t), name)
		require.Len(t, r.warnings, 1, name)
		require.Contains(t, r.warnings[0], c.want)
		require.Len(t, column(r.csv.String(), 0), 11, name)
	}
}

// Updates that are out of order, at invalid times, or from a thread of the FMU add no row. A step
// that is discarded after its updates adds no rows either: the rows come from the two half-length
// steps.
func TestIntermediate_LeavesOutWhatTheStandardForbids(t *testing.T) {
	for order, rows := range map[string]int{"stray": 3, "backwards": 3} {
		r := updates(t, "DoStep "+order)
		require.NoError(t, r.do(t), order)
		require.Len(t, column(r.csv.String(), 0), rows, order)
	}
	r := updates(t, "DoStep regret", "DoStep discard", "DoStep large")
	r.spec.Rollback = true
	require.NoError(t, r.do(t))
	require.Equal(t, []string{"0.0", "0.0125", "0.025", "0.037500000000000006", "0.05", "0.0625",
		"0.07500000000000001", "0.08750000000000001", "0.1"}, column(r.csv.String(), 0)[:9])
}

// A getter that fails in an update makes the step fail.
func TestIntermediate_AGetterThatFailsEndsTheRun(t *testing.T) {
	r := updates(t, "DoStep update", "GetFloat64 error 0 4")
	err := r.do(t)
	require.ErrorIs(t, err, importer.ErrFailed)
	require.ErrorContains(t, err, "fmi3GetFloat64")
}

// A crash in an update counts as a crash in DoStep.
func TestIntermediate_ACrashInAnUpdateIsOneOfTheStep(t *testing.T) {
	r := updates(t, "DoStep update", "update crash 0 5")
	err := r.do(t)
	require.ErrorIs(t, err, importer.ErrFailed)
	require.ErrorContains(t, err, "fmi3DoStep")
}
