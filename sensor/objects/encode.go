package objects

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/proto/wire"
	"gosmp/sensor/frames"
)

// Fields of SensorData.
const (
	fieldStationaryHeader wire.Number = 10
	fieldMovingHeader     wire.Number = 12

	fieldRMSE wire.Number = 3 // of both kinds of detected objects
)

// Tags of what is written for every detection, number times 8 plus wire type: 0 varint, 1 double, 2 message.
const (
	tagStationaryObject = 11<<3 | 2
	tagMovingObject     = 13<<3 | 2

	tagEntityCycle     = byte(2<<3 | wire.Varint)
	tagEntityQualifier = byte(3<<3 | wire.Varint)

	tagItemTrackingID    = 1<<3 | 2
	tagItemGroundTruthID = 2<<3 | 2
	tagItemExistence     = 3<<3 | 1
	tagItemAge           = 4<<3 | 1
	tagItemMeasurement   = byte(5<<3 | wire.Varint)
	tagItemSensorID      = 6<<3 | 2

	tagDetectedHeader       = 1<<3 | 2
	tagDetectedBase         = 2<<3 | 2
	tagMovingReferencePoint = byte(4<<3 | wire.Varint)
	tagMovingCandidate      = 8<<3 | 2
	tagStationaryCandidate  = 4<<3 | 2
	tagCandidateProbability = 1<<3 | 1
	tagCandidateType        = byte(2<<3 | wire.Varint)
	tagCandidateVehicle     = 3<<3 | 2
	tagCandidateStationary  = 2<<3 | 2
	tagVehicleType          = byte(1<<3 | wire.Varint)
)

// Values of enumerations.
const (
	dataAvailable        = 2 // DataQualifier
	dataNotAvailable     = 4
	stateMeasured        = 2 // MeasurementState
	referencePointCenter = 2 // ReferencePoint
	typeVehicle          = 2 // MovingObject.Type
)

// unknownVehicle is the content of a VehicleClassification of TYPE_UNKNOWN.
var unknownVehicle = []byte{tagVehicleType, 0}

// AppendStationaryObjects appends the fields stationary_object_header and stationary_object (10 and 11) of a SensorData
// with the result of the newest Detect. It appends nothing when that failed, or when stationary objects are not
// configured.
func (d *Detector) AppendStationaryObjects(b []byte) []byte {
	if !d.looked || !d.config.Stationary {
		return b
	}
	b = wire.AppendBytes(b, fieldStationaryHeader, d.header)
	for i := range d.found[StationaryObject] {
		b = d.appendDetection(b, StationaryObject, &d.found[StationaryObject][i])
	}
	return b
}

// AppendMovingObjects appends the fields moving_object_header and moving_object (12 and 13) of a SensorData with the
// result of the newest Detect. It appends nothing when that failed, or when moving objects are not configured.
func (d *Detector) AppendMovingObjects(b []byte) []byte {
	if !d.looked || !d.config.Moving {
		return b
	}
	b = wire.AppendBytes(b, fieldMovingHeader, d.header)
	for i := range d.found[MovingObject] {
		b = d.appendDetection(b, MovingObject, &d.found[MovingObject][i])
	}
	return b
}

// encodeHeaders writes what both lists, and what all detections have in common.
func (d *Detector) encodeHeaders() {
	qualifier := byte(dataAvailable)
	if d.blind {
		qualifier = dataNotAvailable
	}
	seconds, nanos := d.measured.Split()
	d.header = wire.AppendTimestamp(d.header[:0], 1, seconds, nanos)
	d.header = protowire.AppendVarint(append(d.header, tagEntityCycle), d.memory.cycle)
	d.header = append(d.header, tagEntityQualifier, qualifier)
	d.origin = append(d.origin[:0], tagItemMeasurement, stateMeasured)
	d.origin = appendIdentifier(d.origin, tagItemSensorID, d.sensorID)
}

// sizes of the parts of a detection, without their own tags and lengths.
type sizes struct{ header, base, classification, candidate, whole int }

const (
	sizeVector = sizeTriple + 2 // with tag and length
	sizeDouble = 9              // with tag
	sizeEnum   = 2              // with tag, for values below 128
)

// nested is the size of a message field with its tag and length.
func nested(content int) int { return 1 + protowire.SizeBytes(content) }

func sizeIdentifier(id uint64) int { return 2 + 1 + protowire.SizeVarint(id) }

// sizesOf works out all lengths before anything is written. The classification is -1 when there will be none.
func (d *Detector) sizesOf(kind Kind, x *Detection) (s sizes) {
	s.header = sizeIdentifier(x.TrackingID) + sizeIdentifier(x.ObjectID) + 2*sizeDouble + len(d.origin)
	s.base = sizeVector * bits.OnesCount16(uint16(x.Has))
	s.candidate = sizeDouble
	s.classification = x.classification.hi - x.classification.lo
	switch {
	case kind == MovingObject && x.Type == typeVehicle && !x.classified:
		s.classification = len(unknownVehicle)
	case kind == MovingObject && x.Type != typeVehicle, !x.classified:
		s.classification = -1
	}
	if kind == MovingObject {
		s.candidate += 1 + protowire.SizeVarint(uint64(x.Type))
	}
	if s.classification >= 0 {
		s.candidate += nested(s.classification)
	}
	s.whole = nested(s.header) + nested(s.base) + len(d.rmseOf(kind, x)) + nested(s.candidate)
	return s
}

