package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// course lets the model drive in a world for several steps, starting at (50, -1.75) with the given
// speed, and returns how far the rear axle has moved, the yaw and the newest SensorView.
func course(t *testing.T, speed float64, steps int, h timebase.Time, inputs map[string]any) (x, y,
	yaw float64, view *osi3.SensorView) {
	m, err := opendrive.ReadFile("../loop/road.xodr")
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{Step: h})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
		Start: mocksim.AtPosition(50, 200).WithSpeed(speed)}))
	maker, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	s, err := seat.New(w, maker, seat.Options{Actor: "ego"})
	require.NoError(t, err)
	r := modeltest.New(t, definition)
	r.Set("drag", 0.0)
	r.Start()
	for name, value := range inputs {
		r.Set(name, value)
	}
	rear := func(v *osi3.SensorView) (float64, float64) {
		p := v.HostVehicleData.VehicleMotion.Position
		return p.GetX(), p.GetY()
	}
	var x0, y0 float64
	for k := range steps + 1 {
		b, err := s.SensorView()
		require.NoError(t, err)
		view = &osi3.SensorView{}
		require.NoError(t, proto.Unmarshal(b, view))
		if k == 0 {
			x0, y0 = rear(view)
		}
		if k == steps {
			break
		}
		r.Write("OSMPSensorViewIn", b)
		r.Step(h.Seconds())
		require.NoError(t, s.Update(w.Time()+h, r.Read("OSMPTrafficUpdateOut")))
		_, err = w.Step(h)
		require.NoError(t, err)
	}
	x, y = rear(view)
	return x - x0, y - y0, view.HostVehicleData.VehicleMotion.Orientation.GetYaw(), view
}

// A bicycle on a circle, and one that accelerates, with any step size: the results equal those of
// the world's own model.
func TestDynamics_Circles(t *testing.T) {
	for _, h := range []timebase.Time{10 * timebase.Millisecond, 100 * timebase.Millisecond} {
		steps := func(seconds int) int { return seconds * int(timebase.Second/h) }
		x, y, yaw, view := course(t, 10, steps(10), h, map[string]any{
			"steeringWheelAngle": 0.05 * 16})
		require.InDelta(t, 51.814791540, x, 1e-6)
		require.InDelta(t, 69.000543107, y, 1e-6)
		require.InDelta(t, 1.853396607, yaw, 1e-8)
		require.InDelta(t, math.Tan(0.05)/2.7, view.HostVehicleData.VehicleMotion.
			GetCurrentCurvature(), 1e-6)
		x, y, yaw, _ = course(t, 5, steps(5), h, map[string]any{"throttle": 0.25,
			"steeringWheelAngle": 0.1 * 16})
		require.InDelta(t, 26.488279444, x, 1e-6)
		require.InDelta(t, 22.164845653, y, 1e-6)
		require.InDelta(t, 1.393537112, yaw, 1e-8)
		x, _, _, _ = course(t, 8, steps(5), h, map[string]any{"brake": 3.0 / 9,
			"steeringWheelAngle": -0.02 * 16})
		require.InDelta(t, 10.655568593, x, 1e-6, "it stops, and stays")
	}
}

// The internal state is passed on to the HostVehicleData that others see.
func TestDynamics_InternalState(t *testing.T) {
	_, _, _, view := course(t, 5, 3, 20*timebase.Millisecond, map[string]any{"throttle": 0.5,
		"gear": 3, "steeringWheelAngle": 0.3})
	d := view.HostVehicleData
	require.Equal(t, 0.5, d.VehiclePowertrain.GetPedalPositionAcceleration())
	require.EqualValues(t, 3, d.VehiclePowertrain.GetGearTransmission())
	require.InDelta(t, 0.3, d.VehicleSteering.VehicleSteeringWheel.GetAngle(), 1e-12)
	require.Greater(t, d.VehicleMotion.Velocity.GetX(), 5.0)
}

func TestDynamics_ReversesAndWaits(t *testing.T) {
	x, _, _, _ := course(t, 0, 50, 20*timebase.Millisecond,
		map[string]any{"throttle": 1.0, "gear": -1})
	require.InDelta(t, -2, x, 1e-6)
	r := modeltest.New(t, definition)
	r.Start()
	r.Step(0.02)
	require.Empty(t, r.Read("OSMPTrafficUpdateOut"), "nowhere to begin")
}
