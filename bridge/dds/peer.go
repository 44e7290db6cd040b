package dds

import (
	"net/netip"
	"reflect"
	"slices"
	"time"

	"gosmp/bridge/dds/wire"
)

// Limits of the data that others can make a participant keep.
const (
	mostPeers     = 256
	mostEndpoints = 2048     // of a peer
	mostKnown     = 32 << 20 // bytes of endpoints and names of all peers beyond ownKnown, estimated
	ownKnown      = 64 << 10 // bytes of each peer, whatever others use
	mostMatches   = 4096     // pairs of own endpoints and endpoints of peers beyond ownMatches
	ownMatches    = 10       // pairs of each peer, two of them for the graph of ROS 2
	longestLease  = 5 * time.Minute
)

// peer is another participant.
type peer struct {
	data      wire.Participant
	meta      netip.AddrPort // where it listens for discovery
	user      netip.AddrPort // where it listens for samples unless an endpoint states otherwise
	until     time.Time      // end of its lease, unless it announces itself again
	questions int            // sent since a doubtful farewell and not answered
	asks      time.Time      // when a doubtful peer is asked again
	moved     bool           // it announced other addresses during a doubt
	since     time.Time
	endpoints map[wire.EntityID]*remote
	incoming  map[wire.EntityID][]*writerProxy // one for each reader here
	nodes     map[wire.EntityID]string         // names of nodes, by ros_discovery_info
	known     int                              // bytes kept of endpoints and names
	matches   int                              // pairs with own endpoints
	shared    int                              // matches on topics other than the graph topic
	from      netip.AddrPort                   // the socket that announced it
	sender    netip.AddrPort                   // which shares its room for samples with others
	answers   bool                             // it sent more than announcements of itself
	lacks     int                              // bytes of the largest endpoint refused; 0 if none
}

// remote is a reader or a writer of a peer.
type remote struct {
	wire.Endpoint
	writer bool
	to     netip.AddrPort
}

// Estimated memory of what is kept of peers, without texts and lists.
const (
	sizeEndpoint = 512
	sizeName     = 96
)

// size returns the estimated memory of an endpoint.
func (o *remote) size() int {
	const header, locator = 16, 32
	n := sizeEndpoint + len(o.Topic) + len(o.Type) + len(o.UserData) + locator*len(o.Locators) +
		2*len(o.QoS.Representations)
	for _, partition := range o.QoS.Partitions {
		n += header + len(partition)
	}
	return n
}

// name keeps the name of the node to which an endpoint of a peer belongs.
func (p *Participant) name(q *peer, id wire.EntityID, name string) {
	before, named := q.nodes[id]
	bytes := len(name) - len(before)
	if !named {
		bytes += sizeName
	}
	switch {
	case before == name || !named && len(q.nodes) >= mostEndpoints:
	case p.keep(q, bytes):
		q.nodes[id] = name
	default:
		p.refuse(q, bytes)
	}
}

// writer returns our proxies for a writer of a peer. q may be nil.
func (q *peer) writer(id wire.EntityID) []*writerProxy {
	if q == nil {
		return nil
	}
	return q.incoming[id]
}

// announced handles the announcement of a participant.
func (p *Participant) announced(from wire.Prefix, at netip.AddrPort, s *wire.Submessage,
	e *effects,
) {
	if s.Status != 0 {
		if q := p.peers[from]; q != nil && (s.Key == wire.GUID{} || s.Key.Prefix == from) {
			p.farewell(q, at, e)
		}
		return
	}
	var data wire.Participant
	if !data.Read(s.Payload) || data.GUID.Prefix != from {
		p.counts.Rejected++
		return
	}
	if data.Domain >= 0 && data.Domain != p.settings.Domain || data.Tag != "" {
		return
	}
	now := time.Now()
	meta, user, ok := p.net.bestOf(&data)
	if q := p.peers[from]; q != nil {
		if ok && (meta != q.meta || user != q.user) {
			// It is met again when the old addresses do not answer, or at the end of their lease.
			q.moved = q.questions > 0
			return
		}
		q.until = now.Add(min(q.data.Lease, longestLease)) // others cannot shorten it
		return
	}
	if !ok || p.closed || !p.place(at, now, e) {
		p.counts.Rejected++
		return
	}
	q := &peer{data: data, meta: meta, user: user, since: now, from: at, sender: p.sender(at),
		until:     now.Add(min(data.Lease, longestLease)),
		endpoints: map[wire.EntityID]*remote{}, incoming: map[wire.EntityID][]*writerProxy{},
		nodes: map[wire.EntityID]string{}}
	p.peers[from] = q
	p.counts.Met++
	p.spent += costFound
	p.greet(q, e)
}

