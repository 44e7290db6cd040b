package dds

import (
	"net/netip"
	"strings"
	"time"

	"gosmp/bridge/dds/wire"
)

// Numbers of discovery writers and readers, which come first in the lists of a participant.
const (
	builtinWriters = 3
	builtinReaders = 3
)

// builtin creates the readers and writers of discovery and of signs of life.
func (p *Participant) builtin() {
	all := QoS{Reliable: true, Latched: true, Depth: 2 * mostEntities}
	newest := QoS{Reliable: true, Latched: true, Depth: 1}
	writer := func(id wire.EntityID, q QoS) *Writer {
		w := &Writer{p: p, guid: wire.GUID{Prefix: p.guid.Prefix, Entity: id}, topic: Topic{QoS: q}}
		p.writers = append(p.writers, w)
		return w
	}
	p.publications = writer(wire.PublicationWriter, all)
	p.subscriptions = writer(wire.SubscriptionWriter, all)
	p.signs = writer(wire.LivelinessWriter, newest)
	reader := func(id wire.EntityID, q QoS, take func(h held, from *writerProxy)) {
		p.readers = append(p.readers, &Reader{p: p, topic: Topic{QoS: q}, internal: take,
			guid: wire.GUID{Prefix: p.guid.Prefix, Entity: id}})
	}
	reader(wire.PublicationReader, all, func(h held, w *writerProxy) { p.found(h, w, true) })
	reader(wire.SubscriptionReader, all, func(h held, w *writerProxy) { p.found(h, w, false) })
	reader(wire.LivelinessReader, newest, p.hearSign)
}

// announcement describes a reader or writer to other participants.
func (p *Participant) announcement(id wire.GUID, t *Topic) *wire.Endpoint {
	return &wire.Endpoint{GUID: id, Participant: p.guid, Topic: t.Name, Type: t.Type,
		QoS: policies(t.QoS), UserData: []byte(t.UserData),
		Locators: []netip.AddrPort{p.net.userAddress()}}
}

// introduce appends the announcement of the participant.
func (p *Participant) introduce(e *effects) {
	data := wire.Participant{GUID: p.guid, Lease: lease, Endpoints: wire.BuiltinEndpointsSet,
		Domain: p.settings.Domain, Name: p.settings.Node,
		Meta: []netip.AddrPort{p.net.metaAddress()}, User: []netip.AddrPort{p.net.userAddress()}}
	if p.settings.Node != "" {
		data.Name = "/"
		data.UserData = []byte("enclave=/;")
	}
	d := wire.Data{Writer: wire.ParticipantWriter, Reader: wire.ParticipantReader, Number: 1,
		Payload: data.Append(nil)}
	e.bytes = wire.AppendInfoTimestamp(e.bytes, time.Now())
	e.bytes = wire.AppendData(e.bytes, &d)
}

// announceAll announces the participant at all addresses where others may be.
func (p *Participant) announceAll(e *effects) {
	known := map[netip.AddrPort]bool{}
	for _, q := range p.peers {
		known[q.meta] = true
	}
	for _, a := range p.net.probes {
		known[a] = true
	}
	for a := range known {
		e.begin(p, nil)
		p.introduce(e)
		e.sendTo(a)
	}
}

// depart announces that the participant leaves.
func (p *Participant) depart(e *effects) {
	for _, q := range p.peers {
		e.begin(p, nil)
		d := wire.Data{Writer: wire.ParticipantWriter, Reader: wire.ParticipantReader, Number: 2,
			Status: wire.StatusDisposed, Key: &p.guid, Payload: wire.AppendKey(nil, p.guid)}
		e.bytes = wire.AppendInfoTimestamp(e.bytes, time.Now())
		e.bytes = wire.AppendData(e.bytes, &d)
		e.sendTo(q.meta)
	}
}

// tick is the interval at which a participant's clock checks for due actions.
const tick = 20 * time.Millisecond

// clock sends announcements and heartbeats, ends leases and emits reports until the participant
// leaves.
func (p *Participant) clock() {
	t := time.NewTicker(tick)
	defer t.Stop()
	e := effects{}
	next := time.Now()
	for now := next; ; {
		p.mu.Lock()
		p.excuse(now)
		if !now.Before(next) {
			next = now.Add(announce)
			p.announceAll(&e)
			p.relieve(&e)
		}
		for _, q := range p.peers {
			switch {
			case now.After(q.until):
				p.expire(q, &e)
			case q.questions == 0 || !now.After(q.asks):
			case q.questions < mostQuestions:
				p.question(q, now, &e)
			default:
				p.forget(q)
			}
		}
		p.live(now, &e)
		for _, w := range p.writers {
			for _, r := range w.readers {
				r.beat(w, now, &e)
			}
		}
		for _, r := range p.readers {
			for _, w := range r.writers {
				w.ask(now, &e)
			}
		}
		p.report(now, &e)
		p.mu.Unlock()
		p.perform(&e)
		select {
		case <-t.C:
			now = time.Now()
		case <-p.done:
			return
		}
	}
}

// NodeName returns the name of the node that a reader or writer of another participant belongs to,
// or else its identifier.
func (p *Participant) NodeName(id wire.GUID) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	name, _ := p.nodeName(id)
	return name
}

// nodeName returns the name of the node that an endpoint belongs to, if it is known.
func (p *Participant) nodeName(id wire.GUID) (name string, known bool) {
	q := p.peers[id.Prefix]
	if q == nil {
		return id.String(), false
	}
	if name = q.nodes[id.Entity]; name != "" {
		return name, true
	}
	if strings.Trim(q.data.Name, "/") != "" {
		return q.data.Name, false
	}
	return id.String(), false
}
