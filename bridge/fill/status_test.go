package fill_test

import (
	"math"
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

// The tires of a vehicle that turns left at 8 m/s and 0.5 rad/s point to the left, by an angle that
// depends on the wheelbase.
func TestMessage_SteeringReport(t *testing.T) {
	const kind = "autoware_vehicle_msgs/SteeringReport"
	angle := func(v *osi3.SensorView) any {
		return made(t, kind, "/vehicle/status/steering_status",
			fill.Scene{View: v})["steering_tire_angle"]
	}
	v := view()
	_, err := fill.Message(kind, "/x", now, fill.Scene{View: v})
	require.ErrorIs(t, err, fill.ErrData, "neither wheels nor a wheelbase")
	v.HostVehicleData = &osi3.HostVehicleData{
		VehicleSteering: &osi3.HostVehicleData_VehicleSteering{
			VehicleSteeringWheel: &osi3.VehicleSteeringWheel{Angle: proto.Float64(-1.6)}}}
	require.InDelta(t, -0.1, angle(v), 1e-7)
	host := v.GlobalGroundTruth.MovingObject[0]
	rear := host.VehicleAttributes.BbcenterToRear.GetX()
	host.VehicleAttributes.BbcenterToFront = &osi3.Vector3D{X: proto.Float64(rear + 2.7)}
	require.InDelta(t, math.Atan(2.7*0.5/8), angle(v), 1e-6)
	for axle, yaw := range []float64{0.1, 0.3} { // of the rear axle, too
		for k, side := range []float64{-0.01, 0.01} {
			host.VehicleAttributes.WheelData = append(host.VehicleAttributes.WheelData,
				&osi3.MovingObject_VehicleAttributes_WheelData{Axle: proto.Uint32(uint32(axle)),
					Index:       proto.Uint32(uint32(k)),
					Orientation: &osi3.Orientation3D{Yaw: proto.Float64(yaw + side)}})
		}
	}
	require.InDelta(t, 0.1, angle(v), 1e-7)
}

func TestMessage_ControlModeReport(t *testing.T) {
	mode := func(s fill.Scene) any {
		return made(t, "autoware_vehicle_msgs/ControlModeReport", "/vehicle/status/control_mode",
			s)["mode"]
	}
	v, on, off := view(), true, false
	const autonomous, steerOnly, velocityOnly, manual = uint64(1), uint64(2), uint64(3), uint64(4)
	require.Equal(t, manual, mode(fill.Scene{View: v}))
	require.Equal(t, autonomous, mode(fill.Scene{View: v, Engaged: &on}))
	active := func(names ...osi3.HostVehicleData_VehicleAutomatedDrivingFunction_Name) {
		v.HostVehicleData = &osi3.HostVehicleData{}
		for _, name := range names {
			v.HostVehicleData.VehicleAutomatedDrivingFunction = append(
				v.HostVehicleData.VehicleAutomatedDrivingFunction,
				&osi3.HostVehicleData_VehicleAutomatedDrivingFunction{Name: name.Enum(),
					State: osi3.HostVehicleData_VehicleAutomatedDrivingFunction_STATE_ACTIVE.Enum()})
		}
	}
	const (
		lane   = osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_LANE_KEEPING_ASSIST
		cruise = osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_ADAPTIVE_CRUISE_CONTROL
		camera = osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_BACKUP_CAMERA
	)
	for _, c := range []struct {
		names []osi3.HostVehicleData_VehicleAutomatedDrivingFunction_Name
		want  uint64
	}{{nil, manual},
		{[]osi3.HostVehicleData_VehicleAutomatedDrivingFunction_Name{camera}, manual},
		{[]osi3.HostVehicleData_VehicleAutomatedDrivingFunction_Name{lane}, steerOnly},
		{[]osi3.HostVehicleData_VehicleAutomatedDrivingFunction_Name{cruise}, velocityOnly},
		{[]osi3.HostVehicleData_VehicleAutomatedDrivingFunction_Name{lane, cruise}, autonomous}} {
		active(c.names...)
		require.Equal(t, c.want, mode(fill.Scene{View: v}), c.names)
		require.Equal(t, manual, mode(fill.Scene{View: v, Engaged: &off}), "the stack knows better")
	}
	_, err := fill.Message("autoware_vehicle_msgs/ControlModeReport", "/x", now,
		fill.Scene{View: &osi3.SensorView{}})
	require.ErrorIs(t, err, fill.ErrData)
}
