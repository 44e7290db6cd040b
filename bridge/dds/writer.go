package dds

import (
	"net/netip"
	"slices"
	"time"

	"gosmp/bridge/dds/wire"
)

// Limits of the samples that a writer keeps beyond its depth, because they are waiting to be sent
// or to be acknowledged by reliable readers.
const (
	mostWaiting  = 1024
	waitingBytes = 32 << 20
	mostRepaired = 512
	repairBytes  = 8 << 20
)

// Writer publishes a topic.
type Writer struct {
	p     *Participant
	guid  wire.GUID
	topic Topic
	user  bool // its samples are counted

	cache   []*sample // without gaps in the numbers, newest last
	bytes   int       // of the cache
	free    []*sample
	last    int64 // the number of the newest sample
	sent    int64 // all samples up to this number have been sent
	part    int   // fragments of the next sample that have been sent
	beats   uint32
	readers []*readerProxy
	to      []netip.AddrPort       // addresses of the readers, each once
	at      map[netip.AddrPort]int // numbers of the readers at these addresses

	deadline vigil // of its messages
}

// sample is a message published by a writer.
type sample struct {
	number  int64
	payload []byte
	made    time.Time
}

// NewWriter announces a topic.
func (p *Participant) NewWriter(t Topic) (*Writer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.room(t.Name); err != nil {
		return nil, err
	}
	w := &Writer{p: p, guid: p.entity(wire.KindWriter), topic: t, user: t.Name != graphTopic,
		deadline: vigil{heard: time.Now(), most: t.QoS.Deadline}}
	p.writers = append(p.writers, w)
	p.publications.write(w.endpoint().Append(nil), time.Now())
	p.rematch()
	p.regraph()
	return w, nil
}

// endpoint returns the announcement of the writer.
func (w *Writer) endpoint() *wire.Endpoint { return w.p.announcement(w.guid, &w.topic) }

// Matched returns the number of readers that receive the samples. A reliable reader counts starting
// with its first answer: before that, it may not have found this writer yet, and would miss what
// was written.
func (w *Writer) Matched() (n int) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	for _, r := range w.readers {
		if !r.reliable || r.answered {
			n++
		}
	}
	return n
}

// Write publishes a sample: CDR with its encapsulation. The bytes then belong to the writer. It
// never blocks, because a goroutine of the participant sends the sample.
func (w *Writer) Write(payload []byte, made time.Time) {
	w.p.mu.Lock()
	w.write(payload, made)
	w.speak()
	w.p.counts.Published++
	w.p.mu.Unlock()
	w.p.wakeUp()
}

// write keeps a sample. The caller holds the lock.
func (w *Writer) write(payload []byte, made time.Time) {
	var s *sample
	if n := len(w.free); n > 0 {
		s, w.free = w.free[n-1], w.free[:n-1]
	} else {
		s = &sample{}
	}
	w.last++
	*s = sample{w.last, payload, made}
	w.cache = append(w.cache, s)
	w.bytes += len(payload)
	if len(w.readers) == 0 {
		w.sent, w.part = w.last, 0
	}
	w.trim()
}

// trim drops samples that are no longer needed or exceed the limits.
func (w *Writer) trim() {
	acked := w.acknowledged()
	for len(w.cache) > 0 {
		oldest := w.cache[0]
		depth := w.topic.QoS.Depth
		if !w.topic.QoS.Latched && len(w.readers) == 0 {
			depth = 0
		}
		switch n := len(w.cache); {
		case n <= depth:
			return
		case oldest.number > w.sent && (n > mostWaiting || w.bytes > waitingBytes):
			w.p.counts.Dropped++
			w.sent, w.part = oldest.number, 0
		case oldest.number > w.sent:
			return
		case oldest.number > acked && n <= mostRepaired && w.bytes <= repairBytes:
			return
		}
		w.bytes -= len(oldest.payload)
		w.cache = w.cache[1:]
		*oldest = sample{}
		if len(w.free) < mostRepaired {
			w.free = append(w.free, oldest)
		}
	}
}

// acknowledged returns the number up to which all reliable readers have acknowledged the samples.
func (w *Writer) acknowledged() int64 {
	acked := w.last
	for _, r := range w.readers {
		if r.reliable {
			acked = min(acked, r.acked)
		}
	}
	return acked
}

// first returns the number of the oldest sample that the writer has.
func (w *Writer) first() int64 { return w.last + 1 - int64(len(w.cache)) }

// sample returns the sample with a number, or nil if the writer no longer has it.
func (w *Writer) sample(number int64) *sample {
	if k := number - w.first(); k >= 0 && k < int64(len(w.cache)) {
		return w.cache[k]
	}
	return nil
}

// owes reports whether any readers lack samples.
func (w *Writer) owes() bool {
	return w.sent < w.last || slices.ContainsFunc(w.readers, func(r *readerProxy) bool {
		return len(r.wanted) > 0 || r.reliable && r.acked < w.last
	})
}

// add adds a reader of a peer.
func (w *Writer) add(r *readerProxy) {
	if r.acked = w.last; r.latched {
		r.acked = max(w.first(), w.last+1-int64(w.topic.QoS.Depth)) - 1
	}
	r.start = r.acked + 1
	w.readers = append(w.readers, r)
	w.p.count(&w.topic, r.peer, 1)
	w.enter(r.to)
	if !r.latched || r.reliable {
		return
	}
	for n := r.start; n <= w.sent; n++ { // no other reader requests them
		r.want(w, n, 0)
	}
	w.p.wakeUp()
}

// remove removes one or all readers of a peer.
func (w *Writer) remove(gone func(*readerProxy) bool) {
	before := len(w.readers)
	w.readers = slices.DeleteFunc(w.readers, func(r *readerProxy) bool {
		if !gone(r) {
			return false
		}
		w.p.wanted -= len(r.wanted)
		w.leave(r.to)
		w.p.count(&w.topic, r.peer, -1)
		return true
	})
	if len(w.readers) == before {
		return
	}
	if len(w.readers) == 0 {
		w.sent, w.part = w.last, 0
	}
	w.trim()
}

// enter and leave count the readers at an address.
func (w *Writer) enter(at netip.AddrPort) {
	if w.at == nil {
		w.at = map[netip.AddrPort]int{}
	}
	if w.at[at]++; w.at[at] == 1 {
		w.to = append(w.to, at)
	}
}

func (w *Writer) leave(at netip.AddrPort) {
	if w.at[at]--; w.at[at] > 0 {
		return
	}
	delete(w.at, at)
	k := slices.Index(w.to, at)
	w.to = slices.Delete(w.to, k, k+1)
}

// fragments returns the number of fragments of a sample, or 0 if it is sent in one piece.
func (w *Writer) fragments(s *sample) int {
	size := w.p.net.fragment()
	if len(s.payload) <= size {
		return 0
	}
	return (len(s.payload) + size - 1) / size
}
