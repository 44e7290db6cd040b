package dds

import (
	"net/netip"
	"time"

	"gosmp/bridge/dds/wire"
)

// readerProxy represents a reader of a peer, for one writer.
type readerProxy struct {
	guid              wire.GUID
	to                netip.AddrPort
	peer              *peer
	reliable, latched bool

	start    int64 // it does not receive older samples
	acked    int64 // it has all samples up to this one
	count    uint32
	answered bool
	wanted   []want // samples and fragments to send again
	asked    map[want]struct{}
	due      time.Time // time of the next heartbeat
	pause    time.Duration
}

// want is a sample that a reader lacks, or a fragment of it, counted from 1.
type want struct {
	number   int64
	fragment uint32
}

// Limits of the repetitions that readers are waiting for.
const (
	mostWanted    = 4096    // of a reader
	mostWantedAll = 1 << 16 // of all readers
)

// want queues a sample or a fragment for repetition.
func (r *readerProxy) want(w *Writer, number int64, fragment uint32) {
	s := w.sample(number)
	if s == nil || number > w.sent || number < r.start {
		return
	}
	first, last := fragment, fragment
	if n := w.fragments(s); fragment == 0 && n > 0 {
		first, last = 1, uint32(n)
	} else if int(fragment) > n {
		return
	}
	for k := first; k <= last; k++ {
		if len(r.wanted) >= mostWanted || w.p.wanted >= mostWantedAll {
			return
		}
		w.p.spent += costPart
		one := want{number, k}
		if _, has := r.asked[one]; has {
			continue
		}
		r.asked[one] = struct{}{}
		r.wanted = append(r.wanted, one)
		w.p.wanted++
	}
}

// answer handles an acknowledgement of a reader, which states what it has and what it lacks.
func (r *readerProxy) answer(w *Writer, s *wire.Submessage, e *effects) {
	if r.answered && int32(s.Count-r.count) <= 0 && s.Kind == wire.KindAckNack {
		return
	}
	if s.Kind == wire.KindNackFragments {
		for n := s.Set.Base; n < s.Set.Base+int64(s.Set.Size); n++ {
			if s.Set.Has(n) && n > 0 {
				r.want(w, s.Number, uint32(n))
			}
		}
		w.p.wakeUp()
		return
	}
	r.count = s.Count
	if now := min(s.Set.Base-1, w.last); now > r.acked || !r.answered {
		r.acked, r.pause = max(now, r.acked), shortPause
	} else if again := max(now, r.start-1); again < r.acked { // it requests them once more
		r.acked, r.pause, r.due = again, shortPause, time.Time{}
	}
	r.answered = true
	gone := wire.Set{}
	for n := s.Set.Base; n < s.Set.Base+int64(s.Set.Size) && n <= w.sent; n++ {
		switch {
		case !s.Set.Has(n):
		case n >= r.start && w.sample(n) != nil:
			r.want(w, n, 0)
		default:
			if gone.Base == 0 {
				gone.Base = n
			}
			if gone.Add(n); n >= r.start {
				w.p.counts.Late++
			}
		}
	}
	if gone.Base > 0 {
		e.begin(w.p, r.peer)
		e.bytes = wire.AppendGap(e.bytes, r.guid.Entity, w.guid.Entity, gone.Base, &gone)
		e.sendTo(r.to)
	}
	w.trim()
	w.p.wakeUp()
}

// Pauses between heartbeats for a reader that does not answer.
const (
	shortPause = 20 * time.Millisecond
	longPause  = time.Second
)

// beat sends heartbeats to a reader until it has all samples.
func (r *readerProxy) beat(w *Writer, now time.Time, e *effects) {
	if !r.reliable || r.answered && r.acked >= w.sent || now.Before(r.due) {
		return
	}
	r.pause = min(max(r.pause, shortPause), longPause)
	r.due = now.Add(r.pause)
	r.pause *= 2
	e.begin(w.p, r.peer)
	w.beats++
	first := max(w.first(), min(r.start, w.sent+1))
	e.bytes = wire.AppendHeartbeat(e.bytes, r.guid.Entity, w.guid.Entity, first, max(w.sent,
		first-1), w.beats, false)
	e.sendTo(r.to)
}
