package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
)

// view returns the message of a step of 20 ms.
func view(t *testing.T, r *modeltest.Rig) *osi3.SensorView {
	t.Helper()
	r.Step(0.02)
	v := &osi3.SensorView{}
	require.True(t, r.Decode("OSMPSensorViewOut", v))
	return v
}

func TestTrafficDrivesAndSnapshotsGoBack(t *testing.T) {
	r := modeltest.New(t, definition)
	r.Set("actors", 5)
	r.Set("range", 0)
	r.Start()
	v := view(t, r)
	require.Equal(t, int32(6), r.Get("count"))
	require.Len(t, v.GlobalGroundTruth.MovingObject, 6)
	require.NotEmpty(t, v.GlobalGroundTruth.Lane)
	for range 100 {
		view(t, r)
	}
	state, then := r.Save(), r.Now()
	first := r.Get("host.x")
	next := view(t, r)
	require.NotEqual(t, first, r.Get("host.x"))
	r.Restore(state, then)
	require.Equal(t, next.String(), view(t, r).String())
}

func TestInputsMoveTheHost(t *testing.T) {
	r := modeltest.New(t, definition)
	r.Set("actors", 0)
	r.Start()
	for range 100 {
		view(t, r)
	}
	require.Greater(t, r.Get("host.speed"), 5.0)
	r.Set("host.brakeRequest", 1)
	for range 200 {
		view(t, r)
	}
	require.Equal(t, 0.0, r.Get("host.speed"))
	r.Set("host.brakeRequest", 0)
	r.Set("host.control", true)
	r.Set("host.throttle", 1)
	for range 50 {
		view(t, r)
	}
	require.InDelta(t, 3.8, r.Get("host.speed"), 0.3)
}

func TestMapIsAParameter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "other.xodr")
	require.NoError(t, os.WriteFile(name, []byte(ring), 0o600))
	r := modeltest.New(t, definition)
	r.Set("map", name)
	r.Start()
	require.Contains(t, view(t, r).GlobalGroundTruth.GetMapReference(), "other.xodr")
}
