package dds

import "net/netip"

// fragments counts the memory of samples that are incomplete or waiting for their turn.
type fragments struct {
	bytes int
	by    map[netip.AddrPort]int // of senders that have any
}

// count counts bytes that are kept of a sender, or no longer.
func (f *fragments) count(sender netip.AddrPort, bytes int) {
	f.bytes += bytes
	if f.by[sender] += bytes; f.by[sender] == 0 {
		delete(f.by, sender)
	}
}

// greedier returns the sender that keeps the most, if that is more than a limit.
func (f *fragments) greedier(limit int) (greedy netip.AddrPort, exists bool) {
	for sender, bytes := range f.by {
		if bytes > limit || exists && bytes == limit && sender.Compare(greedy) < 0 {
			greedy, limit, exists = sender, bytes, true
		}
	}
	return greedy, exists
}

// room reports whether there is room for more bytes of a writer. If necessary, it drops samples of
// senders that keep more than the sender of w would then have, of the greediest one first, so that
// none can take the room of the others. Reliable writers are asked for these samples again.
func (w *writerProxy) room(more int) bool {
	f := &w.reader.p.frag
	for f.bytes+more > mostOpenBytes {
		greedy := w.greediest(more)
		if greedy == nil {
			return false
		}
		greedy.drop()
	}
	return true
}

// greediest returns the writer that keeps the most, of the sender that keeps the most. It returns
// nil if none keeps more than the sender of w would with more bytes.
func (w *writerProxy) greediest(more int) (greedy *writerProxy) {
	p := w.reader.p
	sender, exists := p.frag.greedier(p.frag.by[w.peer.sender] + more)
	if !exists {
		return nil // without a look at all writers, because this may occur for each submessage
	}
	most := 0
	for _, r := range p.readers {
		p.spent += costPart * len(r.writers)
		for _, o := range r.writers {
			if o.peer.sender != sender {
				continue
			}
			if kept := o.kept(); kept > most {
				greedy, most = o, kept
			}
		}
	}
	return greedy
}

// sender returns what stands for all participants that are probably of one program, or of one
// machine: their address or, on a single machine, their socket.
func (p *Participant) sender(from netip.AddrPort) netip.AddrPort {
	if p.net.loopback {
		return from
	}
	return netip.AddrPortFrom(from.Addr().Unmap(), 0)
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
