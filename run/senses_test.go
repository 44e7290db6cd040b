//go:build linux && cgo

package run_test

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/run"
	"gosmp/trace"
)

// lastData returns the last SensorData on a channel.
func lastData(t *testing.T, file, topic string) *osi3.SensorData {
	t.Helper()
	r, err := trace.Open(file, trace.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	m := &osi3.SensorData{}
	for {
		message, err := r.Next()
		if errors.Is(err, io.EOF) {
			return m
		}
		require.NoError(t, err)
		if message.Channel.Topic == topic {
			proto.Reset(m)
			require.NoError(t, proto.Unmarshal(message.Data, m))
		}
	}
}

// TestS2_SensorsOnAnyActor checks S2: a sensor may be on any actor, on a map, in a scenario and in
// a row of a sweep. Its host vehicle is this actor.
func TestS2_SensorsOnAnyActor(t *testing.T) {
	sensor := pack(t, "cmd/osmpdummysensor")
	check := func(o run.Options, world string, actors ...string) {
		t.Helper()
		folder := t.TempDir()
		o.Record, o.OutputFile = filepath.Join(folder, "x.mcap"), filepath.Join(folder, "x.csv")
		hosts := map[uint64]bool{}
		for _, name := range actors {
			o.On = append(o.On, run.Assignment{Variable: name, Value: "on" + name + "=" + sensor})
		}
		_, err := run.Run(t.Context(), o)
		require.NoError(t, err)
		table := columns(t, o.OutputFile)
		for _, name := range actors {
			m := lastData(t, o.Record, "on"+name+".OSMPSensorDataOut")
			at, view := m.HostVehicleLocation.Position, m.SensorView[0]
			near := 2.0 // a scenario's table has the rear axle
			require.InDelta(t, table[world+name+".x"], at.GetX(), near)
			require.InDelta(t, table[world+name+".y"], at.GetY(), near)
			hosts[view.HostVehicleId.GetValue()] = true
			require.Equal(t, view.HostVehicleId.GetValue(),
				view.GlobalGroundTruth.HostVehicleId.GetValue())
		}
		require.Len(t, hosts, len(actors), "each sensor has its own host vehicle")
	}
	stop := 1.0
	road := run.Defaults("../examples/maps/motorway.xodr")
	road.StopTime = &stop
	check(road, "motorway.actor.", "ego", "traffic0003", "traffic0007")

	scene := run.Defaults(ccrs)
	scene.Duration = &stop
	check(scene, "ccrs.", "Ego", "Target")

	for _, name := range []string{"Ego", "Target"} {
		scene.On = append(scene.On, run.Assignment{Variable: name, Value: "on" + name + "=" + sensor})
	}
	result, err := run.Run(t.Context(), scene)
	require.NoError(t, err)
	row := run.Case(t.Context(), run.CaseOptions{File: ccrs, Set: settings("--duration", "1",
		"--on", "Ego=onEgo="+sensor, "--on", "Target=onTarget="+sensor)})
	require.Equal(t, result.Scenario.TraceHash, row.TraceHash, row.Cause)
}
