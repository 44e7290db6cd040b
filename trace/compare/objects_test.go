package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/trace/compare"
)

// object returns a detected object with the given position and length.
func object(id uint64, x, y, length float64) *osi3.DetectedMovingObject {
	return &osi3.DetectedMovingObject{
		Header: &osi3.DetectedItemHeader{TrackingId: message.ID(id)},
		Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(y)},
			Dimension: &osi3.Dimension3D{Length: proto.Float64(length)}}}
}

func objects(list ...*osi3.DetectedMovingObject) *osi3.SensorData {
	return &osi3.SensorData{Timestamp: message.Time(3*s + 5), MovingObject: list}
}

// anonymous removes the id of an object.
func anonymous(o *osi3.DetectedMovingObject) *osi3.DetectedMovingObject {
	o.Header = nil
	return o
}

// The partner of an object without a known id is the object that differs in the fewest fields or
// the nearest of several such objects.
func TestTraces_PartnersOfObjects(t *testing.T) {
	const wrong = "3.000000005 s, radar, moving_object with tracking id "
	for name, c := range map[string]struct {
		expected, found []*osi3.DetectedMovingObject
		want            []string
	}{
		"fewest fields": {
			[]*osi3.DetectedMovingObject{object(1, 10, 0, 4), object(2, 11, 0, 12)},
			[]*osi3.DetectedMovingObject{object(8, 10.4, 0, 12), object(9, 10.6, 0, 4)},
			[]string{wrong + "1 (found as 9), base.position.x: expected 10, found 10.6",
				wrong + "2 (found as 8), base.position.x: expected 11, found 10.4"}},
		"nearest in x": {
			[]*osi3.DetectedMovingObject{object(1, -10, 0, 4), object(2, 10, 0, 4)},
			[]*osi3.DetectedMovingObject{object(8, 9.5, 0, 4), object(9, -9.5, 0, 4)},
			[]string{wrong + "1 (found as 9), base.position.x: expected -10, found -9.5",
				wrong + "2 (found as 8), base.position.x: expected 10, found 9.5"}},
		"nearest in y": {
			[]*osi3.DetectedMovingObject{object(1, 0, -10, 4), object(2, 0, 10, 4)},
			[]*osi3.DetectedMovingObject{object(8, 0, 9.5, 4), object(9, 0, -9.5, 4)},
			[]string{wrong + "1 (found as 9), base.position.y: expected -10, found -9.5",
				wrong + "2 (found as 8), base.position.y: expected 10, found 9.5"}},
		"without ids": {
			[]*osi3.DetectedMovingObject{anonymous(object(0, 1, 0, 4)), object(0, 5, 0, 4),
				anonymous(object(0, 2, 0, 4))},
			[]*osi3.DetectedMovingObject{anonymous(object(0, 2, 0, 4)),
				anonymous(object(0, 1.5, 0, 4)), object(3, 5, 0, 4)},
			[]string{"3.000000005 s, radar, moving_object.0, base.position.x: " +
				"expected 1, found 1.5"}},
		"one too many": {
			[]*osi3.DetectedMovingObject{object(1, 10, 0, 4)},
			[]*osi3.DetectedMovingObject{object(8, 10, 0, 4), object(9, 90, 0, 4)},
			[]string{wrong + "9: expected none, found one"}},
		"an id is not none": {[]*osi3.DetectedMovingObject{object(0, 5, 0, 4)},
			[]*osi3.DetectedMovingObject{anonymous(object(0, 5, 0, 4))},
			[]string{wrong + "0: expected one, found none",
				"3.000000005 s, radar, moving_object.0: expected none, found one"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, differences(t, compare.Options{},
				[]proto.Message{objects(c.expected...)}, []proto.Message{objects(c.found...)}))
		})
	}
	up, down := objects(object(1, 0, 0, 4), object(2, 0, 0, 4)), objects(object(8, 0, 0, 4),
		object(9, 0, 0, 4))
	up.MovingObject[0].Base.Position.Z, up.MovingObject[1].Base.Position.Z = proto.Float64(-1),
		proto.Float64(1)
	down.MovingObject[0].Base.Position.Z, down.MovingObject[1].Base.Position.Z =
		proto.Float64(1.5), proto.Float64(-1.5)
	require.Equal(t, []string{wrong + "1 (found as 9), base.position.z: expected -1, found -1.5",
		wrong + "2 (found as 8), base.position.z: expected 1, found 1.5"},
		differences(t, compare.Options{}, []proto.Message{up}, []proto.Message{down}))
}

