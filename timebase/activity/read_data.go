package activity

import (
	"iter"

	"gosmp/timebase"
)

// next returns the number of the next datum of a sequential bind, after data that was dropped
// unread.
func (b *bind) next() uint64 {
	if head := b.entry.head; b.cursor < head {
		b.lost += head - b.cursor
		b.cursor = head
	}
	return b.cursor
}

// find returns the number of the datum to read at t; ok is false if the entry has none.
func (b *bind) find(t timebase.Time) (seq uint64, ok bool) {
	e := b.entry
	if b.sequential {
		seq = b.next()
		return seq, seq != e.tail && e.span(seq).Start <= t
	}
	if seq, ok = e.notAfter(t); !ok || e.closed && !e.visible(t) {
		return 0, false
	}
	strict := e.kind == Stream && b.reader.spec.Match == IntervalStart
	return seq, !strict || t < e.span(seq).End
}

// prepare makes sure that the reader is connected.
func (r *readerCore) prepare() {
	if r.node.changed && !r.node.inRound {
		r.node.seal()
	}
}

// take chooses the datum to read at t, and counts it as read if it is read in sequence. It returns
// a nil bind if there is no datum.
func (r *readerCore) take(t timebase.Time) (best *bind, seq uint64) {
	r.prepare()
	for _, b := range r.binds {
		if s, ok := b.find(t); ok && (best == nil || b.before(s, best, seq)) {
			best, seq = b, s
		}
	}
	if best != nil && best.sequential {
		best.cursor++
	}
	return best, seq
}

// before reports whether datum x of b comes before y of c. Data that is read in sequence comes
// first, so that it is drained.
func (b *bind) before(x uint64, c *bind, y uint64) bool {
	switch {
	case b.sequential != c.sequential:
		return b.sequential
	case b.sequential:
		return b.entry.span(x).Start < c.entry.span(y).Start
	}
	return b.entry.span(x).Start > c.entry.span(y).Start
}

// drain reads in sequence until nothing is left for time t, and returns the last datum and the
// number of data.
func (r *readerCore) drain(t timebase.Time) (last *bind, seq uint64, count int) {
	r.prepare()
	if len(r.binds) != 1 {
		return r.drainAll(t)
	}
	b := r.binds[0]
	if !b.sequential {
		if seq, ok := b.find(t); ok {
			return b, seq, 1
		}
		return nil, 0, 0
	}
	first := b.next()
	if first == b.entry.tail {
		return nil, 0, 0
	}
	seq, ok := b.entry.notAfter(t)
	if !ok || seq < first {
		return nil, 0, 0
	}
	b.cursor = seq + 1
	return b, seq, int(seq + 1 - first)
}

// drainAll is like drain but reads one datum at a time.
func (r *readerCore) drainAll(t timebase.Time) (last *bind, seq uint64, count int) {
	for b, s := r.take(t); b != nil; b, s = r.take(t) {
		last, seq = b, s
		count++
		if !b.sequential {
			break
		}
	}
	return last, seq, count
}

// value returns datum number seq of a bind.
func (r *Reader[T]) value(b *bind, seq uint64) *T { return b.entry.values.(*payloads[T]).at(seq) }

// Read returns the datum for time t; ok is false when there is none. A sequential reader returns
// the oldest unread datum whose start or stamp is not after t, and counts it as read; over several
// entries, the earliest of all. A reader by time returns the datum that matches t; over several
// entries, the one that starts latest.
//
// An activity that works for a [Cycle] reads at Cycle.Span.Start to get the data of the same time,
// and drains events up to its own end with t = Cycle.Span.End.
func (r *Reader[T]) Read(t timebase.Time) (d Datum[T], ok bool) {
	r.core.node.enter()
	b, seq := r.core.take(t)
	if b != nil {
		d.Value, d.Span, d.Label, ok = *r.value(b, seq), b.entry.span(seq), b.entry.label, true
	}
	r.core.node.leave()
	return d, ok
}

// next does the work of Read for All; it returns a nil bind if there is no datum.
func (r *Reader[T]) next(t timebase.Time, d *Datum[T]) *bind {
	r.core.node.enter()
	b, seq := r.core.take(t)
	if b != nil {
		d.Value, d.Span, d.Label = *r.value(b, seq), b.entry.span(seq), b.entry.label
	}
	r.core.node.leave()
	return b
}

// All returns the data in sequence until nothing is left for time t. For a reader by time it
// returns the one datum that matches.
func (r *Reader[T]) All(t timebase.Time) iter.Seq[Datum[T]] {
	return func(yield func(Datum[T]) bool) {
		for more := true; more; {
			var d Datum[T]
			b := r.next(t, &d)
			if b == nil || !yield(d) {
				return
			}
			more = b.sequential
		}
	}
}

// Drain reads in sequence until nothing is left for time t, and stores only the newest value in
// newest, which is unchanged if there is none. It returns the span of the newest and the number of
// data read. For a reader by time it reads the one datum that matches.
func (r *Reader[T]) Drain(t timebase.Time, newest *T) (s timebase.Span, count int) {
	r.core.node.enter()
	b, seq, count := r.core.drain(t)
	if b != nil {
		*newest, s = *r.value(b, seq), b.entry.span(seq)
	}
	r.core.node.leave()
	return s, count
}

func (r *readerCore) unread(until timebase.Time) int {
	r.prepare()
	count := 0
	for _, b := range r.binds {
		if b.sequential {
			first := b.next()
			if seq, ok := b.entry.notAfter(until); ok && seq >= first {
				count += int(seq - first + 1)
			}
		}
	}
	return count
}

// Newest returns the datum with the latest start of all, no matter what has been read (sample and
// hold).
func (r *Reader[T]) Newest() (d Datum[T], ok bool) {
	r.core.node.enter()
	b := r.core.newest()
	if b != nil {
		seq := b.entry.tail - 1
		d.Value, d.Span, d.Label, ok = *r.value(b, seq), b.entry.span(seq), b.entry.label, true
	}
	r.core.node.leave()
	return d, ok
}

// newest returns the bind to the entry that has the newest datum, or nil if there is no datum.
func (r *readerCore) newest() (best *bind) {
	r.prepare()
	for _, b := range r.binds {
		if e := b.entry; e.kept() > 0 && e.closedAt == unclosed &&
			(best == nil || e.span(e.tail-1).Start > best.entry.span(best.entry.tail-1).Start) {
			best = b
		}
	}
	return best
}

func (r *readerCore) lost() uint64 {
	lost := r.lostBefore
	for _, b := range r.binds {
		b.next()
		lost += b.lost
	}
	return lost
}
