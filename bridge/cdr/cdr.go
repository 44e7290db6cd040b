// Package cdr encodes and decodes messages field by field. There are two layouts:
//
//   - plain CDR, as sent by ROS 2 and DDS: a header of four bytes that states the byte order, then
//     fields aligned to their size relative to the end of the header (OMG DDS-XTypes 1.3, 7.4.1,
//     encoding PLAIN_CDR). Strings end with a NUL.
//   - The serialization of ROS 1: the same fields, little endian, without header, alignment or NUL.
//
// A [Form] selects the layout and the byte order:
//
//	b := cdr.Begin(nil, cdr.Little)
//	b = cdr.AppendString(b, "map", cdr.Little)
//	r := cdr.NewReader(b)
//	name := r.String()
//	err := r.End()
//
// A [Reader] keeps its first error, with the byte at which it occurred, and returns zeros after
// that. It compares counts with the remaining bytes before it allocates memory.
//
// Types: [Form], [Reader], [Time].
package cdr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf16"
)

// The kinds of errors about bytes that are not a message.
var (
	// ErrFormat reports bytes that are not plain CDR.
	ErrFormat = errors.New("bad CDR")
	// ErrROS1 reports bytes that are not a message of ROS 1.
	ErrROS1 = errors.New("bad ROS 1 message")
)

// Form is a layout and byte order of fields.
type Form uint8

// Plain CDR in both byte orders, and the serialization of ROS 1, which is little endian.
const (
	Little Form = iota
	Big
	ROS1
)

// HeaderSize is the size of the header of CDR in bytes.
const HeaderSize = 4

// Begin appends the header. b must be empty, because alignment counts from the end of the header.
func Begin(b []byte, f Form) []byte {
	switch f {
	case ROS1:
		return b
	case Big:
		return append(b, 0, 0, 0, 0)
	default:
		return append(b, 0, 1, 0, 0)
	}
}

// align pads b with zeros to a multiple of size, a power of two, counted from the end of the
// header.
func align(b []byte, size int) []byte {
	return append(b, zeros[:padding(len(b), size)]...)
}

var zeros [8]byte

// padding returns the distance from an offset to the next multiple of size, a power of two.
func padding(at, size int) int { return (HeaderSize - at) & (size - 1) }

// AppendEmpty appends a message without fields. In ROS 2, such a message has one hidden field, a
// byte, even inside another message; in ROS 1, it has no bytes.
func AppendEmpty(b []byte, f Form) []byte {
	if f == ROS1 {
		return b
	}
	return append(b, 0)
}

// AppendBool appends a bool.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// Append8 appends a byte.
func Append8(b []byte, v uint8) []byte { return append(b, v) }

// Append16 appends 16 bits.
func Append16(b []byte, v uint16, f Form) []byte {
	if f != ROS1 {
		b = align(b, 2)
	}
	if f == Big {
		return binary.BigEndian.AppendUint16(b, v)
	}
	return binary.LittleEndian.AppendUint16(b, v)
}

// Append32 appends 32 bits.
func Append32(b []byte, v uint32, f Form) []byte {
	if f != ROS1 {
		b = align(b, 4)
	}
	if f == Big {
		return binary.BigEndian.AppendUint32(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, v)
}

// Append64 appends 64 bits.
func Append64(b []byte, v uint64, f Form) []byte {
	if f != ROS1 {
		b = align(b, 8)
	}
	if f == Big {
		return binary.BigEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint64(b, v)
}

// AppendString appends a string preceded by its length; in CDR it ends with a NUL, which counts.
func AppendString(b []byte, v string, f Form) []byte {
	if f == ROS1 {
		return append(Append32(b, uint32(len(v)), f), v...)
	}
	b = Append32(b, uint32(len(v)+1), f)
	return append(append(b, v...), 0)
}

// Layouts of wide strings, which consist of UTF-16 units and have no NUL: in DDS, a length in bytes
// and units of 2 bytes (OMG DDS-XTypes 1.3, 7.4.1.1.2); in ROS 2, a length in units and units of 4
// bytes, as sent by its implementations.
const (
	WideDDS  = 2
	WideROS2 = 4
)

// WideLength returns the number of UTF-16 units in a text.
func WideLength(v string) int {
	n := 0
	for _, r := range v {
		n += max(1, utf16.RuneLen(r)) // invalid bytes become U+FFFD
	}
	return n
}

// AppendWide appends a wide string in the layout of DDS or ROS 2.
func AppendWide(b []byte, v string, f Form, layout int) []byte {
	n := WideLength(v)
	if layout == WideDDS {
		n *= WideDDS
	}
	b = Append32(b, uint32(n), f)
	for _, unit := range utf16.Encode([]rune(v)) {
		if layout == WideDDS {
			b = Append16(b, unit, f)
		} else {
			b = Append32(b, uint32(unit), f)
		}
	}
	return b
}

// Wide reads a wide string whose length in units must not exceed most; 0 means no bound.
func (r *Reader) Wide(layout, most int) string {
	begin := r.at
	n := int64(r.Uint32())
	bytes := n * WideROS2
	if layout == WideDDS {
		bytes, n = n, n/WideDDS
	}
	switch {
	case r.err != nil:
		return ""
	case bytes > int64(len(r.b)-r.at) || bytes%int64(layout) != 0:
		r.fail(begin, fmt.Sprintf("a wide string of %d bytes", bytes),
			fmt.Sprintf("a multiple of %d, at most the %d remaining bytes", layout, len(r.b)-r.at))
		return ""
	case most > 0 && n > int64(most):
		r.fail(begin, fmt.Sprintf("a wide string of %d units", n),
			fmt.Sprintf("at most %d, its bound", most))
		return ""
	}
	units := make([]uint16, n)
	for k := range units {
		if layout == WideDDS {
			units[k] = r.Uint16()
		} else {
			units[k] = uint16(r.Uint32())
		}
	}
	return string(utf16.Decode(units))
}

// Time is a time in a message: seconds and nanoseconds.
type Time struct {
	Sec     int32
	Nanosec uint32
}

// AppendTime appends a time.
func AppendTime(b []byte, v Time, f Form) []byte {
	return Append32(Append32(b, uint32(v.Sec), f), v.Nanosec, f)
}

// Time reads a time.
func (r *Reader) Time() Time { return Time{int32(r.Uint32()), r.Uint32()} }

// AppendFloat64s appends the elements of an array or a sequence.
func AppendFloat64s(b []byte, v []float64, f Form) []byte {
	if len(v) == 0 {
		return b
	}
	if f != ROS1 {
		b = align(b, 8)
	}
	if f == Big {
		for _, x := range v {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
		}
		return b
	}
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// AppendFloat32 appends a float32.
func AppendFloat32(b []byte, v float32, f Form) []byte {
	return Append32(b, math.Float32bits(v), f)
}

// AppendFloat64 appends a float64.
func AppendFloat64(b []byte, v float64, f Form) []byte {
	return Append64(b, math.Float64bits(v), f)
}
