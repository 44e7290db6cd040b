package timebase

// VirtualClock drives a node as fast as possible: an advance returns when everything that became
// due has run, in the calling goroutine. Runs are repeatable to the bit, see [Node.TraceHash].
// After warm-up, when all stores have reached their size, an advance allocates nothing, unless the
// node is parallel.
type VirtualClock struct{ node *Node }

// NewVirtualClock puts a node on a clock that stands at start. It fails with what [Node.Err] holds,
// and with [ErrSpec] when the node has a clock already.
func NewVirtualClock(n *Node, start Time) (*VirtualClock, error) {
	if err := n.mount(start); err != nil {
		return nil, err
	}
	return &VirtualClock{n}, nil
}

// mount starts a clock on n.
func (n *Node) mount(start Time) error {
	if err := n.Err(); err != nil {
		return err
	}
	if n.clocked {
		return fail("clock", ErrSpec, "a node that has a clock", "one clock for each node", "")
	}
	n.clocked = true
	n.now = start
	for _, a := range n.alarms {
		a.self.start(start)
	}
	n.seal()
	return n.Err()
}

// Now is where the clock stands.
func (c *VirtualClock) Now() Time { return c.node.now }

// AdvanceTo runs everything that is due from now on until just before t, and then stands at t:
// alarms whose instant is t fire in the next advance. Data written from outside since the last
// advance trigger first. Periods that end at an instant are judged (see [Safe]) when the clock has
// come there and before its alarms fire, at t as well. Advancing to the present runs what is due at
// this very instant, alarms included.
//
// A program without a [StepAlarm] gives the same [Node.TraceHash] into whatever advances its way is
// divided.
//
// It fails with [ErrOrder] when t is in the past, with [ErrRunning] inside a callback, with what
// [Node.Err] holds when something was built wrongly in the meantime, and with [ErrNoProgress] when
// activities trigger each other without end; then the clock stands at the instant concerned, and
// the rest is still due. Failures of callbacks are no failures of the clock: they are reported, see
// [Activity.Err].
func (c *VirtualClock) AdvanceTo(t Time) error {
	n := c.node
	if t < n.now {
		return fail("clock at "+n.now.String(), ErrOrder, "an advance to "+t.String(), "a later time",
			"to go back, restore a saved state")
	}
	if err := n.begin(); err != nil {
		return err
	}
	defer n.end()
	if t > n.now {
		n.step(Span{n.now, t})
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

// NextDue is the instant at which the next alarm fires, or [EndOfTime] when none will. A run that
// has no end of its own advances from one to the next until a callback has set a flag.
func (c *VirtualClock) NextDue() Time {
	c.node.sealIfSound()
	return c.node.queue.next()
}

// Step advances by h and returns the span of the step.
func (c *VirtualClock) Step(h Duration) (Span, error) {
	s := Span{c.node.now, c.node.now + h}
	if h > 0 && s.End < s.Start {
		s.End = EndOfTime
	}
	return s, c.AdvanceTo(s.End)
}

// step lets the step alarms give off s.
func (n *Node) step(s Span) {
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
