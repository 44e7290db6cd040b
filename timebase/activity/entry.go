package activity

import (
	"fmt"

	"gosmp/timebase"
)

// entry holds the data of one writer: their times, their readers, and a store for the values. Only
// the store depends on the type of the payload, so that all other code exists only once rather than
// once per type.
//
// A datum keeps its sequence number. Its span and its value are stored at that number modulo the
// length of spans and of the store. The data in [head, tail) can be read. Those in [tail, written)
// belong to the running round and are visible only to the writer.
type entry struct {
	// The fields that every datum needs come first so that they share cache lines.
	node    *Node
	channel *channelCore
	spans   []timebase.Span // length is a power of two, or 0
	// the slice that the writer writes to: same as spans unless the running round needed more room
	ahead               []timebase.Span
	head, tail, written uint64
	end                 timebase.Time // end of the newest span written, or the newest stamp
	// the published part of end: nothing that starts earlier will be emitted
	reach          timebase.Time
	began, stopped bool
	triggers       bool // some reader of the entry triggers something
	sequential     bool // some reader of the entry reads sequentially
	losing         bool
	warnAt         int // number of unread data at which to report next
	binds          []*bind
	err            error // the reason why nothing can be written
	values         store

	closed    bool          // Close has been called
	closedAt  timebase.Time // when that took effect; unclosed before that
	announced bool          // to the watchers

	label     string
	module    string
	kind      Kind
	exclusive bool
	rank      int
	trace     uint64
}

// bind connects a reader to an entry.
type bind struct {
	entry      *entry
	reader     *readerCore
	sequential bool   // reads sequentially
	cursor     uint64 // number of the next datum, for a sequential reader
	lost       uint64 // data dropped before it was read
}

// String returns the names of the entry, its channel and its writer.
func (e *entry) String() string {
	if e.label == "" {
		return fmt.Sprintf("channel %q, entry of %s", e.channel.name, e.module)
	}
	return fmt.Sprintf("channel %q, entry %q of %s", e.channel.name, e.label, e.module)
}

// span returns the time of datum number seq, which must lie in [head, tail).
func (e *entry) span(seq uint64) timebase.Span { return e.spans[seq&uint64(len(e.spans)-1)] }

// kept returns the number of data that can be read.
func (e *entry) kept() int { return int(e.tail - e.head) }

// add stores the time of a datum, which is already checked, and returns its number. The caller
// stores the value there and then calls added.
func (e *entry) add(s timebase.Span) (seq uint64) {
	n := e.node
	if n.changed && !n.inRound {
		n.seal()
	}
	if e.written-e.head == uint64(len(e.ahead)) {
		e.grow()
	}
	if e.written == e.tail && n.inRound {
		if n.spec.Parallel {
			n.noteWritten(e)
		} else {
			n.dirty = append(n.dirty, e)
		}
	}
	seq = e.written
	e.ahead[seq&uint64(len(e.ahead)-1)] = s
	e.written++
	return seq
}

// added makes a datum that was written outside a round readable.
func (e *entry) added() {
	if !e.node.inRound {
		e.publish()
	}
	e.node.leave()
}

// grow doubles the capacity. It does not change the slices that readers use, because readers of
// other managers may be reading concurrently.
func (e *entry) grow() {
	size := max(4, 2*len(e.ahead))
	bigger := make([]timebase.Span, size)
	for i := e.head; i != e.written; i++ {
		bigger[i&uint64(size-1)] = e.ahead[i&uint64(len(e.ahead)-1)]
	}
	e.values.grow(e.head, e.written, size)
	e.ahead = bigger
}

// settle switches the readers to the new memory.
func (e *entry) settle() {
	e.spans = e.ahead
	e.values.settle()
}

// publish makes newly written data readable, and triggers their readers.
func (e *entry) publish() {
	if len(e.spans) != len(e.ahead) {
		e.settle()
	}
	if e.triggers && e.tail+1 == e.written && !e.node.spec.Trace {
		e.tail = e.written
		e.trigger(e.span(e.tail - 1))
	} else if e.triggers || e.node.spec.Trace {
		for e.tail != e.written {
			e.tail++
			e.traceAndTrigger(e.tail - 1)
		}
	}
	e.tail, e.reach = e.written, e.end
	e.retire()
}