// speaks reports whether a packet in the name of a peer may come from an address: the one that
// announced the peer, or one that it announced.
func (q *peer) speaks(from netip.Addr) bool {
	same := func(a netip.AddrPort) bool { return a.Addr().Unmap() == from }
	return same(q.from) || slices.ContainsFunc(q.data.Meta, same) ||
		slices.ContainsFunc(q.data.User, same)
}

// bestOf returns the addresses at which a participant is reached for discovery and for samples.
func (n *network) bestOf(data *wire.Participant) (meta, user netip.AddrPort, ok bool) {
	if meta, ok = n.best(data.Meta); !ok {
		return meta, user, false
	}
	if user, ok = n.best(data.User); !ok {
		user = meta
	}
	return meta, user, true
}

const (
	mostQuestions = 6                      // until a doubtful farewell takes effect
	askAgain      = 500 * time.Millisecond // because the question or the answer may be lost
)

// farewell removes a peer that leaves. A farewell from another socket than its announcement may
// come from a different program, so the peer is then asked whether it is still there.
func (p *Participant) farewell(q *peer, at netip.AddrPort, e *effects) {
	if at == q.from {
		p.forget(q)
		return
	}
	if q.questions == 0 {
		q.moved = false
		p.question(q, time.Now(), e)
	}
}

// question asks a peer for a sign of life.
func (p *Participant) question(q *peer, now time.Time, e *effects) {
	q.questions++
	q.asks = now.Add(askAgain)
	w := p.publications
	w.beats++
	e.begin(p, q)
	first := w.first()
	e.bytes = wire.AppendHeartbeat(e.bytes, w.guid.Entity.Counterpart(), w.guid.Entity, first,
		max(w.sent, first-1), w.beats, false)
	e.sendTo(q.meta)
}

// deny ends a doubt about a peer because of an acknowledgement. If it seems to have moved, only the
// socket that announced it can do so, because the others may be new.
func (q *peer) deny(from netip.AddrPort) {
	if !q.moved || from == q.from {
		q.questions, q.moved = 0, false
	}
}

// greet announces this participant to a new peer and starts to exchange endpoints.
func (p *Participant) greet(q *peer, e *effects) {
	e.begin(p, nil)
	p.introduce(e)
	e.sendTo(q.meta)
	for _, w := range p.writers[:builtinWriters] {
		if w == p.signs && q.data.Endpoints&wire.HasLivelinessReader == 0 {
			continue
		}
		id := wire.GUID{Prefix: q.data.GUID.Prefix, Entity: w.guid.Entity.Counterpart()}
		w.add(&readerProxy{guid: id, to: q.meta, peer: q, reliable: true, latched: true,
			asked: map[want]struct{}{}})
		w.readers[len(w.readers)-1].beat(w, time.Now(), e)
	}
	for _, r := range p.readers[:builtinReaders] {
		id := r.guid.Entity.Counterpart()
		if id == wire.LivelinessWriter && q.data.Endpoints&wire.HasLivelinessWriter == 0 {
			continue
		}
		r.add(&writerProxy{guid: wire.GUID{Prefix: q.data.GUID.Prefix, Entity: id}, to: q.meta,
			peer: q, reliable: true})
	}
}

// add adds a writer of a peer.
func (r *Reader) add(w *writerProxy) {
	if w.reader, w.ahead = r, map[int64]held{}; w.reliable {
		w.next = 1
	}
	r.p.count(&r.topic, w.peer, 1)
	r.writers = append(r.writers, w)
	w.peer.incoming[w.guid.Entity] = append(w.peer.incoming[w.guid.Entity], w)
}

// remove removes one or all writers of a peer.
func (r *Reader) remove(gone func(*writerProxy) bool) {
	r.writers = slices.DeleteFunc(r.writers, func(w *writerProxy) bool {
		if !gone(w) {
			return false
		}
		w.drop()
		r.p.count(&r.topic, w.peer, -1)
		same := func(o *writerProxy) bool { return o == w }
		w.peer.incoming[w.guid.Entity] = slices.DeleteFunc(w.peer.incoming[w.guid.Entity], same)
		return true
	})
}

// forget removes a peer that left or whose lease expired.
func (p *Participant) forget(q *peer) {
	p.spent += costFound
	delete(p.peers, q.data.GUID.Prefix)
	p.keep(q, -q.known)
	for _, w := range p.writers {
		w.remove(func(r *readerProxy) bool { return r.peer == q })
	}
	for _, r := range p.readers {
		r.remove(func(w *writerProxy) bool { return w.peer == q })
	}
	p.reports.forget(q.data.GUID.Prefix)
}

