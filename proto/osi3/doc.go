// Package osi3 is the Open Simulation Interface 3.8.0 as Go types: all its messages and enums,
// under OSI's own file, package, message and field names.
//
// The sources of the package are the .proto files in this folder; the .pb.go files are generated
// from them and never edited by hand. Regenerate with
//
//	go generate ./proto/...
//
// which needs no protoc. A test of the generator fails if the committed code differs from the code
// generated from the .proto files, and a test of this package compares the compiled descriptors, in
// both directions, with the table of facts testdata/osi-3.8.0-fields.csv (kind, file, container,
// name, number, type, oneof, options and the OSI version an entry appeared in).
//
// Conventions that hold everywhere (OSI 3.8.0, ISO 8855):
//
//   - proto2, every field optional: unknown values stay unset and are never written as zero.
//   - x forward, y left, z up, right-handed; m, m/s, m/s^2, rad, s. Angles are yaw, pitch, roll,
//     each about an axis that the previous rotations have already turned.
//   - The vehicle frame has its origin at the middle of the rear axle. The position of an object is
//     the centre of its bounding box.
//   - Accelerations are derivatives of position and contain no gravity.
//
// Index of the messages at the boundary of a sensor model: [SensorView] in, [SensorData] out,
// [SensorViewConfiguration] for request and answer of the input, [GroundTruth], [HostVehicleData].
// [Version] is the version of OSI that the package implements.
//
// Code on the hot path of a step uses gosmp/proto/wire instead of these types; it reads and writes
// the same bytes without allocation.
package osi3
