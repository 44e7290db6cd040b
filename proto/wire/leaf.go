package wire

import (
	"encoding/binary"
	"math"
	"slices"
)

// The lengths of these messages are known before their content, so no bytes have to be moved.

// AppendTimestamp appends an osi3.Timestamp: whole seconds, rounded down, plus nanoseconds from 0
// to 999 999 999.
func AppendTimestamp(b []byte, num Number, seconds int64, nanos uint32) []byte {
	size := 2 + SizeVarint(uint64(seconds)) + SizeVarint(uint64(nanos))
	b = append(appendKey(b, Key(num)<<3|Len), byte(size), byte(1<<3|Varint))
	b = append(appendVarint(b, uint64(seconds)), byte(2<<3|Varint))
	return appendVarint(b, uint64(nanos))
}

// AppendInterfaceVersion appends an osi3.InterfaceVersion.
func AppendInterfaceVersion(b []byte, num Number, major, minor, patch uint32) []byte {
	size := 3 + SizeVarint(uint64(major)) + SizeVarint(uint64(minor)) + SizeVarint(uint64(patch))
	b = append(appendKey(b, Key(num)<<3|Len), byte(size), byte(1<<3|Varint))
	b = append(appendVarint(b, uint64(major)), byte(2<<3|Varint))
	b = append(appendVarint(b, uint64(minor)), byte(3<<3|Varint))
	return appendVarint(b, uint64(patch))
}

// AppendIdentifier appends an osi3.Identifier.
func AppendIdentifier(b []byte, num Number, value uint64) []byte {
	size := 1 + SizeVarint(value)
	return appendVarint(append(appendKey(b, Key(num)<<3|Len), byte(size), byte(1<<3|Varint)), value)
}

// AppendVector3d appends an osi3.Vector3d.
func AppendVector3d(b []byte, num Number, x, y, z float64) []byte {
	return appendTriple(b, num, x, y, z)
}

// AppendOrientation3d appends an osi3.Orientation3d, in rad, or its rates.
func AppendOrientation3d(b []byte, num Number, roll, pitch, yaw float64) []byte {
	return appendTriple(b, num, roll, pitch, yaw)
}

// AppendGeodeticPosition appends an osi3.GeodeticPosition: degrees, and m above mean sea level.
// Note the order: longitude comes first.
func AppendGeodeticPosition(b []byte, num Number, longitude, latitude, altitude float64) []byte {
	return appendTriple(b, num, longitude, latitude, altitude)
}

// AppendMountingPosition appends an osi3.MountingPosition, in m and rad.
func AppendMountingPosition(b []byte, num Number, position Vector3d,
	orientation Orientation3d) []byte {
	b = append(appendKey(b, Key(num)<<3|Len), 2*(2+sizeTriple))
	b = AppendVector3d(b, 1, position.X, position.Y, position.Z)
	return AppendOrientation3d(b, 2, orientation.Roll, orientation.Pitch, orientation.Yaw)
}

// sizeTriple is the size of a message of three doubles, numbered 1 to 3.
const sizeTriple = 3 * (1 + 8)

// appendTriple appends such a message.
func appendTriple(b []byte, num Number, first, second, third float64) []byte {
	b = append(appendKey(b, Key(num)<<3|Len), sizeTriple)
	n := len(b)
	b = slices.Grow(b, sizeTriple)[:n+sizeTriple]
	p := (*[sizeTriple]byte)(b[n:])
	p[0], p[9], p[18] = byte(1<<3|Fixed64), byte(2<<3|Fixed64), byte(3<<3|Fixed64)
	binary.LittleEndian.PutUint64(p[1:], math.Float64bits(first))
	binary.LittleEndian.PutUint64(p[10:], math.Float64bits(second))
	binary.LittleEndian.PutUint64(p[19:], math.Float64bits(third))
	return b
}
