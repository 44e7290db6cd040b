package wire

import (
	"net/netip"
	"time"
)

// Participant holds the announcement of a participant.
type Participant struct {
	GUID       GUID
	Vendor     [2]byte
	Lease      time.Duration
	Endpoints  uint32 // the built-in endpoints that it has
	Domain     int    // -1 if not stated
	Tag        string // of the domain
	Name       string
	UserData   []byte
	Meta, User []netip.AddrPort // addresses for discovery and for samples
	Secured    bool             // it requests DDS security
}

// OwnershipShared is the default ownership.
const OwnershipShared = 0

// Liveliness defines a writer's signs of life.
type Liveliness uint32

// Kinds of liveliness: the participant itself, a message of any writer of the participant that has
// this kind, or a message of the writer.
const (
	Automatic Liveliness = iota
	ManualByParticipant
	ManualByTopic
)

// Durability defines what a writer keeps for late readers.
type Durability uint32

// Durabilities.
const (
	Volatile Durability = iota
	TransientLocal
	Transient
	Persistent
)

// QoS are the policies that decide whether a writer and a reader match.
type QoS struct {
	Reliable   bool
	Durability Durability
	Deadline   time.Duration // Forever by default
	Liveliness Liveliness
	Lease      time.Duration // of the liveliness
	Ownership  uint32
	Partitions []string
	// Representations of samples that are offered or accepted. None means XCDR1, which is 0.
	Representations []int16
}

// Endpoint holds the announcement of a reader or a writer.
type Endpoint struct {
	GUID        GUID
	Participant GUID
	Topic, Type string
	QoS         QoS
	UserData    []byte
	Locators    []netip.AddrPort
}

// listHead is the encapsulation of a parameter list as the payload of a sample, little-endian.
var listHead = []byte{0, 3, 0, 0}

// Append appends the payload of an announcement.
func (p *Participant) Append(b []byte) []byte {
	b = append(b, listHead...)
	b = append(appendHead(b, pidVersion, 2), Version[0], Version[1], 0, 0)
	b = append(appendHead(b, pidVendor, 2), Vendor[0], Vendor[1], 0, 0)
	b = appendGUID(b, pidParticipant, p.GUID)
	for _, a := range p.Meta {
		b = appendLocator(b, pidMetaLocator, a)
	}
	for _, a := range p.User {
		b = appendLocator(b, pidUserLocator, a)
	}
	b = appendDuration(appendHead(b, pidLease, 8), p.Lease)
	b = appendWord(b, pidEndpoints, p.Endpoints)
	b = appendWord(b, pidDomain, uint32(p.Domain))
	b = appendText(b, pidName, p.Name)
	b = appendBlob(b, pidUserData, p.UserData)
	return appendHead(b, pidSentinel, 0)
}

// AppendKey appends the payload that names a removed entity.
func AppendKey(b []byte, g GUID) []byte {
	pid := uint16(pidEndpoint)
	if g.Entity == ParticipantEntity {
		pid = pidParticipant
	}
	return appendHead(appendGUID(append(b, listHead...), pid, g), pidSentinel, 0)
}

// Append appends the payload of an announcement.
func (e *Endpoint) Append(b []byte) []byte {
	b = append(b, listHead...)
	b = appendGUID(b, pidEndpoint, e.GUID)
	b = appendGUID(b, pidParticipant, e.Participant)
	b = appendText(b, pidTopic, e.Topic)
	b = appendText(b, pidType, e.Type)
	for _, a := range e.Locators {
		b = appendLocator(b, pidLocator, a)
	}
	const bestEffort, reliable, blocking = 1, 2, 100 * time.Millisecond
	kind := uint32(bestEffort)
	if e.QoS.Reliable {
		kind = reliable
	}
	b = le.AppendUint32(appendHead(b, pidReliability, 12), kind)
	b = appendDuration(b, blocking)
	b = appendWord(b, pidDurability, uint32(e.QoS.Durability))
	b = appendDuration(appendHead(b, pidDeadline, 8), e.QoS.Deadline)
	b = le.AppendUint32(appendHead(b, pidLiveliness, 12), uint32(e.QoS.Liveliness))
	b = appendDuration(b, e.QoS.Lease)
	b = appendWord(b, pidOwnership, e.QoS.Ownership)
	if len(e.UserData) > 0 {
		b = appendBlob(b, pidUserData, e.UserData)
	}
	b = le.AppendUint32(appendHead(b, pidRepresentation, 8), 1) // one, which is
	b = append(b, 0, 0, 0, 0)                                   // XCDR1
	return appendHead(b, pidSentinel, 0)
}

