package dds

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"gosmp/bridge/dds/wire"
)

// Reader receives the samples of a topic.
type Reader struct {
	p     *Participant
	guid  wire.GUID
	topic Topic
	// receive is called without the lock. internal, used by discovery readers, is called with it.
	receive  func(Sample)
	internal func(h held, from *writerProxy)
	writers  []*writerProxy
	deadline vigil // of its messages
}

// NewReader subscribes to a topic. Goroutines of the participant call receive with the samples;
// samples of one writer arrive in order.
func (p *Participant) NewReader(t Topic, receive func(Sample)) (*Reader, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.room(t.Name); err != nil {
		return nil, err
	}
	r := &Reader{p: p, guid: p.entity(wire.KindReader), topic: t, receive: receive,
		deadline: vigil{most: t.QoS.Deadline}}
	p.readers = append(p.readers, r)
	p.subscriptions.write(r.endpoint().Append(nil), time.Now())
	p.rematch()
	p.regraph()
	return r, nil
}

// endpoint returns the announcement of the reader.
func (r *Reader) endpoint() *wire.Endpoint { return r.p.announcement(r.guid, &r.topic) }

// Matched returns the number of writers from which the reader receives samples.
func (r *Reader) Matched() int {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	return len(r.writers)
}

// held is a received sample that may have to wait for its turn.
type held struct {
	payload []byte
	owned   bool // the payload is not part of a packet
	status  byte
	key     wire.GUID
	made    time.Time
	nothing bool // stands for a number that the reader will not receive
}

// bytes returns the memory of a sample that waits for its turn, with its place in the list.
func (h *held) bytes() int {
	const place = 192
	return place + len(h.payload)
}

// Limits of the data that one writer can make a reader keep.
const (
	mostAhead  = 1024
	aheadBytes = 64 << 20
	patience   = 64 // samples kept until the first heartbeat, which states where to begin
)

// writerProxy represents a writer of a peer, for one reader.
type writerProxy struct {
	reader   *Reader
	guid     wire.GUID
	to       netip.AddrPort
	peer     *peer
	reliable bool

	liveliness wire.Liveliness

	next  int64 // the next number; 0 before the first sample with best effort
	last  int64 // the newest number that the writer has announced
	ahead map[int64]held
	bytes int // of the samples in ahead
	open  []*assembly
	beat  uint32 // the count of the last heartbeat
	acks  uint32
	lease vigil     // of its signs of life
	due   time.Time // time of the next question to a writer that sent no heartbeat
	pause time.Duration
}

// take processes a sample.
func (w *writerProxy) take(number int64, h held, e *effects) {
	if !w.reliable && w.next == 0 {
		w.next = number
	}
	switch {
	case number < w.next: // a repetition
	case !w.reliable:
		w.lost(number - w.next)
		w.close(number)
		w.next = number + 1
		w.deliver(h, e)
	case number > w.next:
		w.hold(number, h)
		if w.beat == 0 && len(w.ahead) >= patience {
			w.skip(slices.Min(slices.Collect(maps.Keys(w.ahead))), e)
		}
	default:
		w.close(number)
		w.next++
		w.deliver(h, e)
		w.drain(e)
	}
}

// hold keeps a sample until its turn. It returns false if there is no room; then, the sample is
// requested from the writer later.
func (w *writerProxy) hold(number int64, h held) bool {
	if _, again := w.ahead[number]; again {
		return true
	}
	if len(w.ahead) >= mostAhead || w.bytes+h.bytes() > aheadBytes || !w.room(h.bytes()) {
		return false
	}
	if !h.owned {
		h.payload, h.owned = append([]byte(nil), h.payload...), true
	}
	w.keep(h.bytes())
	w.ahead[number] = h
	return true
}

// keep counts the bytes of the samples in ahead, for this writer and for all writers.
func (w *writerProxy) keep(n int) {
	w.bytes += n
	w.reader.p.frag.count(w.peer.sender, n)
}

// drain delivers the samples whose turn has come.
func (w *writerProxy) drain(e *effects) {
	for len(w.ahead) > 0 {
		h, is := w.ahead[w.next]
		if !is {
			return
		}
		delete(w.ahead, w.next)
		w.keep(-h.bytes())
		w.close(w.next)
		w.next++
		w.deliver(h, e)
	}
}

