package cosim

import "gosmp/timebase"

// Sequence is a [Source] of one text or binary variable: it provides the newest value at a time,
// and no value before the first one.
type Sequence struct {
	variable Variable
	times    []timebase.Time
	values   [][]byte
	frame    *Frame
	next     int
}

// NewSequence creates a sequence of values and their times, which must not decrease.
func NewSequence(v Variable, times []timebase.Time, values [][]byte) *Sequence {
	return &Sequence{variable: v, times: times, values: values}
}

// Variables returns the only variable.
func (s *Sequence) Variables() []Variable { return []Variable{s.variable} }

// Bind creates the frame.
func (s *Sequence) Bind(outputs []int) (*Frame, error) {
	s.frame = NewFrame(s.Variables(), outputs)
	return s.frame, nil
}

func (s *Sequence) timeless() {}

// At sets the newest value.
func (s *Sequence) At(t timebase.Time) error {
	for s.next > 0 && t < s.times[s.next-1] {
		s.next--
	}
	for s.next < len(s.times) && s.times[s.next] <= t {
		s.next++
	}
	if len(s.frame.Ports) == 0 {
		return nil
	}
	var value []byte
	if s.next > 0 {
		value = s.values[s.next-1]
	}
	s.frame.SetBlob(0, 0, value)
	return nil
}
