package objects

import (
	"encoding/binary"

	"gosmp/frames"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// A SensorView is read as positions in one slice, found by [wire.Field]: a message is the extent of
// its content. Most fields are skipped, and only the position is recorded for the fields of
// objects.

// extent is the part [lo, hi) of the view.
type extent struct{ lo, hi int }

// Masks for the head of a field: its first bytes as a little-endian number. The first byte is the
// key if its highest bit is clear; the value or length follows.
const (
	// mask of a key, and of the bit that is clear when the value or length takes one byte.
	oneByte  = 0x80ff
	twoBytes = 0x8080ff // the same for two
	more     = 0x8000   // the bit that is set in the first of two bytes
)

// lowByte and bothBytes return the value or length stored in one byte or in two.
func lowByte(head uint32) int   { return int(head >> 8 & 0x7f) }
func bothBytes(head uint32) int { return int(head>>8&0x7f | head>>9&0x3f80) }

// Tags of the three doubles of Vector3d, Orientation3d and Dimension3d, and the size of such a
// message with all three.
const (
	tagFirst  = field.Vector3dX<<3 | byte(wire.Fixed64)
	tagSecond = field.Vector3dY<<3 | byte(wire.Fixed64)
	tagThird  = field.Vector3dZ<<3 | byte(wire.Fixed64)

	sizeTriple = 27
	sizeVector = sizeTriple + 2 // with tag and length
	sizeRow    = fieldRate * sizeVector
)

// isRow reports whether p holds the vectors 1 to 6 of a BaseMoving, dimension to orientation_rate,
// judging by their tags and lengths.
func isRow(p *[sizeRow]byte) bool {
	const head = sizeTriple<<8 | uint16(wire.Len) // without the number
	le := binary.LittleEndian
	return le.Uint16(p[0*sizeVector:]) == head+1<<3 && le.Uint16(p[1*sizeVector:]) == head+2<<3 &&
		le.Uint16(p[2*sizeVector:]) == head+3<<3 && le.Uint16(p[3*sizeVector:]) == head+4<<3 &&
		le.Uint16(p[4*sizeVector:]) == head+5<<3 && le.Uint16(p[5*sizeVector:]) == head+6<<3
}

// fromRow reads vectors for which isRow holds to place k of v. It returns false when one of them
// does not hold three doubles in order.
func (v *vectors) fromRow(k int, p *[sizeRow]byte) bool {
	for number := 1; number <= fieldRate; number++ {
		b := (*[sizeTriple]byte)(p[number*sizeVector-sizeTriple:])
		if b[0] != tagFirst || b[9] != tagSecond || b[18] != tagThird {
			return false
		}
		t := &v[number]
		t[0][k], t[1][k], t[2][k] = wire.Double(b[1:]), wire.Double(b[10:]), wire.Double(b[19:])
	}
	return true
}

// mergeTriple reads the doubles 1, 2, 3 of a message into v; missing ones keep their value. It
// returns false when the bytes are not a message.
func mergeTriple(b []byte, v *frames.Vector) bool {
	if len(b) == sizeTriple && fullTriple((*[sizeTriple]byte)(b), v) {
		return true
	}
	return (*wire.Vector3d)(v).Merge(b)
}

// fullTriple reads three doubles if all are present and in order; otherwise it returns false.
func fullTriple(b *[sizeTriple]byte, v *frames.Vector) bool {
	if b[0] != tagFirst || b[9] != tagSecond || b[18] != tagThird {
		return false
	}
	v.X, v.Y, v.Z = wire.Double(b[1:]), wire.Double(b[10:]), wire.Double(b[19:])
	return true
}

// mergeIdentifier reads the value of an Identifier into id, if present. It returns false when the
// bytes are not a message.
func mergeIdentifier(b []byte, id *uint64) bool {
	if len(b) > 1 && b[0] == byte(keyIdentifierValue) {
		if v, n := binary.Uvarint(b[1:]); n == len(b)-1 {
			*id = v
			return true
		}
	}
	return wire.MergeIdentifier(b, id)
}

// mergeField merges all fields of the given key in a message, each a message of three doubles, in
// the order of their bytes, as a decoder merges repeated occurrences of a singular field.
func mergeField(b []byte, key wire.Key, v *frames.Vector) (seen, ok bool) {
	for i := 0; i < len(b); {
		found, lo, hi := wire.Field(b, i)
		if hi < 0 || found == key && !mergeTriple(b[lo:hi], v) {
			return seen, false
		}
		seen = seen || found == key
		i = hi
	}
	return seen, true
}

// mergePath is like mergeField for every message that may contain the field.
func mergePath(b []byte, at extent, outer, inner wire.Key, v *frames.Vector) (seen, ok bool) {
	for i := at.lo; i < at.hi; {
		found, lo, hi := wire.Field(b[:at.hi], i)
		if hi < 0 {
			return seen, false
		}
		if found == outer {
			has, ok := mergeField(b[lo:hi], inner, v)
			if !ok {
				return seen, false
			}
			seen = seen || has
		}
		i = hi
	}
	return seen, true
}
