package rules_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/proto/rules"
)

func moving(id uint64, x float64) *osi3.MovingObject {
	return &osi3.MovingObject{Id: &osi3.Identifier{Value: proto.Uint64(id)},
		Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(x)}}}
}

// An unusable number is found wherever it occurs, also by the counter for traces, and only its
// object is discarded.
func TestUnusable(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(-1), 2e8} {
		g := &osi3.GroundTruth{MovingObject: []*osi3.MovingObject{moving(4, 1), moving(5, x),
			moving(6, 2)}}
		view := &osi3.SensorView{GlobalGroundTruth: g}
		u := rules.FindUnusable(view)
		require.Equal(t, "SensorView.global_ground_truth.moving_object[1].base.position.x", u.Path)
		require.Equal(t, "moving_object 5", u.Object)
		require.Equal(t, x == 2e8, u.Finite())

		c, err := rules.NewCounter("osi3.SensorView")
		require.NoError(t, err)
		data, err := proto.Marshal(view)
		require.NoError(t, err)
		_, err = c.Check(data)
		require.NoError(t, err)
		require.True(t, c.Unusable())

		removed := rules.DiscardUnusable(view)
		require.Len(t, removed, 1)
		require.Equal(t, "moving_object 5", removed[0].Object)
		require.Len(t, g.MovingObject, 2)
		require.EqualValues(t, 6, g.MovingObject[1].GetId().GetValue())
		require.Nil(t, rules.FindUnusable(view))
		data, err = proto.Marshal(view)
		require.NoError(t, err)
		_, err = c.Check(data)
		require.NoError(t, err)
		require.False(t, c.Unusable())
	}
}

// Numbers that are not lengths in traffic may be large. Single parts and fields can be removed,
// too.
func TestDiscardUnusable_PartsOfASensorData(t *testing.T) {
	const hertz = 77e9
	sensor := &osi3.SensorData{
		MountingPosition: &osi3.MountingPosition{
			Position: &osi3.Vector3D{Z: proto.Float64(math.Inf(1))}},
		SensorView: []*osi3.SensorView{{RadarSensorView: []*osi3.RadarSensorView{{ViewConfiguration: &osi3.RadarSensorViewConfiguration{
			EmitterFrequency: proto.Float64(hertz)}}}, HostVehicleData: &osi3.HostVehicleData{
			Location: &osi3.BaseMoving{
				Position: &osi3.Vector3D{Y: proto.Float64(math.NaN())}}}}}}
	require.Len(t, rules.DiscardUnusable(sensor), 2)
	require.Nil(t, sensor.MountingPosition)
	require.Nil(t, sensor.SensorView[0].HostVehicleData)
	require.NotEmpty(t, sensor.SensorView[0].RadarSensorView)
	g := &osi3.GroundTruth{
		EnvironmentalConditions: &osi3.EnvironmentalConditions{
			Temperature: proto.Float64(math.NaN())}}
	require.Equal(t, "GroundTruth.environmental_conditions.temperature",
		rules.DiscardUnusable(g)[0].Path)
	require.Nil(t, g.EnvironmentalConditions)
}
