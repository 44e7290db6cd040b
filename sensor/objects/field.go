package objects

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/proto/wire"
	"gosmp/sensor/frames"
)

// This reader works on one slice, the SensorView, and on positions in it: a message is the extent of its content. It
// accepts what [wire.Reader] accepts. That one hands out values; here most fields are passed over, and those of the
// objects are only noted where they are, which takes a third of the time.

// extent is the part [lo, hi) of the view.
type extent struct{ lo, hi int }

// field finds the field at b[i:]: its key, and its content [lo, hi). The next field starts at hi; the content of a
// group includes its end. hi is -1 when there is no well-formed field.
func field(b []byte, i int) (key wire.Key, lo, hi int) {
	if i+1 >= len(b) || b[i]-8 >= 0x78 { // near the end; tags of field 0, tags of two and more bytes
		return fieldSlow(b, i)
	}
	c, n := b[i], b[i+1]
	switch c & 7 {
	case 2:
		lo, hi = i+2, i+2+int(n)
		if n >= 0x80 {
			if i+2 >= len(b) || b[i+2] >= 0x80 {
				return fieldSlow(b, i)
			}
			lo, hi = i+3, i+3+int(n&0x7f)+int(b[i+2])<<7
		}
	case 0:
		if n >= 0x80 {
			return fieldSlow(b, i)
		}
		lo, hi = i+1, i+2
	case 1:
		lo, hi = i+1, i+9
	default:
		return fieldSlow(b, i)
	}
	if hi > len(b) {
		return 0, i, -1
	}
	return wire.Key(c), lo, hi
}

// fieldSlow is field for every input.
func fieldSlow(b []byte, i int) (key wire.Key, lo, hi int) {
	number, wireType, n := protowire.ConsumeTag(b[i:])
	if n < 0 {
		return 0, i, -1
	}
	key, lo = wire.Key(number)<<3|wire.Key(wireType), i+n
	if wireType == protowire.BytesType {
		content, m := protowire.ConsumeBytes(b[lo:])
		if m < 0 {
			return 0, i, -1
		}
		return key, lo + m - len(content), lo + m
	}
	m := protowire.ConsumeFieldValue(number, wireType, b[lo:])
	if m < 0 {
		return 0, i, -1
	}
	return key, lo, lo + m
}

// varint is the value of a varint field's content, which [field] has found to be one.
func varint(b []byte) uint64 {
	if b[0] < 0x80 {
		return uint64(b[0])
	}
	v, _ := protowire.ConsumeVarint(b)
	return v
}

func double(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// Tags of the three doubles of Vector3d, Orientation3d and Dimension3d, and the size of such a message that has all.
const (
	tagFirst, tagSecond, tagThird = 1<<3 | 1, 2<<3 | 1, 3<<3 | 1 // wire type Fixed64
	sizeTriple                    = 27
)

// mergeTriple reads the doubles 1, 2, 3 of a message into v; those that are not there keep their value. It is false
// when the bytes are no message.
func mergeTriple(b []byte, v *frames.Vector) bool {
	if len(b) == sizeTriple && b[0] == tagFirst && b[9] == tagSecond && b[18] == tagThird {
		v.X, v.Y, v.Z = double(b[1:]), double(b[10:]), double(b[19:])
		return true
	}
	for i := 0; i < len(b); {
		key, lo, hi := field(b, i)
		if hi < 0 {
			return false
		}
		switch key {
		case tagFirst:
			v.X = double(b[lo:])
		case tagSecond:
			v.Y = double(b[lo:])
		case tagThird:
			v.Z = double(b[lo:])
		}
		i = hi
	}
	return true
}

// mergeIdentifier reads the value of an Identifier into id, if it is there. It is false when the bytes are no message.
func mergeIdentifier(b []byte, id *uint64) bool {
	if len(b) > 1 && b[0] == byte(keyIdentifierValue) {
		if v, n := protowire.ConsumeVarint(b[1:]); n == len(b)-1 {
			*id = v
			return true
		}
	}
	for i := 0; i < len(b); {
		key, lo, hi := field(b, i)
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

// mergePath merges all messages of three doubles that the path of two tags leads to, in the order of their bytes, as a
// decoder merges the repeated parts of a singular field.
func mergePath(b []byte, at extent, outer, inner wire.Key, v *frames.Vector) (seen, ok bool) {
	for i := at.lo; i < at.hi; {
		key, lo, hi := field(b[:at.hi], i)
		if hi < 0 {
			return seen, false
		}
		if key == outer {
			for j := lo; j < hi; {
				key, from, to := field(b[:hi], j)
				if to < 0 || key == inner && !mergeTriple(b[from:to], v) {
					return seen, false
				}
				seen = seen || key == inner
				j = to
			}
		}
		i = hi
	}
	return seen, true
}
