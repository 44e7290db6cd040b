package timebase

import (
	"fmt"
	"iter"
	"slices"
)

// ReadMode says in which order a reader gets its data.
type ReadMode uint8

// The four reading modes.
const (
	// AdaptEventStream reads events one after the other and streams by time.
	AdaptEventStream ReadMode = iota
	// ReadAllData reads one datum after the other, from the first one written after the reader was made. It must be
	// drained: what it has not read is kept.
	ReadAllData
	// JumpToMatchTime reads the datum that matches the time asked for.
	JumpToMatchTime
	// ReadReservation reads one datum after the other, from the oldest one that is still there. Together with
	// Channel.Reserve it gets what was written before the reader was made.
	ReadReservation
)

var modeNames = [...]string{"AdaptEventStream", "ReadAllData", "JumpToMatchTime", "ReadReservation"}

// String is the mode's name.
func (m ReadMode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("ReadMode(%d)", uint8(m))
}

// Match is the rule by which a stream datum matches a time. For events it is always the latest one not after it.
type Match uint8

// The matching rules.
const (
	// IntervalStart matches the datum whose span contains the time: start <= t < end.
	IntervalStart Match = iota
	// StartOrEarlier matches the latest datum that starts not after the time, however long ago it ended.
	StartOrEarlier
)

// String is the rule's name.
func (m Match) String() string {
	switch m {
	case IntervalStart:
		return "IntervalStart"
	case StartOrEarlier:
		return "StartOrEarlier"
	}
	return fmt.Sprintf("Match(%d)", uint8(m))
}

// ReaderSpec says which entries of a channel are read, and how. The zero value reads the only entry, or the first in the
// order of labels, events in sequence and streams by time.
type ReaderSpec struct {
	Label string // the entry of that label; the first in the order of modules when several have it
	Index int    // without a label: the entry of that place in the order of labels and modules
	All   bool   // all entries, as if they were one (a virtual join); excludes Label and Index
	Mode  ReadMode
	Match Match
	Kind  Kind // Stream or Event to have an entry of the other kind reported as KindMismatch
}

// Reader is a read token. It is a trigger as well: it gives off the span of each datum that is written.
//
// A reader over all entries triggers at the end of a round, in the order of time, and with the union of overlapping spans.
type Reader[T any] struct {
	readerCore
	ch    *Channel[T]
	binds []*bind[T]
	err   error
}

// readerCore is what does not depend on the type of the payload.
type readerCore struct {
	triggerCore
	spec    ReaderSpec
	channel *channelCore
	module  string
	rank    int
	bound   []*entryCore
	pending []Span // of several entries, to be passed on together
	end     Time   // of the spans passed on
	began   bool
	taken   bool // has taken up a reservation
}

// Datum is what a reader gets.
type Datum[T any] struct {
	Value T
	Span  Span   // the time for which the value holds; a stamp for an event
	Label string // of the entry it was written to
}

// Reader makes a reader that belongs to m.
func (c *Channel[T]) Reader(m *Module, spec ReaderSpec) *Reader[T] {
	r := &Reader[T]{ch: c, err: c.err}
	r.readerCore = readerCore{triggerCore: triggerCore{node: c.node}, spec: spec, channel: &c.channelCore, module: m.name}
	if r.err != nil {
		return r
	}
	if r.err = c.node.build(r.String()); r.err != nil {
		return r
	}
	if err := r.check(m); err != nil {
		r.err = c.node.refuse(err)
		return r
	}
	c.readers = append(c.readers, r)
	return r
}

func (r *readerCore) check(m *Module) error {
	s := r.spec
	bad := func(found, want string) error {
		return &Error{Where: r.String(), Err: ErrSpec, Found: found, Want: want}
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
		return bad(fmt.Sprintf("%v, %v, kind %d", s.Mode, s.Match, s.Kind), "one of the constants for each")
	}
	return nil
}

// bindAll connects the reader to the entries it has chosen and is not connected to yet.
func (r *Reader[T]) bindAll() {
	for i, e := range r.ch.entries {
		chosen := r.spec.All || r.spec.Label == "" && i == r.spec.Index || r.spec.Label != "" && r.spec.Label == e.label
		if !chosen || !r.spec.All && len(r.binds) > 0 {
			continue
		}
		if !slices.ContainsFunc(r.binds, func(b *bind[T]) bool { return b.entry == e }) {
			r.bindTo(e)
		}
	}
	slices.SortFunc(r.binds, func(a, b *bind[T]) int { return a.entry.rank - b.entry.rank })
	r.bound = r.bound[:0]
	for _, b := range r.binds {
		r.bound = append(r.bound, &b.entry.entryCore)
	}
}

func (r *Reader[T]) bindTo(e *entry[T]) {
	b := &bind[T]{entry: e, reader: r, sequential: r.spec.sequential(e.kind), cursor: e.data.tail}
	if r.spec.Mode == ReadReservation {
		b.cursor = e.data.head
		if !r.taken && r.channel.reserved > 0 {
			r.taken = true
			r.channel.reserved--
		}
	}
	r.binds = append(r.binds, b)
	e.binds = append(e.binds, b)
	if r.spec.Kind != AnyKind && r.spec.Kind != e.kind {
		r.node.report(KindMismatch, r.String(), "wants %v data, %v writes %v data", r.spec.Kind, e, e.kind)
	}
}

// sequential says whether data of that kind are read one after the other.
func (s *ReaderSpec) sequential(kind Kind) bool {
	switch s.Mode {
	case AdaptEventStream:
		return kind == Event
	case JumpToMatchTime:
		return false
	}
	return true
}

