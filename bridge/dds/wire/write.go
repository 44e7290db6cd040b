package wire

import (
	"encoding/binary"
	"math"
	"time"
)

// Kinds of submessages (9.4.5.1).
const (
	KindAckNack       = 0x06
	KindHeartbeat     = 0x07
	KindGap           = 0x08
	KindInfoTimestamp = 0x09
	KindInfoSource    = 0x0c
	KindInfoDest      = 0x0e
	KindNackFragments = 0x12
	KindHeartbeatFrag = 0x13
	KindData          = 0x15
	KindDataFragment  = 0x16
)

// Flags of submessages.
const (
	flagLittle  = 0x01
	flagFinal   = 0x02 // of HEARTBEAT and ACKNACK
	flagInline  = 0x02 // of DATA and DATA_FRAG: parameters precede the payload
	flagPayload = 0x04 // of DATA
	flagKey     = 0x08 // of DATA: the payload is a key
	flagFragKey = 0x04 // of DATA_FRAG
	flagNoTime  = 0x02 // of INFO_TS
	flagAlive   = 0x04 // of HEARTBEAT: a sign of life of a writer that is manual by topic
)

// HeaderSize is the size of the head of a message in bytes.
const HeaderSize = 20

// The announced protocol version and vendor; the vendor is unknown because none is registered.
var (
	Version = [2]byte{2, 3}
	Vendor  = [2]byte{0, 0}
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// Begin appends the head of a message from a participant.
func Begin(b []byte, from Prefix) []byte {
	b = append(b, 'R', 'T', 'P', 'S', Version[0], Version[1], Vendor[0], Vendor[1])
	return append(b, from[:]...)
}

// begin appends the head of a submessage; end fills in its length.
func begin(b []byte, kind, flags byte) (out []byte, at int) {
	return append(b, kind, flags|flagLittle, 0, 0), len(b)
}

func end(b []byte, at int) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	if n := len(b) - at - 4; n <= math.MaxUint16 {
		le.PutUint16(b[at+2:], uint16(n))
	} // otherwise 0: up to the end of the message (8.3.3.2.3)
	return b
}

// AppendInfoDestination appends the destination of the following submessages.
func AppendInfoDestination(b []byte, to Prefix) []byte {
	b, at := begin(b, KindInfoDest, 0)
	return end(append(b, to[:]...), at)
}

// AppendInfoTimestamp appends the source time of the samples in the following submessages.
func AppendInfoTimestamp(b []byte, t time.Time) []byte {
	b, at := begin(b, KindInfoTimestamp, 0)
	b = le.AppendUint32(b, uint32(t.Unix()))
	return end(le.AppendUint32(b, fraction(t.Nanosecond())), at)
}

// fraction converts nanoseconds to units of 2^-32 s. It rounds up so that a reader obtains the same
// nanoseconds by truncation.
func fraction(nanos int) uint32 {
	return uint32((uint64(nanos)<<32 + 999_999_999) / 1_000_000_000)
}

// Data is a sample, or a fragment of one.
type Data struct {
	Reader, Writer EntityID
	Number         int64
	Status         byte // a disposed or unregistered instance, see [StatusDisposed]
	Key            *GUID
	Payload        []byte // of the sample, or of its key if Status is not 0

	// For a fragment: its number, starting at 1, the size of all fragments but the last, and the
	// size of the sample.
	Fragment     uint32
	FragmentSize int
	SampleSize   int
}

// StatusDisposed is the status of a removed entity (9.6.3.9): disposed and unregistered.
const StatusDisposed = 3

// AppendData appends a DATA submessage, or a DATA_FRAG if d has a fragment. It must be the last
// submessage of its message if the payload is longer than 64 KiB.
func AppendData(b []byte, d *Data) []byte {
	const toQoS, toQoSFragment = 16, 28 // from the end of the field to the parameters
	kind, flags, offset := byte(KindData), byte(flagPayload), uint16(toQoS)
	if d.Fragment > 0 {
		kind, flags, offset = KindDataFragment, 0, toQoSFragment
	}
	if d.Status != 0 {
		flags = flagKey | flagInline
	}
	b, at := begin(b, kind, flags)
	b = le.AppendUint16(append(b, 0, 0), offset)
	b = append(append(b, d.Reader[:]...), d.Writer[:]...)
	b = appendNumber(b, d.Number)
	if d.Fragment > 0 {
		b = le.AppendUint16(le.AppendUint32(b, d.Fragment), 1)
		b = le.AppendUint16(b, uint16(d.FragmentSize))
		b = le.AppendUint32(b, uint32(d.SampleSize))
	}
	if d.Status != 0 {
		b = appendHead(b, pidStatus, 4)
		b = append(b, 0, 0, 0, d.Status)
		if d.Key != nil {
			b = appendGUID(b, pidKeyHash, *d.Key)
		}
		b = appendHead(b, pidSentinel, 0)
	}
	return end(append(b, d.Payload...), at)
}

func appendNumber(b []byte, n int64) []byte {
	return le.AppendUint32(le.AppendUint32(b, uint32(n>>32)), uint32(n))
}

// AppendHeartbeat appends a heartbeat, which states that a writer has the numbers from first to
// last; last is first-1 if it has none. A final heartbeat requests no answer.
func AppendHeartbeat(b []byte, reader, writer EntityID, first, last int64, count uint32,
	final bool) []byte {
	flags := byte(0)
	if final {
		flags = flagFinal
	}
	b, at := begin(b, KindHeartbeat, flags)
	b = append(append(b, reader[:]...), writer[:]...)
	b = appendNumber(appendNumber(b, first), last)
	return end(le.AppendUint32(b, count), at)
}

// AppendAckNack appends an acknowledgement, which states that a reader has all numbers below the
// base of the set and lacks the numbers in it. A final acknowledgement requests no heartbeat.
func AppendAckNack(b []byte, reader, writer EntityID, lacks *Set, count uint32,
	final bool) []byte {
	flags := byte(0)
	if final {
		flags = flagFinal
	}
	b, at := begin(b, KindAckNack, flags)
	b = append(append(b, reader[:]...), writer[:]...)
	b = appendBits(appendNumber(b, lacks.Base), lacks)
	return end(le.AppendUint32(b, count), at)
}

// AppendGap appends the numbers that a reader will not receive: from start (inclusive) to the base
// of the set (exclusive), and the numbers in the set.
func AppendGap(b []byte, reader, writer EntityID, start int64, list *Set) []byte {
	b, at := begin(b, KindGap, 0)
	b = append(append(b, reader[:]...), writer[:]...)
	b = appendNumber(appendNumber(b, start), list.Base)
	return end(appendBits(b, list), at)
}

// AppendNackFragments appends a request for the fragments of a sample that a reader lacks.
func AppendNackFragments(b []byte, reader, writer EntityID, number int64, lacks *Set,
	count uint32) []byte {
	b, at := begin(b, KindNackFragments, 0)
	b = append(append(b, reader[:]...), writer[:]...)
	b = le.AppendUint32(appendNumber(b, number), uint32(lacks.Base))
	return end(le.AppendUint32(appendBits(b, lacks), count), at)
}

func appendBits(b []byte, s *Set) []byte {
	b = le.AppendUint32(b, uint32(s.Size))
	for _, word := range s.Bits[:s.words()] {
		b = le.AppendUint32(b, word)
	}
	return b
}
