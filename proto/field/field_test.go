package field_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/proto/field"
	"gosmp/proto/osi3"
)

// TestNumbersAreThoseOfTheMessages compares constants of each kind (top-level, nested, and larger
// than one byte) with the generated messages. A test of the generator checks that no constant is
// missing.
func TestNumbersAreThoseOfTheMessages(t *testing.T) {
	for _, tt := range []struct {
		message proto.Message
		name    protoreflect.Name
		number  protoreflect.FieldNumber
	}{
		{&osi3.SensorView{}, "timestamp", field.SensorViewTimestamp},
		{&osi3.SensorView{}, "generic_sensor_view", field.SensorViewGenericSensorView},
		{&osi3.BaseMoving{}, "orientation_acceleration", field.BaseMovingOrientationAcceleration},
		{&osi3.Vector3D{}, "z", field.Vector3dZ},
		{&osi3.MovingObject_VehicleAttributes{}, "bbcenter_to_rear",
			field.MovingObjectVehicleAttributesBbcenterToRear},
	} {
		require.Equal(t, tt.message.ProtoReflect().Descriptor().Fields().ByName(tt.name).Number(),
			tt.number, tt.name)
	}
}
