package wire

import "encoding/hex"

// Prefix is the part shared by the GUIDs of all entities of a participant.
type Prefix [12]byte

// EntityID distinguishes the entities of a participant. The last byte is the kind.
type EntityID [4]byte

// GUID is the name of an entity.
type GUID struct {
	Prefix Prefix
	Entity EntityID
}

// The entities that every participant has (9.3.1.3), and the id that stands for all of them.
var (
	Unknown             = EntityID{}
	ParticipantEntity   = EntityID{0, 0, 1, 0xc1}
	ParticipantWriter   = EntityID{0, 1, 0, 0xc2}
	ParticipantReader   = EntityID{0, 1, 0, 0xc7}
	PublicationWriter   = EntityID{0, 0, 3, 0xc2}
	PublicationReader   = EntityID{0, 0, 3, 0xc7}
	SubscriptionWriter  = EntityID{0, 0, 4, 0xc2}
	SubscriptionReader  = EntityID{0, 0, 4, 0xc7}
	LivelinessWriter    = EntityID{0, 2, 0, 0xc2}
	LivelinessReader    = EntityID{0, 2, 0, 0xc7}
	BuiltinEndpointsSet = uint32(0x3f | HasLivelinessWriter | HasLivelinessReader) // all of them
)

// Bits of the built-in endpoints that not all participants have (9.3.2.12).
const (
	HasLivelinessWriter = 1 << 10
	HasLivelinessReader = 1 << 11
)

// Kinds of entities: those of users, without keys, and built-in ones.
const (
	KindWriter        = 0x03
	KindReader        = 0x04
	kindBuiltinWriter = 0xc2
	kindBuiltinReader = 0xc7
)

// Counterpart returns the built-in reader that belongs to a built-in writer, and the reverse.
func (e EntityID) Counterpart() EntityID {
	if e[3] == kindBuiltinWriter {
		e[3] = kindBuiltinReader
	} else {
		e[3] = kindBuiltinWriter
	}
	return e
}

// IsUser reports whether an id can belong to a writer, or else a reader, that is not built in.
func (e EntityID) IsUser(writer bool) bool {
	const builtin, role = 0xc0, 0x3f
	if e[3]&builtin == builtin {
		return false
	}
	switch e[3] & role {
	case 0x02, KindWriter:
		return writer
	case KindReader, 0x07:
		return !writer
	}
	return false
}

// IsKeyed reports whether samples of an entity have keys.
func (e EntityID) IsKeyed() bool { return e[3] == 0x02 || e[3] == 0x07 }

// Bytes returns the 16 bytes of a GUID, as used in the ROS 2 graph.
func (g GUID) Bytes() (b [16]byte) {
	copy(b[:], g.Prefix[:])
	copy(b[12:], g.Entity[:])
	return b
}

// GUIDOf returns the GUID with the given bytes.
func GUIDOf(b [16]byte) (g GUID) {
	copy(g.Prefix[:], b[:])
	copy(g.Entity[:], b[12:])
	return g
}

func (g GUID) String() string {
	b := g.Bytes()
	return hex.EncodeToString(b[:12]) + "." + hex.EncodeToString(b[12:])
}

// Set is a set of up to 256 numbers of samples or fragments, starting at Base. The meaning of
// numbers below Base depends on the kind of submessage (8.3.5.5).
type Set struct {
	Base int64
	Size int // of the range starting at Base
	Bits [8]uint32
}

// MostInSet is the largest range of a [Set].
const MostInSet = 256

// Has reports whether a number is in the set.
func (s *Set) Has(n int64) bool {
	k := n - s.Base
	return k >= 0 && k < int64(s.Size) && s.Bits[k/32]&(1<<(31-k%32)) != 0
}

// Add adds a number. It returns false if the number is out of range.
func (s *Set) Add(n int64) bool {
	k := n - s.Base
	if k < 0 || k >= MostInSet {
		return false
	}
	s.Bits[k/32] |= 1 << (31 - k%32)
	s.Size = max(s.Size, int(k)+1)
	return true
}

// words returns the number of words in the bitmap.
func (s *Set) words() int { return (s.Size + 31) / 32 }
