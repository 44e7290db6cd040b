package fill_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge/fill"
	"gosmp/proto/osi3"
)

func TestMessage_VehicleStatus(t *testing.T) {
	const pkg = "autoware_vehicle_msgs/"
	v := view()
	report := made(t, pkg+"VelocityReport", "/vehicle/status/velocity_status", fill.Scene{View: v})
	require.InDelta(t, 8, report["longitudinal_velocity"], 1e-6)
	require.InDelta(t, 0, report["lateral_velocity"], 1e-6)
	require.InDelta(t, 0.5, report["heading_rate"], 1e-6)

	for _, name := range []string{"GearReport", "TurnIndicatorsReport", "HazardLightsReport"} {
		_, err := fill.Message(pkg+name, "/x", now, fill.Scene{View: v})
		require.ErrorIs(t, err, fill.ErrData, name)
	}
	train := &osi3.HostVehicleData_VehiclePowertrain{}
	v.HostVehicleData = &osi3.HostVehicleData{VehiclePowertrain: train}
	for gear, want := range map[int32]uint64{-1: 20, 0: 1, 1: 2, 5: 2} {
		train.GearTransmission = proto.Int32(gear)
		require.Equal(t, want, made(t, pkg+"GearReport", "/x", fill.Scene{View: v})["report"])
	}
	lights := &osi3.MovingObject_VehicleClassification_LightState{}
	v.GlobalGroundTruth.MovingObject[0].VehicleClassification =
		&osi3.MovingObject_VehicleClassification{LightState: lights}
	for state, want := range map[osi3.MovingObject_VehicleClassification_LightState_IndicatorState][2]uint64{
		osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_OFF:     {1, 1},
		osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_LEFT:    {2, 1},
		osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_RIGHT:   {3, 1},
		osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_WARNING: {1, 2},
	} {
		lights.IndicatorState = state.Enum()
		turn := made(t, pkg+"TurnIndicatorsReport", "/x", fill.Scene{View: v})
		hazard := made(t, pkg+"HazardLightsReport", "/x", fill.Scene{View: v})
		require.Equal(t, want, [2]uint64{turn["report"].(uint64), hazard["report"].(uint64)}, state)
	}
}
