package activity

import "gosmp/timebase"

// Flush skips the data that sequential reading until time t would return, and returns their number;
// 0 for a reader by time. It is for a reader that needs only subsequent data, for example after a
// pause.
func (t *readToken) Flush(until timebase.Time) int {
	t.core.node.enter()
	defer t.core.node.leave()
	t.core.prepare()
	count := 0
	for _, b := range t.core.binds {
		if !b.sequential {
			continue
		}
		first := b.next()
		if seq, ok := b.entry.notAfter(until); ok && seq >= first {
			count += int(seq + 1 - first)
			b.cursor = seq + 1
		}
	}
	return count
}

// Oldest returns the time of the oldest datum that the reader can still receive: for a sequential
// reader the oldest unread datum, and for a reader by time the oldest datum kept. ok is false when
// there is none.
func (t *readToken) Oldest() (s timebase.Span, ok bool) {
	t.core.node.enter()
	defer t.core.node.leave()
	t.core.prepare()
	for _, b := range t.core.binds {
		first := b.entry.head
		if b.sequential {
			first = b.next()
		} else if b.entry.closed {
			continue
		}
		if first == b.entry.tail {
			continue
		}
		if own := b.entry.span(first); !ok || own.Start < s.Start {
			s, ok = own, true
		}
	}
	return s, ok
}

// Latest returns the time of the newest datum of all, no matter what has been read: the datum of
// [Reader.Newest].
func (t *readToken) Latest() (s timebase.Span, ok bool) {
	t.core.node.enter()
	defer t.core.node.leave()
	b := t.core.newest()
	if b == nil {
		return timebase.Span{}, false
	}
	return b.entry.span(b.entry.tail - 1), true
}