// next is the number of the next datum of a sequential bind, after what has been dropped unread.
func (b *bind[T]) next() uint64 {
	if head := b.entry.data.head; b.cursor < head {
		b.lost += head - b.cursor
		b.cursor = head
	}
	return b.cursor
}

// find is the datum to read at t, or nil when the entry has none.
func (b *bind[T]) find(t Time) *datum[T] {
	data := &b.entry.data
	if b.sequential {
		seq := b.next()
		if seq == data.tail {
			return nil
		}
		if d := data.at(seq); d.span.Start <= t {
			return d
		}
		return nil
	}
	seq, ok := b.entry.notAfter(t)
	if !ok {
		return nil
	}
	d := data.at(seq)
	if strict := b.entry.kind == Stream && b.reader.spec.Match == IntervalStart; strict && t >= d.span.End {
		return nil
	}
	return d
}

// prepare makes sure that the reader is connected.
func (r *Reader[T]) prepare() {
	if r.node.changed && !r.node.inRound {
		r.node.seal()
	}
}

// Read is the datum for time t; ok is false when there is none. Read in sequence, it is the oldest unread one that starts, or
// is stamped, not after t, and counts as read; over several entries it is the earliest of all. Read by time, it is the
// one that matches t; over several entries the one that starts latest.
//
// An activity that works for a [Cycle] reads at Cycle.Span.Start to get the data of the same time, and drains events up to
// its own end with t = Cycle.Span.End.
func (r *Reader[T]) Read(t Time) (Datum[T], bool) {
	b, d := r.take(t)
	if d == nil {
		return Datum[T]{}, false
	}
	return Datum[T]{d.value, d.span, b.entry.label}, true
}

// take chooses the datum to read at t, which is nil when there is none, and counts it as read if it is read in sequence.
func (r *Reader[T]) take(t Time) (best *bind[T], found *datum[T]) {
	r.prepare()
	if len(r.binds) == 1 {
		best = r.binds[0]
		found = best.find(t)
	} else {
		best, found = r.choose(t)
	}
	if found != nil && best.sequential {
		best.cursor++
	}
	return best, found
}

// choose is the bind and the datum that go first of several.
func (r *Reader[T]) choose(t Time) (best *bind[T], found *datum[T]) {
	for _, b := range r.binds {
		if d := b.find(t); d != nil && (found == nil || better(b, d, best, found)) {
			best, found = b, d
		}
	}
	return best, found
}

// better says whether datum x of b comes before y of c. What is read in sequence goes first, so that it is drained.
func better[T any](b *bind[T], x *datum[T], c *bind[T], y *datum[T]) bool {
	switch {
	case b.sequential != c.sequential:
		return b.sequential
	case b.sequential:
		return x.span.Start < y.span.Start
	}
	return x.span.Start > y.span.Start
}

// All reads in sequence until nothing is left for time t. For a reader by time it is the one datum that matches.
func (r *Reader[T]) All(t Time) iter.Seq[Datum[T]] {
	return func(yield func(Datum[T]) bool) {
		for more := true; more; {
			b, d := r.take(t)
			if d == nil || !yield(Datum[T]{d.value, d.span, b.entry.label}) {
				return
			}
			more = b.sequential
		}
	}
}

// Drain reads in sequence until nothing is left for time t, and keeps the newest only: the value goes into newest, which stays
// as it is when there is none. It returns the span of the newest and the number of data read. For a reader by time it is
// the one datum that matches.
func (r *Reader[T]) Drain(t Time, newest *T) (s Span, count int) {
	r.prepare()
	if len(r.binds) != 1 || !r.binds[0].sequential {
		return r.drainAll(t, newest)
	}
	b := r.binds[0]
	first := b.next()
	if first == b.entry.data.tail {
		return Span{}, 0
	}
	seq, ok := b.entry.notAfter(t)
	if !ok || seq < first {
		return Span{}, 0
	}
	d := b.entry.data.at(seq)
	*newest, b.cursor = d.value, seq+1
	return d.span, int(b.cursor - first)
}

// drainAll is Drain, one datum after the other.
func (r *Reader[T]) drainAll(t Time, newest *T) (s Span, count int) {
	for b, d := r.take(t); d != nil; b, d = r.take(t) {
		*newest, s = d.value, d.span
		count++
		if !b.sequential {
			break
		}
	}
	return s, count
}

// Unread is the number of data that reading in sequence until time t would give; 0 for a reader by time.
func (r *Reader[T]) Unread(t Time) int {
	r.prepare()
	count := 0
	for _, b := range r.binds {
		if b.sequential {
			first := b.next()
			if seq, ok := b.entry.notAfter(t); ok && seq >= first {
				count += int(seq - first + 1)
			}
		}
	}
	return count
}

// Newest is the datum with the latest start of all that are there, whatever has been read: sample and hold.
func (r *Reader[T]) Newest() (d Datum[T], ok bool) {
	r.prepare()
	for _, b := range r.binds {
		if data := &b.entry.data; data.len() > 0 && (!ok || data.last().span.Start > d.Span.Start) {
			d, ok = Datum[T]{data.last().value, data.last().span, b.entry.label}, true
		}
	}
	return d, ok
}

// Lost is the number of data that were dropped before this reader read them.
func (r *Reader[T]) Lost() uint64 {
	var lost uint64
	for _, b := range r.binds {
		b.next()
		lost += b.lost
	}
	return lost
}

// Err is why the reader cannot read, or nil.
func (r *Reader[T]) Err() error { return r.err }
