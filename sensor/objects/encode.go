package objects

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"gosmp/frames"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// Fields whose generated names are long.
const (
	candidateProbability = field.DetectedMovingObjectCandidateMovingObjectProbability
	candidateType        = field.DetectedMovingObjectCandidateMovingObjectType
	candidateVehicle     = field.DetectedMovingObjectCandidateMovingObjectVehicleClassification
	candidateHead        = field.DetectedMovingObjectCandidateMovingObjectHeadPose
	candidateBody        = field.DetectedMovingObjectCandidateMovingObjectUpperBodyPose
	candidateAssignment  = field.DetectedMovingObjectCandidateMovingObjectMovingObjectClassification
	candidateStationary  = field.DetectedStationaryObjectCandidateStationaryObjectClassification
)

// Tags of the fields written for every detection. All numbers are below 16, so a tag takes one
// byte.
const (
	tagStationaryObject = field.SensorDataStationaryObject<<3 | byte(wire.Len)
	tagMovingObject     = field.SensorDataMovingObject<<3 | byte(wire.Len)

	tagEntityCycle     = field.DetectedEntityHeaderCycleCounter<<3 | byte(wire.Varint)
	tagEntityQualifier = field.DetectedEntityHeaderDataQualifier<<3 | byte(wire.Varint)

	tagItemTrackingID    = field.DetectedItemHeaderTrackingId<<3 | byte(wire.Len)
	tagItemGroundTruthID = field.DetectedItemHeaderGroundTruthId<<3 | byte(wire.Len)
	tagItemExistence     = field.DetectedItemHeaderExistenceProbability<<3 | byte(wire.Fixed64)
	tagItemAge           = field.DetectedItemHeaderAge<<3 | byte(wire.Fixed64)
	tagItemMeasurement   = field.DetectedItemHeaderMeasurementState<<3 | byte(wire.Varint)
	tagItemSensorID      = field.DetectedItemHeaderSensorId<<3 | byte(wire.Len)

	tagDetectedHeader       = field.DetectedMovingObjectHeader<<3 | byte(wire.Len)
	tagDetectedBase         = field.DetectedMovingObjectBase<<3 | byte(wire.Len)
	tagMovingReferencePoint = field.DetectedMovingObjectReferencePoint<<3 | byte(wire.Varint)
	tagMovementState        = field.DetectedMovingObjectMovementState<<3 | byte(wire.Varint)
	tagMovingColor          = field.DetectedMovingObjectColorDescription<<3 | byte(wire.Len)
	tagStationaryColor      = field.DetectedStationaryObjectColorDescription<<3 | byte(wire.Len)
	tagMovingCandidate      = field.DetectedMovingObjectCandidate<<3 | byte(wire.Len)
	tagStationaryCandidate  = field.DetectedStationaryObjectCandidate<<3 | byte(wire.Len)

	tagCandidateProbability = candidateProbability<<3 | byte(wire.Fixed64)
	tagCandidateType        = candidateType<<3 | byte(wire.Varint)
	tagCandidateVehicle     = candidateVehicle<<3 | byte(wire.Len)
	tagCandidateHead        = candidateHead<<3 | byte(wire.Len)
	tagCandidateBody        = candidateBody<<3 | byte(wire.Len)
	tagCandidateAssignment  = candidateAssignment<<3 | byte(wire.Len)
	tagCandidateStationary  = candidateStationary<<3 | byte(wire.Len)
	tagVehicleType          = field.MovingObjectVehicleClassificationType<<3 | byte(wire.Varint)
)

// Values of enumerations.
const (
	dataAvailable        = 2 // DataQualifier
	dataNotAvailable     = 4
	stateMeasured        = 2 // MeasurementState
	referencePointCenter = 2 // ReferencePoint
	typeVehicle          = 2 // MovingObject.Type
	typePedestrian       = 3
)

// AppendStationaryObjects appends the fields stationary_object_header and stationary_object (10 and
// 11) of a SensorData with the result of the newest Detect. It appends nothing when Detect failed
// or stationary objects are not configured.
func (d *Detector) AppendStationaryObjects(b []byte) []byte {
	if !d.looked || !d.config.Stationary {
		return b
	}
	b = wire.AppendBytes(b, field.SensorDataStationaryObjectHeader, d.header)
	for i := range d.found[StationaryObject] {
		b = d.appendDetection(b, StationaryObject, &d.found[StationaryObject][i])
	}
	return b
}

