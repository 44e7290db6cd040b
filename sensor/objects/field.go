package objects

import (
	"encoding/binary"
	"math"

	"gosmp/frames"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// This reader works on one slice, the SensorView, and on positions in it: a message is the extent of its content. It
// accepts what [wire.Reader] accepts. That one hands out values; here most fields are passed over, and those of the
// objects are only noted where they are. To find the positions of all objects in this way takes a fifth of the time
// (BenchmarkPositions).

// extent is the part [lo, hi) of the view.
type extent struct{ lo, hi int }

// Four bytes as a little-endian number, the head of a field, tell at once which field begins there and how long it is.
// The first byte is its key, if the highest bit is not set. After it comes its value or length: less than 128 in one
// byte, or less than 16384 in two, the first of which has the bit more.
const (
	oneByte  = 0x80ff   // mask of a key, and of the bit that is not set when its value or length takes one byte
	twoBytes = 0x8080ff // the same for two
	more     = 0x8000

	numberMask = 0x78 // in a key of one byte
)

// lowByte and bothBytes are the value or length in one byte and in two.
func lowByte(head uint32) int   { return int(head >> 8 & 0x7f) }
func bothBytes(head uint32) int { return int(head>>8&0x7f | head>>9&0x3f80) }

// fieldAt finds the field at b[i:]: its key, and its content [lo, hi). The next field starts at hi; the content of a
// group includes its end. hi is -1 when there is no well-formed field.
func fieldAt(b []byte, i int) (key wire.Key, lo, hi int) {
	if i+4 > len(b) {
		return fieldSlow(b, i)
	}
	head := binary.LittleEndian.Uint32(b[i:])
	switch {
	case head&numberMask == 0:
		return fieldSlow(b, i)
	case head&(oneByte^numberMask) == uint32(wire.Len):
		lo, hi = i+2, i+2+lowByte(head)
	case head&(twoBytes^numberMask) == uint32(wire.Len)|more:
		lo, hi = i+3, i+3+bothBytes(head)
	case head&(oneByte^numberMask) == uint32(wire.Varint):
		lo, hi = i+1, i+2
	case head&(0xff^numberMask) == uint32(wire.Fixed64):
		lo, hi = i+1, i+9
	default:
		return fieldSlow(b, i)
	}
	if hi > len(b) {
		return 0, i, -1
	}
	return wire.Key(head & 0xff), lo, hi
}

// short skips a field whose key takes one byte, as does its value or length: hi is where it ends, or -1 for all others.
// It is small enough for the compiler to put it in the place of its call.
func short(b []byte, i int) (hi int) {
	if i+1 >= len(b) || b[i] < 8 || b[i+1] >= 0x80 {
		return -1
	}
	switch b[i] & 0x87 {
	case byte(wire.Len):
		if hi = i + 2 + int(b[i+1]); hi <= len(b) {
			return hi
		}
	case byte(wire.Varint):
		return i + 2
	}
	return -1
}

// fieldSlow is fieldAt for every input.
func fieldSlow(b []byte, i int) (key wire.Key, lo, hi int) {
	key, lo, hi = wire.Field(b[i:])
	if hi < 0 {
		return 0, i, -1
	}
	return key, i + lo, i + hi
}

// varint is the value of a varint field's content, which [fieldAt] has found to be one.
func varint(b []byte) uint64 {
	if b[0] < 0x80 {
		return uint64(b[0])
	}
	v, _ := binary.Uvarint(b)
	return v
}

func double(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// Tags of the three doubles of Vector3d, Orientation3d and Dimension3d, and the size of such a message that has all.
const (
	tagFirst  = field.Vector3dX<<3 | byte(wire.Fixed64)
	tagSecond = field.Vector3dY<<3 | byte(wire.Fixed64)
	tagThird  = field.Vector3dZ<<3 | byte(wire.Fixed64)

	sizeTriple = 27
	sizeVector = sizeTriple + 2 // with tag and length
	sizeRow    = fieldRate * sizeVector
)

// isRow says that p are the vectors 1 to 6 of a BaseMoving, dimension to orientation_rate, by their tags and lengths.
func isRow(p *[sizeRow]byte) bool {
	const head = sizeTriple<<8 | uint16(wire.Len) // without the number
	le := binary.LittleEndian
	return le.Uint16(p[0*sizeVector:]) == head+1<<3 && le.Uint16(p[1*sizeVector:]) == head+2<<3 &&
		le.Uint16(p[2*sizeVector:]) == head+3<<3 && le.Uint16(p[3*sizeVector:]) == head+4<<3 &&
		le.Uint16(p[4*sizeVector:]) == head+5<<3 && le.Uint16(p[5*sizeVector:]) == head+6<<3
}

// fromRow reads vectors for which isRow holds. It is false when one does not have three doubles in order.
func (v *vectors) fromRow(p *[sizeRow]byte) bool {
	at := func(number int) *[sizeTriple]byte { return (*[sizeTriple]byte)(p[number*sizeVector-sizeTriple:]) }
	return fullTriple(at(1), &v[1]) && fullTriple(at(2), &v[2]) && fullTriple(at(3), &v[3]) &&
		fullTriple(at(4), &v[4]) && fullTriple(at(5), &v[5]) && fullTriple(at(6), &v[6])
}

// mergeTriple reads the doubles 1, 2, 3 of a message into v; those that are not there keep their value. It is false
// when the bytes are no message.
func mergeTriple(b []byte, v *frames.Vector) bool {
	if len(b) == sizeTriple && fullTriple((*[sizeTriple]byte)(b), v) {
		return true
	}
	for i := 0; i < len(b); {
		key, lo, hi := fieldAt(b, i)
		if hi < 0 {
			return false
		}
		switch key {
		case wire.Key(tagFirst):
			v.X = double(b[lo:])
		case wire.Key(tagSecond):
			v.Y = double(b[lo:])
		case wire.Key(tagThird):
			v.Z = double(b[lo:])
		}
		i = hi
	}
	return true
}

// fullTriple reads three doubles that are all there and in order; otherwise it is false.
func fullTriple(b *[sizeTriple]byte, v *frames.Vector) bool {
	if b[0] != tagFirst || b[9] != tagSecond || b[18] != tagThird {
		return false
	}
	v.X, v.Y, v.Z = double(b[1:]), double(b[10:]), double(b[19:])
	return true
}

// mergeIdentifier reads the value of an Identifier into id, if it is there. It is false when the bytes are no message.
func mergeIdentifier(b []byte, id *uint64) bool {
	if len(b) > 1 && b[0] == byte(keyIdentifierValue) {
		if v, n := binary.Uvarint(b[1:]); n == len(b)-1 {
			*id = v
			return true
		}
	}
	for i := 0; i < len(b); {
		key, lo, hi := fieldAt(b, i)
		if hi < 0 {
			return false
		}
		if key == keyIdentifierValue {
			*id = varint(b[lo:hi])
		}
		i = hi
	}
	return true
}

// mergeField merges all fields of the given key in a message, which are messages of three doubles, in the order of their
// bytes, as a decoder merges the repeated parts of a singular field.
func mergeField(b []byte, at extent, key wire.Key, v *frames.Vector) (seen, ok bool) {
	b = b[:at.hi]
	for i := at.lo; i < len(b); {
		found, lo, hi := fieldAt(b, i)
		if hi < 0 || found == key && !mergeTriple(b[lo:hi], v) {
			return seen, false
		}
		seen = seen || found == key
		i = hi
	}
	return seen, true
}

// mergePath is mergeField for all messages in which the fields may be.
func mergePath(b []byte, at extent, outer, inner wire.Key, v *frames.Vector) (seen, ok bool) {
	for i := at.lo; i < at.hi; {
		found, lo, hi := fieldAt(b[:at.hi], i)
		if hi < 0 {
			return seen, false
		}
		if found == outer {
			has, ok := mergeField(b, extent{lo, hi}, inner, v)
			if !ok {
				return seen, false
			}
			seen = seen || has
		}
		i = hi
	}
	return seen, true
}