// found handles the announcement of an endpoint of a peer.
func (p *Participant) found(h held, from *writerProxy, writer bool) {
	q := from.peer
	if h.status != 0 {
		id := h.key
		if id == (wire.GUID{}) {
			var o wire.Endpoint
			o.Read(h.payload, writer)
			id = o.GUID
		}
		p.lose(q, id)
		return
	}
	o := &remote{writer: writer}
	if !o.Read(h.payload, writer) || o.GUID.Prefix != q.data.GUID.Prefix ||
		!o.GUID.Entity.IsUser(writer) {
		p.counts.Rejected++
		return
	}
	to, ok := p.net.best(o.Locators)
	if o.to = q.user; ok {
		o.to = to
	}
	known, bytes := q.endpoints[o.GUID.Entity], o.size()
	switch {
	case known == nil && len(q.endpoints) >= mostEndpoints:
		p.refuse(q, bytes)
		return
	case known != nil:
		if reflect.DeepEqual(known, o) {
			return
		}
		bytes -= known.size()
	}
	p.spent += costFound
	if !p.keep(q, bytes) {
		p.refuse(q, bytes)
		return
	}
	q.endpoints[o.GUID.Entity] = o
	if known != nil {
		p.unmatch(q, o.GUID)
	}
	p.match(q, o)
}

// lose removes an endpoint of a peer.
func (p *Participant) lose(q *peer, id wire.GUID) {
	o := q.endpoints[id.Entity]
	if o == nil {
		return
	}
	p.spent += costFound
	p.keep(q, -o.size())
	delete(q.endpoints, id.Entity)
	if name, named := q.nodes[id.Entity]; named {
		p.keep(q, -len(name)-sizeName)
		delete(q.nodes, id.Entity)
	}
	p.unmatch(q, id)
}

func (p *Participant) unmatch(q *peer, id wire.GUID) {
	for _, w := range p.writers[builtinWriters:] {
		w.remove(func(r *readerProxy) bool { return r.peer == q && r.guid == id })
	}
	for _, r := range p.readers[builtinReaders:] {
		r.remove(func(w *writerProxy) bool { return w.peer == q && w.guid == id })
	}
}

// match connects an endpoint with the readers or writers of the same topic.
func (p *Participant) match(q *peer, o *remote) {
	if !o.writer {
		for _, w := range p.writers[builtinWriters:] {
			known := func(r *readerProxy) bool { return r.guid == o.GUID }
			if w.topic.Name != o.Topic || slices.ContainsFunc(w.readers, known) ||
				!p.agree(w.endpoint(), &o.Endpoint, o) || !p.matchable(q) {
				continue
			}
			w.add(&readerProxy{guid: o.GUID, to: o.to, peer: q, reliable: o.QoS.Reliable,
				latched: o.QoS.Durability >= wire.TransientLocal && w.topic.QoS.Latched,
				asked:   map[want]struct{}{}})
		}
		return
	}
	for _, r := range p.readers[builtinReaders:] {
		known := func(w *writerProxy) bool { return w.guid == o.GUID }
		if r.topic.Name != o.Topic || slices.ContainsFunc(r.writers, known) ||
			!p.agree(&o.Endpoint, r.endpoint(), o) || !p.matchable(q) {
			continue
		}
		w := &writerProxy{guid: o.GUID, to: o.to, peer: q,
			reliable: r.topic.QoS.Reliable && o.QoS.Reliable}
		w.watch(r, &o.QoS)
		r.add(w)
	}
	p.rivals(o)
}

// agree reports whether a writer and a reader of one topic match. If they do not, it reports the
// reason to the user.
func (p *Participant) agree(writer, reader *wire.Endpoint, of *remote) bool {
	if writer.Type == reader.Type {
		reason := mismatch(writer, reader)
		if a, b := hashIn(writer.UserData), hashIn(reader.UserData); reason == "" && a != "" &&
			b != "" && a != b {
			p.reports.add(report{guid: of.GUID, topic: of.Topic, theirs: of.writer,
				ours: writer.Type, version: true})
		}
		if reason != "" {
			p.reports.add(report{guid: of.GUID, topic: of.Topic, policy: reason,
				theirs: of.writer})
		}
		return reason == ""
	}
	r := report{guid: of.GUID, topic: of.Topic, theirs: of.writer, ours: reader.Type,
		other: writer.Type}
	if !of.writer {
		r.ours, r.other = writer.Type, reader.Type
	}
	p.reports.add(r)
	return false
}