// AppendMovingObjects appends the fields moving_object_header and moving_object (12 and 13) of a
// SensorData with the result of the newest Detect. It appends nothing when Detect failed or moving
// objects are not configured.
func (d *Detector) AppendMovingObjects(b []byte) []byte {
	if !d.looked || !d.config.Moving {
		return b
	}
	b = wire.AppendBytes(b, field.SensorDataMovingObjectHeader, d.header)
	for i := range d.found[MovingObject] {
		x := &d.found[MovingObject][i]
		var usual bool
		if b, usual = d.appendUsual(b, x); !usual {
			b = d.appendDetection(b, MovingObject, x)
		}
	}
	return b
}

// encodeHeaders encodes the parts common to both lists and to all detections.
func (d *Detector) encodeHeaders() {
	qualifier := byte(dataAvailable)
	if d.blind {
		qualifier = dataNotAvailable
	}
	seconds, nanos := d.measured.Split()
	d.header = wire.AppendTimestamp(d.header[:0], field.DetectedEntityHeaderMeasurementTime,
		seconds, nanos)
	d.header = appendVarint(append(d.header, tagEntityCycle), d.memory.cycle)
	d.header = append(d.header, tagEntityQualifier, qualifier)
	d.origin = append(d.origin[:0], tagItemMeasurement, stateMeasured)
	d.origin = appendIdentifier(d.origin, tagItemSensorID, d.sensorID)
	var word [sizeWord]byte
	copy(word[:], d.origin)
	d.originWord = binary.LittleEndian.Uint64(word[:])
}

// sizes of the parts of a detection, without their own tags and lengths.
type sizes struct{ header, base, candidate, whole int }

const (
	sizeDouble = 9 // with tag
	sizeNoID   = 3 // of an Identifier except its value
)

// sizesOf calculates all lengths before anything is written.
func (d *Detector) sizesOf(kind Kind, x *Detection) (s sizes) {
	s.header = 2*sizeNoID + sizeVarint(x.TrackingID) + sizeVarint(x.ObjectID) + 2*sizeDouble +
		len(d.origin)
	s.base = sizeVector * bits.OnesCount16(uint16(x.Has))
	s.candidate = sizeDouble + x.candidate.hi - x.candidate.lo
	if kind == MovingObject {
		s.candidate += 1 + sizeVarint(uint64(x.Type))
	}
	s.whole = nested(s.header) + nested(s.base) + len(d.rmseOf(kind, x)) + nested(s.candidate) +
		x.color.hi - x.color.lo
	if x.Movement != MovementUnknown {
		s.whole += 2
	}
	return s
}

// nested returns the size of a message field including its one-byte tag and its length.
func nested(content int) int { return 1 + sizeVarint(uint64(content)) + content }

func sizeVarint(v uint64) int {
	if v < 0x80 {
		return 1
	}
	return wire.SizeVarint(v)
}

// rmseOf returns the encoded fields base_rmse and, for a moving object, reference_point.
func (d *Detector) rmseOf(kind Kind, x *Detection) []byte {
	switch {
	case kind == StationaryObject:
		return d.rmse[0]
	case !x.Has.Has(HasVelocity):
		return d.rmse[1]
	}
	return d.rmse[2]
}

// encodeRMSE prepares the results of [Detector.rmseOf]: the errors due to noise depend only on the
// configuration.
func (d *Detector) encodeRMSE() {
	p, v := d.config.PositionNoise, d.config.VelocityNoise
	position := appendVector(nil, fieldPosition, frames.Vector{X: p, Y: p, Z: p})
	both := appendVector(position, fieldVelocity, frames.Vector{X: v, Y: v, Z: v})
	center := []byte{tagMovingReferencePoint, referencePointCenter}
	d.rmse[0] = wire.AppendBytes(nil, field.DetectedMovingObjectBaseRmse, position)
	d.rmse[1] = append(wire.AppendBytes(nil, field.DetectedMovingObjectBaseRmse, position),
		center...)
	d.rmse[2] = append(wire.AppendBytes(nil, field.DetectedMovingObjectBaseRmse, both), center...)
}

