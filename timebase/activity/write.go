package activity

import (
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// WriterOption is an option for a new writer.
type WriterOption uint8

// Exclusive requests that the writer be the only one of the channel.
const Exclusive WriterOption = 1

// StreamWriter is the write token of a stream entry: each datum is valid on a span, and the spans
// connect.
type StreamWriter[T any] struct {
	entry  *entry
	values *payloads[T]
}

// EventWriter is the write token of an event entry: each datum has a stamp.
type EventWriter[T any] struct {
	entry  *entry
	values *payloads[T]
}

// StreamWriter creates an entry for a stream and its writer. The label and the module identify the
// entry; the label may be empty.
func (c *Channel[T]) StreamWriter(
	m *Module,
	label string,
	options ...WriterOption,
) *StreamWriter[T] {
	v := new(payloads[T])
	return &StreamWriter[T]{c.newEntry(m, label, Stream, options, v), v}
}

// EventWriter creates an entry for events and its writer. The label and the module identify the
// entry; the label may be empty.
func (c *Channel[T]) EventWriter(m *Module, label string, options ...WriterOption) *EventWriter[T] {
	v := new(payloads[T])
	return &EventWriter[T]{c.newEntry(m, label, Event, options, v), v}
}

func (c *channelCore) newEntry(
	m *Module,
	label string,
	kind Kind,
	options []WriterOption,
	v store,
) *entry {
	e := &entry{
		node:     c.node,
		channel:  c,
		label:    label,
		module:   m.name,
		kind:     kind,
		values:   v,
		reach:    -timebase.EndOfTime,
		closedAt: unclosed,
		err:      c.err,
	}
	for _, o := range options {
		e.exclusive = e.exclusive || o == Exclusive
	}
	if e.err == nil {
		e.err = m.build(e.String())
	}
	if e.err != nil {
		return e
	}
	if err := c.admit(m, e); err != nil {
		e.err = c.node.refuse(err)
		return e
	}
	c.entries = append(c.entries, e)
	return e
}

// admit reports whether e may join the entries of c.
func (c *channelCore) admit(m *Module, e *entry) error {
	if m.node != c.node {
		return fault.New(ErrSpec, fault.At(e.String()), "a module of another node",
			"one of the channel's node")
	}
	if bad := badName(e.label); e.label != "" && bad != "" {
		return fault.New(ErrName, fault.At(e.String()), bad, "")
	}
	for _, o := range c.entries {
		if o.closed {
			continue
		}
		if o.exclusive || e.exclusive {
			return fault.New(ErrExclusive, fault.At(e.String()), o.String()+" beside it", "").
				WithHint("let all writers share the channel, or give this one a channel of its own")
		}
		if o.label == e.label && o.module == e.module {
			return fault.New(ErrName, fault.At(e.String()),
				"another entry of that label and module", "").
				WithHint("give each entry of a module its own label")
		}
	}
	return nil
}

// Write adds a datum that is valid on s. A span that starts later than the previous one ended is
// kept and reported as [StreamGap], unless [StreamWriter.Stop] was called in between, or the
// activity that wrote the previous one was switched off and on again. If a span starts earlier,
// only its new part is kept, which is reported as [StreamOverlap]. Write returns [timebase.ErrSpan]
// if s has no length, and [ErrOrder] if no part of it is new.
//
// Inside a callback, the datum becomes readable and triggers after the round; otherwise at once.
// The value is not copied: the data it points to must no longer be changed.
func (w *StreamWriter[T]) Write(s timebase.Span, v T) error {
	seq, err := w.entry.addSpan(s)
	if err != nil {
		return err
	}
	*w.values.put(seq) = v
	w.entry.added()
	return nil
}

// addSpan adds the time of a stream datum, see entry.add. If it succeeds, the caller must call
// entry.added, which leaves the node.
func (e *entry) addSpan(s timebase.Span) (seq uint64, err error) {
	e.node.enter()
	if plain := e.err == nil && e.began && s.Start == e.end && s.Start < s.End; !plain {
		if err := e.fit(&s); err != nil {
			e.node.leave()
			return 0, err
		}
	}
	e.began, e.stopped, e.end = true, false, s.End
	return e.add(s), nil
}

// fit handles a span that does not simply continue where the previous one ended.
func (e *entry) fit(s *timebase.Span) error {
	switch {
	case e.err != nil:
		return e.err
	case s.Empty():
		return fault.New(timebase.ErrSpan, fault.At(e.String()), s.String(),
			"an end after the start")
	case e.began && s.Start != e.end:
		return e.connect(s)
	}
	return nil
}

// Stop declares that the stream ends with its newest datum. The next write resumes it, whenever
// that may be, without being reported as a gap.
func (w *StreamWriter[T]) Stop() {
	w.entry.node.enter()
	w.entry.stopped = true
	w.entry.node.leave()
}

// Skip declares that the stream has nothing before t, and stops it. Triggers that combine the
// stream with others then need not keep spans before t for it. The next write resumes the stream
// and cannot start before t: anything earlier is cut like an overlap. If the stream has already
// passed t, Skip only stops it.
func (w *StreamWriter[T]) Skip(t timebase.Time) { w.entry.skip(t) }

func (e *entry) skip(t timebase.Time) {
	e.node.enter()
	e.stopped = true
	if !e.began || t > e.end {
		e.began, e.end = true, t
		if e.written == e.tail {
			e.reach = t // otherwise publish does it, because data written before comes first
		}
	}
	e.node.leave()
}

// Err returns why the writer cannot write, or nil.
func (w *StreamWriter[T]) Err() error { return w.entry.err }

// Write adds an event. Stamps may be equal, and the order of writing is kept; a stamp that is
// earlier than the newest is refused with [ErrOrder]. An event becomes readable at the same time as
// a datum of [StreamWriter.Write].
func (w *EventWriter[T]) Write(stamp timebase.Time, v T) error {
	seq, err := w.entry.addStamp(stamp)
	if err != nil {
		return err
	}
	*w.values.put(seq) = v
	w.entry.added()
	return nil
}

// addStamp adds the time of an event, see addSpan.
func (e *entry) addStamp(t timebase.Time) (seq uint64, err error) {
	e.node.enter()
	if e.err != nil || e.began && t < e.end {
		err = e.err
		if err == nil {
			err = fault.New(ErrOrder, fault.At(e.String()), "an event at "+t.String(),
				"none earlier than the newest, "+e.end.String())
		}
		e.node.leave()
		return 0, err
	}
	e.began, e.end = true, t
	return e.add(timebase.Stamp(t)), nil
}

// Err returns why the writer cannot write, or nil.
func (w *EventWriter[T]) Err() error { return w.entry.err }

// connect handles a span that does not start where the previous one ended.
func (e *entry) connect(s *timebase.Span) error {
	switch {
	case s.End <= e.end:
		return fault.New(ErrOrder, fault.At(e.String()), s.String(), "time after "+e.end.String()).
			WithHint("data are valid from where the previous one ends")
	case s.Start < e.end:
		e.node.report(
			StreamOverlap,
			e.String(),
			"%v starts %v before the previous datum ends; cut to start at %v",
			*s,
			e.end-s.Start,
			e.end,
		)
		s.Start = e.end
	case !e.stopped:
		e.node.report(
			StreamGap,
			e.String(),
			"%v starts %v after the previous datum ended; call Stop before a break",
			*s,
			s.Start-e.end,
		)
	}
	return nil
}
