//go:build linux && cgo

package run_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run"
)

// columns returns the last row of a table, by column names.
func columns(t *testing.T, file string) map[string]float64 {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
	require.NoError(t, err)
	last := map[string]float64{}
	for k, name := range rows[0] {
		last[name], _ = strconv.ParseFloat(rows[len(rows)-1][k], 64)
	}
	return last
}

// The live measurements of the host vehicle reach a sensor with an input for them: on a map, in a
// scenario and in an experiment.
func TestLive_SensorsOfTheHostVehicle(t *testing.T) {
	sensor := pack(t, "cmd/osmpdummysensor")
	folder := t.TempDir()
	file := filepath.Join(folder, "out.csv")
	begin := func(files ...string) run.Options {
		o := run.Defaults(files...)
		stop := 2.0
		o.StopTime, o.OutputFile = &stop, file
		return o
	}
	check := func(o run.Options, samples, fixes float64) run.Options {
		_, err := run.Run(t.Context(), o)
		require.NoError(t, err)
		x := columns(t, file)
		require.Equal(t, 2.0, x["time"])
		require.Equal(t, samples, x["OSMPDummySensor.accelerometer.count"])
		require.InDelta(t, -9.8, x["OSMPDummySensor.accelerometer.z"], 0.5)
		require.Equal(t, fixes, x["OSMPDummySensor.gps.count"])
		return o
	}
	o := check(begin("../examples/maps/motorway.xodr", "OSMPDummySensor="+sensor), 101, 11)
	x := begin("../examples/ccrs/ccrs.xosc")
	x.StopTime = nil
	duration := 2.0
	x.Duration = &duration
	x.On = []run.Assignment{{Variable: "Ego", Value: "OSMPDummySensor=" + sensor}}
	check(x, 201, 0)
	_, first, last, err := viewed(t, x)
	require.NoError(t, err)
	require.Equal(t, 2.0, last["time"])
	require.Len(t, first["curves"].(map[string]any)["list"], 2, "the speeds of the entities")

	o.StepSizes = map[string]float64{"OSMPDummySensor": 0.1}
	result, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	require.Positive(t, result.Summary.Warnings, "it would miss rows")
	require.Zero(t, columns(t, file)["OSMPDummySensor.accelerometer.count"])
}

// An experiment connects the output of its vehicle.
func TestLive_InAnExperiment(t *testing.T) {
	sensor := pack(t, "cmd/osmpdummysensor")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/braking")))
	content, err := os.ReadFile(filepath.Join(dir, "braking.bibi"))
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(content)) {
		if !strings.Contains(line, "aeb") {
			lines = append(lines, line)
		}
	}
	require.NoError(t, os.Rename(sensor, filepath.Join(dir, "OSMPDummySensor.fmu")))
	text := strings.Replace(strings.Join(lines, ""), "  <timestep>",
		`  <g:connection from="ego.simsensor" to="sensor.replay.rowsIn"/><timestep>`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "braking.bibi"), []byte(text), 0o600))
	o := run.Defaults(filepath.Join(dir, "braking.exc"))
	o.OutputFile = filepath.Join(dir, "out.csv")
	_, err = run.Run(t.Context(), o)
	require.NoError(t, err)
	found := columns(t, o.OutputFile)
	require.Positive(t, found["sensor.accelerometer.count"])
	require.InDelta(t, 50*found["time"], found["sensor.accelerometer.count"]-1, 1)
	require.InDelta(t, -9.8, found["sensor.accelerometer.z"], 0.5)
}
