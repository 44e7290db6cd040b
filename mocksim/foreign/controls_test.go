package foreign_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
)

type lamps = osi3.MovingObject_VehicleClassification_LightState

const (
	left    = osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_LEFT
	on      = osi3.MovingObject_VehicleClassification_LightState_GENERIC_LIGHT_STATE_ON
	braking = osi3.MovingObject_VehicleClassification_LightState_BRAKE_LIGHT_STATE_NORMAL
)

// TestA2_ControlsOfItsActors checks that a simulator receives the pedals, steering wheel, gear and
// lamps of the actors that gosmp moves, and that messages contain the controls of the simulator's
// own actors. This simulator has an actor that copies the ego vehicle.
func TestA2_ControlsOfItsActors(t *testing.T) {
	w := world(t, straight, child(t, "echo"))
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
		Start: mocksim.OnRoad("1", -1, 20).WithSpeed(10)}))
	require.NoError(t, w.Begin())
	m, err := truth.New(w, truth.Options{Host: "own", Static: truth.Never})
	require.NoError(t, err)
	for _, c := range []struct {
		controls mocksim.Controls
		want     *lamps
	}{
		{mocksim.Controls{Throttle: 0.5, Gear: 1}, &lamps{}},
		{mocksim.Controls{Brake: 0.25, Gear: 2, SteeringWheel: 0.1,
			Indicator: mocksim.IndicatorLeft, Lights: mocksim.LowBeam},
			&lamps{IndicatorState: left.Enum(), HeadLight: on.Enum(),
				BrakeLightState: braking.Enum()}},
	} {
		_, err := w.SetControls("ego", mocksim.Drive{Controls: []mocksim.Controls{c.controls}})
		require.NoError(t, err)
		for range 50 {
			_, err := w.Step(step)
			require.NoError(t, err)
		}
		b, err := m.SensorView()
		require.NoError(t, err)
		view := &osi3.SensorView{}
		require.NoError(t, proto.Unmarshal(b, view))
		require.Len(t, view.GlobalGroundTruth.MovingObject, 2)
		ego, own := view.GlobalGroundTruth.MovingObject[0], view.GlobalGroundTruth.MovingObject[1]
		if own.Id.GetValue() != view.HostVehicleId.GetValue() {
			ego, own = own, ego
		}
		light := own.VehicleClassification.LightState
		require.True(t, proto.Equal(ego.VehicleClassification.LightState, light), "%v", light)
		merged := proto.CloneOf(light)
		proto.Merge(merged, c.want)
		require.True(t, proto.Equal(merged, light), "%v", light)
		h := view.HostVehicleData
		require.InDelta(t, c.controls.Throttle,
			h.VehiclePowertrain.GetPedalPositionAcceleration(), 1e-9)
		require.InDelta(t, c.controls.Brake, h.VehicleBrakeSystem.GetPedalPositionBrake(), 1e-9)
		require.InDelta(t, c.controls.SteeringWheel,
			h.VehicleSteering.VehicleSteeringWheel.GetAngle(), 1e-9)
	}
}
