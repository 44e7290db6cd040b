package activity

import (
	"context"
	"fmt"
	"math"
	"sync"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// WallSpec configures a [WallClock].
type WallSpec struct {
	Start  timebase.Time       // model time at which the first Run begins
	Speed  float64             // model seconds per real second; 0 means 1
	Source timebase.TimeSource // nil means SystemTime()
	// OnThread is called in the thread of each manager of a parallel node when it starts, for
	// example to set its priority in the operating system. The thread belongs to the manager alone
	// until Run returns.
	OnThread func(manager int)
	// LateLimit is the lateness, in model time, above which ClockLate is reported; it is reported
	// again only after the clock has been on time in between. 0 means never.
	LateLimit timebase.Duration
}

// WallClock drives a node in real time: alarms fire when the clock passes their instants, or as
// soon as possible afterwards.
//
// Unlike a virtual clock, it works item by item. Data-triggered activities run for the same spans
// as on a virtual clock. On a plain node, callbacks run one at a time in the goroutine of Run: the
// data written by a callback takes effect when it returns, then the most important item of the
// highest manager is next. Manager 0 has its turn when no alarm is due and nothing else is waiting.
//
// On a parallel node ([NodeSpec].Parallel), each manager has its own thread, so that a long
// callback of one manager delays none of another. Data, switches and requests take effect at once,
// and a period of a [Safe] is judged at its end even if its data is still being computed. Callbacks
// of different managers share nothing but channels, and nothing can be built while the clock runs.
type WallClock struct {
	node     *Node
	spec     WallSpec
	lateness Timing
	late     bool
	begun    bool
	base     timebase.Time // time of the source at model time spec.Start

	mu     sync.Mutex
	posted []func()
	wake   chan struct{}
}

// NewWallClock puts a node on a wall clock. It fails like [NewVirtualClock], and with [ErrSpec] for
// a speed that is not a positive number and for a node with a [StepAlarm]. The source becomes the
// node's source for timing statistics.
func NewWallClock(n *Node, spec WallSpec) (*WallClock, error) {
	defaultTo(&spec.Speed, 1)
	if !(spec.Speed > 0) || math.IsInf(spec.Speed, 0) {
		return nil, fault.New(ErrSpec, fault.At("wall clock"), fmt.Sprintf("speed %g", spec.Speed),
			"a positive number").WithHint("to run as fast as possible, use a VirtualClock")
	}
	for _, a := range n.alarms {
		if _, ok := a.self.(*StepAlarm); ok {
			return nil, fault.New(ErrSpec, fault.At("wall clock"), a.self.String(),
				"no step alarm").WithHint("use a PeriodicAlarm: a wall clock has no steps")
		}
	}
	if err := n.mount(spec.Start); err != nil {
		return nil, err
	}
	if spec.Source == nil {
		spec.Source = timebase.SystemTime()
	}
	c := &WallClock{node: n, spec: spec, wake: make(chan struct{}, 1)}
	n.spec.Timing, n.model, n.restored = spec.Source, c.model, c.restart
	return c, nil
}

// restart makes the clock continue from the time of the node, regardless of the source's time at
// the next Run.
func (c *WallClock) restart() { c.spec.Start, c.begun, c.late = c.node.now, false, false }

// model returns the model time when the source shows t, or EndOfTime if it would be later.
func (c *WallClock) model(t timebase.Time) timebase.Time {
	if !c.begun {
		return c.spec.Start
	}
	passed := float64(t-c.base) * c.spec.Speed
	if passed >= float64(
		timebase.EndOfTime-max(c.spec.Start, 0),
	) { // the conversion would yield an instant before Start
		return timebase.EndOfTime
	}
	return c.spec.Start + timebase.Time(passed)
}

// Now returns the model time of the source. Before the first Run it returns WallSpec.Start, and
// after [Node.RestoreState], until the next Run, the time of the state.
func (c *WallClock) Now() timebase.Time { return c.model(c.spec.Source.Now()) }

// Lateness returns the delay with which alarms fired after their instants, in model time. Call it
// in the goroutine of Run, or after it.
func (c *WallClock) Lateness() Timing { return c.lateness }

// Post makes the clock call f in the goroutine of Run, between two callbacks. It is the only method
// that may be called from any goroutine, and is meant for data from outside. Data that f writes
// takes effect at once.
func (c *WallClock) Post(f func()) {
	c.mu.Lock()
	c.posted = append(c.posted, f)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // a wake-up is under way
	}
}

// Run runs until the clock reaches the instant until, and then returns nil; alarms due at until are
// left to the next Run. When ctx is done it stops after the running callback and returns the
// context's error; due activities stay due. With [timebase.EndOfTime], it runs until ctx is done.
// The real time between two runs counts: a late Run catches up, except after a state was restored.
func (c *WallClock) Run(ctx context.Context, until timebase.Time) error {
	n := c.node
	if err := n.begin(); err != nil {
		return err
	}
	defer n.end()
	if !c.begun {
		c.begun, c.base = true, c.spec.Source.Now()
	}
	if n.spec.Parallel {
		return c.runCrew(ctx, until)
	}
	return c.runAlone(ctx, until)
}

// runAlone runs the callbacks one by one in this goroutine.
func (c *WallClock) runAlone(ctx context.Context, until timebase.Time) error {
	n := c.node
	for {
		c.runPosted()
		if err := ctx.Err(); err != nil {
			return err
		}
		now := c.model(c.spec.Source.Now())
		deadline := min(n.judgeAt, until)
		c.fire(now, deadline)
		next := min(n.queue.next(), deadline)
		switch {
		case len(n.guards) > 0 && n.judgeAt <= min(now, until):
			n.now = max(n.now, n.judgeAt)
			n.judge()
		case n.waiting > 0:
			n.runOne()
		case now >= until && next >= until:
			n.now = max(n.now, until)
			return nil
		default:
			c.wait(ctx, next-now)
		}
	}
}

// wait blocks for d of model time, with a small minimum, so that rounding cannot make it spin.
func (c *WallClock) wait(ctx context.Context, d timebase.Duration) {
	if d < 0 { // longer than a Duration can hold
		d = timebase.EndOfTime
	}
	wait := min(max(float64(d)/c.spec.Speed, 1), float64(timebase.EndOfTime/2))
	c.spec.Source.Wait(ctx.Done(), timebase.Duration(wait), c.wake)
}

// fire fires the alarms up to model time now that are due before until, and records how late each
// instant is.
func (c *WallClock) fire(now, until timebase.Time) {
	n := c.node
	for next := n.queue.next(); next <= now && next < until; next = n.queue.next() {
		n.now = max(n.now, next)
		c.noteLateness(now - next)
		n.fireDue()
	}
	n.flushReports()
}

func (c *WallClock) noteLateness(d timebase.Duration) {
	c.lateness.add(d)
	limit := c.spec.LateLimit
	if limit > 0 && d > limit && !c.late {
		c.node.report(ClockLate, "wall clock", "an alarm fires %v late, the limit is %v", d, limit)
	}
	c.late = limit > 0 && d > limit
}

func (c *WallClock) runPosted() {
	c.mu.Lock()
	posted := c.posted
	c.posted = nil
	c.mu.Unlock()
	for _, f := range posted {
		f()
	}
	if len(posted) > 0 && c.node.crew == nil { // otherwise it took effect at once
		c.node.settle()
	}
}
