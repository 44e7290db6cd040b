package wire_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"gosmp/proto/osi3"
	"gosmp/proto/wire"
)

// crowd returns a SensorView with n vehicles around the host.
func crowd(n int) *osi3.SensorView {
	truth := &osi3.GroundTruth{
		Version: osi3.Version(), HostVehicleId: &osi3.Identifier{Value: proto.Uint64(1)},
		EnvironmentalConditions: &osi3.EnvironmentalConditions{Temperature: proto.Float64(293)},
	}
	for i := range n {
		x := float64(i)
		truth.MovingObject = append(truth.MovingObject, &osi3.MovingObject{
			Id: &osi3.Identifier{Value: proto.Uint64(uint64(i + 1))},
			Base: &osi3.BaseMoving{
				Dimension: &osi3.Dimension3D{Length: proto.Float64(4.5),
					Width: proto.Float64(1.8), Height: proto.Float64(1.5)},
				Position:    vector(wire.Vector3d{X: x, Y: -x}),
				Orientation: orientation(wire.Orientation3d{Yaw: x / 100}),
				Velocity:    vector(wire.Vector3d{X: 10}),
				BasePolygon: []*osi3.Vector2D{{X: &x, Y: &x}, {X: &x}},
			},
			Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			VehicleAttributes: &osi3.MovingObject_VehicleAttributes{
				NumberWheels: proto.Uint32(4), BbcenterToRear: vector(wire.Vector3d{X: -1.4,
					Z: -0.4}),
			},
			VehicleClassification: &osi3.MovingObject_VehicleClassification{
				Type:       osi3.MovingObject_VehicleClassification_TYPE_CAR.Enum(),
				HasTrailer: proto.Bool(false),
			},
			MovingObjectClassification: &osi3.MovingObject_MovingObjectClassification{
				AssignedLanePercentage: []float64{70, 30},
			},
			ModelReference: proto.String("vehicles/car.gltf"),
		})
	}
	return &osi3.SensorView{
		Version:          osi3.Version(),
		Timestamp:        &osi3.Timestamp{Seconds: proto.Int64(12), Nanos: proto.Uint32(345)},
		MountingPosition: &osi3.MountingPosition{Position: vector(wire.Vector3d{X: 1.5})},
		HostVehicleId:    &osi3.Identifier{Value: proto.Uint64(1)}, GlobalGroundTruth: truth,
	}
}

// fill sets some fields of m to drawn values, at all levels.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	if fields.Len() == 0 {
		return
	}
	for range rapid.IntRange(0, 4).Draw(t, "fields") {
		f := fields.Get(rapid.IntRange(0, fields.Len()-1).Draw(t, "field"))
		switch {
		case f.IsList():
			list := m.Mutable(f).List()
			for range rapid.IntRange(1, 3).Draw(t, "elements") {
				if f.Message() != nil {
					if depth > 0 {
						fill(t, list.AppendMutable().Message(), depth-1)
					}
					continue
				}
				list.Append(scalar(t, f))
			}
		case f.Message() != nil:
			if depth > 0 {
				fill(t, m.Mutable(f).Message(), depth-1)
			}
		default:
			m.Set(f, scalar(t, f))
		}
	}
}

func scalar(t *rapid.T, f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(rapid.Float64().Draw(t, "double"))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(rapid.Float32().Draw(t, "float"))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "uint32"))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "uint64"))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(t, "int32"))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, "int64"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "bool"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.Int32Range(0, 300).Draw(t,
			"enum")))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.String().Draw(t, "string"))
	}
	return protoreflect.ValueOfBytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
}

// damage changes, removes, duplicates or truncates some of the bytes.
func damage(t *rapid.T, b []byte) []byte {
	b = append([]byte(nil), b...)
	for range rapid.IntRange(1, 3).Draw(t, "damages") {
		if len(b) == 0 {
			return b
		}
		i := rapid.IntRange(0, len(b)-1).Draw(t, "place")
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			b[i] = rapid.Byte().Draw(t, "byte")
		case 1:
			b[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 2:
			b = append(b[:i], b[i+1:]...)
		case 3:
			b = append(b[:i+1], b[i:]...)
		default:
			b = b[:i]
		}
	}
	return b
}

// agree compares the verdicts of the checks with proto.Unmarshal's.
func agree(t require.TestingT, b []byte) (refused bool) {
	err := wire.CheckSensorView(b)
	require.Equalf(t, proto.Unmarshal(b, &osi3.SensorView{}) == nil, err == nil,
		"SensorView % x: %v", b, err)
	configuration := wire.CheckSensorViewConfiguration(b)
	require.Equalf(t, proto.Unmarshal(b, &osi3.SensorViewConfiguration{}) == nil,
		configuration == nil,
		"SensorViewConfiguration % x: %v", b, configuration)
	return err != nil
}

