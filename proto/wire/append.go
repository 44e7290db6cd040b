package wire

import (
	"encoding/binary"
	"math"
)

// appendKey appends the key that precedes a field.
func appendKey(b []byte, key Key) []byte { return appendVarint(b, uint64(key)) }

// appendVarint appends v as a varint. It is small enough for the compiler to inline.
func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b, v = append(b, byte(v)|0x80), v>>7
	}
	return append(b, byte(v))
}

// Begin appends the tag of the nested message num with room for its length. It returns the slice
// and the index at which the content starts; append the fields of the message, then pass both to
// [End]. Messages can be nested to any depth, with one End for each Begin.
func Begin(b []byte, num Number) ([]byte, int) {
	b = append(appendKey(b, Key(num)<<3|Len), 0)
	return b, len(b)
}

// End completes the message that [Begin] started at index content. The length is written as the
// shortest varint: content of more than 127 bytes is moved up by the bytes its length needs beyond
// the one that Begin reserved.
func End(b []byte, content int) []byte {
	size := len(b) - content
	if size < 0x80 {
		b[content-1] = byte(size)
		return b
	}
	var length [9]byte
	prefix := appendVarint(length[:0], uint64(size))
	// extends b by the missing bytes, which the move then overwrites
	b = append(b, prefix[1:]...)
	copy(b[content+len(prefix)-1:], b[content:content+size])
	copy(b[content-1:], prefix)
	return b
}

// AppendDouble appends a field of type double.
func AppendDouble(b []byte, num Number, v float64) []byte {
	return binary.LittleEndian.AppendUint64(appendKey(b, Key(num)<<3|Fixed64), math.Float64bits(v))
}

// AppendUint64 appends a field of type uint64, uint32 or bool.
func AppendUint64(b []byte, num Number, v uint64) []byte {
	return appendVarint(appendKey(b, Key(num)<<3|Varint), v)
}

// AppendInt64 appends a field of type int64. Negative values take ten bytes.
func AppendInt64(b []byte, num Number, v int64) []byte { return AppendUint64(b, num, uint64(v)) }

// AppendInt32 appends a field of type int32 or of an enum. Negative values take ten bytes, as in
// int64.
func AppendInt32(b []byte, num Number, v int32) []byte { return AppendInt64(b, num, int64(v)) }

// AppendString appends a field of type string.
func AppendString(b []byte, num Number, v string) []byte {
	return append(appendVarint(appendKey(b, Key(num)<<3|Len), uint64(len(v))), v...)
}

// AppendBytes appends a field of type bytes, or a nested message that is already encoded,
// unchanged.
func AppendBytes(b []byte, num Number, v []byte) []byte {
	return append(AppendPrefix(b, num, len(v)), v...)
}

// AppendPrefix appends what precedes size bytes of a field: its key and its length.
func AppendPrefix(b []byte, num Number, size int) []byte {
	return appendVarint(appendKey(b, Key(num)<<3|Len), uint64(size))
}
