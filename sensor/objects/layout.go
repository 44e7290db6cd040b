package objects

import (
	"encoding/binary"

	"gosmp/proto/wire"
)

// Objects of a scene have few layouts: the same fields with the same sizes, and thus the same keys
// and lengths at the same positions. A layout that was read before is recognized by comparing these
// bytes, a few words in all, which takes half as long as reading them one after another.

// layouts are known layouts of the objects of a kind, by size of the object.
type layouts struct {
	known [32]layout
	vain  int // number of objects that fit no layout minus those that fit one, at least 0
	pause int // number of objects still to be read without looking for their layout
}

// layout describes how an object of one size is laid out. The zero value fits no object.
type layout struct {
	size   int
	places places
	isRow  bool // the vectors of base are a row, see isRow; the marks leave it out
	id     mark // of the value of the Identifier
	class  int  // position of the type's only byte; 0 if there is none
	marks  [maxMarks]mark
	count  int // of marks
	// number of objects that may still fail to fit before another layout is learned
	keep int
}

// mark holds bytes that all objects of a layout share: a number of eight bytes under a mask.
type mark struct {
	at         int
	mask, want uint64
}

const (
	maxMarks = 12
	sizeMark = 8

	// keepUseful and keepUseless are the values of layout.keep for a layout that fits objects and
	// for an object that has no layout of this form.
	keepUseful, keepUseless = 8, 64

	// If the objects that fit no layout outnumber those that did by mostInVain, the scene is too
	// mixed for layouts to pay off, and the next pause objects are read without them.
	mostInVain, pause = 128, 4096
)

// read reads the object at the given place. It returns false when a field is malformed. A layout
// may be learned only while no other object needs the layout that it replaces.
func (l *layouts) read(o *object, at extent, mayLearn bool) bool {
	if l.pause > 0 {
		l.pause--
		return o.read(at)
	}
	known := &l.known[uint(at.hi-at.lo)%uint(len(l.known))]
	if b := o.view[at.lo:at.hi]; known.fits(b) {
		l.vain, known.keep = max(0, l.vain-1), keepUseful
		known.take(o, at, b)
		return true
	}
	if !o.read(at) {
		return false
	}
	if known.keep--; known.keep < 0 && mayLearn {
		known.learn(o)
	}
	if l.vain++; l.vain > mostInVain {
		l.vain, l.pause = 0, pause
	}
	return true
}

// fits reports whether the object in b has this layout.
func (l *layout) fits(b []byte) bool {
	if len(b) != l.size || l.size == 0 || l.isRow && !isRow((*[sizeRow]byte)(b[l.places.row:])) {
		return false
	}
	differs := uint64(0)
	for k := range l.marks[:l.count] {
		m := &l.marks[k]
		differs |= (binary.LittleEndian.Uint64(b[m.at:]) ^ m.want) & m.mask
	}
	return differs == 0
}

// take is like [object.read] for an object that fits.
func (l *layout) take(o *object, at extent, b []byte) {
	// a varint without its continuation bits
	v := binary.LittleEndian.Uint64(b[l.id.at:]) & l.id.mask
	o.whole, o.places, o.class = at, &l.places, 0
	o.id = optionalID{true, v&0x7f | v>>1&(0x7f<<7) | v>>2&(0x7f<<14) | v>>3&(0x7f<<21)}
	if l.class > 0 {
		o.class = int32(b[l.class])
	}
}

// learn replaces the layout by the layout of an object that was already read.
func (l *layout) learn(o *object) {
	*l = layout{isRow: o.kind == MovingObject && o.inRow == fieldRate, keep: keepUseless}
	b := o.view[o.whole.lo:o.whole.hi]
	if o.parted || len(b) < 2*sizeMark {
		return
	}
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		ok := l.markHead(b, i, key, lo, hi)
		switch key {
		case keyObjectID:
			ok = ok && l.learnID(b, lo, hi)
		case keyObjectBase:
			ok = ok && l.learnBase(o, b, lo, hi)
		case keyMovingType:
			if o.kind == MovingObject {
				l.class, ok = lo, ok && hi-lo == 1
			}
		}
		if !ok {
			return
		}
		i = hi
	}
	if l.id.mask != 0 {
		l.size, l.places, l.keep = len(b), *o.places, keepUseful
	}
}

// learnID records the position of an object's only id, which has up to four bytes.
func (l *layout) learnID(b []byte, lo, hi int) bool {
	key, value, end := wire.Field(b[:hi], lo)
	digits := hi - value
	if l.id.mask != 0 || key != keyIdentifierValue || value != lo+1 || end != hi || digits > 4 {
		return false
	}
	l.id = mark{at: lo + 1, mask: 0x7f7f7f7f >> (8 * (4 - digits))}
	return l.id.at+sizeMark <= len(b) && l.markByte(b, lo, 0xff) && l.markDigits(b, lo+1, hi)
}

// learnBase marks the heads of the fields of a base.
func (l *layout) learnBase(o *object, b []byte, i, end int) bool {
	for i < end {
		if l.isRow && i == o.row {
			i += sizeRow
			continue
		}
		key, lo, hi := wire.Field(b[:end], i)
		if !l.markHead(b, i, key, lo, hi) {
			return false
		}
		i = hi
	}
	return true
}

// markHead marks the key of a field and its length, or the number of bytes of its value.
func (l *layout) markHead(b []byte, i int, key wire.Key, lo, hi int) bool {
	if key.Type() == wire.Group {
		return false
	}
	for k := i; k < lo; k++ {
		if !l.markByte(b, k, 0xff) {
			return false
		}
	}
	return key.Type() != wire.Varint || l.markDigits(b, lo, hi)
}

// markDigits marks which bytes continue a varint.
func (l *layout) markDigits(b []byte, lo, hi int) bool {
	for k := lo; k < hi; k++ {
		if !l.markByte(b, k, 0x80) {
			return false
		}
	}
	return true
}

// markByte marks bits of a byte. Bytes are marked in ascending order. It returns false if there is
// no room for another mark.
func (l *layout) markByte(b []byte, at int, bits uint64) bool {
	if l.count == 0 || at >= l.marks[l.count-1].at+sizeMark {
		if l.count == maxMarks {
			return false
		}
		l.marks[l.count] = mark{at: min(at, len(b)-sizeMark)}
		l.count++
	}
	m := &l.marks[l.count-1]
	shift := 8 * (at - m.at)
	m.mask |= bits << shift
	m.want |= uint64(b[at]) & bits << shift
	return true
}
