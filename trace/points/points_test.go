package points_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/trace/points"
)

const speedOfLight = 299_792_458.0

func vec(x, y, z float64) *osi3.Vector3D { return &osi3.Vector3D{X: &x, Y: &y, Z: &z} }

func near(t *testing.T, want, got frames.Vector) {
	t.Helper()
	require.InDelta(t, 0, want.Sub(got).Length(), 1e-9, "want %v, got %v", want, got)
}

// at returns the mounting position of a sensor 3 m ahead of the rear axle, turned by a right angle
// to the left.
func at() *osi3.MountingPosition {
	return &osi3.MountingPosition{Position: vec(3, 0, 1),
		Orientation: &osi3.Orientation3D{Yaw: proto.Float64(math.Pi / 2)}}
}

func spherical(d, azimuth float64) *osi3.Spherical3D {
	return &osi3.Spherical3D{Distance: &d, Azimuth: &azimuth}
}

// TestOfData_Mounting: the position in the detection header takes precedence over the position in
// the message.
func TestOfData_Mounting(t *testing.T) {
	d := &osi3.SensorData{MountingPosition: at(), FeatureData: &osi3.FeatureData{
		RadarSensor: []*osi3.RadarDetectionData{
			{Detection: []*osi3.RadarDetection{{Position: spherical(10, 0),
				RadialVelocity: proto.Float64(-4)}}},
			{}, // saw nothing
			{Header: &osi3.SensorDetectionHeader{MountingPosition: &osi3.MountingPosition{}},
				Detection: []*osi3.RadarDetection{{Position: spherical(10, math.Pi)},
					{Position: spherical(math.NaN(), 0)}, {Position: spherical(1e9, 0)}, {}}}},
		CameraSensor: []*osi3.CameraDetectionData{{Point: []*osi3.CameraPoint{
			{Point: spherical(2, 0), ExistenceProbability: proto.Float64(0.5)}}}}}}
	clouds := points.OfData(d)
	require.Len(t, clouds, 3)
	require.Equal(t, 3, points.Count(clouds))
	near(t, frames.Vector{X: 3, Y: 10, Z: 1}, clouds[0].Points[0].Position)
	require.InDelta(t, -4, clouds[0].Points[0].Values[0], 0)
	require.True(t, math.IsNaN(clouds[0].Points[0].Values[1]))
	require.Equal(t, 2, clouds[1].Index)
	near(t, frames.Vector{X: -10}, clouds[1].Points[0].Position)
	require.Equal(t, points.Camera, clouds[2].Kind)
	near(t, frames.Vector{X: 3, Y: 2, Z: 1}, clouds[2].Points[0].Position)
	for _, c := range clouds {
		require.Len(t, c.Points[0].Values, len(c.Fields))
	}
	require.Empty(t, points.OfData(nil))
}

// TestOfView_Reflections: round-trip times of flight along the sensor's directions.
func TestOfView_Reflections(t *testing.T) {
	back := proto.Float64(2 * 30 / speedOfLight)
	lidar := &osi3.LidarSensorView{ViewConfiguration: &osi3.LidarSensorViewConfiguration{
		MountingPosition: at(), Directions: []*osi3.Vector3D{vec(1, 0, 0), vec(0, 0, 1)}},
		Reflection: []*osi3.LidarSensorView_Reflection{{TimeOfFlight: back,
			SignalStrength: proto.Float64(-20)}, {}}}
	radar := &osi3.RadarSensorView{Reflection: []*osi3.RadarSensorView_Reflection{{
		TimeOfFlight: back, SourceHorizontalAngle: proto.Float64(math.Pi / 2)}}}
	view := &osi3.SensorView{LidarSensorView: []*osi3.LidarSensorView{lidar},
		RadarSensorView: []*osi3.RadarSensorView{radar}}
	clouds := points.OfView(view)
	require.Len(t, clouds, 2)
	require.Len(t, clouds[0].Points, 1)
	near(t, frames.Vector{X: 3, Y: 30, Z: 1}, clouds[0].Points[0].Position)
	require.InDelta(t, -20, clouds[0].Points[0].Values[0], 0)
	near(t, frames.Vector{Y: 30}, clouds[1].Points[0].Position)
	lidar.Reflection = lidar.Reflection[:1]
	require.Len(t, points.OfView(view), 1, "reflections without a direction each")
}
