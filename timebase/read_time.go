package timebase

// Flush passes over the data that reading in sequence until time t would give, and says how many
// those were; 0 for a reader by time. It is for a reader that wants only what comes from now on,
// after a pause for example.
func (t *readToken) Flush(until Time) int {
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

// Oldest is the time of the oldest datum that the reader can still get: in sequence the oldest
// unread one, by time the oldest one that is kept. ok is false when there is none.
func (t *readToken) Oldest() (s Span, ok bool) {
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

// Latest is the time of the newest datum of all that are there, whatever has been read: of the one
// that [Reader.Newest] gives.
func (t *readToken) Latest() (s Span, ok bool) {
	t.core.node.enter()
	defer t.core.node.leave()
	b := t.core.newest()
	if b == nil {
		return Span{}, false
	}
	return b.entry.span(b.entry.tail - 1), true
}
