// Package wire reads and writes OSI messages as protobuf bytes, without generated types and without allocation. It is
// the codec of the hot path: a step reads a SensorView in place and appends a SensorData to a buffer it owns. The same
// bytes can be read and written with gosmp/proto/osi3, which is for tests, tools and everything that is not in a hurry.
// Source: the protobuf wire format as google.golang.org/protobuf/encoding/protowire implements it, and proto2's
// merge rules.
//
// # Writing
//
// Every Append function adds one field to the end of a byte slice and returns the slice, like append. [Begin] and [End]
// enclose a nested message of any content:
//
//	b, location := wire.Begin(b, 3)
//	b = wire.AppendVector3d(b, 2, 1.5, 0, 0)
//	b = wire.End(b, location)
//
// Rules:
//
//   - Fields appended in the order of their numbers give exactly the bytes of a deterministic proto.Marshal of the same
//     message; lengths are varints of minimal size. The order is the caller's duty.
//   - A field that is not appended is unset. A field that is appended is set, also when its value is zero.
//   - Nothing is allocated as long as the capacity of the slice suffices.
//
// # Reading
//
// [Reader] walks over the fields of one message. A field is recognised by its [Key], number and wire type together, so
// that a known number under a foreign wire type is skipped like an unknown field, as protobuf does:
//
//	r := wire.NewReader(view)
//	for r.Next() {
//		switch r.Key() {
//		case 2<<3 | wire.Len:
//			r.Nested(timestamp.Merge(r.Bytes()))
//		case 8<<3 | wire.Len:
//			r.Nested(wire.MergeIdentifier(&hostVehicleID, r.Bytes()))
//		}
//	}
//	return r.Err()
//
// Rules:
//
//   - A scalar field that occurs more than once has its last value.
//   - A singular message that occurs more than once is the merge of all occurrences: scalars of the last that has them,
//     elements of repeated fields of all. A decoder gets this right by being a merge function: call it for every
//     occurrence, on the same target, as the Merge methods of this package and [Each] do. Taking the last occurrence
//     alone is wrong.
//   - A component that a message does not have keeps the value its target had. On a zero target that is proto2's
//     default; fill the target with NaN first to see what was absent.
//   - Slices that a Reader returns are parts of the message, valid as long as its memory is.
//   - Bytes that are no message give an [Error] that wraps one of the sentinels below. Nothing panics.
//
// # Checking
//
// [Valid] looks at the fields of the top level only. [CheckSensorView] and [CheckSensorViewConfiguration] descend into
// every nested message and packed field of OSI 3.8.0. They accept and refuse exactly what proto.Unmarshal accepts and
// refuses with the types of osi3: unknown fields and foreign wire types are skipped, strings need not be UTF-8 (proto2
// does not ask for it), groups may nest 10 001 deep (protobuf's C++, Python and Java runtimes stop at 100; OSI has no
// groups). After a check has passed, a Reader on the message or on any nested message of it cannot fail.
//
// # Index
//
// Append: [Begin], [End]; [AppendDouble], [AppendFloat], [AppendUint64], [AppendUint32], [AppendInt64], [AppendInt32],
// [AppendEnum], [AppendBool], [AppendString], [AppendBytes]; the messages [AppendTimestamp], [AppendInterfaceVersion],
// [AppendIdentifier], [AppendVector3d], [AppendOrientation3d], [AppendDimension3d], [AppendGeodeticPosition],
// [AppendMountingPosition].
// Read: [Reader], [Key], [Each]; [Timestamp], [InterfaceVersion], [Vector3d], [Orientation3d], [Dimension3d] and
// [GeodeticPosition] with their Merge methods, [MergeIdentifier], [MergeMountingPosition]; [FindTimestamp],
// [FindIdentifier], [FindMountingPosition]. For readers of their own: [Field], [SizeVarint].
// Check: [Valid], [CheckSensorView], [CheckSensorViewConfiguration]. Errors: [Error] and the Err variables.
package wire

//go:generate go run gosmp/proto/internal/generate -dir ../osi3 -table SensorView,SensorViewConfiguration -out table_gen.go