// rmseOf is the encoded fields base_rmse and, of a moving object, reference_point.
func (d *Detector) rmseOf(kind Kind, x *Detection) []byte {
	switch {
	case kind == StationaryObject:
		return d.rmse[0]
	case !x.Has.Has(HasVelocity):
		return d.rmse[1]
	}
	return d.rmse[2]
}

// encodeRMSE writes what [Detector.rmseOf] gives: the errors that the noise makes depend on the configuration alone.
func (d *Detector) encodeRMSE() {
	p, v := d.config.PositionNoise, d.config.VelocityNoise
	position := appendVector(nil, fieldPosition, frames.Vector{X: p, Y: p, Z: p})
	both := appendVector(position, fieldVelocity, frames.Vector{X: v, Y: v, Z: v})
	center := []byte{tagMovingReferencePoint, referencePointCenter}
	d.rmse[0] = wire.AppendBytes(nil, fieldRMSE, position)
	d.rmse[1] = append(wire.AppendBytes(nil, fieldRMSE, position), center...)
	d.rmse[2] = append(wire.AppendBytes(nil, fieldRMSE, both), center...)
}

// appendDetection appends a DetectedMovingObject or DetectedStationaryObject.
func (d *Detector) appendDetection(b []byte, kind Kind, x *Detection) []byte {
	s := d.sizesOf(kind, x)
	b = slices.Grow(b, nested(s.whole))
	tag, candidate, classification := byte(tagMovingObject), byte(tagMovingCandidate), byte(tagCandidateVehicle)
	if kind == StationaryObject {
		tag, candidate, classification = tagStationaryObject, tagStationaryCandidate, tagCandidateStationary
	}
	b = appendLength(b, tag, s.whole)
	b = d.appendItemHeader(appendLength(b, tagDetectedHeader, s.header), x)
	b = appendBase(appendLength(b, tagDetectedBase, s.base), x)
	b = append(b, d.rmseOf(kind, x)...)
	b = appendDouble(appendLength(b, candidate, s.candidate), tagCandidateProbability, 1)
	if kind == MovingObject {
		b = appendVarint(append(b, tagCandidateType), uint64(x.Type))
	}
	if s.classification < 0 {
		return b
	}
	b = appendLength(b, classification, s.classification)
	if !x.classified {
		return append(b, unknownVehicle...)
	}
	return append(b, d.text[x.classification.lo:x.classification.hi]...)
}

// appendItemHeader appends the content of a DetectedItemHeader.
func (d *Detector) appendItemHeader(b []byte, x *Detection) []byte {
	b = appendIdentifier(b, tagItemTrackingID, x.TrackingID)
	b = appendIdentifier(b, tagItemGroundTruthID, x.ObjectID)
	b = appendDouble(b, tagItemExistence, x.Existence)
	b = appendDouble(b, tagItemAge, x.Age.Seconds())
	return append(b, d.origin...)
}

// appendBase appends the content of a BaseMoving or BaseStationary.
func appendBase(b []byte, x *Detection) []byte {
	if x.Has.Has(HasDimension) {
		b = appendVector(b, fieldDimension, x.Dimension)
	}
	b = appendVector(b, fieldPosition, x.Position)
	if x.Has.Has(HasOrientation) {
		b = appendVector(b, fieldOrientation, triple(x.Orientation))
	}
	if x.Has.Has(HasVelocity) {
		b = appendVector(b, fieldVelocity, x.Velocity)
	}
	if x.Has.Has(HasAcceleration) {
		b = appendVector(b, fieldAcceleration, x.Acceleration)
	}
	if x.Has.Has(HasOrientationRate) {
		b = appendVector(b, fieldRate, triple(x.OrientationRate))
	}
	return b
}

// triple is an orientation as the three doubles of an Orientation3d.
func triple(o frames.Orientation) frames.Vector {
	return frames.Vector{X: o.Roll, Y: o.Pitch, Z: o.Yaw}
}

// appendVector appends a field of three doubles, which Vector3d, Orientation3d and Dimension3d have in common.
func appendVector(b []byte, number byte, v frames.Vector) []byte {
	n := len(b)
	if cap(b)-n < sizeVector {
		b = slices.Grow(b, sizeVector)
	}
	b = b[:n+sizeVector]
	p := b[n : n+sizeVector : n+sizeVector]
	p[0], p[1] = number<<3|2, sizeTriple
	p[2] = tagFirst
	binary.LittleEndian.PutUint64(p[3:], math.Float64bits(v.X))
	p[11] = tagSecond
	binary.LittleEndian.PutUint64(p[12:], math.Float64bits(v.Y))
	p[20] = tagThird
	binary.LittleEndian.PutUint64(p[21:], math.Float64bits(v.Z))
	return b
}

func appendDouble(b []byte, tag byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, tag), math.Float64bits(x))
}

func appendIdentifier(b []byte, tag byte, id uint64) []byte {
	b = append(b, tag, byte(1+protowire.SizeVarint(id)), byte(keyIdentifierValue))
	return appendVarint(b, id)
}

func appendLength(b []byte, tag byte, size int) []byte {
	if size < 0x80 {
		return append(b, tag, byte(size))
	}
	return protowire.AppendVarint(append(b, tag), uint64(size))
}

// appendVarint spares the call for the small numbers that most are.
func appendVarint(b []byte, v uint64) []byte {
	if v < 0x80 {
		return append(b, byte(v))
	}
	return protowire.AppendVarint(b, v)
}
