package dds

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"gosmp/bridge/dds/wire"
	"gosmp/internal/pause"
)

// Sample is a message that a reader receives.
type Sample struct {
	Payload []byte // includes the encapsulation; belongs to the receiver
	Writer  wire.GUID
	Made    time.Time // according to the writer's clock; zero if it states no time
}

// effects collects the actions that result from a packet. They are performed after releasing the
// lock, because user functions may call the participant, and sending may take time.
type effects struct {
	bytes   []byte // of all packets
	packets []datagram
	samples []delivery
	texts   []string // warnings
}

type datagram struct {
	end int // in the bytes
	to  netip.AddrPort
}

type delivery struct {
	to     func(Sample)
	sample Sample
}

// begin starts a packet for one peer, or for all peers if to is nil.
func (e *effects) begin(p *Participant, to *peer) {
	e.bytes = wire.Begin(e.bytes, p.guid.Prefix)
	if to != nil {
		e.bytes = wire.AppendInfoDestination(e.bytes, to.data.GUID.Prefix)
	}
}

// sendTo ends a packet.
func (e *effects) sendTo(a netip.AddrPort) {
	e.packets = append(e.packets, datagram{len(e.bytes), a})
}

// perform sends packets and delivers samples. It is called without the lock.
func (p *Participant) perform(e *effects) {
	at := 0
	for _, d := range e.packets {
		if d.end > at {
			p.net.send(e.bytes[at:d.end], d.to)
		}
		at = d.end
	}
	for k := range e.samples {
		e.samples[k].to(e.samples[k].sample)
		e.samples[k] = delivery{}
	}
	for _, text := range e.texts {
		p.settings.Warn(text)
	}
	e.bytes, e.packets, e.samples = e.bytes[:0], e.packets[:0], e.samples[:0]
	e.texts = e.texts[:0]
}

// listen handles the packets that arrive at a socket until it is closed.
func (p *Participant) listen(c *net.UDPConn) {
	buffer := make([]byte, 1<<16)
	e := effects{}
	for {
		n, from, err := c.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // the response to a packet that was not received
		}
		price := n + costIn
		p.mu.Lock()
		if p.net.allows(from.Addr().Unmap()) {
			price = max(price, n+p.handle(buffer[:n], from, &e))
		} else {
			p.counts.Rejected++
		}
		p.mu.Unlock()
		p.perform(&e)
		if !pause.For(p.intake.admit(time.Now(), price), p.done) {
			return
		}
	}
}

// handle handles a packet, and returns the price of its submessages. Those that cause no work count
// nothing: otherwise, a few packets of them would stop the reading. The caller holds the lock.
func (p *Participant) handle(b []byte, from netip.AddrPort, e *effects) (price int) {
	p.spent = 0
	r, ok := wire.Open(b)
	if !ok {
		p.counts.Rejected++
		return 0
	}
	var s wire.Submessage
	for r.Next(&s) {
		q := p.peers[r.Source]
		switch {
		case r.Source == p.guid.Prefix:
			return p.spent
		case q != nil && !p.net.loopback && !q.speaks(from.Addr().Unmap()):
			p.counts.Rejected++
			return p.spent
		case r.Dest != p.guid.Prefix && r.Dest != wire.Prefix{}:
		case s.Kind == wire.KindData && s.Writer == wire.ParticipantWriter:
			p.spent += costIn
			p.announced(r.Source, from, &s, e)
		case q == nil:
		case s.Kind == wire.KindAckNack || s.Kind == wire.KindNackFragments:
			p.spent += costIn
			q.answers = true
			q.deny(from)
			p.asked(r.Source, &s, e)
		default:
			q.answers = true
			// By index, because what is handled may change the list.
			for k := 0; k < len(q.writer(s.Writer)); k++ {
				w := q.writer(s.Writer)[k]
				if s.Reader == w.reader.guid.Entity || s.Reader == wire.Unknown {
					p.spent += costIn
					w.handle(&r, &s, e)
				}
			}
		}
	}
	if r.Damaged {
		p.counts.Rejected++
	}
	return p.spent
}

// asked handles an acknowledgement of a reader of a peer.
func (p *Participant) asked(from wire.Prefix, s *wire.Submessage, e *effects) {
	for _, w := range p.writers {
		if w.guid.Entity != s.Writer {
			continue
		}
		for _, r := range w.readers {
			if r.guid.Prefix == from && r.guid.Entity == s.Reader {
				r.answer(w, s, e)
				return
			}
		}
	}
}

// handle handles a submessage of a writer of a peer.
func (w *writerProxy) handle(r *wire.Reader, s *wire.Submessage, e *effects) {
	switch {
	case s.Kind == wire.KindData || s.Kind == wire.KindDataFragment:
		w.hear()
	case s.Alive:
		w.lease.hear()
	}
	switch s.Kind {
	case wire.KindData:
		w.take(s.Number, held{payload: s.Payload, status: s.Status, key: s.Key, made: r.Time}, e)
	case wire.KindDataFragment:
		if payload := w.assemble(s); payload != nil {
			w.take(s.Number, held{payload: payload, owned: true, status: s.Status, made: r.Time}, e)
		}
	case wire.KindHeartbeat:
		w.heartbeat(s, e)
	case wire.KindHeartbeatFrag:
		w.lackFragments(s.Number, e)
	case wire.KindGap:
		w.gap(s, e)
	}
}
