package cosim

import "gosmp/timebase"

// Batcher is a participant that can step together with others, which is faster than stepping each
// of them separately because it saves a round trip per participant.
type Batcher interface {
	// Joins reports whether this participant can be in a batch after another one. Both are bound.
	Joins(first Participant) bool
	// NewBatch creates a batch of this participant, which comes first, and the participants that
	// join it. The wires are all connections from a participant to later ones. A nil result means
	// that the participants cannot form a batch.
	NewBatch(all []Participant, wires []Wire) Batch
}

// Wire is a connection in a batch. It copies the values of an output to an input, before the step
// of the receiving participant.
type Wire struct {
	From, To     int // participants, by their positions in the batch; with Sequential From < To
	FromAt, ToAt int // the first elements in the frames: in Blobs if Blobs is set, else in Cells
	Size         int // elements
	Blobs        bool
}

// Batch is a group of participants that step together.
type Batch interface {
	// Announce announces that the engine is about to call Step of the first n participants, over
	// the same span and, with Sequential, in this order. The engine may never make calls that it
	// has announced. The inputs already have their values, except for inputs fed by wires: as with
	// all connections, these values are in the frame when Step is called. Until then the effects of
	// a step must not be visible outside.
	Announce(n int, s timebase.Span)
}

// batch is a set of participants that step together.
type batch struct {
	members []*member
	steps   Batch
}

// gather finds the batches: participants that step one after another or, in Parallel, at the same
// time.
func (e *Engine) gather() {
	var open []*member
	end := func() {
		if len(open) > 1 {
			e.join(open)
		}
		open = nil
	}
	for _, m := range e.order {
		switch {
		case m.fits() && (len(open) == 0 || e.follows(open, m)):
			open = append(open, m)
		case e.spec.Algorithm == Sequential:
			end()
			if m.fits() {
				open = append(open, m)
			}
		}
	}
	end()
}

// fits reports whether a participant can be part of a batch at all. A participant whose inputs
// change within a step, or that steps at another rate, cannot.
func (m *member) fits() bool {
	_, can := m.participant.(Batcher)
	return can && m.every == 1 && len(m.lines) == 0
}

// follows reports whether a participant can follow others in a batch: values that it receives from
// them must not need a conversion.
func (e *Engine) follows(open []*member, m *member) bool {
	if !m.participant.(Batcher).Joins(open[0].participant) {
		return false
	}
	for _, l := range m.links {
		if e.wired(open, l) >= 0 && l.convert != nil {
			return false
		}
	}
	return true
}

// wired returns the position of a link's producer if its values belong to the same step, otherwise
// -1.
func (e *Engine) wired(open []*member, l *link) int {
	if l.lags {
		return -1
	}
	for k, m := range open {
		if m == l.from {
			return k
		}
	}
	return -1
}

// join combines members into a batch.
func (e *Engine) join(members []*member) {
	b := &batch{members: members}
	var all []Participant
	var wires []Wire
	for to, m := range members {
		all = append(all, m.participant)
		for _, l := range m.links {
			if from := e.wired(members[:to], l); from >= 0 {
				wires = append(wires, Wire{From: from, To: to, FromAt: l.fromAt, ToAt: l.toAt,
					Size: l.size, Blobs: l.blob})
			}
		}
	}
	if b.steps = all[0].(Batcher).NewBatch(all, wires); b.steps != nil {
		members[0].batch = b
	}
}

// announce starts a batch at this participant. The batch ends before a participant that is at a
// different time or has invalid inputs; the error is reported when its turn comes.
func (m *member) announce(s timebase.Span) {
	if m.batch == nil || m.isAhead() {
		return
	}
	n := 0
	for _, other := range m.batch.members {
		if !other.due || other.now != s.Start || other.fetch() != nil {
			break
		}
		n++
	}
	m.batch.steps.Announce(n, s)
}
