package dds

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gosmp/bridge/dds/wire"
)

// signsPerLease is the number of signs of life that are sent within a lease.
const signsPerLease = 3

// vigil holds the time of the last sign from a topic, a reader or a writer, and the permitted
// duration of silence.
type vigil struct {
	heard  time.Time
	most   time.Duration // 0: for ever
	silent bool          // the silence was noticed
}

// hear ends a silence.
func (v *vigil) hear() {
	if v.most > 0 {
		v.heard, v.silent = time.Now(), false
	}
}

// notices reports whether the silence just became too long.
func (v *vigil) notices(now time.Time) bool {
	if v.most <= 0 || v.silent || now.Sub(v.heard) <= v.most {
		return false
	}
	v.silent = true
	return true
}

// live sends signs of life, and detects leases and deadlines missed by others or by this
// participant. The caller holds the lock.
func (p *Participant) live(now time.Time, e *effects) {
	p.sign(now, wire.Automatic)
	if p.spoken {
		p.sign(now, wire.ManualByParticipant)
	}
	for _, w := range p.writers[builtinWriters:] {
		if len(w.readers) > 0 && w.deadline.notices(now) {
			p.counts.Deadlines++
			p.complain(e, "%s: DEADLINE: nothing has been published for %s",
				shownTopic(w.topic.Name), span(w.deadline.most))
		}
	}
	for _, r := range p.readers[builtinReaders:] {
		if len(r.writers) > 0 && r.deadline.notices(now) {
			p.counts.Deadlines++
			p.complain(e, "%s: DEADLINE: no "+
				"message has been received for %s", shownTopic(r.topic.Name),
				span(r.deadline.most))
		}
		for _, w := range r.writers {
			if w.lease.notices(now) {
				p.counts.Leases++
				name, _ := p.nodeName(w.guid)
				p.complain(e,
					"%s: LIVELINESS: node %s has not asserted its "+
						"liveliness within its lease of %s",
					shownTopic(r.topic.Name), name, span(w.lease.most))
			}
		}
	}
}

// stoodStill is the time without a tick after which a participant must have been suspended or have
// waited for a processor.
const stoodStill = 10 * tick

// excuse excludes the time in which this participant stood still from the leases of others and from
// the deadlines of readers: what others sent in the meantime waits in the sockets. Nothing excuses
// the writers of this participant, for which others have waited.
func (p *Participant) excuse(now time.Time) {
	missed := now.Sub(p.ticked)
	p.ticked = now
	if missed < stoodStill {
		return
	}
	later := func(t, most time.Time) time.Time {
		if t = t.Add(missed); t.After(most) {
			return most
		}
		return t
	}
	for _, q := range p.peers {
		q.until = later(q.until, now.Add(min(q.data.Lease, longestLease)))
	}
	for _, r := range p.readers[builtinReaders:] {
		r.deadline.heard = later(r.deadline.heard, now)
		for _, w := range r.writers {
			w.lease.heard = later(w.lease.heard, now)
		}
	}
}

// complain warns once.
func (p *Participant) complain(e *effects, format string, values ...any) {
	if text := fmt.Sprintf(format, values...); p.reports.once(text) {
		e.texts = append(e.texts, text)
	}
}

// sign informs others that the writers of a kind are alive if one of them offers this.
func (p *Participant) sign(now time.Time, kind wire.Liveliness) {
	least := time.Duration(0)
	for _, w := range p.writers[builtinWriters:] {
		q := w.topic.QoS
		if wire.Liveliness(q.Liveliness) == kind && q.Lease > 0 && (least == 0 || q.Lease < least) {
			least = q.Lease
		}
	}
	if least == 0 || p.closed || len(p.signs.readers) == 0 ||
		now.Sub(p.signed[kind]) < least/signsPerLease {
		return
	}
	p.signed[kind], p.spoken = now, p.spoken && kind != wire.ManualByParticipant
	p.signs.write(wire.AppendLiveliness(nil, p.guid.Prefix, kind), now)
	p.wakeUp()
}

// speak records that a writer has written, which is a sign of life.
func (w *Writer) speak() {
	w.deadline.hear()
	w.p.spoken = w.p.spoken || w.topic.QoS.Liveliness == ManualByParticipant
}

// hearSign handles a sign of life of a participant.
func (p *Participant) hearSign(h held, from *writerProxy) {
	prefix, kind, ok := wire.ReadLiveliness(h.payload)
	if h.status != 0 || !ok || prefix != from.peer.data.GUID.Prefix {
		return
	}
	from.peer.alive(kind)
}

// alive records that the writers of a kind are alive.
func (q *peer) alive(kind wire.Liveliness) {
	for _, list := range q.incoming {
		for _, w := range list {
			if w.liveliness == kind {
				w.lease.hear()
			}
		}
	}
}

// hear records a message from a writer, which is a sign of life.
func (w *writerProxy) hear() {
	w.lease.hear()
	w.reader.deadline.hear()
	if w.liveliness == wire.ManualByParticipant && w.lease.most > 0 {
		w.peer.alive(wire.ManualByParticipant)
	}
}

// watch starts to watch a writer for a reader that requests signs of life.
func (w *writerProxy) watch(r *Reader, offered *wire.QoS) {
	w.liveliness = offered.Liveliness
	if r.topic.QoS.Lease > 0 && offered.Lease != wire.Forever {
		w.lease.most = offered.Lease
		w.lease.hear()
	}
	if len(r.writers) == 0 {
		r.deadline.hear()
	}
}

// expire removes a peer that has not announced itself within its lease.
func (p *Participant) expire(q *peer, e *effects) {
	p.counts.Leases++
	if p.uses(q) {
		p.complain(e, "%s: nothing has been received for the lease of %s; it counts as gone",
			q.shown(), span(min(q.data.Lease, longestLease)))
	}
	p.forget(q)
}

// shown names a peer in warnings.
func (q *peer) shown() string {
	if names := slices.Compact(slices.Sorted(maps.Values(q.nodes))); len(names) > 0 {
		return "node " + strings.Join(names, ", ")
	}
	return "participant " + q.data.GUID.String()
}

// uses reports whether topics are exchanged with a peer.
func (p *Participant) uses(q *peer) bool {
	for _, w := range p.writers[builtinWriters:] {
		if slices.ContainsFunc(w.readers, func(r *readerProxy) bool { return r.peer == q }) {
			return true
		}
	}
	for _, r := range p.readers[builtinReaders:] {
		if slices.ContainsFunc(r.writers, func(w *writerProxy) bool { return w.peer == q }) {
			return true
		}
	}
	return false
}
