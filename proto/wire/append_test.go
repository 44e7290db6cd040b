package wire_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/proto/osi3"
	"gosmp/proto/wire"
)

// marshal returns the expected bytes.
func marshal(t require.TestingT, m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	require.NoError(t, err)
	return b
}

// vector, orientation: osi3 messages with all fields set.
func vector(v wire.Vector3d) *osi3.Vector3D {
	return &osi3.Vector3D{X: &v.X, Y: &v.Y, Z: &v.Z}
}

func orientation(o wire.Orientation3d) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &o.Roll, Pitch: &o.Pitch, Yaw: &o.Yaw}
}

func drawVector(t *rapid.T) wire.Vector3d {
	return wire.Vector3d{X: rapid.Float64().Draw(t, "x"), Y: rapid.Float64().Draw(t, "y"),
		Z: rapid.Float64().Draw(t, "z")}
}

func drawOrientation(t *rapid.T) wire.Orientation3d {
	v := drawVector(t)
	return wire.Orientation3d{Roll: v.X, Pitch: v.Y, Yaw: v.Z}
}

func TestAppend_LeafMessagesAsMarshal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds, nanos := rapid.Int64().Draw(t, "seconds"), rapid.Uint32().Draw(t, "nanos")
		id := rapid.Uint64().Draw(t, "id")
		position, turned := drawVector(t), drawOrientation(t)
		want := marshal(t, &osi3.SensorData{
			Version: &osi3.InterfaceVersion{
				VersionMajor: proto.Uint32(3), VersionMinor: proto.Uint32(nanos),
				VersionPatch: proto.Uint32(0),
			},
			Timestamp: &osi3.Timestamp{Seconds: &seconds, Nanos: &nanos},
			HostVehicleLocation: &osi3.BaseMoving{
				Dimension: &osi3.Dimension3D{Length: &position.X, Width: &position.Y,
					Height: &position.Z},
				Position:    vector(position),
				Orientation: orientation(turned),
			},
			SensorId: &osi3.Identifier{Value: &id},
			MountingPosition: &osi3.MountingPosition{Position: vector(position),
				Orientation: orientation(turned)},
			SensorView: []*osi3.SensorView{{
				HostVehicleData: &osi3.HostVehicleData{
					VehicleLocalization: &osi3.HostVehicleData_VehicleLocalization{
						GeodeticPosition: &osi3.GeodeticPosition{
							Longitude: &position.X, Latitude: &position.Y, Altitude: &position.Z,
						},
					}},
			}},
		})

		b := wire.AppendInterfaceVersion(nil, 1, 3, nanos, 0)
		b = wire.AppendTimestamp(b, 2, seconds, nanos)
		b, location := wire.Begin(b, 3)
		b = wire.AppendVector3d(b, 1, position.X, position.Y, position.Z)
		b = wire.AppendVector3d(b, 2, position.X, position.Y, position.Z)
		b = wire.AppendOrientation3d(b, 3, turned.Roll, turned.Pitch, turned.Yaw)
		b = wire.End(b, location)
		b = wire.AppendIdentifier(b, 5, id)
		b = wire.AppendMountingPosition(b, 6, position, turned)
		b, view := wire.Begin(b, 8)
		b, host := wire.Begin(b, 6)
		b, localization := wire.Begin(b, 8)
		b = wire.AppendGeodeticPosition(b, 3, position.X, position.Y, position.Z)
		b = wire.End(wire.End(wire.End(b, localization), host), view)
		require.Equal(t, want, b)
	})
}

