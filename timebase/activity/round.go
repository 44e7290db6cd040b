package activity

import (
	"cmp"
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// A node works in rounds. In a round, every manager runs the items on its list, and all data,
// switches and requests of the callbacks are held back. They take effect between rounds, in the
// order of names: data becomes readable, triggers emit spans, and activities are scheduled. The
// effects of one callback are thus invisible to others in the same round. The outcome depends
// neither on the number of managers, nor on which one is faster, nor on the order in which the
// program was built.

// begin prepares for an advance; it fails if one is already running.
func (n *Node) begin() error {
	if n.running {
		return fault.New(ErrRunning, fault.At("clock"), "a call to advance from inside a callback",
			"").WithHint("let the activity return; use an AperiodicAlarm to be called again")
	}
	if len(n.mistakes) > 0 {
		return n.Err()
	}
	if n.changed {
		n.seal()
	}
	n.running = true
	n.passOn()
	return nil
}

// fireDue fires the alarms that are due now, in the order of names.
func (n *Node) fireDue() {
	for n.queue.next() <= n.now && n.now < timebase.EndOfTime {
		a := n.queue[0]
		a.fired++
		a.self.fire()
		n.queue.down(0)
	}
}

// runInstant runs rounds until nothing more is due at the current instant. It handles scheduled
// work, the alarms unless they are left to the next call, and the periods to judge.
func (n *Node) runInstant(alarms bool) error {
	if alarms {
		n.fireDue()
	}
	for rounds := 0; ; {
		switch {
		case n.waiting > 0:
			if rounds++; rounds > n.spec.MaxRounds {
				return n.noProgress(rounds - 1)
			}
			n.round()
			n.settle()
		case len(n.guards) > 0 && n.judgeAt <= n.now:
			n.judge()
		default:
			return nil
		}
		if alarms && n.queue.next() <= n.now {
			n.fireDue()
		}
	}
}

func (n *Node) noProgress(rounds int) error {
	var first string
	for i := range n.managers {
		if q := n.managers[i].items; len(q) > 0 {
			first = fmt.Sprintf("%v for %v", q[0].act, q[0].span)
		}
	}
	return fault.New(ErrNoProgress, fault.At("clock at "+n.now.String()),
		fmt.Sprintf("%d rounds at one instant, next is %s", rounds, first), "").
		WithHint("look for a loop of channels and activities without an alarm, or raise " +
			"NodeSpec.MaxRounds")
}

// round lets every manager run its list, the highest priority first, or all concurrently.
func (n *Node) round() {
	n.inRound = true
	n.waiting = 0
	switch {
	case n.spec.Parallel:
		n.parallelRound()
	case len(n.managers) == 1:
		n.managers[0].runAll()
	default:
		for i := len(n.managers) - 1; i >= 0; i-- {
			n.managers[i].runAll()
		}
	}
	n.inRound = false
}

func (n *Node) parallelRound() {
	done := make(
		chan struct{},
		len(n.managers),
	) // sync.WaitGroup would work too, but add more code to the core of an FMU
	running := 0
	for i := range n.managers {
		if m := &n.managers[i]; len(m.items) > 0 {
			running++
			go func() {
				defer func() { done <- struct{}{} }()
				m.runAll()
			}()
		}
	}
	for range running {
		<-done
	}
}

// runOne runs the most important item of the highest manager that has one; the data it writes takes
// effect at once. A wall clock works this way, without rounds.
func (n *Node) runOne() {
	for i := len(n.managers) - 1; i >= 0; i-- {
		if m := &n.managers[i]; len(m.items) > 0 {
			n.inRound = true
			n.waiting--
			it := m.pop()
			it.act.run(it)
			n.inRound = false
			n.settle()
			return
		}
	}
}

// settle applies the effects of the round's callbacks. Most callbacks only write data.
func (n *Node) settle() {
	if n.changed || n.asked || n.lingering > 0 {
		n.settleAll()
		return
	}
	n.publish()
	if len(n.joined) > 0 {
		n.passOn()
	}
	if len(n.unreported) > 0 {
		n.flushReports()
	}
}

// settleAll is settle for rounds in which something was also built, switched, pulled, requested or
// closed.
func (n *Node) settleAll() {
	n.asked = false
	if n.changed {
		n.connectLater()
	}
	if len(n.switches) > 0 {
		n.applySwitches()
	}
	n.publish()
	if len(n.closings) > 0 {
		n.finishAll()
	}
	if n.news {
		n.announce()
	}
	if n.lingering > 0 {
		n.sweep()
	}
	if len(n.joined) > 0 {
		n.passOn()
	}
	if len(n.pulled) > 0 {
		n.pullAll()
	}
	for _, a := range n.requests {
		a.schedule()
	}
	n.requests = n.requests[:0]
	if len(n.unreported) > 0 {
		n.flushReports()
	}
}

// publish makes the data written by the round readable. Only data that triggers must be published
// in the order of names.
func (n *Node) publish() {
	switch len(n.dirty) {
	case 0:
		return
	case 1:
		n.dirty[0].publish()
		n.dirty = n.dirty[:0]
		return
	}
	triggering := n.dirty[:0]
	for _, e := range n.dirty {
		if e.triggers {
			triggering = append(triggering, e)
		} else {
			e.publish()
		}
	}
	sortEntries(triggering)
	for _, e := range triggering {
		e.publish()
	}
	n.dirty = n.dirty[:0]
}

// noteWritten records, with parallel managers, the first datum that the running round writes to e.
func (n *Node) noteWritten(e *entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dirty = append(n.dirty, e)
}

// sortEntries sorts by name. Most rounds write to a few entries, and those nearly in order.
func sortEntries(entries []*entry) {
	const few = 12
	if len(entries) > few {
		slices.SortStableFunc(entries, func(a, b *entry) int { return a.rank - b.rank })
		return
	}
	for i := 1; i < len(entries); i++ {
		e, k := entries[i], i
		for ; k > 0 && entries[k-1].rank > e.rank; k-- {
			entries[k] = entries[k-1]
		}
		entries[k] = e
	}
}

// connectLater connects the objects built by callbacks. Invalid objects stay unconnected, and Err
// reports them.
func (n *Node) connectLater() {
	if len(n.mistakes) == 0 {
		n.connect()
	}
}

// applySwitches performs the switches of a round in the order of names, off before on, so that the
// outcome does not depend on which came first.
func (n *Node) applySwitches() {
	slices.SortStableFunc(n.switches, func(a, b *switching) int {
		off := func(s *switching) int {
			if s.on {
				return 1
			}
			return 0
		}
		return cmp.Or(
			a.act.rank-b.act.rank,
			off(a)-off(b),
			cmp.Compare(a.at, b.at),
		) // on-times and work times are independent
	})
	for _, s := range n.switches {
		s.apply()
	}
	clear(n.switches)
	n.switches = n.switches[:0]
}

// passOn lets readers over several entries emit the spans that have arrived, now that they are
// complete.
func (n *Node) passOn() {
	if len(n.joined) > 1 {
		slices.SortStableFunc(n.joined, func(a, b *readerCore) int { return a.rank - b.rank })
	}
	for _, r := range n.joined {
		r.passOn()
	}
	n.joined = n.joined[:0]
}
