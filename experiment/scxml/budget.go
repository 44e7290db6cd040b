package scxml

import (
	"fmt"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Defaults of Limits.
const (
	mostEvents     = 1_000_000
	mostWaiting    = 256 << 20 // bytes
	mostHandedOver = 64 << 20  // bytes
	mostInASecond  = 1_000_000
	mostSteps      = 100_000_000
)

// budget is shared by all machines of a system, so that many machines, or events that follow each
// other within a nanosecond, cannot use up all time and memory. A restored system starts with a new
// budget, which counts only the waiting events.
type budget struct {
	second timebase.Time // the second whose steps are counted
	recent int           // steps of all machines in that second
	all    int           // in the entire run
	bytes  int           // of the data of all waiting events
	handed int           // bytes that invoked machines were given
}

// spend counts a step of a machine and returns the limit that was exceeded. Only a machine that
// used up its share of the steps is blamed.
func (s *System) spend(m *Machine) (over string) {
	b, limits := &s.budget, &s.options.Limits
	if second := s.now - s.now%timebase.Second; second != b.second {
		b.second, b.recent = second, 0
	}
	if m.second != b.second {
		m.second, m.recent = b.second, 0
	}
	b.recent++
	b.all++
	m.recent++
	m.all++
	machines := len(s.machines)
	switch {
	case b.recent > limits.PerSecond && m.recent*machines >= b.recent:
		return fmt.Sprintf("%d steps of all machines within one second", b.recent-1)
	case b.all > limits.Total && m.all*machines >= b.all:
		return fmt.Sprintf("%d steps of all machines", b.all-1)
	}
	return ""
}

// scarce reports whether a limit is so close that the machines' steps must be recorded.
func (s *System) scarce() bool {
	const near = 100
	b, limits := &s.budget, &s.options.Limits
	return b.recent > limits.PerSecond-near || b.all > limits.Total-near
}

// store counts the data of an event that has to wait; waiting is the number of events already
// waiting in its queue.
func (s *System) store(e *Event, from *Machine, waiting int) error {
	limits := &s.options.Limits
	bytes := s.budget.bytes + len(e.Data.text)
	var found string
	switch {
	case waiting >= limits.Events:
		found = fmt.Sprintf("%d waiting events", waiting)
	case bytes > limits.Waiting:
		found = fmt.Sprintf("%d bytes of data in waiting events", bytes)
	default:
		s.budget.bytes = bytes
		return nil
	}
	at := "statecharts"
	if from != nil {
		at = "machine " + from.id
		found += " in " + strings.Join(from.Configuration(), " ")
	}
	return fault.New(ErrBounds, fault.At(at), found, "fewer").
		WithHint("look for a transition that sends more events than it consumes")
}

// release subtracts the data of an event that is done waiting.
func (s *System) release(e *Event) { s.budget.bytes -= len(e.Data.text) }