func TestAppend_ScalarsAsMarshal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number, u64 := rapid.Float64().Draw(t, "double"), rapid.Uint64().Draw(t, "uint64")
		i32, i64 := rapid.Int32().Draw(t, "int32"), rapid.Int64().Draw(t, "int64")
		text := rapid.String().Draw(t, "string")
		raw := rapid.SliceOfN(rapid.Byte(), 1, -1).Draw(t, "bytes")
		kind := osi3.MovingObject_Type(i32)

		require.Equal(t, marshal(t, &osi3.Vector3D{X: &number}), wire.AppendDouble(nil, 1, number))
		require.Equal(t, marshal(t, &osi3.Identifier{Value: &u64}), wire.AppendUint64(nil, 1, u64))
		require.Equal(t,
			marshal(t, &osi3.HostVehicleData_VehiclePowertrain{GearTransmission: &i32}),
			wire.AppendInt32(nil, 3, i32))
		require.Equal(t, marshal(t, &osi3.Timestamp{Seconds: &i64}), wire.AppendInt64(nil, 1, i64))
		require.Equal(t, marshal(t, &osi3.MovingObject{Type: &kind}), wire.AppendInt32(nil, 3, i32))
		require.Equal(t, marshal(t, &osi3.KeyValuePair{Value: &text}), wire.AppendString(nil, 2,
			text))
		require.Equal(t, marshal(t, &osi3.CameraSensorView{ImageData: raw}), wire.AppendBytes(nil,
			2, raw))
	})
}

// Lengths that take 1, 2, 3 and 4 bytes, at both ends of each range, nested in each other and
// followed by other fields.
func TestEnd_WritesTheShortestLength(t *testing.T) {
	for _, size := range []int{0, 1, 126, 127, 128, 129, 16_383, 16_384, 16_385, 2_097_151,
		2_097_152} {
		// The image is padded so that the content of the camera view has exactly size bytes where
		// that is possible.
		image := bytes.Repeat([]byte{0xA5},
			max(0, size-1-protowire.SizeVarint(uint64(max(0, size-2)))))
		camera := &osi3.CameraSensorView{ImageData: image}
		want := marshal(t, &osi3.SensorData{
			SensorView: []*osi3.SensorView{{
				CameraSensorView:     []*osi3.CameraSensorView{camera},
				UltrasonicSensorView: []*osi3.UltrasonicSensorView{{}},
			}},
			LastMeasurementTime: &osi3.Timestamp{Seconds: proto.Int64(-1), Nanos: proto.Uint32(7)},
		})

		b, view := wire.Begin(nil, 8)
		b, cameraView := wire.Begin(b, 1003)
		b = wire.AppendBytes(b, 2, image)
		b = wire.End(b, cameraView)
		b, ultrasonic := wire.Begin(b, 1004)
		b = wire.End(b, ultrasonic)
		b = wire.End(b, view)
		b = wire.AppendTimestamp(b, 9, -1, 7)
		require.Truef(t, bytes.Equal(want, b), "content of about %d bytes", size)
	}
}

func TestAppend_KeepsTheBytesBefore(t *testing.T) {
	b, mark := wire.Begin([]byte("before"), 1)
	b = wire.AppendString(b, 1, string(bytes.Repeat([]byte{'x'}, 200)))
	b = wire.End(b, mark)
	require.Equal(t, "before", string(b[:6]))
	number, typ, n := protowire.ConsumeField(b[6:])
	require.Equal(t, []any{protowire.Number(1), protowire.BytesType, len(b) - 6},
		[]any{number, typ, n})
}

func TestAppend_DoesNotAllocate(t *testing.T) {
	buffer := make([]byte, 0, 1024)
	view := bytes.Repeat([]byte{1}, 300)
	allocations := testing.AllocsPerRun(100, func() {
		b := wire.AppendInterfaceVersion(buffer, 1, 3, 8, 0)
		b = wire.AppendTimestamp(b, 2, math.MinInt64, 1)
		b, location := wire.Begin(b, 3)
		for range 5 {
			b = wire.AppendVector3d(b, 2, 1, 2, 3)
			b = wire.AppendOrientation3d(b, 3, 1, 2, 3)
		}
		b = wire.End(b, location)
		b = wire.AppendBytes(b, 8, view)
		b = wire.AppendInt32(b, 9, -1)
		wire.AppendMountingPosition(b, 6, wire.Vector3d{X: 1}, wire.Orientation3d{})
	})
	require.Zero(t, allocations)
}