// skip continues with a later number, after delivering the earlier samples it has. It returns the
// number of missing samples.
func (w *writerProxy) skip(to int64, e *effects) (missing int64) {
	missing = to - w.next
	w.reader.p.spent += costPart * len(w.ahead)
	for _, n := range slices.Sorted(maps.Keys(w.ahead)) {
		if n >= to {
			break
		}
		h := w.ahead[n]
		delete(w.ahead, n)
		w.keep(-h.bytes())
		missing--
		w.deliver(h, e)
	}
	w.close(to - 1)
	w.next = to
	w.drain(e)
	return missing
}

// deliver delivers a sample.
func (w *writerProxy) deliver(h held, e *effects) {
	r := w.reader
	if h.nothing {
		return
	}
	if r.internal != nil {
		r.internal(h, w)
		return
	}
	if h.status != 0 || len(h.payload) == 0 {
		return // an instance is gone; topics without keys have only one
	}
	if !h.owned {
		h.payload = append([]byte(nil), h.payload...)
	}
	r.p.counts.Received++
	e.samples = append(e.samples, delivery{r.receive,
		Sample{Payload: h.payload, Writer: w.guid, Made: h.made}})
}

// lost counts lost samples.
func (w *writerProxy) lost(n int64) {
	if n > 0 && w.reader.internal == nil {
		w.reader.p.counts.Missed += uint64(n)
	}
}

// heartbeat handles a heartbeat of the writer and requests missing samples.
func (w *writerProxy) heartbeat(s *wire.Submessage, e *effects) {
	if !w.reliable || w.beat != 0 && int32(s.Count-w.beat) <= 0 {
		return
	}
	w.beat = s.Count
	if s.First > w.next {
		late := w.next == 1 // in which case the reader never had them
		if n := w.skip(s.First, e); !late {
			w.lost(n)
		}
	}
	w.last = max(w.last, s.Last)
	if !s.Final || w.next <= w.last {
		w.acknowledge(e)
	}
}

// acknowledge sends the writer the numbers that the reader has and lacks.
func (w *writerProxy) acknowledge(e *effects) {
	lacks := wire.Set{Base: w.next}
	for n := w.next; n <= w.last && n < w.next+wire.MostInSet; n++ {
		if _, has := w.ahead[n]; has {
			continue
		}
		if w.assembly(n) == nil {
			lacks.Add(n)
			continue
		}
		w.lackFragments(n, e)
	}
	w.acks++
	e.begin(w.reader.p, w.peer)
	e.bytes = wire.AppendAckNack(e.bytes, w.reader.guid.Entity, w.guid.Entity, &lacks, w.acks,
		lacks.Size == 0)
	e.sendTo(w.to)
}

// ask requests the first heartbeat from a writer.
func (w *writerProxy) ask(now time.Time, e *effects) {
	if !w.reliable || w.beat != 0 || now.Before(w.due) {
		return
	}
	w.pause = min(max(2*w.pause, shortPause), longPause)
	w.due = now.Add(w.pause)
	none := wire.Set{Base: w.next}
	if w.peer.data.Vendor == fastDDS {
		none.Base = 0 // Fast DDS answers at once only then; others refuse it
	}
	w.acks++
	e.begin(w.reader.p, w.peer)
	e.bytes = wire.AppendAckNack(e.bytes, w.reader.guid.Entity, w.guid.Entity, &none, w.acks, false)
	e.sendTo(w.to)
}

// fastDDS is the vendor id of Fast DDS.
var fastDDS = [2]byte{1, 15}

// gap handles the numbers that the writer will not send.
func (w *writerProxy) gap(s *wire.Submessage, e *effects) {
	if !w.reliable {
		return
	}
	if s.Number <= w.next && s.Set.Base > w.next {
		w.skip(s.Set.Base, e)
	}
	none, room := held{nothing: true}, true
	for n := max(s.Number, w.next); n < s.Set.Base && n < w.next+mostAhead && room; n++ {
		w.reader.p.spent += costPart
		room = w.hold(n, none)
	}
	w.reader.p.spent += costPart * s.Set.Size
	for n := s.Set.Base; n < s.Set.Base+int64(s.Set.Size) && room; n++ {
		if n >= w.next && s.Set.Has(n) {
			room = w.hold(n, none)
		}
	}
	w.drain(e)
}
