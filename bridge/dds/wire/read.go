package wire

import (
	"encoding/binary"
	"time"
)

// Reader walks the submessages of a message.
type Reader struct {
	Source Prefix // the participant that sent the current submessages
	// the participant they are for; zero for all
	Dest Prefix
	// source time of their samples; zero if unknown
	Time time.Time
	// Damaged reports that a submessage could not be read; the submessages after it are skipped.
	Damaged bool

	rest []byte
}

// Submessage is one part of a message. Which fields are set depends on the kind.
type Submessage struct {
	Kind           byte
	Reader, Writer EntityID
	Number         int64 // of the sample; for a gap, its start
	First, Last    int64 // of a heartbeat
	Final          bool  // no answer is wanted
	Alive          bool  // a heartbeat that is a sign of life
	Count          uint32
	Set            Set // of ACKNACK, NACK_FRAG and GAP

	Payload []byte // part of the message
	Status  byte   // not 0: the payload is the key of a removed instance
	Key     GUID   // from the key hash; zero if there is none

	Fragment     uint32 // number of the first fragment, from 1
	Fragments    int    // number of consecutive fragments
	FragmentSize int
	SampleSize   int
}

// Open reads the head of a message. ok is false if it is not an RTPS 2 message.
func Open(b []byte) (r Reader, ok bool) {
	if len(b) < HeaderSize || string(b[:4]) != "RTPS" || b[4] != Version[0] {
		return r, false
	}
	copy(r.Source[:], b[8:])
	r.rest = b[HeaderSize:]
	return r, true
}

// Next reads the next submessage of a kind known to this package.
func (r *Reader) Next(s *Submessage) bool {
	for len(r.rest) >= 4 {
		kind, flags := r.rest[0], r.rest[1]
		f := fields{b: r.rest[4:], order: order(flags)}
		n := int(f.order.Uint16(r.rest[2:]))
		const pad = 0x01
		if n == 0 && kind != pad && kind != KindInfoTimestamp || n > len(f.b) {
			if n > len(f.b) {
				break
			}
			n = len(f.b) // up to the end of the message
		}
		r.rest, f.b = f.b[n:], f.b[:n]
		*s = Submessage{Kind: kind}
		mine := r.context(kind, flags, &f)
		if !mine {
			mine = s.read(flags, &f)
			if mine && !f.bad {
				return true
			}
		}
		if r.Damaged = f.bad; f.bad {
			break
		}
	}
	r.Damaged = r.Damaged || len(r.rest) > 0
	r.rest = nil
	return false
}

func order(flags byte) binary.ByteOrder {
	if flags&flagLittle != 0 {
		return le
	}
	return be
}

// context reads a submessage that applies to the following ones. It returns false for other kinds.
func (r *Reader) context(kind, flags byte, f *fields) bool {
	switch kind {
	case KindInfoDest:
		copy(r.Dest[:], f.take(12))
	case KindInfoSource:
		f.take(8)
		copy(r.Source[:], f.take(12))
	case KindInfoTimestamp:
		r.Time = time.Time{}
		if flags&flagNoTime == 0 {
			seconds, part := f.uint32(), f.uint32()
			nanos := int64(uint64(part) * 1_000_000_000 >> 32)
			if r.Time = time.Unix(int64(seconds), nanos); seconds == 0xffffffff {
				r.Time = time.Time{}
			}
		}
	default:
		return false
	}
	return true
}

// read reads a submessage. It returns false for irrelevant kinds.
func (s *Submessage) read(flags byte, f *fields) bool {
	switch s.Kind {
	case KindData, KindDataFragment:
		s.data(flags, f)
		return true
	case KindHeartbeat, KindAckNack, KindGap, KindNackFragments, KindHeartbeatFrag:
	default:
		return false
	}
	s.Reader, s.Writer = f.entity(), f.entity()
	s.Final, s.Alive = flags&flagFinal != 0, s.Kind == KindHeartbeat && flags&flagAlive != 0
	switch s.Kind {
	case KindHeartbeat:
		s.First, s.Last, s.Count = f.number(), f.number(), f.uint32()
		f.refuse(s.First < 1 || s.Last < s.First-1)
	case KindAckNack:
		f.set(&s.Set, f.number())
		s.Count = f.uint32()
	case KindGap:
		s.Number = f.number()
		f.set(&s.Set, f.number())
		f.refuse(s.Number < 1 || s.Set.Base < s.Number)
	case KindNackFragments:
		s.Number = f.number()
		f.set(&s.Set, int64(f.uint32()))
		s.Count = f.uint32()
		f.refuse(s.Number < 1)
	case KindHeartbeatFrag:
		s.Number, s.Fragments, s.Count = f.number(), int(f.uint32()), f.uint32()
		f.refuse(s.Number < 1 || s.Fragments < 1)
	}
	return true
}

// data reads a sample or a fragment of one.
func (s *Submessage) data(flags byte, f *fields) {
	key := flags&flagKey != 0
	hasPayload := flags&(flagPayload|flagKey) != 0
	f.take(2)
	toQoS := int(f.uint16())
	all := f.b
	s.Reader, s.Writer, s.Number = f.entity(), f.entity(), f.number()
	f.refuse(s.Number < 1)
	if s.Kind == KindDataFragment {
		key, hasPayload = flags&flagFragKey != 0, true
		s.Fragment, s.Fragments = f.uint32(), int(f.uint16())
		s.FragmentSize, s.SampleSize = int(f.uint16()), int(f.uint32())
		f.refuse(s.Fragment < 1 || s.Fragments < 1 || s.FragmentSize < 1 || s.SampleSize < 1)
	}
	if f.bad || toQoS > len(all) || toQoS < len(all)-len(f.b) {
		f.bad = true
		return
	}
	f.b = all[toQoS:]
	if flags&flagInline != 0 {
		s.inline(f)
	}
	if key && s.Status == 0 {
		s.Status = StatusDisposed
	}
	if hasPayload && !f.bad {
		s.Payload = f.b
	}
}

// inline reads the parameters before a payload.
func (s *Submessage) inline(f *fields) {
	l := list{b: f.b, order: f.order}
	for l.next() {
		switch l.pid {
		case pidStatus:
			if len(l.value) >= 4 {
				s.Status = l.value[3] & StatusDisposed
			}
		case pidKeyHash:
			s.Key, _ = guidOf(l.value)
		}
	}
	f.bad = f.bad || !l.ended
	f.b = l.b
}

// fields reads values one after another. After an error, all values are zero.
type fields struct {
	b     []byte
	order binary.ByteOrder
	bad   bool
}

func (f *fields) refuse(bad bool) { f.bad = f.bad || bad }

// nothing is the data that reads return after an error.
var nothing [12]byte

func (f *fields) take(n int) []byte {
	if f.bad || len(f.b) < n {
		f.bad = true
		return nothing[:n]
	}
	b := f.b[:n]
	f.b = f.b[n:]
	return b
}

func (f *fields) uint16() uint16 { return f.order.Uint16(f.take(2)) }
func (f *fields) uint32() uint32 { return f.order.Uint32(f.take(4)) }

func (f *fields) number() int64 {
	high, low := int32(f.uint32()), f.uint32()
	return int64(high)<<32 | int64(low)
}

func (f *fields) entity() (e EntityID) {
	copy(e[:], f.take(4))
	return e
}

// set reads the bits of a set.
func (f *fields) set(s *Set, base int64) {
	n := f.uint32()
	if f.refuse(n > MostInSet || base < 0); f.bad {
		return
	}
	s.Base, s.Size = base, int(n)
	for k := range s.words() {
		s.Bits[k] = f.uint32()
	}
}
