package wire

import "math/bits"

// Number is the number of a field, 1 to 536 870 911.
type Number int32

// maxNumber is the largest number that protobuf allows in a message.
const maxNumber = 1<<29 - 1

// SizeVarint is the number of bytes of v as a varint.
func SizeVarint(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// Field finds the first field of b: its key, and where its value begins and ends, the length of a Len field left out. The end is -1
// when b does not begin with a field. It is for readers that are in a hurry and accept what protobuf's runtimes accept, numbers up
// to 1<<31 - 1 included; a [Reader] says what is wrong.
func Field(b []byte) (key Key, lo, hi int) {
	tag, n, err := readVarint(b)
	if err != nil || tag>>3 == 0 || tag>>3 > 1<<31-1 {
		return 0, 0, -1
	}
	size, err := skipValue(tag>>3, Key(tag&7), b[n:], 0)
	if err != nil {
		return 0, 0, -1
	}
	lo, hi = n, n+size
	if Key(tag&7) == Len {
		_, prefix, _ := readVarint(b[n:]) // skipValue has read it
		lo += prefix
	}
	return Key(tag), lo, hi
}
