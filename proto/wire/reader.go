package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Number is the number of a field, 1 to 536 870 911.
type Number int32

// maxNumber is the largest number that protobuf allows in a message.
const maxNumber = 1<<29 - 1

// Key precedes a field in a message: its number and its wire type, number<<3 | type.
type Key uint32

// Wire types, to be combined with a number: 2<<3 | Len is field 2 as string, bytes, nested message
// or packed values.
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

// Four bytes as a little-endian number, the head of a field, show which field begins there and how
// long it is. The first byte is the key, if its highest bit is not set. The value or length
// follows: in one byte if it is less than 128, or in two bytes if it is less than 16384, with the
// highest bit set in the first one.
const (
	// mask of a key, and of the bit that is not set when its value or length takes one byte.
	oneByte  = 0x80ff
	twoBytes = 0x8080ff // the same for a value or length of two bytes
	more     = 0x8000

	numberMask = 0x78 // in a key of one byte
)

// Field finds the field of message b that begins at position i: its key, and its content as the
// positions [lo, hi), without the length of a Len field. The content of a group includes its end.
// The next field begins at hi. Without a well-formed field at i, hi is -1; [CheckSensorView] and
// [CheckSensorViewConfiguration] report what is wrong.
func Field(b []byte, i int) (key Key, lo, hi int) {
	if i+4 > len(b) {
		return anyField(b, i)
	}
	head := binary.LittleEndian.Uint32(b[i:])
	switch {
	case head&numberMask == 0:
		return anyField(b, i)
	case head&(oneByte^numberMask) == uint32(Len):
		lo, hi = i+2, i+2+int(head>>8&0x7f)
	case head&(twoBytes^numberMask) == uint32(Len)|more:
		lo, hi = i+3, i+3+int(head>>8&0x7f|head>>9&0x3f80)
	case head&(oneByte^numberMask) == uint32(Varint):
		lo, hi = i+1, i+2
	case head&(0xff^numberMask) == uint32(Fixed64):
		lo, hi = i+1, i+9
	default:
		return anyField(b, i)
	}
	if hi > len(b) {
		return 0, i, -1
	}
	return Key(head & 0xff), lo, hi
}

// anyField implements Field for any input.
func anyField(b []byte, i int) (key Key, lo, hi int) {
	tag, n, err := readTag(b[i:])
	if err != nil {
		return 0, i, -1
	}
	key, lo = Key(tag), i+n
	size, err := skipValue(tag>>3, key.Type(), b[lo:], 0)
	if err != nil {
		return 0, i, -1
	}
	hi = lo + size
	if key.Type() == Len {
		_, prefix, _ := readVarint(b[lo:]) // skipValue has already read it
		lo += prefix
	}
	return key, lo, hi
}

// Skip returns the end of the field that begins at i, if its key takes one byte, as does its value
// or length; it returns -1 for all other fields, which [Field] finds. It is small enough for the
// compiler to inline.
func Skip(b []byte, i int) (hi int) {
	if i+1 >= len(b) || b[i] < 8 || b[i+1] >= 0x80 {
		return -1
	}
	switch b[i] & 0x87 {
	case byte(Len):
		if hi = i + 2 + int(b[i+1]); hi <= len(b) {
			return hi
		}
	case byte(Varint):
		return i + 2
	}
	return -1
}

// Uint64 returns the value of a Varint field's content. Callers convert it to an int64, int32, bool
// or enum; for 32-bit types this drops the upper bits, as protobuf does.
func Uint64(content []byte) uint64 {
	if content[0] < 0x80 {
		return uint64(content[0])
	}
	v, _ := binary.Uvarint(content)
	return v
}

// Double returns the value of a Fixed64 field's content.
func Double(content []byte) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(content))
}

// SizeVarint returns the number of bytes that v takes as a varint: a seventh of its bits, rounded
// up. Up to 64 bits, multiplying by 9/64 rounds in the same way without a division.
func SizeVarint(v uint64) int { return int(9*uint(bits.Len64(v))+64) / 64 }

// readTag reads the key of a field. The numbers that protobuf allows in a message end at 1<<29 - 1.
func readTag(b []byte) (tag uint64, n int, err error) {
	tag, n, err = readVarint(b)
	if err == nil && (tag>>3 == 0 || tag>>3 > maxNumber) {
		err = ErrFieldNumber
	}
	return tag, n, err
}

// readVarint reads a varint. If there is none, the error gives the reason.
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
