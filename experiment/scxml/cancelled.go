package scxml

import "slices"

// A chart may wait for very many delayed events and cancel each of them, so cancel does not search
// the agenda: it looks up the events by their send id, and marks them. They leave the agenda when
// they are due, or all together when half of the agenda is marked.

// sending is a send id of a machine.
type sending struct {
	from *Machine
	id   string
}

// delayed is a delayed event in the agenda.
type delayed struct {
	sequence uint64
	bytes    int // of its data
}

// note remembers the send id of an event that enters the agenda.
func (s *System) note(a *appointment) {
	if !a.delayed || a.id == "" {
		return
	}
	if s.delayed == nil {
		s.delayed = map[sending][]delayed{}
	}
	key := sending{a.from, a.id}
	s.delayed[key] = append(s.delayed[key], delayed{a.sequence, len(a.event.Data.text)})
}

// unnote forgets the send id of an event that has left the agenda.
func (s *System) unnote(a *appointment) {
	key := sending{a.from, a.id}
	list := s.delayed[key]
	if len(list) == 0 {
		return
	}
	is := func(d delayed) bool { return d.sequence == a.sequence }
	switch last := len(list) - 1; { // most events come in the order of sending, or the reverse
	case is(list[0]):
		list = list[1:]
	case is(list[last]):
		list = list[:last]
	default:
		list = slices.DeleteFunc(list, is)
	}
	if s.delayed[key] = list; len(list) == 0 {
		delete(s.delayed, key)
	}
}

// take takes the first event of the agenda.
func (s *System) take() appointment {
	a := s.agenda.pop()
	s.release(&a.event)
	s.unnote(&a)
	s.prune()
	return a
}

// cancel drops the delayed events that a machine has sent with an id, and returns their number.
// Events without an id cannot be canceled.
func (s *System) cancel(m *Machine, id string) int {
	key := sending{m, id}
	list := s.delayed[key]
	delete(s.delayed, key)
	if len(list) > 0 && s.cancelled == nil {
		s.cancelled = map[uint64]bool{}
	}
	for _, d := range list {
		s.cancelled[d.sequence] = true
		s.budget.bytes -= d.bytes
	}
	if 2*len(s.cancelled) > len(s.agenda) {
		s.compact()
	}
	s.prune()
	return len(list)
}

// waiting returns the number of events in the agenda that are not cancelled.
func (s *System) waiting() int { return len(s.agenda) - len(s.cancelled) }

// prune removes cancelled events from the front of the agenda.
func (s *System) prune() {
	for len(s.cancelled) > 0 && s.cancelled[s.agenda[0].sequence] {
		a := s.agenda.pop()
		delete(s.cancelled, a.sequence)
	}
}

// compact removes all cancelled events from the agenda.
func (s *System) compact() {
	if len(s.cancelled) == 0 {
		return
	}
	s.agenda.drop(func(a *appointment) bool { return s.cancelled[a.sequence] })
	clear(s.cancelled)
}
