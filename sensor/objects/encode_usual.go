package objects

import (
	"encoding/binary"
	"math"
	"slices"

	"gosmp/proto/wire"
)

// Nearly all moving objects have all vectors, a movement, and ids and texts of a few bytes. Their
// detections are written with stores of whole words at positions known in advance, instead of field
// by field. Words overlap: each word overwrites the excess bytes of the previous one.

const (
	sizeWord  = 8
	sizeShort = 16
	mostID    = 4 // bytes of an id as a varint
	sizeNoise = 2 + 2*sizeVector + 2
	// from base to the type of the candidate.
	sizeUsual = 3 + sizeRow + sizeNoise + 2 + 2 + sizeDouble + 2
)

// appendUsual appends a detection of the usual form. If x has another form, it returns b unchanged
// and false.
func (d *Detector) appendUsual(b []byte, x *Detection) (appended []byte, ok bool) {
	tracking, object := wire.SizeVarint(x.TrackingID), wire.SizeVarint(x.ObjectID)
	header := 2*sizeNoID + tracking + object + 2*sizeDouble + len(d.origin)
	text := x.color.hi - x.candidate.lo
	candidate := sizeDouble + 2 + x.candidate.hi - x.candidate.lo
	whole := 2 + header + sizeUsual + text
	if x.Has != allQuantities || x.Movement == MovementUnknown || x.Type < 0 || x.Type > 0x7f ||
		max(tracking, object) > mostID || len(d.origin) > sizeWord || candidate > 0x7f ||
		whole >= 1<<14 {
		return b, false
	}
	start := len(b)
	b = slices.Grow(b, 3+whole+sizeShort)
	out := b[start : start+3+whole+sizeShort]
	le := binary.LittleEndian
	le.PutUint64(out, uint64(tagMovingObject)|digits(whole, 2)<<8|uint64(tagDetectedHeader)<<24|
		uint64(header)<<32|
		uint64(tagItemTrackingID)<<40|uint64(1+tracking)<<48|uint64(keyIdentifierValue)<<56)
	le.PutUint64(out[8:], digits(int(x.TrackingID), tracking))
	out = out[8+tracking:]
	le.PutUint64(out,
		uint64(tagItemGroundTruthID)|uint64(1+object)<<8|uint64(keyIdentifierValue)<<16|
			digits(int(x.ObjectID), object)<<24)
	out = out[3+object:]
	d.putItem((*[2*sizeDouble + sizeWord]byte)(out), x)
	out = out[2*sizeDouble+len(d.origin):]
	d.putUsual((*[sizeUsual]byte)(out), x, candidate)
	return appendShort(b[:start+3+whole-text], d.text[:cap(d.text)], x.candidate.lo, x.color.hi),
		true
}

// appendShort appends from[lo:hi]. It copies up to sizeShort bytes with two instructions, and
// without a function call, if there is room for that many.
func appendShort(b, from []byte, lo, hi int) []byte {
	n := len(b)
	if hi-lo > sizeShort || lo+sizeShort > len(from) || n+sizeShort > cap(b) {
		return append(b, from[lo:hi]...)
	}
	*(*[sizeShort]byte)(b[n : n+sizeShort]) = *(*[sizeShort]byte)(from[lo:])
	return b[:n+hi-lo]
}

// digits returns a number as a varint of n bytes, at most four, in the order of memory.
func digits(number, n int) uint64 {
	v := uint64(number)
	return v&0x7f | v<<1&0x7f00 | v<<2&0x7f0000 | v<<3&0x7f000000 | 0x808080>>(8*(mostID-n))
}

// putItem writes the rest of the header.
func (d *Detector) putItem(p *[2*sizeDouble + sizeWord]byte, x *Detection) {
	putDouble((*[sizeDouble]byte)(p[0:]), tagItemExistence, x.Existence)
	putDouble((*[sizeDouble]byte)(p[sizeDouble:]), tagItemAge, x.Age.Seconds())
	binary.LittleEndian.PutUint64(p[2*sizeDouble:], d.originWord)
}

// putUsual writes everything from base to the type of the candidate, whose size is given.
func (d *Detector) putUsual(p *[sizeUsual]byte, x *Detection, candidate int) {
	p[0], p[1], p[2] = tagDetectedBase, sizeRow&0x7f|0x80, sizeRow>>7
	x.putRow((*[sizeRow]byte)(p[3:]))
	*(*[sizeNoise]byte)(p[3+sizeRow:]) = [sizeNoise]byte(d.rmse[2])
	const tail = 3 + sizeRow + sizeNoise
	p[tail], p[tail+1], p[tail+2], p[tail+3] = tagMovementState, byte(x.Movement),
		tagMovingCandidate, byte(candidate)
	putDouble((*[sizeDouble]byte)(p[tail+4:]), tagCandidateProbability, 1)
	p[sizeUsual-2], p[sizeUsual-1] = tagCandidateType, byte(x.Type)
}

func putDouble(p *[sizeDouble]byte, tag byte, x float64) {
	p[0] = tag
	binary.LittleEndian.PutUint64(p[1:], math.Float64bits(x))
}
