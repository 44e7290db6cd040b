package wire

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// Parameters of discovery and of samples (9.6.2.2, and DDS-XTypes for the representation).
const (
	pidSentinel        = 0x0001
	pidLease           = 0x0002
	pidTopic           = 0x0005
	pidType            = 0x0007
	pidDomain          = 0x000f
	pidVersion         = 0x0015
	pidVendor          = 0x0016
	pidReliability     = 0x001a
	pidLiveliness      = 0x001b
	pidDurability      = 0x001d
	pidOwnership       = 0x001f
	pidDeadline        = 0x0023
	pidPartition       = 0x0029
	pidUserData        = 0x002c
	pidLocator         = 0x002f
	pidUserLocator     = 0x0031
	pidMetaLocator     = 0x0032
	pidParticipant     = 0x0050
	pidEndpoints       = 0x0058
	pidEndpoint        = 0x005a
	pidName            = 0x0062
	pidKeyHash         = 0x0070
	pidStatus          = 0x0071
	pidRepresentation  = 0x0073
	pidIdentityToken   = 0x1001
	pidDomainTag       = 0x4014
	parameterHeadSize  = 4
	locatorUDPv4       = 1
	locatorSize        = 24
	longestText        = 256 // limit for names that are kept
	mostUserData       = 1 << 10
	mostLocators       = 16
	mostPartitions     = 16
	mostRepresentation = 16
	mostParameters     = 256 // of a list, several times as many as there are kinds
)

func appendHead(b []byte, pid uint16, size int) []byte {
	return le.AppendUint16(le.AppendUint16(b, pid), uint16((size+3)&^3))
}

func appendWord(b []byte, pid uint16, value uint32) []byte {
	return le.AppendUint32(appendHead(b, pid, 4), value)
}

func appendGUID(b []byte, pid uint16, g GUID) []byte {
	id := g.Bytes()
	return append(appendHead(b, pid, len(id)), id[:]...)
}

func appendText(b []byte, pid uint16, text string) []byte {
	b = appendHead(b, pid, 4+len(text)+1)
	b = append(append(le.AppendUint32(b, uint32(len(text)+1)), text...), 0)
	return padded(b)
}

func appendBlob(b []byte, pid uint16, data []byte) []byte {
	b = appendHead(b, pid, 4+len(data))
	return padded(append(le.AppendUint32(b, uint32(len(data))), data...))
}

// padded pads b to a multiple of 4 bytes. Lists begin at such a multiple.
func padded(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func appendLocator(b []byte, pid uint16, a netip.AddrPort) []byte {
	b = le.AppendUint32(appendHead(b, pid, locatorSize), locatorUDPv4)
	b = le.AppendUint32(b, uint32(a.Port()))
	ip := a.Addr().As4()
	return append(append(b, make([]byte, 12)...), ip[:]...)
}

// Forever is a duration without end.
const Forever = time.Duration(1<<63 - 1)

func appendDuration(b []byte, d time.Duration) []byte {
	if d == Forever {
		return append(b, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff)
	}
	b = le.AppendUint32(b, uint32(d/time.Second))
	return le.AppendUint32(b, fraction(int(d%time.Second)))
}

// list walks a parameter list.
type list struct {
	b     []byte
	order binary.ByteOrder
	pid   uint16
	value []byte
	ended bool // the list ended properly, with a sentinel
	read  int  // parameters
}

func (l *list) next() bool {
	if l.read++; len(l.b) < parameterHeadSize || l.read > mostParameters {
		return false
	}
	l.pid = l.order.Uint16(l.b)
	n := int(l.order.Uint16(l.b[2:]))
	l.b = l.b[parameterHeadSize:]
	if l.pid == pidSentinel {
		l.ended = true
		return false
	}
	if n > len(l.b) {
		return false
	}
	l.value, l.b = l.b[:n], l.b[n:]
	return true
}

func (l *list) fields() *fields { return &fields{b: l.value, order: l.order} }

// guidOf reads a GUID.
func guidOf(b []byte) (g GUID, ok bool) {
	if len(b) < 16 {
		return g, false
	}
	return GUIDOf([16]byte(b)), true
}

// text reads a string.
func (f *fields) text() string {
	n := int(f.uint32())
	if f.refuse(n > len(f.b)); f.bad || n == 0 {
		return ""
	}
	b := f.b[:n]
	f.b = f.b[n:]
	if b[n-1] == 0 {
		b = b[:n-1]
	}
	if len(b) > longestText {
		f.bad = true
		return ""
	}
	return string(b)
}

// blob reads a sequence of bytes.
func (f *fields) blob() []byte {
	n := int(f.uint32())
	if f.refuse(n > len(f.b) || n > mostUserData); f.bad || n == 0 {
		return nil
	}
	return append([]byte(nil), f.b[:n]...)
}

// locator reads an address. ok is false for kinds other than UDP over IPv4.
func (f *fields) locator() (a netip.AddrPort, ok bool) {
	kind, port := f.uint32(), f.uint32()
	f.take(12)
	ip := [4]byte(f.take(4))
	if f.bad || kind != locatorUDPv4 || port < 1 || port > 65535 {
		return a, false
	}
	return netip.AddrPortFrom(netip.AddrFrom4(ip), uint16(port)), true
}

func (f *fields) duration() time.Duration {
	seconds, part := f.uint32(), f.uint32()
	if seconds >= 0x7fffffff {
		return Forever
	}
	return time.Duration(seconds)*time.Second +
		time.Duration(uint64(part)*1_000_000_000>>32)
}