// An id that has a partner is not matched to another object.
func TestTraces_ANewObjectIsNoOldOne(t *testing.T) {
	first := []proto.Message{sensed(0, track{1, 10}), sensed(20*ms, track{1, 10}, track{2, 50})}
	second := []proto.Message{sensed(0, track{4, 10}), sensed(20*ms, track{4, 50}, track{5, 10})}
	const wrong = "0.02 s, radar, moving_object with tracking id "
	require.Equal(t, []string{
		wrong + "1 (found as 4), base.position.x: expected 10, found 50",
		wrong + "2 (found as 5), base.position.x: expected 50, found 10",
	}, differences(t, compare.Options{}, first, second))
	second[1] = sensed(20*ms, track{4, 50})
	require.Len(t, differences(t, compare.Options{}, first, second), 2, "2 has no partner")
}

// An object without an id has a partner, even if 0 is the id of a track.
func TestTraces_TrackZeroAndAnObjectWithoutAnID(t *testing.T) {
	of := func(x float64) []proto.Message {
		return []proto.Message{objects(object(0, 5, 0, 4)),
			objects(object(0, 5, 0, 4), anonymous(object(0, x, 0, 4)))}
	}
	require.Empty(t, differences(t, compare.Options{}, of(50), of(50+1e-12)))
	require.Equal(t, []string{
		"3.000000005 s, radar, moving_object.1, base.position.x: expected 50, found 51"},
		differences(t, compare.Options{}, of(50), of(51)))
}

// Up to 4096 pairs are compared by content. If there are more, objects are matched in their order.
func TestTraces_ManyCandidates(t *testing.T) {
	for n, wrong := range map[uint64]int{64: 0, 66: 66} {
		var expected, found []track
		for k := range n {
			expected = append(expected, track{k, float64(k)})
			found = append(found, track{k + 7, float64(n - 1 - k)})
		}
		require.Len(t, differences(t, compare.Options{}, []proto.Message{sensed(0, expected...)},
			[]proto.Message{sensed(0, found...)}), wrong, "%d objects", n)
	}
	var expected, found []track
	for k := range uint64(66) {
		expected = append(expected, track{k, float64(k)})
		found = append(found, track{k + 7, float64(k)})
	}
	require.Equal(t, []string{
		"0 s, radar, moving_object with tracking id 65: expected one, found none"},
		differences(t, compare.Options{}, []proto.Message{sensed(0, expected...)},
			[]proto.Message{sensed(0, found[:65]...)}))
}

// Messages with equal bytes also reveal which track ids belong together.
func TestTraces_EqualBytesTeachIDs(t *testing.T) {
	first := sensed(0, track{5, 10}, track{7, 50})
	swapped := []proto.Message{first, sensed(20*ms, track{5, 49}, track{7, 11})}
	expected := []proto.Message{first, sensed(20*ms, track{5, 11}, track{7, 49})}
	require.Len(t, differences(t, compare.Options{}, expected, swapped), 2)
}

