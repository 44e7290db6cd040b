package storyboard

import (
	"gosmp/internal/fault"
)

// Condition is a condition of a trigger.
type Condition struct {
	Name  string
	Place fault.Place
	Edge  string  // none, rising, falling, risingOrFalling
	Delay float64 // s
	Owner *Element
	Stop  bool // the condition belongs to the stop trigger

	probe      probe
	pass       int // of the last evaluation
	number     int // the last transition it could have seen
	held       bool
	known      bool // held comes from an earlier evaluation
	passed     bool // the result after the edge, at the last evaluation
	result     bool
	samples    samples
	triggering uint64 // the entities for which result became true
}

// probe is the value that a condition compares, before edge and delay.
type probe interface {
	// holds evaluates the comparison. The mask contains the triggering entities that satisfy it.
	holds(b *Board, c *Condition) (holds bool, mask uint64)
	// describe returns a readable text with the last value and what it is compared with.
	describe() string
}

// evaluate evaluates the condition. It is called once per evaluation, when the trigger is visited.
func (c *Condition) evaluate(b *Board) bool {
	holds, mask := c.probe.holds(b, c)
	c.passed = c.edge(holds)
	c.held, c.known = holds, true
	c.pass, c.number = b.pass, b.number
	if c.Delay <= 0 {
		c.result, c.triggering = c.passed, mask
		return c.result
	}
	c.samples.add(sample{b.now, c.passed, mask})
	c.result, c.triggering = c.samples.at(b.now - c.Delay)
	return c.result
}

func (c *Condition) edge(holds bool) bool {
	switch c.Edge {
	case "rising":
		return c.known && holds && !c.held
	case "falling":
		return c.known && !holds && c.held
	case "risingOrFalling":
		return c.known && holds != c.held
	default:
		return holds
	}
}

func (c *Condition) reset() {
	c.held, c.known, c.passed, c.result, c.pass = false, false, false, false, 0
	c.samples.clear()
}

// Reading is the result of the last evaluation of a condition.
type Reading struct {
	Evaluated bool   // in the present evaluation
	Value     string // and the comparison: "speed of Ego 9.98 m/s > 10 m/s"
	Holds     bool   // the comparison
	Edge      bool   // after the edge
	Result    bool   // after the delay
}

// Last returns the last evaluation of the condition.
func (b *Board) Last(c *Condition) Reading {
	return Reading{c.pass == b.pass, c.probe.describe(), c.held, c.passed, c.result}
}

// sees reports whether the condition sees a transition in this evaluation: one that occurred
// earlier in this pass, or one in the last pass that occurred after the condition was evaluated.
func (c *Condition) sees(b *Board, m moment) bool {
	switch {
	case m.pass == 0:
		return false
	case c.pass == b.pass-1 && c.pass > 0:
		return m.number > c.number
	default: // it was not evaluated in the last pass
		return m.pass == b.pass || m.pass == b.pass-1 && m.cursor > c.Owner.index
	}
}

// sample is the result of an edge at a time.
type sample struct {
	time float64
	true bool
	mask uint64
}

// samples is a ring buffer of the latest results. It keeps only results that differ from the
// previous one.
type samples struct {
	ring  []sample
	first int
	count int
}

func (s *samples) clear() { s.first, s.count = 0, 0 }

func (s *samples) get(k int) *sample { return &s.ring[(s.first+k)%len(s.ring)] }

func (s *samples) add(x sample) {
	if s.count > 0 {
		if last := s.get(s.count - 1); last.true == x.true && last.mask == x.mask {
			return
		}
	}
	if s.count == len(s.ring) {
		ring := make([]sample, max(4, 2*len(s.ring)))
		for k := range s.count {
			ring[k] = *s.get(k)
		}
		s.ring, s.first = ring, 0
	}
	s.count++
	*s.get(s.count - 1) = x
}

// at returns the result at a time: the result of the latest evaluation up to that time, or false
// before the first one. Times are equal within 1e-9 s. Older results are discarded.
func (s *samples) at(time float64) (bool, uint64) {
	for s.count > 1 && s.get(1).time <= time+1e-9 {
		s.first = (s.first + 1) % len(s.ring)
		s.count--
	}
	if s.count == 0 || s.get(0).time > time+1e-9 {
		return false, 0
	}
	return s.get(0).true, s.get(0).mask
}
