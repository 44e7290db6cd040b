package wire

import (
	"encoding/binary"
	"math"
)

// Key is what precedes a field in a message: its number and its wire type, number<<3 | type.
type Key uint32

// Wire types, to be joined with a number: 2<<3 | Len is field 2 as string, bytes, nested message or packed values.
const (
	Varint   Key = 0 // int32, int64, uint32, uint64, bool, enum
	Fixed64  Key = 1 // double
	Len      Key = 2 // string, bytes, message, packed repeated values
	Group    Key = 3 // a group; OSI has none, so it is always an unknown field
	endGroup Key = 4
	Fixed32  Key = 5 // float
)

// Number returns the number of the field.
func (k Key) Number() Number { return Number(k >> 3) }

// Type returns the wire type of the field, one of the constants above.
func (k Key) Type() Key { return k & 7 }

// Reader walks over the fields of one message, in the order in which they were written. Call [Reader.Next] until it
// returns false, then look at [Reader.Err]. Fields that are not of interest need no action. A Reader is a value, it
// refers to the bytes of the message and allocates nothing.
type Reader struct {
	buf   []byte
	pos   int // where the next field begins
	begin int // where the current field begins
	key   Key
	bits  uint64 // value of a varint or fixed field
	value []byte // content of a Len field
	err   error
}

// NewReader returns a Reader of the message whose encoding is b. No bytes are a message without fields.
func NewReader(b []byte) Reader { return Reader{buf: b} }

// Next goes to the next field. It returns false at the end of the message and at the first field that is not well
// formed; Err tells which.
func (r *Reader) Next() bool {
	if r.pos >= len(r.buf) || r.err != nil {
		return false
	}
	r.begin, r.bits, r.value = r.pos, 0, nil
	key, n, err := readKey(r.buf[r.pos:])
	if err != nil {
		return r.fail(err)
	}
	r.key = key
	rest := r.buf[r.pos+n:]
	switch key.Type() {
	case Fixed64:
		if len(rest) < 8 {
			return r.fail(ErrTruncated)
		}
		r.bits = binary.LittleEndian.Uint64(rest)
		r.pos += n + 8
		return true
	case Len:
		size, m, err := readVarint(rest)
		if err != nil {
			return r.fail(err)
		}
		if size > uint64(len(rest)-m) {
			return r.fail(ErrTruncated)
		}
		end := m + int(size)
		r.value = rest[m:end:end]
		r.pos += n + end
		return true
	case Varint:
		v, m, err := readVarint(rest)
		if err != nil {
			return r.fail(err)
		}
		r.bits = v
		r.pos += n + m
		return true
	}
	size, err := skipValue(uint64(key.Number()), key.Type(), rest, 0)
	if err != nil {
		return r.fail(err)
	}
	if key.Type() == Fixed32 {
		r.bits = uint64(binary.LittleEndian.Uint32(rest))
	}
	r.pos += n + size
	return true
}

func (r *Reader) fail(cause error) bool {
	r.err = &Error{Offset: r.begin, Cause: cause}
	return false
}

// Err returns nil, or an [*Error] when the message is not well formed, or what [Reader.Nested] was given.
func (r *Reader) Err() error { return r.err }

// Nested ends the walk when err is not nil. It is for errors from reading the content of the current Len field: the
// offset of an [*Error] in err is moved so that it counts from the begin of this message, and err becomes the error of
// this Reader. Readers that hand their errors up in this way name a place in the outermost message.
func (r *Reader) Nested(err error) {
	if err == nil {
		return
	}
	if inner := placeOf(err); inner != nil {
		inner.Offset += r.pos - len(r.value)
	}
	r.err = err
}

// Key returns number and wire type of the current field.
func (r *Reader) Key() Key { return r.key }

// Uint64 returns the value of a Varint field of type uint64.
func (r *Reader) Uint64() uint64 { return r.bits }

// Uint32 returns the value of a Varint field of type uint32. Bits beyond 32 are dropped, as protobuf does.
func (r *Reader) Uint32() uint32 { return uint32(r.bits) }

// Int64 returns the value of a Varint field of type int64.
func (r *Reader) Int64() int64 { return int64(r.bits) }

// Int32 returns the value of a Varint field of type int32 or of an enum. Bits beyond 32 are dropped, as protobuf does.
func (r *Reader) Int32() int32 { return int32(r.bits) }

// Bool returns the value of a Varint field as bool.
func (r *Reader) Bool() bool { return r.bits != 0 }

// Double returns the value of a Fixed64 field.
func (r *Reader) Double() float64 { return math.Float64frombits(r.bits) }

// Float returns the value of a Fixed32 field.
func (r *Reader) Float() float32 { return math.Float32frombits(uint32(r.bits)) }

// Bytes returns the content of a Len field, a part of the message. It is nil for other fields.
func (r *Reader) Bytes() []byte { return r.value }

// Raw returns the whole field, key included, a part of the message: appended to another message it is the same field
// there.
func (r *Reader) Raw() []byte { return r.buf[r.begin:r.pos:r.pos] }

// readKey reads a key. The numbers protobuf allows in a message end at 1<<29 - 1.
func readKey(b []byte) (Key, int, error) {
	tag, n, err := readVarint(b)
	if err != nil {
		return 0, 0, err
	}
	if number := tag >> 3; number == 0 || number > maxNumber {
		return 0, 0, ErrFieldNumber
	}
	return Key(tag), n, nil
}

// readVarint reads a varint, and says why when there is none.
func readVarint(b []byte) (uint64, int, error) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1, nil
	}
	switch v, n := binary.Uvarint(b); {
	case n > 0:
		return v, n, nil
	case n == 0 && len(b) < binary.MaxVarintLen64:
		return 0, 0, ErrTruncated
	}
	return 0, 0, ErrVarint
}
