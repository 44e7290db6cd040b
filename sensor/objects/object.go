package objects

import (
	"encoding/binary"

	"gosmp/frames"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// Kind is the list of the GroundTruth that contains an object.
type Kind uint8

// The kinds of objects.
const (
	MovingObject Kind = iota
	StationaryObject
	kindCount
)

// String returns the word with which field names begin.
func (k Kind) String() string {
	if k == StationaryObject {
		return "stationary"
	}
	return "moving"
}

// Keys of MovingObject and StationaryObject, whose first two fields agree in number and meaning,
// and of their base.
const (
	keyObjectID   = field.MovingObjectId<<3 | wire.Len
	keyObjectBase = field.MovingObjectBase<<3 | wire.Len

	keyMovingType               = field.MovingObjectType<<3 | wire.Varint
	keyMovingAttributes         = field.MovingObjectVehicleAttributes<<3 | wire.Len
	keyMovingClassification     = field.MovingObjectVehicleClassification<<3 | wire.Len
	keyMovingAssignment         = field.MovingObjectMovingObjectClassification<<3 | wire.Len
	keyMovingColor              = field.MovingObjectColorDescription<<3 | wire.Len
	keyStationaryClassification = field.StationaryObjectClassification<<3 | wire.Len
	keyStationaryColor          = field.StationaryObjectColorDescription<<3 | wire.Len
	keyAttributesBBCenterToRear = field.MovingObjectVehicleAttributesBbcenterToRear<<3 | wire.Len
)

// Fields of BaseMoving; the first three also belong to BaseStationary.
const (
	fieldDimension               = field.BaseMovingDimension
	fieldPosition                = field.BaseMovingPosition
	fieldOrientation             = field.BaseMovingOrientation
	fieldVelocity                = field.BaseMovingVelocity
	fieldAcceleration            = field.BaseMovingAcceleration
	fieldRate                    = field.BaseMovingOrientationRate
	fieldOrientationAcceleration = field.BaseMovingOrientationAcceleration

	baseFields = fieldOrientationAcceleration + 1

	tagOrientationAcceleration = fieldOrientationAcceleration<<3 | byte(wire.Len)
)

// baseVectors are the vectors of base that are read, for each kind. lastInRow is the number of the
// last one that directly follows the others when all are present.
var (
	baseVectors = [kindCount]Quantities{
		MovingObject:     allQuantities | hasAngularAcceleration,
		StationaryObject: HasDimension | HasPosition | HasOrientation,
	}
	lastInRow = [kindCount]int{MovingObject: fieldRate, StationaryObject: fieldOrientation}
)

// part is a message of an object whose content is copied to the detection.
type part int

const (
	// vehicle_classification, or the classification of a stationary object.
	classification part = iota
	assignment          // moving_object_classification: the lanes
	color               // color_description
	partCount
)

// partKeys are the fields of the parts, for each kind; no field has the key 0.
var partKeys = [kindCount][partCount]wire.Key{
	MovingObject:     {keyMovingClassification, keyMovingAssignment, keyMovingColor},
	StationaryObject: {classification: keyStationaryClassification, color: keyStationaryColor},
}

// object is one object of the GroundTruth: the positions of its parts in the view. Vectors are
// decoded on demand.
type object struct {
	view  []byte
	kind  Kind
	whole extent
	id    optionalID
	class int32 // MovingObject.type
	*places
	own places // of an object whose layout is not known
}

// places are the positions of the parts of an object, counted from its beginning.
type places struct {
	hasBase bool
	seen    Quantities // fields of base that are present
	// the fields 1 to inRow of base are contiguous from here, each of sizeVector
	row, inRow    int
	other         [baseFields]extent // content of the others
	parted        bool               // a message is in several pieces, which must be merged
	has           [partCount]bool
	parts         [partCount]extent
	hasAttributes bool
	attributes    extent // MovingObject.vehicle_attributes
}

// part returns a part of the object that is at the given place.
func (o *object) part(at extent) []byte { return o.view[o.whole.lo+at.lo : o.whole.lo+at.hi] }

// read scans the object and its base. It returns false when a field is malformed.
func (o *object) read(at extent) bool {
	o.whole, o.id, o.class, o.places = at, optionalID{}, 0, &o.own
	o.hasBase, o.seen, o.inRow, o.parted = false, 0, 0, false
	o.has, o.hasAttributes = [partCount]bool{}, false
	b := o.view[at.lo:at.hi]
	i, ok := o.readUsual(b)
	for i < len(b) && ok {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		switch key {
		case keyObjectID:
			ok = o.id.merge(b[lo:hi])
		case keyObjectBase:
			ok = o.readBase(b, lo, hi)
		case keyMovingType:
			o.class = int32(wire.Uint64(b[lo:hi]))
		case partKeys[o.kind][classification]:
			o.notePart(classification, lo, hi)
		case partKeys[o.kind][assignment]:
			o.notePart(assignment, lo, hi)
		case partKeys[o.kind][color]:
			o.notePart(color, lo, hi)
		case keyMovingAttributes:
			o.parted = o.parted || o.hasAttributes && o.kind == MovingObject
			o.hasAttributes, o.attributes = true, extent{lo, hi}
		}
		i = hi
	}
	return ok
}

// notePart records the position of a part or of a piece of it.
func (o *object) notePart(p part, lo, hi int) {
	o.parted = o.parted || o.has[p]
	o.has[p], o.parts[p] = true, extent{lo, hi}
}

// readUsual reads an object in the layout of nearly all encoders: fields in the order of their
// numbers, each once, id and base first, with keys of one byte and lengths of one or two. It
// returns the start of the first field that deviates from this layout.
func (o *object) readUsual(b []byte) (rest int, ok bool) {
	i := 0
	if len(b) < 8 {
		return i, true
	}
	head := binary.LittleEndian.Uint32(b)
	value := binary.LittleEndian.Uint32(b[2:]) // of an Identifier
	switch {
	case head&0xffff == uint32(keyObjectID)|2<<8 && value&oneByte == uint32(keyIdentifierValue):
		o.id = optionalID{true, uint64(lowByte(value))}
		i += 4
	case head&0xffff == uint32(keyObjectID)|3<<8 &&
		value&twoBytes == uint32(keyIdentifierValue)|more:
		o.id = optionalID{true, uint64(bothBytes(value))}
		i += 5
	default:
		return i, true
	}
	if i+4 > len(b) {
		return i, true
	}
	head = binary.LittleEndian.Uint32(b[i:])
	var lo, hi int
	switch {
	case head&twoBytes == uint32(keyObjectBase)|more:
		lo, hi = i+3, i+3+bothBytes(head)
	case head&oneByte == uint32(keyObjectBase):
		lo, hi = i+2, i+2+lowByte(head)
	default:
		return i, true
	}
	if hi > len(b) {
		return i, true
	}
	ok = o.readBase(b, lo, hi)
	return o.readUsualEnd(b, hi), ok
}

// readUsualEnd continues with the fields after base.
func (o *object) readUsualEnd(b []byte, i int) (rest int) {
	if o.kind == MovingObject {
		if i+4 > len(b) {
			return i
		}
		head := binary.LittleEndian.Uint32(b[i:])
		if head&oneByte == uint32(keyMovingType) {
			o.class = int32(lowByte(head))
			head, i = head>>16, i+2
		}
		if hi := i + 2 + lowByte(head); head&oneByte == uint32(keyMovingAttributes) &&
			hi <= len(b) {
			o.hasAttributes, o.attributes = true, extent{i + 2, hi}
			i = hi
		}
	}
	if i+2 > len(b) {
		return i
	}
	head := uint32(binary.LittleEndian.Uint16(b[i:]))
	if hi := i + 2 + lowByte(head); head&oneByte == uint32(partKeys[o.kind][classification]) &&
		hi <= len(b) {
		o.has[classification], o.parts[classification] = true, extent{i + 2, hi}
		i = hi
	}
	return i
}

// readBase records the positions of the vectors of a base.
func (o *object) readBase(object []byte, i, end int) bool {
	b, read := object[:end], baseVectors[o.kind]
	if !o.hasBase {
		o.hasBase = true
		i = o.readRow(b, i)
	}
	for i < len(b) {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		if number := key >> 3; key&7 == wire.Len && read>>number&1 != 0 {
			q := Quantities(1) << number
			o.parted = o.parted || o.seen&q != 0
			o.seen |= q
			o.other[number] = extent{lo, hi}
		}
		i = hi
	}
	return true
}

// readRow records the vectors that start at i if they are complete and in the order of their
// numbers, as they usually are. It returns their end.
func (o *object) readRow(b []byte, i int) int {
	o.row = i
	if o.kind == MovingObject && len(b)-i >= sizeRow && isRow((*[sizeRow]byte)(b[i:])) {
		o.inRow, o.seen = fieldRate, allQuantities
		i += sizeRow
		if i+sizeVector <= len(b) && b[i] == tagOrientationAcceleration && b[i+1] == sizeTriple {
			o.other[fieldOrientationAcceleration] = extent{i + 2, i + sizeVector}
			o.seen |= hasAngularAcceleration
			i += sizeVector
		}
		return i
	}
	n, head := 0, byte(1<<3|wire.Len)
	for n < lastInRow[o.kind] && i+sizeVector <= len(b) && b[i] == head && b[i+1] == sizeTriple {
		n, head, i = n+1, head+1<<3, i+sizeVector
	}
	o.inRow, o.seen = n, 1<<(n+1)-2
	return i
}

// position returns the position in base; see vector.
func (o *object) position() (v frames.Vector, has, ok bool) {
	if o.inRow >= fieldPosition && !o.parted {
		const at = fieldPosition*sizeVector - sizeTriple
		if fullTriple((*[sizeTriple]byte)(o.view[o.whole.lo+o.row+at:]), &v) {
			return v, true, true
		}
	}
	return o.vector(fieldPosition)
}

// vector returns a vector of base; has is false if it is missing, and ok is false if it is
// malformed.
func (o *object) vector(number int) (v frames.Vector, has, ok bool) {
	switch {
	case o.seen>>number&1 == 0:
		return v, false, true
	case o.parted:
		has, ok = mergePath(o.view, o.whole, keyObjectBase, wire.Key(number)<<3|wire.Len, &v)
		return v, has, ok
	case number > o.inRow:
		return v, true, mergeTriple(o.part(o.other[number]), &v)
	}
	end := o.row + number*sizeVector
	return v, true, mergeTriple(o.part(extent{end - sizeTriple, end}), &v)
}

// vectors reads everything in base that a detection needs into place k of v. It returns false when
// a part is malformed.
func (o *object) vectors(v *vectors, k int) (ok bool) {
	k &= groupSize - 1 // spares the compiler checks
	if o.inRow == fieldRate && !o.parted &&
		v.fromRow(k, (*[sizeRow]byte)(o.view[o.whole.lo+o.row:])) {
		return true
	}
	ok = true
	for number := 1; number <= fieldRate && ok; number++ {
		var x frames.Vector
		if number <= lastInRow[o.kind] {
			x, _, ok = o.vector(number)
		}
		v[number].SetVector(k, x)
	}
	return ok
}

// bbCenterToRear returns the host vehicle's offset from the center of its box to the middle of its
// rear axle.
func (o *object) bbCenterToRear() (v frames.Vector, has, ok bool) {
	switch {
	case o.parted:
		has, ok = mergePath(o.view, o.whole, keyMovingAttributes, keyAttributesBBCenterToRear, &v)
	case o.hasAttributes:
		has, ok = mergeField(o.part(o.attributes), keyAttributesBBCenterToRear, &v)
	default:
		ok = true
	}
	return v, has, ok
}

// appendPart appends a part that is present as a field with the given tag. Its pieces are
// concatenated, which is how protobuf merges them. It returns false when the content is malformed
// and would make the output undecodable.
func (o *object) appendPart(b []byte, tag byte, p part) ([]byte, bool) {
	if !o.parted {
		content := o.part(o.parts[p])
		b = appendVarint(append(b, tag), uint64(len(content)))
		return appendFields(b, content)
	}
	b, mark := wire.Begin(b, wire.Number(tag>>3))
	ok := true
	for i := o.whole.lo; i < o.whole.hi && ok; {
		key, lo, hi := wire.Field(o.view[:o.whole.hi], i)
		if key == partKeys[o.kind][p] {
			b, ok = appendFields(b, o.view[lo:hi])
		}
		i = hi
	}
	return wire.End(b, mark), ok
}

// appendFields appends a message whose outer level is well-formed.
func appendFields(b, message []byte) ([]byte, bool) {
	for i := 0; i < len(message); {
		hi := wire.Skip(message, i)
		if hi < 0 {
			if _, _, hi = wire.Field(message, i); hi < 0 {
				return b, false
			}
		}
		i = hi
	}
	return appendShort(b, message[:cap(message)], 0, len(message)), true
}
