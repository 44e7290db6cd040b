package dds

import (
	"cmp"
	"net/netip"
	"time"

	"gosmp/bridge/dds/wire"
)

// budget limits an amount that is kept of peers. Each of them has a part of its own, which the
// others cannot use up. What they need beyond it comes from one part for all of them.
type budget struct {
	own    int // of each peer
	common int // of all peers together
	used   int // of the common part
}

// fits reports whether a peer that has an amount can have more.
func (b *budget) fits(has, more int) bool { return b.used+b.beyond(has, more) <= b.common }

// take counts what a peer gets in addition, or returns.
func (b *budget) take(has, more int) { b.used += b.beyond(has, more) }

func (b *budget) beyond(has, more int) int { return max(0, has+more-b.own) - max(0, has-b.own) }

// keep counts bytes that are kept of a peer. It returns false if there are too many.
func (p *Participant) keep(q *peer, bytes int) bool {
	if bytes > 0 && !p.known.fits(q.known, bytes) {
		return false
	}
	p.known.take(q.known, bytes)
	q.known += bytes
	return true
}

// count counts pairs with a reader or a writer, except with the built-in ones, which have no topic.
func (p *Participant) count(own *Topic, q *peer, pairs int) {
	if own.Name == "" {
		return
	}
	p.matches.take(q.matches, pairs)
	q.matches += pairs
	p.freed = p.freed || pairs < 0
	if own.Name != graphTopic { // which all participants of ROS 2 have
		q.shared += pairs
	}
}

// matchable reports whether there is room for another pair with an endpoint of a peer.
func (p *Participant) matchable(q *peer) bool {
	if p.matches.fits(q.matches, 1) {
		return true
	}
	p.crowded = true
	p.counts.Rejected++
	return false
}

// Limits of what may take the places of participants.
const (
	// mostOfAddress is the number of participants that send from one address, unless all of them
	// are on this machine.
	mostOfAddress = mostPeers / 2
	// mostOfSocket is the number of participants of one socket that keep their places. The
	// participants of a program may share a socket; one that pretends to be many has more.
	mostOfSocket = 16
	// settled is the time in which a participant should have found the topics that we share.
	settled = 10 * time.Second
)

// place reports whether there is room for a participant that announces itself from a socket. If
// all places are taken, a less useful participant may have to leave. An honest one comes back,
// because participants announce themselves at intervals.
func (p *Participant) place(from netip.AddrPort, now time.Time, e *effects) bool {
	hosts, sockets := map[netip.Addr]int{}, map[netip.AddrPort]int{}
	for _, q := range p.peers {
		hosts[q.from.Addr()]++
		sockets[q.from]++
	}
	ofHost := !p.net.loopback && hosts[from.Addr()] >= mostOfAddress
	if len(p.peers) < mostPeers && !ofHost {
		return true
	}
	p.packed, p.massed = p.packed || !ofHost, p.massed || ofHost
	p.spent += costFound
	var least *peer
	for _, q := range p.peers {
		if (!ofHost || q.from.Addr() == from.Addr()) && q.yields(sockets, sockets[from], now) &&
			(least == nil || q.before(least, sockets)) {
			least = q
		}
	}
	if least == nil {
		return false
	}
	if least.shared > 0 && !p.ousted {
		p.ousted = true
		p.complain(e, "%s has lost its place, and others may follow, although it shares topics "+
			"with this one: it is one of more than %d participants of a socket",
			least.shown(), mostOfSocket)
	}
	p.forget(least)
	return true
}

// yields reports whether a peer leaves its place to a newcomer, whose socket has announced a number
// of other peers: if it never sent anything but announcements, if it shares no topics with us after
// some time, or if its socket has announced many peers.
func (q *peer) yields(sockets map[netip.AddrPort]int, ofNewcomer int, now time.Time) bool {
	return !q.answers || q.shared == 0 && now.Sub(q.since) >= settled ||
		sockets[q.from] > max(mostOfSocket, ofNewcomer+1)
}

// before reports whether a peer is to leave rather than another one: peers that never answered
// leave first, then peers whose socket announced the most.
func (q *peer) before(o *peer, sockets map[netip.AddrPort]int) bool {
	return cmp.Or(cmp.Compare(min(q.rank(), 1), min(o.rank(), 1)),
		cmp.Compare(sockets[o.from], sockets[q.from]), cmp.Compare(q.rank(), o.rank()),
		q.since.Compare(o.since)) < 0
}

// rank is larger for peers that are more useful.
func (q *peer) rank() int {
	switch {
	case q.shared > 0:
		return 2
	case q.answers:
		return 1
	}
	return 0
}

// refuse notes that an endpoint or a name of a peer has been refused, which is announced only once.
func (p *Participant) refuse(q *peer, bytes int) {
	p.full = true
	p.counts.Rejected++
	q.lacks = max(q.lacks, bytes)
}

// relieve warns if anything was refused, and accepts it if there is room by now. It is called at
// intervals, because this takes long if there is much of it.
func (p *Participant) relieve(e *effects) {
	if p.packed {
		p.complain(e, "more than %d other participants: further ones are ignored unless others do "+
			"not answer or share no topics with this one", mostPeers)
	}
	if p.massed {
		p.complain(e, "more than %d participants of one address: further ones are ignored unless "+
			"others of it do not answer or share no topics with this one", mostOfAddress)
	}
	p.packed, p.massed = false, false
	if p.full {
		p.complain(e, "other participants announce too many readers and writers (at most %d each, "+
			"and %d MB of all beyond %d kB each): further ones have to wait until others leave",
			mostEndpoints, mostKnown>>20, ownKnown>>10)
		p.readmit()
	}
	if !p.crowded {
		return
	}
	p.complain(e, "other participants have too many readers and writers of our topics: messages "+
		"are exchanged with %d, and with %d more of each participant; further ones have to wait "+
		"until others leave", mostMatches, ownMatches)
	if p.freed {
		p.freed, p.crowded = false, false // unless some still have to wait
		p.rematch()
	}
}

// readmit requests all announcements again from peers whose endpoints or names were refused, if
// there is room for them.
func (p *Participant) readmit() {
	const roomy = mostEndpoints * 7 / 8 // so that one endpoint that leaves does not cause it
	p.full = false
	for _, q := range p.peers {
		if q.lacks == 0 {
			continue
		}
		if len(q.endpoints) > roomy || !p.known.fits(q.known, q.lacks) {
			p.full = true
			continue
		}
		q.lacks = 0
		for id, list := range q.incoming {
			for _, w := range list {
				if w.reader.internal != nil && id != wire.LivelinessWriter {
					w.restart()
				}
			}
		}
	}
}

// restart requests all samples of a latched writer again.
func (w *writerProxy) restart() {
	w.drop()
	w.next, w.beat = 1, 0
	w.due, w.pause = time.Time{}, 0
}

// rematch matches all endpoints of peers with readers and writers that they do not yet match.
func (p *Participant) rematch() {
	for _, q := range p.peers {
		for _, o := range q.endpoints {
			p.match(q, o)
		}
	}
	p.wakeUp()
}
