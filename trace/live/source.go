package live

import (
	"slices"
	"sort"

	"gosmp/cosim"
	"gosmp/timebase"
	"gosmp/trace"
)

// Source plays a trace into an engine. At any time, its only variable has the message that is valid
// then; see [trace.Player]. The engine may go back after a discarded step, a restored state or a
// reset; a trace that can be read only once cannot follow it.
type Source struct {
	variable cosim.Variable
	player   *trace.Player
	frame    *cosim.Frame
	marks    []mark // in the order of their times; the first one is the beginning of the trace
}

// mark is the state of the player before a call to At.
type mark struct {
	at    timebase.Time
	state []byte
}

// mostMarks is the number of steps that a source can go back without reading the trace from its
// beginning.
const mostMarks = 64

// NewSource returns a source that plays into a variable of kind Binary.
func NewSource(v cosim.Variable, p *trace.Player) *Source { return &Source{variable: v, player: p} }

// Variables returns the only variable.
func (s *Source) Variables() []cosim.Variable { return []cosim.Variable{s.variable} }

// Bind creates the frame.
func (s *Source) Bind(outputs []int) (*cosim.Frame, error) {
	s.frame = cosim.NewFrame(s.Variables(), outputs)
	return s.frame, nil
}

// At makes the message that is valid at t current.
func (s *Source) At(t timebase.Time) error {
	if err := s.move(t); err != nil {
		return err
	}
	message, err := s.player.At(t)
	if err == nil && len(s.frame.Ports) > 0 {
		s.frame.SetBlob(0, 0, message)
	}
	return err
}

// move moves the player back if t is not later than the previous time, and otherwise marks its
// position.
func (s *Source) move(t timebase.Time) error {
	n := len(s.marks)
	if n == 0 || t > s.marks[n-1].at {
		return s.mark(t)
	}
	if t == s.marks[n-1].at && !s.player.CanGoBack() {
		return nil // the message of this time is still shown, unless the player shows events
	}
	k := max(1, sort.Search(n, func(k int) bool { return s.marks[k].at > t })) - 1
	s.marks = s.marks[:k+1]
	if err := s.player.Restore(s.marks[k].state); err != nil {
		return err
	}
	if t > s.marks[k].at {
		return s.mark(t) // the newest mark must always belong to the newest call
	}
	s.marks[k].at = t
	return nil
}

// mark saves the state of the player. For a trace that can be read only once, the mark has no
// state.
func (s *Source) mark(t timebase.Time) error {
	m := mark{at: t}
	if len(s.marks) == mostMarks {
		m.state = s.marks[1].state[:0]
		s.marks = slices.Delete(s.marks, 1, 2)
	}
	if s.player.CanGoBack() {
		var err error
		if m.state, err = s.player.Snapshot(m.state); err != nil {
			return err
		}
	}
	s.marks = append(s.marks, m)
	return nil
}
