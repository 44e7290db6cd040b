package activity

import (
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// ReadMode is the order in which a reader receives its data.
type ReadMode uint8

// The four reading modes.
const (
	// AdaptEventStream reads events sequentially and streams by time.
	AdaptEventStream ReadMode = iota
	// ReadAllData reads sequentially, starting with the first datum written after the reader was
	// created. It must be drained, because data that it has not read is kept.
	ReadAllData
	// JumpToMatchTime reads the datum that matches the requested time.
	JumpToMatchTime
	// ReadReservation reads sequentially, starting with the oldest datum that still exists.
	// Together with Channel.Reserve, it receives data that was written before the reader was
	// created.
	ReadReservation
)

var modeNames = [...]string{"AdaptEventStream", "ReadAllData", "JumpToMatchTime", "ReadReservation"}

// String returns the mode's name.
func (m ReadMode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("ReadMode(%d)", uint8(m))
}

// Match is the rule that determines which stream datum matches a time. The matching event is always
// the latest one that is not after the time.
type Match uint8

// The matching rules.
const (
	// IntervalStart matches the datum whose span contains the time: start <= t < end.
	IntervalStart Match = iota
	// StartOrEarlier matches the latest datum that starts at or before the time, no matter how long
	// ago it ended.
	StartOrEarlier
)

// String returns the rule's name.
func (m Match) String() string {
	switch m {
	case IntervalStart:
		return "IntervalStart"
	case StartOrEarlier:
		return "StartOrEarlier"
	}
	return fmt.Sprintf("Match(%d)", uint8(m))
}

// ReaderSpec selects the entries of a channel to read, and how. The zero value reads the only
// entry, or the first in the order of labels, events in sequence and streams by time.
type ReaderSpec struct {
	Label string // the entry with that label; the first in the order of modules if several have it
	Index int    // without a label: the index of the entry in the order of labels and modules
	All   bool   // all entries, as if they were one (a virtual join); excludes Label and Index
	Mode  ReadMode
	Match Match
	Kind  Kind // Stream or Event, to report an entry of the other kind as KindMismatch
	// distinguishes the reader from others that are otherwise identical; needed only to save states
	Name string
}

// Reader is a read token. It is also a trigger: it emits the span of each datum that is
// written.
//
// A reader over all entries triggers at the end of a round, in the order of time, and with the
// union of overlapping spans.
type Reader[T any] struct{ readToken }

// readToken is the public part of a reader, apart from the data.
type readToken struct{ core readerCore }

// String names the channel, the choice of entries and the reading module.
func (t *readToken) String() string { return t.core.String() }

func (t *readToken) part() part { return &t.core }

// Unread returns the amount of data that sequential reading until time t would return; 0 for a
// reader by time.
func (t *readToken) Unread(until timebase.Time) int {
	t.core.node.enter()
	defer t.core.node.leave()
	return t.core.unread(until)
}

// Lost returns the amount of data dropped before this reader read it.
func (t *readToken) Lost() uint64 {
	t.core.node.enter()
	defer t.core.node.leave()
	return t.core.lost()
}

// Err returns the reason why the reader cannot read, or nil.
func (t *readToken) Err() error { return t.core.err }

// readerCore is the part of a reader that does not depend on the type of the payload.
type readerCore struct {
	triggerCore
	spec    ReaderSpec
	channel *channelCore
	module  string
	rank    int
	binds   []*bind
	pending []timebase.Span // spans of several entries, to be passed on together
	end     timebase.Time   // end of the spans passed on
	began   bool
	taken   bool // has taken a reservation

	lostBefore uint64 // data lost in removed entries
	err        error
}

// Datum is one value that a reader receives.
type Datum[T any] struct {
	Value T
	Span  timebase.Span // the time for which the value holds; a stamp for an event
	Label string        // of the entry to which it was written
}

// Reader creates a reader that belongs to m.
func (c *Channel[T]) Reader(m *Module, spec ReaderSpec) *Reader[T] {
	r := &Reader[T]{}
	r.core.open(&c.channelCore, m, spec)
	return r
}

// open registers a new reader with its channel, unless its specification is invalid.
func (r *readerCore) open(c *channelCore, m *Module, spec ReaderSpec) {
	*r = readerCore{
		triggerCore: triggerCore{node: c.node},
		spec:        spec,
		channel:     c,
		module:      m.name,
		err:         c.err,
	}
	if r.err == nil {
		r.err = m.build(r.String())
	}
	if r.err != nil {
		return
	}
	if err := r.check(m); err != nil {
		r.err = c.node.refuse(err)
		return
	}
	c.readers = append(c.readers, r)
}

func (r *readerCore) check(m *Module) error {
	s := r.spec
	bad := func(found, want string) error {
		return fault.New(ErrSpec, fault.At(r.String()), found, want)
	}
	switch {
	case m.node != r.node:
		return bad("a module of another node", "one of the channel's node")
	case s.All && (s.Label != "" || s.Index != 0):
		return bad("All beside a label or an index", "one choice of entries")
	case s.Label != "" && s.Index != 0:
		return bad("an index beside a label", "one choice of entries")
	case s.Index < 0:
		return bad(fmt.Sprintf("index %d", s.Index), "0 or more")
	case int(s.Mode) >= len(modeNames) || s.Match > StartOrEarlier || s.Kind > Event:
		return bad(
			fmt.Sprintf("%v, %v, kind %d", s.Mode, s.Match, s.Kind),
			"one of the constants for each",
		)
	}
	return nil
}

// bindAll connects the reader to its chosen entries, except where it is already connected.
func (r *readerCore) bindAll() {
	bound := slices.ContainsFunc(r.binds, func(b *bind) bool { return !b.entry.closed })
	i := -1
	for _, e := range r.channel.entries {
		if e.closed {
			continue
		}
		i++
		chosen := r.spec.All || r.spec.Label == "" && i == r.spec.Index ||
			r.spec.Label != "" && r.spec.Label == e.label
		if !chosen || !r.spec.All && bound {
			continue
		}
		bound = true
		if !slices.ContainsFunc(r.binds, func(b *bind) bool { return b.entry == e }) {
			r.bindTo(e)
		}
	}
	slices.SortStableFunc(r.binds, func(a, b *bind) int { return a.entry.rank - b.entry.rank })
}

func (r *readerCore) bindTo(e *entry) {
	b := &bind{entry: e, reader: r, sequential: r.spec.sequential(e.kind), cursor: e.tail}
	if r.spec.Mode == ReadReservation {
		b.cursor = e.head
		if !r.taken && r.channel.reserved > 0 {
			r.taken = true
			r.channel.reserved--
		}
	}
	r.binds = append(r.binds, b)
	e.binds = append(e.binds, b)
	if r.spec.Kind != AnyKind && r.spec.Kind != e.kind {
		r.node.report(
			KindMismatch,
			r.String(),
			"wants %v data, %v writes %v data",
			r.spec.Kind,
			e,
			e.kind,
		)
	}
}

// sequential reports whether data of that kind is read sequentially.
func (s *ReaderSpec) sequential(kind Kind) bool {
	switch s.Mode {
	case AdaptEventStream:
		return kind == Event
	case JumpToMatchTime:
		return false
	}
	return true
}
