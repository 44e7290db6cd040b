package timebase

import "fmt"

// WriterOption changes what a writer asks for.
type WriterOption uint8

// Exclusive asks to be the only writer of the channel.
const Exclusive WriterOption = 1

// StreamWriter is the write token of a stream entry: each datum is valid on a span, and the spans connect.
type StreamWriter[T any] struct {
	entry *entry[T]
	err   error
}

// EventWriter is the write token of an event entry: each datum has a stamp.
type EventWriter[T any] struct {
	entry *entry[T]
	err   error
}

// StreamWriter makes an entry for streams and its writer. The label and the module identify the entry; the label may be empty.
func (c *Channel[T]) StreamWriter(m *Module, label string, options ...WriterOption) *StreamWriter[T] {
	e, err := c.newEntry(m, label, Stream, options)
	return &StreamWriter[T]{e, err}
}

// EventWriter makes an entry for events and its writer. The label and the module identify the entry; the label may be empty.
func (c *Channel[T]) EventWriter(m *Module, label string, options ...WriterOption) *EventWriter[T] {
	e, err := c.newEntry(m, label, Event, options)
	return &EventWriter[T]{e, err}
}

func (c *Channel[T]) newEntry(m *Module, label string, kind Kind, options []WriterOption) (*entry[T], error) {
	e := &entry[T]{ch: c, entryCore: entryCore{node: c.node, channel: &c.channelCore, label: label, module: m.name, kind: kind}}
	e.self = e
	for _, o := range options {
		e.exclusive = e.exclusive || o == Exclusive
	}
	if c.err != nil {
		return nil, c.err
	}
	if err := c.node.build(e.String()); err != nil {
		return nil, err
	}
	if err := c.admit(m, e); err != nil {
		return nil, c.node.refuse(err)
	}
	c.entries = append(c.entries, e)
	return e, nil
}

// admit says whether e may join the entries of c.
func (c *Channel[T]) admit(m *Module, e *entry[T]) error {
	if m.node != c.node {
		return &Error{Where: e.String(), Err: ErrSpec, Found: "a module of another node", Want: "one of the channel's node"}
	}
	if bad := badName(e.label); e.label != "" && bad != "" {
		return &Error{Where: e.String(), Err: ErrName, Found: bad}
	}
	for _, o := range c.entries {
		if o.exclusive || e.exclusive {
			return &Error{Where: e.String(), Err: ErrExclusive, Found: o.String() + " beside it",
				Hint: "let all writers share the channel, or give this one a channel of its own"}
		}
		if o.label == e.label && o.module == e.module {
			return &Error{Where: e.String(), Err: ErrName, Found: "another entry of that label and module",
				Hint: "give each entry of a module its own label"}
		}
	}
	return nil
}

// Write adds a datum that is valid on s. A span that starts later than the previous one ended is kept and reported as
// [StreamGap], unless [StreamWriter.Stop] was called in between; of one that starts earlier only what is new is kept, and
// reported as [StreamOverlap]. It fails with [ErrSpan] when s has no length, and with [ErrOrder] when nothing of it is new.
//
// Inside a callback the datum can be read, and triggers, when the round has ended; outside it can be read at once. The value
// is kept as it is: what it points to must not be changed any more.
func (w *StreamWriter[T]) Write(s Span, v T) error {
	if w.err != nil {
		return w.err
	}
	e := w.entry
	if s.Empty() {
		return &Error{Where: e.String(), Err: ErrSpan, Found: s.String(), Want: "an end after the start"}
	}
	if e.began && s.Start != e.end {
		if err := e.connect(&s); err != nil {
			return err
		}
	}
	e.began, e.stopped, e.end = true, false, s.End
	e.put(s, &v)
	return nil
}

// Stop declares that the stream ends with its newest datum. The next write resumes it, whenever that may be, without being
// reported as a gap.
func (w *StreamWriter[T]) Stop() {
	if w.err == nil {
		w.entry.stopped = true
	}
}

// Err is why the writer cannot write, or nil.
func (w *StreamWriter[T]) Err() error { return w.err }

// Write adds an event. Stamps may be equal, and the order of writing is kept; one that is earlier than the newest is refused
// with [ErrOrder]. When the event can be read is the same as for [StreamWriter.Write].
func (w *EventWriter[T]) Write(stamp Time, v T) error {
	if w.err != nil {
		return w.err
	}
	e := w.entry
	if e.began && stamp < e.end {
		return &Error{Where: e.String(), Err: ErrOrder, Found: "an event at " + stamp.String(),
			Want: "none earlier than the newest, " + e.end.String()}
	}
	e.began, e.end = true, stamp
	e.put(Stamp(stamp), &v)
	return nil
}

// Err is why the writer cannot write, or nil.
func (w *EventWriter[T]) Err() error { return w.err }

// connect deals with a span that does not start where the previous one ended.
func (e *entryCore) connect(s *Span) error {
	switch {
	case s.End <= e.end:
		return &Error{Where: e.String(), Err: ErrOrder, Found: s.String(), Want: "time after " + e.end.String(),
			Hint: "data are valid from where the previous one ends"}
	case s.Start < e.end:
		e.node.report(StreamOverlap, e.String(), "%v starts %v before the previous datum ends; cut to start at %v",
			*s, e.end-s.Start, e.end)
		s.Start = e.end
	case !e.stopped:
		e.node.report(StreamGap, e.String(), "%v starts %v after the previous datum ended; call Stop before a break",
			*s, s.Start-e.end)
	}
	return nil
}

// entryCore is what does not depend on the type of the payload.
type entryCore struct {
	node      *Node
	self      publisher
	channel   *channelCore
	label     string
	module    string
	kind      Kind
	rank      int
	exclusive bool
	triggers  bool // a reader of the entry triggers something

	began, stopped bool
	end            Time // end of the newest span written, or the newest stamp
	published      uint64
	kept           int
	trace          uint64
	warnAt         int // unread data at which to report next
	losing         bool
}

// String names the entry, its channel and its writer.
func (e *entryCore) String() string {
	if e.label == "" {
		return fmt.Sprintf("channel %q, entry of %s", e.channel.name, e.module)
	}
	return fmt.Sprintf("channel %q, entry %q of %s", e.channel.name, e.label, e.module)
}
