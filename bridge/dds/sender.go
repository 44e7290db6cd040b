package dds

import (
	"net/netip"
	"time"

	"gosmp/bridge/dds/wire"
)

// Fragments are sent no faster than the buffers of readers can absorb. On most systems, a buffer
// holds 212 992 bytes.
const (
	burst      = 100_000
	burstPause = 300 * time.Microsecond
)

// Sizes of fragments. On loopback, packets are never divided.
const (
	loopbackFragment = 60_000
	networkFragment  = 1344
)

// fragment returns the maximum payload of one packet.
func (n *network) fragment() int {
	if n.loopback {
		return loopbackFragment
	}
	return networkFragment
}

// fewReaders is the number of addresses up to which a sample of one packet is sent at once.
const fewReaders = 16

// packet is the next thing to send.
type packet struct {
	b     []byte
	to    []netip.AddrPort
	paced bool // fragments, repetitions, and what goes to many addresses
}

// send sends the samples of writers, packet by packet until the participant leaves.
func (p *Participant) send() {
	out := packet{b: make([]byte, 0, largestDatagram)}
	timer := time.NewTimer(time.Hour)
	left, paused := burst, time.Time{} // rest of the burst of paced packets
	turn := 0
	for {
		now := time.Now()
		p.mu.Lock()
		more := p.next(&out, &turn, !now.Before(paused))
		p.mu.Unlock()
		if len(out.to) == 0 {
			wait := time.Hour
			if more {
				wait = time.Until(paused)
			}
			timer.Reset(wait)
			select {
			case <-p.wake:
			case <-timer.C:
			case <-p.done:
				return
			}
			continue
		}
		for _, a := range out.to {
			p.net.send(out.b, a)
		}
		if !out.paced {
			continue
		}
		if left -= len(out.b) * len(out.to); left <= 0 {
			left, paused = burst, time.Now().Add(burstPause)
		}
	}
}

// next creates the next packet. Writers take turns, and repetitions come first. If paced is false,
// it skips paced packets and reports whether there are any.
func (p *Participant) next(out *packet, turn *int, paced bool) (more bool) {
	out.b, out.to, out.paced = out.b[:0], out.to[:0], false
	for range p.writers {
		*turn = (*turn + 1) % len(p.writers)
		w := p.writers[*turn]
		for _, r := range w.readers {
			for len(r.wanted) > 0 && len(out.to) == 0 {
				if !paced {
					more = true
					break
				}
				w.repair(r, out)
			}
		}
		if len(out.to) == 0 && w.sent < w.last {
			if paced || !w.paced() {
				w.advance(out)
			} else {
				more = true
			}
		}
		if len(out.to) > 0 {
			return true
		}
	}
	return more
}

// paced reports whether the next packet of a writer is a paced one.
func (w *Writer) paced() bool {
	return w.part > 0 || len(w.to) > fewReaders || w.fragments(w.sample(w.sent+1)) > 0
}

// repair appends the next sample or fragment that a reader lacks.
func (w *Writer) repair(r *readerProxy, out *packet) {
	out.paced = true
	one := r.wanted[0]
	if r.wanted = r.wanted[1:]; len(r.wanted) == 0 {
		r.wanted = nil
	}
	w.p.wanted--
	delete(r.asked, one)
	s := w.sample(one.number)
	if s == nil { // the reader will ask again and receive a gap
		return
	}
	w.count(&w.p.counts.Repeated)
	out.b = wire.AppendInfoDestination(wire.Begin(out.b, w.p.guid.Prefix), r.peer.data.GUID.Prefix)
	out.to = append(out.to, r.to)
	w.pack(out, s, one.fragment, r.guid.Entity)
	if len(r.wanted) == 0 && r.reliable {
		w.heartbeat(out, r.guid.Entity)
	}
}

// advance appends the next sample or fragment for all readers.
func (w *Writer) advance(out *packet) {
	out.paced = w.paced()
	s := w.sample(w.sent + 1)
	out.b = wire.Begin(out.b, w.p.guid.Prefix)
	out.to = append(out.to, w.to...)
	n := w.fragments(s)
	part := uint32(0)
	if n > 0 {
		w.part++
		part = uint32(w.part)
	}
	w.pack(out, s, part, wire.Unknown)
	if w.part >= n {
		w.sent, w.part = s.number, 0
		w.count(&w.p.counts.Sent)
		if w.topic.QoS.Reliable {
			w.heartbeat(out, wire.Unknown)
		}
		w.trim()
	}
}

// pack appends a sample or a fragment of it.
func (w *Writer) pack(out *packet, s *sample, fragment uint32, to wire.EntityID) {
	d := wire.Data{Reader: to, Writer: w.guid.Entity, Number: s.number, Payload: s.payload}
	if fragment > 0 {
		size := w.p.net.fragment()
		begin := int(fragment-1) * size
		d.Fragment, d.FragmentSize, d.SampleSize = fragment, size, len(s.payload)
		d.Payload = s.payload[begin:min(begin+size, len(s.payload))]
	}
	out.b = wire.AppendInfoTimestamp(out.b, s.made)
	out.b = wire.AppendData(out.b, &d)
}

// count increments a count if the writer is a user's.
func (w *Writer) count(n *uint64) {
	if w.user {
		*n++
	}
}

// heartbeat appends a heartbeat, so that readers notice losses at once.
func (w *Writer) heartbeat(out *packet, to wire.EntityID) {
	w.beats++
	out.b = wire.AppendHeartbeat(out.b, to, w.guid.Entity, w.first(), w.sent, w.beats, true)
}
