// Package cdr writes and reads the common data representation in its plain form, as ROS 2 and DDS
// put it on the wire: a header of four bytes that names the byte order, then fields aligned to
// their size, counted from the end of the header (OMG DDS-XTypes 1.3, 7.4.1, encoding PLAIN_CDR).
//
//	b := cdr.Begin(nil, false)
//	b = cdr.AppendString(b, "map", false)
//	r := cdr.NewReader(b)
//	name := r.String()
//	err := r.End()
//
// A [Reader] keeps its first error, with the byte at which it was found, and returns zeros from
// then on. Counts are compared with what is left before memory is taken.
package cdr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gosmp/internal/fault"
)

// ErrFormat is the kind of errors about bytes that are not a message.
var ErrFormat = errors.New("bad CDR")

// HeaderSize is the size of what stands before the fields.
const HeaderSize = 4

// Begin appends the header; b has to be empty, because alignment counts from its end.
func Begin(b []byte, big bool) []byte {
	if big {
		return append(b, 0, 0, 0, 0)
	}
	return append(b, 0, 1, 0, 0)
}

// Align appends zeros up to a multiple of size, a power of two, behind the header.
func Align(b []byte, size int) []byte {
	return append(b, zeros[:padding(len(b), size)]...)
}

var zeros [8]byte

// padding is the distance from an offset to the next multiple of size, a power of two.
func padding(at, size int) int { return (HeaderSize - at) & (size - 1) }

// End finishes a message. One without fields has a single zero, as ROS 2 writes it.
func End(b []byte) []byte {
	if len(b) == HeaderSize {
		return append(b, 0)
	}
	return b
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
func Append16(b []byte, v uint16, big bool) []byte {
	b = Align(b, 2)
	if big {
		return binary.BigEndian.AppendUint16(b, v)
	}
	return binary.LittleEndian.AppendUint16(b, v)
}

// Append32 appends 32 bits.
func Append32(b []byte, v uint32, big bool) []byte {
	b = Align(b, 4)
	if big {
		return binary.BigEndian.AppendUint32(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, v)
}

// Append64 appends 64 bits.
func Append64(b []byte, v uint64, big bool) []byte {
	b = Align(b, 8)
	if big {
		return binary.BigEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint64(b, v)
}

// AppendString appends a string with its length and its NUL.
func AppendString(b []byte, v string, big bool) []byte {
	b = Append32(b, uint32(len(v)+1), big)
	return append(append(b, v...), 0)
}

// Reader reads the fields of a message in their order.
type Reader struct {
	b   []byte
	at  int
	big bool
	err error
}

// NewReader reads the header.
func NewReader(b []byte) *Reader {
	r := &Reader{}
	r.Reset(b)
	return r
}

// Reset begins anew with another message.
func (r *Reader) Reset(b []byte) {
	*r = Reader{b: b, at: HeaderSize}
	switch {
	case len(b) < HeaderSize:
		r.fail(0, fmt.Sprintf("%d bytes", len(b)), "a header of 4")
	case b[0] != 0 || b[1] > 1:
		r.fail(0, fmt.Sprintf("representation % x", b[:2]), "00 00 (big endian) or 00 01 (little endian), plain CDR")
	default:
		r.big = b[1] == 0
	}
}

// fail keeps the first error.
func (r *Reader) fail(at int, found, expected string) {
	if r.err == nil {
		r.err = &fault.Error{Place: fault.At(fmt.Sprintf("byte %d", at)), Kind: ErrFormat, Found: found, Expected: expected}
	}
	r.at = len(r.b)
}

// Err is the first error.
func (r *Reader) Err() error { return r.err }

// Offset is where the next field begins, before alignment.
func (r *Reader) Offset() int { return r.at }

// End is the first error. Up to three bytes may be left, which some writers add; so may the zero of
// a message without fields.
func (r *Reader) End() error {
	if rest := len(r.b) - r.at; r.err == nil && rest > 3 {
		r.fail(r.at, fmt.Sprintf("%d bytes behind the last field", rest), "at most 3")
	}
	return r.err
}

// take aligns, and returns the next size bytes; nil behind an error.
func (r *Reader) take(size, align int) []byte {
	if r.err != nil {
		return nil
	}
	begin := r.at + padding(r.at, align)
	if begin+size > len(r.b) || begin+size < begin {
		r.fail(r.at, fmt.Sprintf("%d bytes", len(r.b)-r.at), fmt.Sprintf("%d with padding", begin+size-r.at))
		return nil
	}
	r.at = begin + size
	return r.b[begin:r.at]
}

// Skip leaves out n values of a size, which is also their alignment.
func (r *Reader) Skip(n, size int) { r.take(n*size, size) }

// Refuse ends reading because of something that the bytes alone do not show.
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
	case r.big:
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
	case r.big:
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
	case r.big:
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

// Text reads a string as a part of the message's bytes.
func (r *Reader) Text() []byte {
	begin := r.at
	n := r.Uint32()
	if r.err != nil || n == 0 { // some writers leave the NUL of an empty string away
		return nil
	}
	if int64(n) > int64(len(r.b)-r.at) {
		r.fail(begin, fmt.Sprintf("a string of %d bytes", n), fmt.Sprintf("at most the %d that are left", len(r.b)-r.at))
		return nil
	}
	b := r.take(int(n), 1)
	if b[n-1] != 0 {
		r.fail(r.at-1, fmt.Sprintf("a string that ends with %#02x", b[n-1]), "a NUL")
		return nil
	}
	return b[:n-1]
}

// Count reads the count of a sequence whose elements have at least size bytes each; 0 for size
// means 1. most bounds it, if it is not negative.
func (r *Reader) Count(size, most int) int {
	begin := r.at
	n := int64(r.Uint32())
	left := int64(len(r.b) - r.at)
	switch {
	case r.err != nil:
		return 0
	case most >= 0 && n > int64(most):
		r.fail(begin, fmt.Sprintf("%d elements", n), fmt.Sprintf("at most %d, the bound of the sequence", most))
		return 0
	case n*int64(max(size, 1)) > left:
		r.fail(begin, fmt.Sprintf("%d elements", n), fmt.Sprintf("no more than fit into the %d bytes that are left", left))
		return 0
	}
	return int(n)
}

// Resize is a slice of n elements, the same one if there is room.
func Resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
}

// Time is a time of a message: seconds and nanoseconds.
type Time struct {
	Sec     int32
	Nanosec uint32
}

// AppendTime appends a time.
func AppendTime(b []byte, v Time, big bool) []byte {
	return Append32(Append32(b, uint32(v.Sec), big), v.Nanosec, big)
}

// Time reads a time.
func (r *Reader) Time() Time { return Time{int32(r.Uint32()), r.Uint32()} }

// AppendFloat64s appends the elements of an array or a sequence.
func AppendFloat64s(b []byte, v []float64, big bool) []byte {
	if len(v) == 0 {
		return b
	}
	b = Align(b, 8)
	if big {
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
func AppendFloat32(b []byte, v float32, big bool) []byte {
	return Append32(b, math.Float32bits(v), big)
}

// AppendFloat64 appends a float64.
func AppendFloat64(b []byte, v float64, big bool) []byte {
	return Append64(b, math.Float64bits(v), big)
}