// AppendLiveliness appends the payload with which a participant states that its writers of a kind
// are alive (8.4.13.5).
func AppendLiveliness(b []byte, from Prefix, kind Liveliness) []byte {
	b = append(append(b, 0, 1, 0, 0), from[:]...) // CDR, little-endian
	b = append(b, 0, 0, 0, byte(kind)+1)          // octets, in this order
	return le.AppendUint32(b, 0)                  // no data
}

// ReadLiveliness reads the payload with which a participant states that writers are alive. It
// returns false for other payloads, which vendors may use for their own purposes.
func ReadLiveliness(b []byte) (from Prefix, kind Liveliness, ok bool) {
	const size = 4 + len(from) + 4
	if len(b) < size || b[0] != 0 || b[1] > 1 || b[16] != 0 || b[17] != 0 || b[18] != 0 {
		return from, 0, false
	}
	copy(from[:], b[4:])
	kind = Liveliness(b[19]) - 1
	return from, kind, kind <= ManualByParticipant
}

// payload returns the parameter list in a payload.
func payload(b []byte) (l list, ok bool) {
	if len(b) < 4 || b[0] != 0 || b[1] != 2 && b[1] != 3 {
		return l, false
	}
	l = list{b: b[4:], order: be}
	if b[1] == 3 {
		l.order = le
	}
	return l, true
}

// Read reads the payload of an announcement. It returns false if that is damaged or lacks the GUID.
func (p *Participant) Read(b []byte) bool {
	const usual = 100 * time.Second // 8.5.3.2.2
	*p = Participant{Lease: usual, Domain: -1}
	l, ok := payload(b)
	if !ok {
		return false
	}
	named := false
	for l.next() {
		f := l.fields()
		switch l.pid {
		case pidParticipant:
			p.GUID, named = guidOf(l.value)
		case pidVendor:
			copy(p.Vendor[:], f.take(2))
		case pidLease:
			p.Lease = f.duration()
		case pidEndpoints:
			p.Endpoints = f.uint32()
		case pidDomain:
			p.Domain = int(f.uint32())
		case pidDomainTag:
			p.Tag = f.text()
		case pidName:
			p.Name = f.text()
		case pidUserData:
			p.UserData = f.blob()
		case pidMetaLocator:
			p.Meta = addLocator(p.Meta, f)
		case pidUserLocator:
			p.User = addLocator(p.User, f)
		case pidIdentityToken:
			p.Secured = true
		}
		if f.bad {
			return false
		}
	}
	return l.ended && named && p.GUID.Entity == ParticipantEntity
}

func addLocator(to []netip.AddrPort, f *fields) []netip.AddrPort {
	if a, ok := f.locator(); ok && len(to) < mostLocators {
		return append(to, a)
	}
	return to
}

// Read reads the payload of an announcement of a writer or a reader, whose defaults differ. It
// returns false if that is damaged or lacks GUID, topic or type.
func (e *Endpoint) Read(b []byte, writer bool) bool {
	*e = Endpoint{QoS: QoS{Reliable: writer, Deadline: Forever, Lease: Forever}}
	l, ok := payload(b)
	if !ok {
		return false
	}
	named := false
	for l.next() {
		f := l.fields()
		switch l.pid {
		case pidEndpoint:
			e.GUID, named = guidOf(l.value)
		case pidParticipant:
			e.Participant, _ = guidOf(l.value)
		case pidTopic:
			e.Topic = f.text()
		case pidType:
			e.Type = f.text()
		case pidUserData:
			e.UserData = f.blob()
		case pidLocator:
			e.Locators = addLocator(e.Locators, f)
		default:
			e.QoS.read(l.pid, f)
		}
		if f.bad {
			return false
		}
	}
	return l.ended && named && e.Topic != "" && e.Type != ""
}

// read reads one policy.
func (q *QoS) read(pid uint16, f *fields) {
	switch pid {
	case pidReliability:
		q.Reliable = f.uint32() > 1
	case pidDurability:
		q.Durability = Durability(f.uint32())
	case pidDeadline:
		q.Deadline = f.duration()
	case pidLiveliness:
		q.Liveliness = Liveliness(f.uint32())
		q.Lease = f.duration()
	case pidOwnership:
		q.Ownership = f.uint32()
	case pidPartition:
		n := f.uint32()
		f.refuse(n > mostPartitions)
		for ; n > 0 && !f.bad; n-- {
			q.Partitions = append(q.Partitions, f.text())
			if rest := len(f.b) % 4; rest < len(f.b) { // strings are aligned
				f.b = f.b[rest:]
			}
		}
	case pidRepresentation:
		n := f.uint32()
		f.refuse(n > mostRepresentation)
		for ; n > 0 && !f.bad; n-- {
			q.Representations = append(q.Representations, int16(f.uint16()))
		}
	}
}
