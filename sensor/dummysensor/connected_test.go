package dummysensor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/mock"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// bundled returns a sensor that plays the recording in its resources.
func bundled(t *testing.T, parameters set) *rig {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, dummysensor.ScenarioResource),
		[]byte("32,0,200\n32,20,201\n32,40,202\n0\n"), 0o600))
	r := rigWith(t, mock.NewMemory(), folder)
	r.setUp(parameters)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	return r
}

// The bundled recording is unrelated to the world of a SensorView.
func TestConnected_TheBundledRecordingEnds(t *testing.T) {
	r := bundled(t, nil)
	r.steps(1, cycle)
	require.Positive(t, r.integer("replay.rows"), "it plays while nothing is connected")
	require.True(t, r.boolean("valid"))

	view := sensorView(1, 3)
	view.HostVehicleData = &osi3.HostVehicleData{Location: &osi3.BaseMoving{
		Position: vector3d(12, 34, 0.5)}}
	r.provide(viewIn, marshal(t, view))
	r.steps(1, cycle)
	require.Zero(t, r.integer("replay.rows"))
	require.Zero(t, r.real("thermometer.temperature"))
	m := r.message()
	require.InDelta(t, 12, m.HostVehicleLocation.Position.GetX(), 0, "where the view has it")
	require.Contains(t, strings.Join(r.lines(), "\n"), "the bundled recording is no longer played")

	saved, now := r.save(), r.now
	r.provide(viewIn, nil)
	r.steps(2, cycle)
	require.False(t, r.boolean("valid"), "nothing to tell without a view")
	other := bundled(t, nil)
	require.Equal(t, fmi.OK, other.SetFMUstate(saved))
	other.now = now
	other.steps(1, cycle)
	require.Zero(t, other.integer("replay.rows"), "it stays so after a restored state")
}

// A recording that has ended is not read on: its later rows are neither parsed nor reported.
func TestConnected_TheBundledRecordingIsNotReadOn(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, dummysensor.ScenarioResource),
		[]byte("32,0,200\n32,20,201\n32,40,202\n32,60,warm\n32,80,204\n0\n"), 0o600))
	r := rigWith(t, mock.NewMemory(), folder)
	r.setUp(nil)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	saved := r.save()
	r.provide(viewIn, marshal(t, sensorView(1, 3)))
	r.steps(10, cycle)
	require.NotContains(t, strings.Join(r.lines(), "\n"), "warm")

	require.Equal(t, fmi.OK, r.SetFMUstate(saved))
	r.now = 0
	r.steps(2, cycle)
	require.InDelta(t, 202, r.real("thermometer.temperature"), 0, "it plays again")
	require.Positive(t, r.integer("replay.rows"))
}

func TestConnected_ANamedRecordingGoesOn(t *testing.T) {
	r := bundled(t, set{"replay.scenarioFile": dummysensor.ScenarioResource})
	r.provide(viewIn, marshal(t, sensorView(1, 3)))
	r.steps(1, cycle)
	require.Positive(t, r.integer("replay.rows"))
	require.InDelta(t, 201, r.real("thermometer.temperature"), 0)
}
