package signal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/trace/signal"
)

func view() *osi3.SensorView {
	object := func(id uint64, x float64) *osi3.MovingObject {
		return &osi3.MovingObject{Id: &osi3.Identifier{Value: proto.Uint64(id)},
			Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(x)}}}
	}
	return &osi3.SensorView{Timestamp: &osi3.Timestamp{Seconds: proto.Int64(3)},
		GlobalGroundTruth: &osi3.GroundTruth{MovingObject: []*osi3.MovingObject{object(7, 1.5),
			object(9, -2)}}}
}

func TestNumbers(t *testing.T) {
	for path, want := range map[string]string{
		"timestamp.seconds": " 3;",
		"global_ground_truth.moving_object[1].base.position.x":    " -2;",
		"global_ground_truth.moving_object[id=7].base.position.x": " 1.5;",
		"global_ground_truth.moving_object[*].base.position.x":    "7 1.5;9 -2;",
		"global_ground_truth.moving_object[*].type":               "7 2;9 2;",
		"global_ground_truth.moving_object[id=1].base.position.x": "",
		"global_ground_truth.moving_object[2].base.position.x":    "",
		"global_ground_truth.moving_object[0].base.velocity.x":    "",
		"host_vehicle_data.vehicle_motion.velocity.x":             "",
	} {
		p, err := signal.Parse(path)
		require.NoError(t, err)
		m := view().ProtoReflect()
		require.NoError(t, p.Bind(m.Descriptor()), path)
		found := ""
		p.Numbers(m, func(label string, x float64) { found += fmt.Sprintf("%s %v;", label, x) })
		require.Equal(t, want, found, path)
	}
}

// TestNumbers_DetectedObjectsHaveTheirIDsInAHeader: SensorData has the ids of objects in headers.
func TestNumbers_DetectedObjectsHaveTheirIDsInAHeader(t *testing.T) {
	d := &osi3.SensorData{MovingObject: []*osi3.DetectedMovingObject{{
		Header: &osi3.DetectedItemHeader{TrackingId: &osi3.Identifier{Value: proto.Uint64(12)},
			ExistenceProbability: proto.Float64(0.5)}}}}
	p, err := signal.Parse("moving_object[id=12].header.existence_probability")
	require.NoError(t, err)
	require.NoError(t, p.Bind(d.ProtoReflect().Descriptor()))
	p.Numbers(d.ProtoReflect(), func(_ string, x float64) { require.Equal(t, 0.5, x); d = nil })
	require.Nil(t, d, "it was found")
}

func TestBind_SaysWhatDoesNotFit(t *testing.T) {
	for path, want := range map[string]string{
		"timestmp.seconds": `osi3.SensorView has no field "timestmp"; did you mean "timestamp"?`,
		"global_ground_truth.moving_object.type": "moving_object is a list; choose from it with " +
			"moving_object[0]",
		"timestamp[0].seconds":              "timestamp is not a list",
		"global_ground_truth":               "global_ground_truth is a message, expected a number",
		"timestamp.seconds.x":               "seconds has no fields",
		"global_ground_truth.map_reference": "map_reference is a string, expected a number",
	} {
		p, err := signal.Parse(path)
		require.NoError(t, err)
		err = p.Bind(view().ProtoReflect().Descriptor())
		require.ErrorIs(t, err, signal.ErrPath)
		require.ErrorContains(t, err, want)
	}
	for _, path := range []string{"", "a..b", "a[", "a[x]", "a[-1]", "a[id=]", "a[0",
		"a[99999999999999999999]"} {
		_, err := signal.Parse(path)
		require.ErrorIs(t, err, signal.ErrPath, path)
	}
}

// TestEach: every path that is listed leads to exactly one number.
func TestEach(t *testing.T) {
	m := view().ProtoReflect()
	count := 0
	signal.Each(m, func(path string) {
		p, err := signal.Parse(path)
		require.NoError(t, err)
		require.NoError(t, p.Bind(m.Descriptor()), path)
		found := 0
		p.Numbers(m, func(string, float64) { found++ })
		require.Equal(t, 1, found, path)
		count++
	})
	require.Equal(t, 7, count)
}