// Detections refer to tracks, whose ids may be renamed. Lists without a track are compared.
func TestTraces_ReferencesToTracks(t *testing.T) {
	data := func(tracked, referred, hit uint64) *osi3.SensorData {
		d := objects(object(tracked, 1, 2, 3))
		d.FeatureData = &osi3.FeatureData{RadarSensor: []*osi3.RadarDetectionData{{
			Detection: []*osi3.RadarDetection{{ObjectId: message.ID(referred)}}}}}
		d.SensorView = []*osi3.SensorView{{LidarSensorView: []*osi3.LidarSensorView{{
			Reflection: []*osi3.LidarSensorView_Reflection{{ObjectId: message.ID(hit)}}}}}}
		return d
	}
	compared := func(o compare.Options, e, f *osi3.SensorData) []string {
		return differences(t, o, []proto.Message{e}, []proto.Message{f})
	}
	const radar = "3.000000005 s, radar, feature_data.radar_sensor.0.detection.0.object_id: "
	require.Empty(t, compared(compare.Options{}, data(1, 1, 1), data(4, 4, 1)))
	require.Equal(t, []string{radar + "expected 4, found 1"}, compared(compare.Options{},
		data(1, 1, 1), data(4, 1, 1)))
	require.Equal(t, []string{radar + "expected 9, found 8"}, compared(compare.Options{},
		data(1, 9, 1), data(4, 8, 1)), "of no track")
	require.Equal(t, []string{"3.000000005 s, radar, sensor_view.0.lidar_sensor_view.0.reflection" +
		".0.object_id.value: expected 1, found 4"}, compared(compare.Options{}, data(1, 1, 1),
		data(4, 4, 4)), "what a ray hits is an object of the ground truth")
	exact := compared(compare.Options{ExactIDs: true}, data(1, 1, 1), data(1, 4, 1))
	require.Equal(t, []string{"3.000000005 s, radar, feature_data.radar_sensor.0.detection.0." +
		"object_id.value: expected 1, found 4"}, exact)
}

// Fields after a list of tracks do not belong to its last track.
func TestTraces_FieldsAfterTracks(t *testing.T) {
	with := func(id uint64, age float64, line ...float64) *osi3.SensorData {
		d := objects(object(1, 1, 2, 3))
		d.SensorId = message.ID(id)
		d.LaneBoundary = []*osi3.DetectedLaneBoundary{{Header: &osi3.DetectedItemHeader{
			TrackingId: message.ID(3), Age: &age}, BoundaryLineConfidences: line}}
		for range line {
			d.LaneBoundary[0].BoundaryLine = append(d.LaneBoundary[0].BoundaryLine,
				&osi3.LaneBoundary_BoundaryPoint{Width: &age})
		}
		return d
	}
	const place = "3.000000005 s, radar, lane_boundary with tracking id 3, "
	require.Equal(t, []string{place + "header.age: expected 1, found 2",
		place + "boundary_line: expected 1 elements, found 2",
		place + "boundary_line.0.width: expected 1, found 2",
		place + "boundary_line_confidences: expected 1 elements, found 2",
		place + "boundary_line_confidences.0: expected 0.5, found 0.25",
		"3.000000005 s, radar, sensor_id.value: expected 6, found 7"},
		differences(t, compare.Options{}, []proto.Message{with(6, 1, 0.5)},
			[]proto.Message{with(7, 2, 0.25, 0.75)}))
}

// Fields that the schema does not define are compared as bytes, both at the top level and in nested
// messages.
func TestTraces_UnknownFields(t *testing.T) {
	plain := objects(object(1, 1, 2, 3))
	for place, set := range map[string]func(*osi3.SensorData) proto.Message{
		"radar": func(d *osi3.SensorData) proto.Message { return d },
		"radar, moving_object with tracking id 1, base.position": func(
			d *osi3.SensorData) proto.Message {
			return d.MovingObject[0].Base.Position
		},
	} {
		with := proto.Clone(plain).(*osi3.SensorData)
		set(with).ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 9999,
			protowire.VarintType), 1))
		require.Equal(t, []string{"3.000000005 s, " + place +
			": expected 0 bytes of unknown fields, found 4 other bytes"},
			differences(t, compare.Options{}, []proto.Message{plain}, []proto.Message{with}))
	}
}