// appendDetection appends a DetectedMovingObject or DetectedStationaryObject.
func (d *Detector) appendDetection(b []byte, kind Kind, x *Detection) []byte {
	s := d.sizesOf(kind, x)
	b = slices.Grow(b, nested(s.whole))
	tag, candidate := tagMovingObject, tagMovingCandidate
	if kind == StationaryObject {
		tag, candidate = tagStationaryObject, tagStationaryCandidate
	}
	b = appendVarint(append(b, tag), uint64(s.whole))
	b = d.appendItemHeader(append(b, tagDetectedHeader, byte(s.header)), x)
	b = appendBase(appendVarint(append(b, tagDetectedBase), uint64(s.base)), x)
	b = append(b, d.rmseOf(kind, x)...)
	if x.Movement != MovementUnknown {
		b = append(b, tagMovementState, byte(x.Movement))
	}
	b = appendDouble(appendVarint(append(b, candidate), uint64(s.candidate)),
		tagCandidateProbability, 1)
	if kind == MovingObject {
		b = appendVarint(append(b, tagCandidateType), uint64(x.Type))
	}
	return append(b, d.text[x.candidate.lo:x.color.hi]...)
}

// appendItemHeader appends the content of a DetectedItemHeader, which is always shorter than 128
// bytes.
func (d *Detector) appendItemHeader(b []byte, x *Detection) []byte {
	b = appendIdentifier(b, tagItemTrackingID, x.TrackingID)
	b = appendIdentifier(b, tagItemGroundTruthID, x.ObjectID)
	b = appendDouble(b, tagItemExistence, x.Existence)
	b = appendDouble(b, tagItemAge, x.Age.Seconds())
	return append(b, d.origin...)
}

// appendBase appends the content of a BaseMoving or BaseStationary.
func appendBase(b []byte, x *Detection) []byte {
	if x.Has == allQuantities && cap(b)-len(b) >= sizeRow {
		n := len(b)
		b = b[:n+sizeRow]
		x.putRow((*[sizeRow]byte)(b[n:]))
		return b
	}
	for q, v := range [...]frames.Vector{
		fieldDimension: x.Dimension, fieldPosition: x.Position,
		fieldOrientation: triple(x.Orientation), fieldVelocity: x.Velocity,
		fieldAcceleration: x.Acceleration, fieldRate: triple(x.OrientationRate),
	} {
		if x.Has>>q&1 != 0 {
			b = appendVector(b, byte(q), v)
		}
	}
	return b
}

// putRow writes all vectors of the base of a moving object, in the order of their numbers.
func (x *Detection) putRow(p *[sizeRow]byte) {
	putVector((*[sizeVector]byte)(p[0*sizeVector:]), fieldDimension, x.Dimension)
	putVector((*[sizeVector]byte)(p[1*sizeVector:]), fieldPosition, x.Position)
	putVector((*[sizeVector]byte)(p[2*sizeVector:]), fieldOrientation, triple(x.Orientation))
	putVector((*[sizeVector]byte)(p[3*sizeVector:]), fieldVelocity, x.Velocity)
	putVector((*[sizeVector]byte)(p[4*sizeVector:]), fieldAcceleration, x.Acceleration)
	putVector((*[sizeVector]byte)(p[5*sizeVector:]), fieldRate, triple(x.OrientationRate))
}

// triple returns an orientation as the three doubles of an Orientation3d.
func triple(o frames.Orientation) frames.Vector {
	return frames.Vector{X: o.Roll, Y: o.Pitch, Z: o.Yaw}
}

// appendVector appends a field of three doubles, the layout shared by Vector3d, Orientation3d and
// Dimension3d.
func appendVector(b []byte, number byte, v frames.Vector) []byte {
	n := len(b)
	b = slices.Grow(b, sizeVector)[:n+sizeVector]
	putVector((*[sizeVector]byte)(b[n:]), number, v)
	return b
}

// putVector writes such a field.
func putVector(p *[sizeVector]byte, number byte, v frames.Vector) {
	// The first word extends into v.X, which comes next.
	binary.LittleEndian.PutUint32(p[0:], uint32(number)<<3|uint32(wire.Len)|sizeTriple<<8|uint32(
		tagFirst)<<16)
	binary.LittleEndian.PutUint64(p[3:], math.Float64bits(v.X))
	p[11], p[20] = tagSecond, tagThird
	binary.LittleEndian.PutUint64(p[12:], math.Float64bits(v.Y))
	binary.LittleEndian.PutUint64(p[21:], math.Float64bits(v.Z))
}

func appendDouble(b []byte, tag byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, tag), math.Float64bits(x))
}

func appendIdentifier(b []byte, tag byte, id uint64) []byte {
	b = append(b, tag, byte(1+wire.SizeVarint(id)), byte(keyIdentifierValue))
	return appendVarint(b, id)
}

// appendVarint is small enough for the compiler to inline.
func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b, v = append(b, byte(v)|0x80), v>>7
	}
	return append(b, byte(v))
}
