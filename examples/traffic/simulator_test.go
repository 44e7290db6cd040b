package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/timebase"
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

// At the rate of a camera the traffic moves as in a world whose steps are exactly 1/60 s, not whole
// nanoseconds; a step of some seconds is divided.
func TestStepsAreThoseOfTheHost(t *testing.T) {
	r := modeltest.New(t, definition)
	r.Set("actors", 12)
	r.Set("laneChanges", false)
	r.Start()
	s := &simulator{}
	m, err := s.readMap("")
	require.NoError(t, err)
	grid := timebase.Every(1. / 60)
	w, err := mocksim.New(m, mocksim.Options{Seed: 1, Step: grid.Step(), Grid: grid})
	require.NoError(t, err)
	require.NoError(t, w.Populate(mocksim.Traffic{Count: 12, Host: host,
		Driver: mocksim.Driver{Speed: r.Get("speed").(float64)}}))
	for k := int64(1); k <= 600; k++ {
		r.Step(1. / 60)
		_, err := w.Step(grid.Point(0, k) - w.Time())
		require.NoError(t, err)
		v, err := w.Actor(host)
		require.NoError(t, err)
		require.Equal(t, v.State().Position.X, r.Get("host.x"), "step %d", k)
		require.Equal(t, v.State().Speed, r.Get("host.speed"))
	}
	r.Step(2.5)
	require.EqualValues(t, 12, view(t, r).Timestamp.GetSeconds())
}
