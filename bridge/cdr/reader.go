package cdr

import (
	"encoding/binary"
	"fmt"
	"math"

	"gosmp/internal/fault"
)

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
