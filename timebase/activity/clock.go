package activity

import (
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// VirtualClock drives a node as fast as possible: an advance runs everything that becomes due in
// the calling goroutine and then returns. Runs are bit-for-bit repeatable, see [Node.TraceHash].
// After warm-up, when all stores have reached their final size, an advance allocates nothing,
// unless the node is parallel.
type VirtualClock struct{ node *Node }

// NewVirtualClock puts a node on a clock at the time start. It returns the errors of [Node.Err],
// and [ErrSpec] when the node already has a clock.
func NewVirtualClock(n *Node, start timebase.Time) (*VirtualClock, error) {
	if err := n.mount(start); err != nil {
		return nil, err
	}
	return &VirtualClock{n}, nil
}

// mount starts a clock on n.
func (n *Node) mount(start timebase.Time) error {
	if err := n.Err(); err != nil {
		return err
	}
	if n.clocked {
		return fault.New(ErrSpec, fault.At("clock"), "a node that has a clock",
			"one clock for each node")
	}
	n.clocked = true
	n.now = start
	for _, a := range n.alarms {
		a.self.start(start)
	}
	n.seal()
	return n.Err()
}

// Now returns the time of the clock.
func (c *VirtualClock) Now() timebase.Time { return c.node.now }

// AdvanceTo runs everything due from now until just before t, and then stops at t. Alarms whose
// instant is t fire in the next advance. Data written from outside since the last advance trigger
// first. Periods that end at an instant, including t, are judged (see [Safe]) when the clock
// reaches it and before its alarms fire. Advancing to the current time runs everything that is due
// at this very instant, including alarms.
//
// For a program without a [StepAlarm], the [Node.TraceHash] does not depend on how the run is
// divided into advances.
//
// It returns [ErrOrder] when t is in the past, [ErrRunning] inside a callback, the errors of
// [Node.Err] when something was built incorrectly in the meantime, and [ErrNoProgress] when
// activities endlessly trigger each other. In the last case, the clock stops at the instant
// concerned, and the remaining work is still due. A callback that fails does not make AdvanceTo
// fail: see [Activity.Err].
func (c *VirtualClock) AdvanceTo(t timebase.Time) error {
	n := c.node
	if t < n.now {
		return fault.New(ErrOrder, fault.At("clock at "+n.now.String()),
			"an advance to "+t.String(), "a later time").
			WithHint("to go back, restore a saved state")
	}
	if err := n.begin(); err != nil {
		return err
	}
	defer n.end()
	if t > n.now {
		n.step(timebase.Span{Start: n.now, End: t})
	}
	for {
		if err := n.runInstant(true); err != nil || n.now == t {
			return err
		}
		n.now = min(n.queue.next(), n.judgeAt, t)
		if len(n.guards) > 0 && n.judgeAt <= n.now {
			if err := n.runInstant(false); err != nil {
				return err
			}
		}
		if n.now == t {
			return nil
		}
	}
}

// NextDue returns the instant at which the next alarm fires, or [timebase.EndOfTime] if none will.
// A run without a fixed end advances from one instant to the next until a callback sets a flag.
func (c *VirtualClock) NextDue() timebase.Time {
	c.node.sealIfSound()
	return c.node.queue.next()
}

// Step advances by h and returns the span of the step.
func (c *VirtualClock) Step(h timebase.Duration) (timebase.Span, error) {
	s := timebase.Span{Start: c.node.now, End: c.node.now + h}
	if h > 0 && s.End < s.Start {
		s.End = timebase.EndOfTime
	}
	return s, c.AdvanceTo(s.End)
}

// step makes the step alarms emit s.
func (n *Node) step(s timebase.Span) {
	for _, a := range n.steps {
		a.fired++
		a.emit(s)
	}
}

// end marks an advance as finished, however it ended.
func (n *Node) end() {
	n.running, n.inRound = false, false
	if n.lingering > 0 {
		n.sweep()
	}
	n.flushReports()
}
