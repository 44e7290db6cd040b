package dds

import "net/netip"

// fragments counts the memory of samples that are incomplete or waiting for their turn.
type fragments struct{ bytes int }

// room reports whether there is room for more bytes of a writer. If not, senders that keep more
// than its own sender would lose what they keep, the greediest one first, so that none can take the
// room of the others. Reliable writers are asked for it again.
func (w *writerProxy) room(more int) bool {
	p := w.reader.p
	for p.frag.bytes+more > mostOpenBytes {
		greedy := w.greediest(more)
		if greedy == nil {
			return false
		}
		greedy.drop()
	}
	return true
}

// greediest returns the writer that keeps most, of the sender that keeps most. It returns nil if
// none keeps more than the sender of w would with more bytes.
func (w *writerProxy) greediest(more int) (most *writerProxy) {
	p := w.reader.p
	sums := map[netip.AddrPort]int{}
	for _, r := range p.readers {
		p.spent += costPart * len(r.writers)
		for _, o := range r.writers {
			sums[p.sender(o.peer)] += o.kept()
		}
	}
	limit := sums[p.sender(w.peer)] + more
	for _, r := range p.readers {
		for _, o := range r.writers {
			sum := sums[p.sender(o.peer)]
			if sum > limit || sum == limit && most != nil && o.kept() > most.kept() {
				most, limit = o, sum
			}
		}
	}
	return most
}

// sender returns what stands for all participants that are probably of one program, or of one
// machine: their address or, on a single machine, their socket.
func (p *Participant) sender(q *peer) netip.AddrPort {
	if p.net.loopback {
		return q.from
	}
	return netip.AddrPortFrom(q.from.Addr().Unmap(), 0)
}

// kept returns the memory of the writer's samples that are incomplete or waiting for their turn.
func (w *writerProxy) kept() int {
	sum := w.bytes
	for _, a := range w.open {
		sum += a.bytes()
	}
	return sum
}

// drop drops these samples.
func (w *writerProxy) drop() {
	for len(w.open) > 0 {
		w.forget(w.open[0])
	}
	clear(w.ahead)
	w.keep(-w.bytes)
}