func TestCheckSensorView_AgreesWithUnmarshal(t *testing.T) {
	var refused, accepted int
	rapid.Check(t, func(t *rapid.T) {
		view := &osi3.SensorView{}
		fill(t, view.ProtoReflect(), 6)
		b := marshal(t, view)
		require.False(t, agree(t, b))
		for range 4 {
			if agree(t, damage(t, b)) {
				refused++
			} else {
				accepted++
			}
		}
	})
	require.Positive(t, refused, "the damage was never found")
	require.Positive(t, accepted, "the damage was always found")
}

func TestCheckSensorViewConfiguration_AgreesWithUnmarshal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configuration := &osi3.SensorViewConfiguration{}
		fill(t, configuration.ProtoReflect(), 4)
		b := marshal(t, configuration)
		require.NoError(t, wire.CheckSensorViewConfiguration(b))
		agree(t, b)
		agree(t, damage(t, b))
	})
}

// Every field of every message that a SensorView can contain, with content that cannot be a
// message: the check refuses it exactly when the field is a message or packed numbers. This shows
// that the table has no gaps.
func TestCheck_OpensEveryNestedMessage(t *testing.T) {
	bad := []byte{0xFF} // neither a message nor a varint nor a double
	seen := map[protoreflect.FullName]bool{}
	var visit func(m protoreflect.MessageDescriptor, path []wire.Number)
	visit = func(m protoreflect.MessageDescriptor, path []wire.Number) {
		if seen[m.FullName()] {
			return
		}
		seen[m.FullName()] = true
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			b := wire.AppendBytes(nil, wire.Number(f.Number()), bad)
			for j := len(path) - 1; j >= 0; j-- {
				b = wire.AppendBytes(nil, path[j], b)
			}
			err := wire.CheckSensorView(b)
			require.Equal(t, proto.Unmarshal(b, &osi3.SensorView{}) == nil, err == nil,
				f.FullName())
			text := f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind
			require.Equal(t, f.Message() != nil || f.IsList() && !text, err != nil, f.FullName())
			if f.Message() != nil {
				visit(f.Message(), append(path[:len(path):len(path)], wire.Number(f.Number())))
			}
		}
	}
	visit((&osi3.SensorView{}).ProtoReflect().Descriptor(), nil)
	require.Greater(t, len(seen), 80)
}

func TestCheck_NamesThePlace(t *testing.T) {
	view := crowd(3)
	b := marshal(t, view)
	// The third vehicle is the last message with an acceleration; break its content by appending a
	// malformed one.
	object, content := wire.Begin(nil, 5)
	object, base := wire.Begin(object, 2)
	object = append(object, 5<<3|2, 9) // an acceleration of nine bytes, all of which are missing
	object = wire.End(wire.End(object, base), content)
	place := len(b) + 1 + 1 + 1 + 1 + 1 + 1
	b = wire.AppendBytes(b, 7, object)

	err := wire.CheckSensorView(b)
	require.ErrorIs(t, err, wire.ErrTruncated)
	var e *wire.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t,
		fmt.Sprintf("SensorView, byte %d of %d in global_ground_truth[1].moving_object.base", place,
			len(b)), e.Place.Object)
	require.Contains(t, e.Hint, "check that the size given covers the whole message")

	err = wire.CheckSensorViewConfiguration(wire.AppendBytes(nil, 1000, []byte{1<<3 | 7}))
	require.EqualError(t, err,
		"SensorViewConfiguration, byte 3 of 4 in generic_sensor_view_configuration: "+
			"undefined wire type: "+
			"expected an encoded osi3.SensorViewConfiguration; "+
			"check that base and size point to one encoded message of this type and that its "+
			"memory still holds it")
}

func TestCheck_PackedNumbers(t *testing.T) {
	lidar := func(number wire.Number, packed []byte) []byte {
		b, content := wire.Begin(nil, 1002)
		return wire.End(wire.AppendBytes(b, number, packed), content)
	}
	const timings = 12
	good := protowire.AppendVarint(protowire.AppendVarint(nil, 1), 1<<40)
	require.NoError(t, wire.CheckSensorViewConfiguration(lidar(timings, good)))
	err := wire.CheckSensorViewConfiguration(lidar(timings, good[:len(good)-1]))
	require.ErrorIs(t, err, wire.ErrTruncated)
	require.ErrorContains(t, err, "byte 6 of 11 in lidar_sensor_view_configuration.timings: ")
	agree(t, lidar(timings, good))
	agree(t, lidar(timings, good[:len(good)-1]))
}
