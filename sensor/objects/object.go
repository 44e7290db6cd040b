package objects

import (
	"gosmp/proto/wire"
	"gosmp/sensor/frames"
)

// Kind is the list of the GroundTruth that an object is in.
type Kind uint8

// The kinds of objects.
const (
	MovingObject Kind = iota
	StationaryObject
	kindCount
)

// String is the word that field names begin with.
func (k Kind) String() string {
	if k == StationaryObject {
		return "stationary"
	}
	return "moving"
}

// Keys of MovingObject and StationaryObject, which share numbers and meaning of the first two, and of their base.
const (
	keyObjectID   = 1<<3 | wire.Len
	keyObjectBase = 2<<3 | wire.Len

	keyMovingType               = 3<<3 | wire.Varint
	keyMovingAttributes         = 5<<3 | wire.Len
	keyMovingClassification     = 6<<3 | wire.Len
	keyStationaryClassification = 3<<3 | wire.Len
	keyAttributesBBCenterToRear = 4<<3 | wire.Len
)

// Fields of BaseMoving; the first three are those of BaseStationary too.
const (
	fieldDimension = 1 + iota
	fieldPosition
	fieldOrientation
	fieldVelocity
	fieldAcceleration
	fieldRate
	_ // base_polygon
	fieldOrientationAcceleration
	baseFields
)

// lastBaseField is the number of the last field of base that is read, for each kind.
var lastBaseField = [kindCount]wire.Key{MovingObject: fieldOrientationAcceleration, StationaryObject: fieldOrientation}

// classificationKey is the field whose content a candidate repeats, for each kind.
var classificationKey = [kindCount]wire.Key{
	MovingObject: keyMovingClassification, StationaryObject: keyStationaryClassification,
}

// object is one object of the GroundTruth: where its parts are in the view. Vectors are read when they are wanted.
type object struct {
	view  []byte
	kind  Kind
	whole extent
	id    optionalID
	class int32 // MovingObject.type

	hasBase           bool
	seen              uint16 // fields of base that are there, bit by number
	parted            bool   // a part came in several pieces, which must be merged
	base              [baseFields]extent
	hasClassification bool
	classification    extent
}

// read goes through the object and its base. It is false when a field is not well-formed.
func (o *object) read(view []byte, kind Kind, at extent) bool {
	o.view, o.kind, o.whole = view, kind, at
	o.id, o.class, o.hasBase, o.seen, o.parted, o.hasClassification = optionalID{}, 0, false, 0, false, false
	b := view[:at.hi]
	for i := at.lo; i < len(b); {
		// Most fields are short messages, or at least their keys and lengths take one byte each: that is worth not
		// calling a function.
		key, lo, hi := wire.Key(b[i]), i+2, i+2
		if i+1 < len(b) && key&0x87 == wire.Len && key > wire.Len && b[i+1] < 0x80 && lo+int(b[i+1]) <= len(b) {
			hi += int(b[i+1])
		} else if key, lo, hi = field(b, i); hi < 0 {
			return false
		}
		switch key {
		case keyObjectID:
			if !o.id.merge(b[lo:hi]) {
				return false
			}
		case keyObjectBase:
			if !o.readBase(lo, hi) {
				return false
			}
		case keyMovingType:
			o.class = int32(varint(b[lo:hi]))
		case classificationKey[kind]:
			o.parted = o.parted || o.hasClassification
			o.hasClassification, o.classification = true, extent{lo, hi}
		}
		i = hi
	}
	return true
}

// readBase notes where the vectors of a base are.
func (o *object) readBase(i, end int) bool {
	b, last := o.view[:end], lastBaseField[o.kind]
	if !o.hasBase {
		// Mostly all vectors are there, complete and in order.
		for number := wire.Key(1); number <= last && i+sizeVector <= end; number++ {
			if b[i] != byte(number<<3|wire.Len) || b[i+1] != sizeTriple {
				break
			}
			o.base[number] = extent{i + 2, i + sizeVector}
			o.seen |= 1 << number
			i += sizeVector
		}
	}
	o.hasBase = true
	for i < end {
		key, lo, hi := field(b, i)
		if hi < 0 {
			return false
		}
		if number := key >> 3; key&7 == wire.Len && number <= last {
			bit := uint16(1) << number
			o.parted = o.parted || o.seen&bit != 0
			o.seen |= bit
			o.base[number] = extent{lo, hi}
		}
		i = hi
	}
	return true
}

// vector is a vector of base; has is false when it is not there, ok when it is not well-formed.
func (o *object) vector(number int) (v frames.Vector, has, ok bool) {
	if o.seen>>number&1 == 0 {
		return v, false, true
	}
	if o.parted {
		has, ok = mergePath(o.view, o.whole, keyObjectBase, wire.Key(number)<<3|wire.Len, &v)
		return v, has, ok
	}
	at := o.base[number]
	return v, true, mergeTriple(o.view[at.lo:at.hi], &v)
}

// bbCenterToRear is the host vehicle's offset from the centre of its box to the middle of its rear axle.
func (o *object) bbCenterToRear() (v frames.Vector, has, ok bool) {
	has, ok = mergePath(o.view, o.whole, keyMovingAttributes, keyAttributesBBCenterToRear, &v)
	return v, has, ok
}

// appendClassification appends the content of the classification. Pieces are put one behind the other, which is how
// protobuf merges them. It is false when the content is not well-formed: then it would make the output undecodable.
func (o *object) appendClassification(b []byte) ([]byte, bool) {
	if !o.hasClassification {
		return b, true
	}
	if !o.parted {
		return appendFields(b, o.view[o.classification.lo:o.classification.hi])
	}
	ok := true
	for i := o.whole.lo; i < o.whole.hi && ok; {
		key, lo, hi := field(o.view[:o.whole.hi], i)
		if key == classificationKey[o.kind] {
			b, ok = appendFields(b, o.view[lo:hi])
		}
		i = hi
	}
	return b, ok
}

// appendFields appends a message that is well-formed on its outer level.
func appendFields(b, message []byte) ([]byte, bool) {
	for i := 0; i < len(message); {
		if _, _, i = field(message, i); i < 0 {
			return b, false
		}
	}
	return append(b, message...), true
}
