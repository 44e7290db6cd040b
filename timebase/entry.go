package timebase

// datum is one value with the time for which it holds.
type datum[T any] struct {
	span  Span
	value T
}

// entry is the data of one writer.
type entry[T any] struct {
	entryCore
	ch     *Channel[T]
	data   ring[datum[T]]
	staged []datum[T] // written in the running round
	binds  []*bind[T]
}

// bind connects a reader to an entry.
type bind[T any] struct {
	entry      *entry[T]
	reader     *Reader[T]
	sequential bool   // reads one datum after the other
	cursor     uint64 // number of the next datum, for a sequential reader
	lost       uint64 // data that were dropped before they were read
}

// put takes a datum whose time has been checked. The value comes by its address, because payloads can be large.
func (e *entry[T]) put(s Span, v *T) {
	n := e.node
	if n.changed && !n.inRound {
		n.seal()
	}
	if n.inRound {
		if len(e.staged) == 0 {
			n.written(&e.entryCore)
		}
		e.staged = append(e.staged, datum[T]{})
		d := &e.staged[len(e.staged)-1]
		d.span, d.value = s, *v
		return
	}
	e.store(&datum[T]{s, *v})
	e.retire()
}

// publish implements publisher.
func (e *entry[T]) publish() {
	for i := range e.staged {
		d := &e.staged[i]
		e.store(d)
		*d = datum[T]{} // for a few data this is cheaper than clear
	}
	e.staged = e.staged[:0]
	e.retire()
}

// store makes d readable and triggers with it.
func (e *entry[T]) store(d *datum[T]) {
	*e.data.add() = *d
	e.published++
	if e.node.spec.Trace {
		e.traceDatum(d)
	}
	if !e.triggers {
		return
	}
	for _, b := range e.binds {
		if len(b.reader.targets) > 0 {
			b.reader.notify(d.span)
		}
	}
}

func (e *entry[T]) traceDatum(d *datum[T]) {
	e.trace = mix(mix(e.trace, uint64(d.span.Start)), uint64(d.span.End))
	if e.ch.codec == nil {
		return
	}
	if b, err := e.ch.codec.Append(nil, d.value); err == nil {
		e.trace = mixBytes(e.trace, b)
	}
}

// retire drops what is older than the retention and not waited for. The newest datum stays.
func (e *entry[T]) retire() {
	if e.data.len() == 0 {
		return
	}
	needed := e.needed()
	old := e.data.last().span.Start - e.channel.keep
	if old > e.end { // the subtraction has wrapped
		old = -EndOfTime
	}
	for e.data.len() > 1 && e.data.head < needed && e.data.first().span.End <= old {
		e.data.drop()
	}
	needed = max(needed, e.data.head)
	if unread := int(e.data.tail - needed); unread >= min(unreadWarning, e.channel.limit) {
		e.unread(unread, needed)
	} else {
		e.warnAt, e.losing = 0, false
	}
	e.kept = e.data.len()
}

// needed is the number of the oldest datum that a sequential reader, or a reservation, waits for.
func (e *entry[T]) needed() uint64 {
	if e.channel.reserved > 0 {
		return e.data.head
	}
	needed := e.data.tail
	for _, b := range e.binds {
		if b.sequential {
			needed = min(needed, b.cursor)
		}
	}
	return needed
}

// unread warns of data that nobody reads, and drops the oldest above the limit. The oldest unread one is number needed.
func (e *entry[T]) unread(unread int, needed uint64) {
	if unread >= max(e.warnAt, unreadWarning) {
		e.warnAt = (unread/unreadWarning + 1) * unreadWarning
		e.node.report(UnreadData, e.String(), "%d data wait for %s; let it read, or read by time", unread, e.slowest())
	}
	over := unread - e.channel.limit
	if over <= 0 {
		return
	}
	if !e.losing {
		e.losing = true
		e.node.report(LostData, e.String(), "more than %d data wait for %s; the oldest are dropped", e.channel.limit, e.slowest())
	}
	for end := needed + uint64(over); e.data.head != end; {
		e.data.drop()
	}
}

// slowest names the sequential reader that is furthest behind.
func (e *entry[T]) slowest() string {
	if e.channel.reserved > 0 {
		return "a reader with a reservation"
	}
	var slow *bind[T]
	for _, b := range e.binds {
		if b.sequential && (slow == nil || b.cursor < slow.cursor) {
			slow = b
		}
	}
	return slow.reader.String()
}

// notAfter is the number of the newest datum that starts, or is stamped, not after t; ok is false when there is none. Of
// several events at one stamp it is the last one written.
func (e *entry[T]) notAfter(t Time) (seq uint64, ok bool) {
	low, high := e.data.head, e.data.tail // the answer lies just before the first datum after t
	if low != high && e.data.last().span.Start <= t {
		return high - 1, true
	}
	for low != high {
		mid := low + (high-low)/2
		if e.data.at(mid).span.Start <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1, low != e.data.head
}