// traceAndTrigger adds the newest datum to the trace and lets it trigger.
func (e *entry) traceAndTrigger(seq uint64) {
	s := e.span(seq)
	if e.node.spec.Trace {
		e.traceDatum(seq, s)
	}
	if e.triggers {
		e.trigger(s)
	}
}

// trigger passes a span to the readers that trigger anything.
func (e *entry) trigger(s timebase.Span) {
	for _, b := range e.binds {
		if len(b.reader.targets) > 0 {
			b.reader.notify(s)
		}
	}
}

func (e *entry) traceDatum(seq uint64, s timebase.Span) {
	e.trace = mix(mix(e.trace, uint64(s.Start)), uint64(s.End))
	if !e.channel.codec.known() { // checkTrace has reported this as a mistake
		return
	}
	b, err := e.channel.codec.encode(e.node.scratch[:0], e.values.address(seq, false))
	if err != nil {
		e.node.mistake(e.codecError(fmt.Sprintf("the datum of %v", s), err))
		return
	}
	e.trace = mixBytes(e.trace, b)
	e.node.scratch = b
}

// drop removes the data before number to, and the references in them.
func (e *entry) drop(to uint64) {
	if e.channel.refers {
		for seq := e.head; seq != to; seq++ {
			e.values.forget(seq)
		}
	}
	e.head = to
}

// retire drops data that is older than the retention and not needed by a sequential reader. The age
// of a datum counts from the start of the next one, not from its own end, because a reader by time
// finds it until then, even after an event or a stop. The newest datum is kept.
func (e *entry) retire() {
	if newest := e.tail - 1; e.head < newest && e.tail != 0 {
		spans, mask := e.spans, uint64(len(e.spans)-1)
		old := spans[newest&mask].Start - e.channel.keep
		if old > spans[newest&mask].Start { // the subtraction wrapped around
			old = -timebase.EndOfTime
		}
		to := e.head
		for stop := min(e.needed(), newest); to < stop && spans[(to+1)&mask].Start <= old; to++ {
		}
		e.drop(to)
	}
	if e.kept() < e.channel.alert {
		e.warnAt, e.losing = 0, false
		return
	}
	e.warn()
}

// needed returns the number of the oldest datum that a sequential reader or a reservation still
// needs.
func (e *entry) needed() uint64 {
	if e.channel.reserved > 0 {
		return e.head
	}
	needed := e.tail
	if !e.sequential {
		return needed
	}
	for _, b := range e.binds {
		if b.sequential {
			needed = min(needed, b.cursor)
		}
	}
	return needed
}

// warn reports unread data, and drops the oldest beyond the limit.
func (e *entry) warn() {
	needed := max(e.needed(), e.head)
	unread := int(e.tail - needed)
	if unread < e.channel.alert {
		e.warnAt, e.losing = 0, false
		return
	}
	if unread >= max(e.warnAt, unreadWarning) {
		e.warnAt = (unread/unreadWarning + 1) * unreadWarning
		e.node.report(
			UnreadData,
			e.String(),
			"%d data are unread by %s; read them, flush them, or read by time",
			unread,
			e.slowest(),
		)
	}
	over := unread - e.channel.limit
	if over <= 0 {
		return
	}
	if !e.losing {
		e.losing = true
		e.node.report(
			LostData,
			e.String(),
			"more than %d data are unread by %s; the oldest are dropped",
			e.channel.limit,
			e.slowest(),
		)
	}
	e.drop(needed + uint64(over))
}

// slowest returns the name of the sequential reader that is furthest behind.
func (e *entry) slowest() string {
	if e.channel.reserved > 0 {
		return "a reader with a reservation"
	}
	var slow *bind
	for _, b := range e.binds {
		if b.sequential && (slow == nil || b.cursor < slow.cursor) {
			slow = b
		}
	}
	return slow.reader.String()
}

// notAfter returns the number of the newest datum whose start or stamp is not after t; ok is false
// if there is none. Of several events with the same stamp it returns the last one written.
func (e *entry) notAfter(t timebase.Time) (seq uint64, ok bool) {
	low, high := e.head, e.tail // the result is just before the first datum after t
	if low != high && e.span(high-1).Start <= t {
		return high - 1, true
	}
	for low != high {
		mid := low + (high-low)/2
		if e.span(mid).Start <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1, low != e.head
}
