package dds

import (
	"fmt"
	"maps"
	"net/netip"
	"time"

	"gosmp/bridge/dds/wire"
)

// Lease is the time for which a participant that does not announce itself is kept.
const Lease = lease

// Lose makes packets of a participant get lost.
func (p *Participant) Lose(loses func(packet []byte) bool) {
	either := func(packet []byte, _ netip.AddrPort) bool { return loses(packet) }
	p.net.loses.Store(&either)
}

// See calls a function with the destination of each packet of a participant.
func (p *Participant) See(to func(netip.AddrPort)) {
	all := func(_ []byte, at netip.AddrPort) bool {
		to(at)
		return false
	}
	p.net.loses.Store(&all)
}

// Handle makes a participant handle a packet as if a peer had sent it. It returns the destinations
// of the answers, which are not sent.
func (p *Participant) Handle(b []byte) (answers []netip.AddrPort) {
	return p.HandleFrom(netip.MustParseAddrPort("127.0.0.1:9"), b)
}

// HandleFrom is like [Participant.Handle], for a packet from a certain socket.
func (p *Participant) HandleFrom(from netip.AddrPort, b []byte) (answers []netip.AddrPort) {
	e := effects{}
	func() {
		p.mu.Lock()
		defer p.mu.Unlock() // also after a panic, so that Close does not hang
		p.handle(b, from, &e)
	}()
	for k := range e.samples {
		e.samples[k].to(e.samples[k].sample)
	}
	for _, text := range e.texts {
		p.settings.Warn(text)
	}
	for _, d := range e.packets {
		answers = append(answers, d.to)
	}
	return answers
}

// Price makes a participant handle a packet like [Participant.Handle], and returns its price.
func (p *Participant) Price(b []byte) int {
	e := effects{}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handle(b, netip.MustParseAddrPort("127.0.0.1:9"), &e)
}

// Repetitions returns the number of samples that were sent again or will be, and whether all have
// been sent.
func (p *Participant) Repetitions() (n int, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.counts.Repeated) + p.wanted, p.wanted == 0
}

// Held returns the number of bytes that a participant keeps because of others. It panics if they
// are not what its writers keep.
func (p *Participant) Held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	by := map[netip.AddrPort]int{}
	for _, r := range p.readers {
		for _, w := range r.writers {
			if kept := w.kept(); kept > 0 {
				by[w.peer.sender] += kept
			}
		}
	}
	if !maps.Equal(by, p.frag.by) {
		panic(fmt.Sprintf("found %v, expected %v", p.frag.by, by))
	}
	return p.frag.bytes
}

// Known returns the bytes that a participant keeps of the endpoints and names of others, and the
// number of its matches. It panics if the budgets count anything else, such as those that left.
func (p *Participant) Known() (bytes, matches int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var common struct{ known, matches int }
	for _, q := range p.peers {
		bytes, matches = bytes+q.known, matches+q.matches
		common.known += max(0, q.known-ownKnown)
		common.matches += max(0, q.matches-ownMatches)
	}
	if p.known.used != common.known || p.matches.used != common.matches {
		panic(fmt.Sprintf("the budgets count %d bytes and %d matches, but peers have %d and %d",
			p.known.used, p.matches.used, common.known, common.matches))
	}
	return bytes, matches
}

// GIDs returns the size of the graph identifiers that a participant writes.
func (p *Participant) GIDs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gids
}

// Knows reports whether a participant has met another one.
func (p *Participant) Knows(other *Participant) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peers[other.guid.Prefix] != nil
}

// Prefix returns the identifier of a participant, under which others could send.
func (p *Participant) Prefix() wire.Prefix { return p.guid.Prefix }

// Address returns the address at which a participant listens for others.
func (p *Participant) Address() netip.AddrPort { return p.net.metaAddress() }

// Doubts returns the number of peers whose farewell is doubtful.
func (p *Participant) Doubts() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.peers {
		if q.questions > 0 {
			n++
		}
	}
	return n
}

// Age makes it seem longer ago that a participant has met the others.
func (p *Participant) Age(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.peers {
		q.since = q.since.Add(-by)
	}
}

// Suspend makes it seem that a participant has stood still for a time until now.
func (p *Participant) Suspend(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticked = p.ticked.Add(-by)
	for _, q := range p.peers {
		q.until = q.until.Add(-by)
	}
	for _, r := range p.readers {
		r.deadline.heard = r.deadline.heard.Add(-by)
		for _, w := range r.writers {
			w.lease.heard = w.lease.heard.Add(-by)
		}
	}
}

// Ticked returns when the clock of a participant checked for due actions.
func (p *Participant) Ticked() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ticked
}

// Away makes a participant treat its network as one of several machines.
func (p *Participant) Away() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.net.loopback = false
}

// Owes returns the number of own writers whose samples some readers lack.
func (p *Participant) Owes() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.writers {
		if w.owes() {
			n++
		}
	}
	return n
}
