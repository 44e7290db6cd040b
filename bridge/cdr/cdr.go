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

	"gosmp/internal/fault"
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

// Reader reads the fields of a message in order.
type Reader struct {
	b    []byte
	at   int
	form Form
	err  error
}

// NewReader returns a reader and reads the header of a CDR message.
func NewReader(b []byte) *Reader {
	r := &Reader{}
	r.Reset(b)
	return r
}

// ResetROS1 starts over with a message of ROS 1.
func (r *Reader) ResetROS1(b []byte) { *r = Reader{b: b, form: ROS1} }

// Reset starts over with another CDR message.
func (r *Reader) Reset(b []byte) {
	*r = Reader{b: b, at: HeaderSize}
	switch {
	case len(b) < HeaderSize:
		r.fail(0, fmt.Sprintf("%d bytes", len(b)), "a header of 4")
	case b[0] != 0 || b[1] > 1:
		r.fail(0, fmt.Sprintf("representation % x", b[:2]),
			"00 00 (big endian) or 00 01 (little endian), plain CDR")
	case b[1] == 0:
		r.form = Big
	}
}

// fail keeps the first error.
func (r *Reader) fail(at int, found, expected string) {
	if r.err == nil {
		kind := ErrFormat
		if r.form == ROS1 {
			kind = ErrROS1
		}
		r.err = fault.New(kind, fault.At(fmt.Sprintf("byte %d", at)), found, expected)
	}
	r.at = len(r.b)
}

// Err returns the first error, if any.
func (r *Reader) Err() error { return r.err }

// Offset returns the start of the next field, before alignment.
func (r *Reader) Offset() int { return r.at }

// End returns the first error. In CDR, up to three bytes may remain, because some writers add
// padding.
func (r *Reader) End() error {
	most := 3
	if r.form == ROS1 {
		most = 0
	}
	if rest := len(r.b) - r.at; r.err == nil && rest > most {
		r.fail(r.at, fmt.Sprintf("%d extra bytes after the last field", rest), fmt.Sprintf(
			"at most %d",
			most))
	}
	return r.err
}

// take aligns and returns the next size bytes, or nil after an error.
func (r *Reader) take(size, align int) []byte {
	if r.err != nil {
		return nil
	}
	begin := r.at
	if r.form != ROS1 {
		begin += padding(r.at, align)
	}
	if begin+size > len(r.b) || begin+size < begin {
		r.fail(r.at, fmt.Sprintf("%d bytes", len(r.b)-r.at), fmt.Sprintf("%d with padding",
			begin+size-r.at))
		return nil
	}
	r.at = begin + size
	return r.b[begin:r.at]
}

// Empty reads a message without fields; see [AppendEmpty]. If it is the whole message, some writers
// omit its byte.
func (r *Reader) Empty() {
	if r.form != ROS1 && len(r.b) > HeaderSize {
		r.take(1, 1)
	}
}

// Skip skips n values of a size, which is also their alignment.
func (r *Reader) Skip(n, size int) { r.take(n*size, size) }

// Refuse ends reading because of a value that the caller does not accept.
func (r *Reader) Refuse(found string) { r.fail(r.at, found, "another value") }

// Bool reads a bool.
func (r *Reader) Bool() bool {
	b := r.take(1, 1)
	if b == nil {
		return false
	}
	if b[0] > 1 {
		r.fail(r.at-1, fmt.Sprintf("a bool of %d", b[0]), "0 or 1")
	}
	return b[0] == 1
}

// Uint8 reads a byte.
func (r *Reader) Uint8() uint8 {
	if b := r.take(1, 1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 reads 16 bits.
func (r *Reader) Uint16() uint16 {
	switch b := r.take(2, 2); {
	case b == nil:
		return 0
	case r.form == Big:
		return binary.BigEndian.Uint16(b)
	default:
		return binary.LittleEndian.Uint16(b)
	}
}

// Uint32 reads 32 bits.
func (r *Reader) Uint32() uint32 {
	switch b := r.take(4, 4); {
	case b == nil:
		return 0
	case r.form == Big:
		return binary.BigEndian.Uint32(b)
	default:
		return binary.LittleEndian.Uint32(b)
	}
}

// Uint64 reads 64 bits.
func (r *Reader) Uint64() uint64 {
	switch b := r.take(8, 8); {
	case b == nil:
		return 0
	case r.form == Big:
		return binary.BigEndian.Uint64(b)
	default:
		return binary.LittleEndian.Uint64(b)
	}
}

// Float32 reads a float32.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.Uint32()) }

// Float64 reads a float64.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// String reads a string.
func (r *Reader) String() string { return string(r.Text()) }

// Text reads a string without copying it.
func (r *Reader) Text() []byte {
	begin := r.at
	n := r.Uint32()
	if r.err != nil || n == 0 { // some writers omit the NUL of an empty string
		return nil
	}
	if int64(n) > int64(len(r.b)-r.at) {
		r.fail(begin, fmt.Sprintf("a string of %d bytes", n),
			fmt.Sprintf("at most the %d remaining bytes", len(r.b)-r.at))
		return nil
	}
	b := r.take(int(n), 1)
	if r.form == ROS1 {
		return b
	}
	if b[n-1] != 0 {
		r.fail(r.at-1, fmt.Sprintf("a string that ends with %#02x", b[n-1]), "a NUL")
		return nil
	}
	return b[:n-1]
}

// Count reads the count of a sequence whose elements have at least size bytes each; size 0 means 1.
// If most is not negative, it bounds the count.
func (r *Reader) Count(size, most int) int {
	begin := r.at
	n := int64(r.Uint32())
	left := int64(len(r.b) - r.at)
	switch {
	case r.err != nil:
		return 0
	case most >= 0 && n > int64(most):
		r.fail(begin, fmt.Sprintf("%d elements", n),
			fmt.Sprintf("at most %d, the bound of the sequence", most))
		return 0
	case n*int64(max(size, 1)) > left:
		r.fail(begin, fmt.Sprintf("%d elements", n),
			fmt.Sprintf("no more than fit into the remaining %d bytes", left))
		return 0
	}
	return int(n)
}

// Resize returns a slice with n elements, which reuses s if its capacity suffices.
func Resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
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
