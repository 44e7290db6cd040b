// Package field holds the numbers of all fields of OSI 3.8.0, for code that reads and writes
// messages as raw bytes with gosmp/proto/wire. It contains only constants, so importing it adds
// nothing to a binary.
//
// A constant is named after its message and its field in the .proto files, in camel case, preceded
// by the names of the enclosing messages if the message is nested: [SensorViewTimestamp] is the
// number of osi3.SensorView.timestamp, [MovingObjectVehicleAttributesDriverId] is the number of
// osi3.MovingObject.VehicleAttributes.driver_id. The constants are untyped, so that each can be
// used as a number and as part of a key:
//
//	b = wire.AppendTimestamp(b, field.SensorDataTimestamp, seconds, nanos)
//	const keyTimestamp = field.SensorViewTimestamp<<3 | wire.Len
//
// Source: the .proto files next to gosmp/proto/osi3, from which field_gen.go is generated.
package field

//go:generate go run gosmp/proto/internal/generate -dir ../osi3 -fields -out field_gen.go
