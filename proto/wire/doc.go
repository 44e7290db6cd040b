// Package wire reads and writes OSI messages as protobuf bytes, without generated types and without
// allocation. It is the codec of the hot path: a step reads a SensorView in place and appends a
// SensorData to a buffer it owns. The same bytes can be read and written with gosmp/proto/osi3,
// which is meant for tests, tools and all other code that is not time-critical. Source: the
// protobuf wire format as google.golang.org/protobuf/encoding/protowire implements it, and proto2's
// merge rules.
//
// # Writing
//
// Every Append function adds one field to the end of a byte slice and returns the slice, like
// append. [Begin] and [End] enclose a nested message of any content:
//
//	b, location := wire.Begin(b, 3)
//	b = wire.AppendVector3d(b, 2, 1.5, 0, 0)
//	b = wire.End(b, location)
//
// Rules:
//
//   - Fields appended in the order of their numbers give exactly the bytes of a deterministic
//     proto.Marshal of the same message; lengths are varints of minimal size. The order is the
//     caller's duty.
//   - A field that is not appended is unset. A field that is appended is set, even when its value
//     is zero.
//   - No memory is allocated as long as the slice has enough capacity.
//
// # Reading
//
// [Field] finds the field that begins at a position of a message: its key and the positions of its
// content. A field is recognized by its [Key], which combines number and wire type, so that a known
// number with another wire type is skipped like an unknown field, as protobuf does:
//
//	for i := 0; i < len(view); {
//		key, lo, hi := wire.Field(view, i)
//		if hi < 0 {
//			return wire.CheckSensorView(view) // what is wrong, and where
//		}
//		switch key {
//		case 8<<3 | wire.Len:
//			ok = wire.MergeIdentifier(view[lo:hi], &hostVehicleID)
//		case 1<<3 | wire.Varint:
//			number = wire.Uint64(view[lo:hi])
//		}
//		i = hi
//	}
//
// Rules:
//
//   - A scalar field that occurs more than once takes its last value.
//   - A singular message that occurs more than once is the merge of all occurrences: each scalar
//     comes from the last occurrence that has it, and repeated fields have the elements of all. A
//     correct decoder is a merge function, like the Merge methods of this package, that is called
//     with the same target for every occurrence. Taking only the last occurrence is wrong.
//   - A component that a message does not have keeps the value of the target. For a zero target,
//     that is proto2's default; fill the target with NaN first to find out which components are
//     absent.
//   - Nothing is copied or allocated; a field that is not read takes only the time to skip it by
//     its length.
//   - These functions do not panic for any bytes, as long as the position is not beyond their end.
//
// # Checking
//
// [CheckSensorView] and [CheckSensorViewConfiguration] descend into every nested message and packed
// field of OSI 3.8.0. They accept and refuse exactly what proto.Unmarshal accepts and refuses with
// the types of osi3: unknown fields and fields with other wire types are skipped, strings need not
// be UTF-8 (proto2 does not require it), groups may nest 10 001 deep (protobuf's C++, Python and
// Java runtimes stop at 100; OSI has no groups). After a check has passed, Field finds every field
// of the message and of all nested messages.
//
// # Index
//
// Append: [Begin], [End]; [AppendDouble], [AppendUint64], [AppendInt64], [AppendInt32],
// [AppendString], [AppendBytes]; the messages [AppendTimestamp], [AppendInterfaceVersion],
// [AppendIdentifier], [AppendVector3d], [AppendOrientation3d], [AppendGeodeticPosition],
// [AppendMountingPosition]; [SizeVarint] to compute lengths beforehand. Read: [Field], [Key],
// [Uint64], [Double], [Skip]; [Vector3d] and [Orientation3d] with their Merge methods,
// [MergeIdentifier]; [FindIdentifier], [FindMountingPosition]. Check: [CheckSensorView],
// [CheckSensorViewConfiguration]. Errors: [Error] and the Err variables.
package wire

//go:generate go run gosmp/proto/internal/generate -dir ../osi3 -table SensorView,SensorViewConfiguration -out table_gen.go
