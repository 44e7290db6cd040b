package wire

import (
	"encoding/binary"
	"math"
	"slices"
)

// The lengths of these messages are known before their content, so that nothing has to be moved.

// AppendTimestamp appends an osi3.Timestamp: whole seconds, rounded down, and nanoseconds on top, 0 to 999 999 999.
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

// AppendDimension3d appends an osi3.Dimension3d, in m.
func AppendDimension3d(b []byte, num Number, length, width, height float64) []byte {
	return appendTriple(b, num, length, width, height)
}

// AppendGeodeticPosition appends an osi3.GeodeticPosition: degrees, and m above mean sea level. Mind the order,
// longitude first.
func AppendGeodeticPosition(b []byte, num Number, longitude, latitude, altitude float64) []byte {
	return appendTriple(b, num, longitude, latitude, altitude)
}

// AppendMountingPosition appends an osi3.MountingPosition, in m and rad.
func AppendMountingPosition(b []byte, num Number, position Vector3d, orientation Orientation3d) []byte {
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

// Timestamp is osi3.Timestamp as read. A message that breaks OSI's rules may hold more than 999 999 999 nanoseconds.
type Timestamp struct {
	Seconds int64  // whole seconds since the zero point
	Nanos   uint32 // nanoseconds on top
}

// Merge reads the content of an osi3.Timestamp into t. After an error t may hold part of it.
func (t *Timestamp) Merge(content []byte) error {
	r := NewReader(content)
	for r.Next() {
		switch r.Key() {
		case 1<<3 | Varint:
			t.Seconds = r.Int64()
		case 2<<3 | Varint:
			t.Nanos = r.Uint32()
		}
	}
	return r.Err()
}

// InterfaceVersion is osi3.InterfaceVersion as read.
type InterfaceVersion struct{ Major, Minor, Patch uint32 }

// Merge reads the content of an osi3.InterfaceVersion into v. After an error v may hold part of it.
func (v *InterfaceVersion) Merge(content []byte) error {
	r := NewReader(content)
	for r.Next() {
		switch r.Key() {
		case 1<<3 | Varint:
			v.Major = r.Uint32()
		case 2<<3 | Varint:
			v.Minor = r.Uint32()
		case 3<<3 | Varint:
			v.Patch = r.Uint32()
		}
	}
	return r.Err()
}

// MergeIdentifier reads the content of an osi3.Identifier into value.
func MergeIdentifier(value *uint64, content []byte) error {
	r := NewReader(content)
	for r.Next() {
		if r.Key() == 1<<3|Varint {
			*value = r.Uint64()
		}
	}
	return r.Err()
}

// Vector3d is osi3.Vector3d as read. Unit and frame are those of the field it stands in.
type Vector3d struct{ X, Y, Z float64 }

// Merge reads the content of an osi3.Vector3d into v. After an error v may hold part of it.
func (v *Vector3d) Merge(content []byte) error { return mergeTriple(content, &v.X, &v.Y, &v.Z) }

// Orientation3d is osi3.Orientation3d as read: rad, or for rates rad/s or rad/s^2.
type Orientation3d struct{ Roll, Pitch, Yaw float64 }

// Merge reads the content of an osi3.Orientation3d into o. After an error o may hold part of it.
func (o *Orientation3d) Merge(content []byte) error {
	return mergeTriple(content, &o.Roll, &o.Pitch, &o.Yaw)
}

// Dimension3d is osi3.Dimension3d as read, in m.
type Dimension3d struct{ Length, Width, Height float64 }

// Merge reads the content of an osi3.Dimension3d into d. After an error d may hold part of it.
func (d *Dimension3d) Merge(content []byte) error {
	return mergeTriple(content, &d.Length, &d.Width, &d.Height)
}

// GeodeticPosition is osi3.GeodeticPosition as read: degrees, and m above mean sea level.
type GeodeticPosition struct{ Longitude, Latitude, Altitude float64 }

// Merge reads the content of an osi3.GeodeticPosition into g. After an error g may hold part of it.
func (g *GeodeticPosition) Merge(content []byte) error {
	return mergeTriple(content, &g.Longitude, &g.Latitude, &g.Altitude)
}

// MergeMountingPosition reads the content of an osi3.MountingPosition, m and rad, into position and orientation. After
// an error they may hold part of it.
func MergeMountingPosition(position *Vector3d, orientation *Orientation3d, content []byte) error {
	r := NewReader(content)
	for r.Next() {
		switch r.Key() {
		case 1<<3 | Len:
			r.Nested(position.Merge(r.Bytes()))
		case 2<<3 | Len:
			r.Nested(orientation.Merge(r.Bytes()))
		}
	}
	return r.Err()
}

// mergeTriple reads a message of three doubles, numbered 1 to 3.
func mergeTriple(content []byte, first, second, third *float64) error {
	r := NewReader(content)
	for r.Next() {
		switch r.Key() {
		case 1<<3 | Fixed64:
			*first = r.Double()
		case 2<<3 | Fixed64:
			*second = r.Double()
		case 3<<3 | Fixed64:
			*third = r.Double()
		}
	}
	return r.Err()
}
