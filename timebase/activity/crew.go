package activity

import (
	"context"
	"runtime"
	"sync"

	"gosmp/timebase"
)

// crew holds the managers' threads while a wall clock runs a parallel node. One lock guards the
// node. The clock and the managers hold it except while a callback runs. Functions of the node that
// callbacks may call acquire it in Node.enter.
type crew struct {
	node *Node
	mu   sync.Mutex
	work *sync.Cond      // something was scheduled, or the clock stops
	wake chan<- struct{} // wakes the clock
	next timebase.Time   // instant of the clock's next wake-up
	busy int             // running callbacks
	stop bool
	done sync.WaitGroup
}

// enter and leave enclose every use of the node by a callback. They do nothing unless there are
// threads.
func (n *Node) enter() {
	if n.crew != nil {
		n.crew.mu.Lock()
	}
}

func (n *Node) leave() {
	if n.crew != nil {
		n.crew.leave()
	}
}

// leave applies the changes and releases the node.
func (c *crew) leave() {
	n := c.node
	if len(n.joined) > 0 {
		n.passOn()
	}
	if n.waiting > 0 {
		c.work.Broadcast()
	}
	if len(n.unreported) > 0 || min(n.queue.next(), n.judgeAt) < c.next {
		c.wakeClock()
	}
	c.mu.Unlock()
}

func (c *crew) wakeClock() {
	select {
	case c.wake <- struct{}{}:
	default: // a wake-up is under way
	}
}

// runCrew runs the callbacks of each manager in its own thread.
func (c *WallClock) runCrew(ctx context.Context, until timebase.Time) error {
	team := &crew{node: c.node, wake: c.wake, next: -timebase.EndOfTime}
	team.work = sync.NewCond(&team.mu)
	c.node.crew = team
	for i := range c.node.managers {
		team.done.Add(1)
		go team.serve(&c.node.managers[i], c.spec.OnThread)
	}
	err := c.lead(ctx, until, team)
	team.mu.Lock()
	team.stop = true
	team.work.Broadcast()
	team.mu.Unlock()
	team.done.Wait()
	c.node.crew = nil
	return err
}

// serve runs the items of one manager.
func (c *crew) serve(m *manager, onThread func(int)) {
	defer c.done.Done()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if onThread != nil {
		onThread(m.priority)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(m.items) == 0 && !c.stop {
			c.work.Wait()
		}
		if c.stop {
			return
		}
		it := *m.pop()
		c.node.waiting--
		c.busy++
		it.act.run(&it)
		c.busy--
		if c.busy == 0 || len(c.node.unreported) > 0 {
			c.wakeClock()
		}
	}
}

// lead fires the alarms and judges the periods as time passes, until the time is reached and no
// callback remains to run.
func (c *WallClock) lead(ctx context.Context, until timebase.Time, team *crew) error {
	n := c.node
	for {
		c.runPosted()
		if err := ctx.Err(); err != nil {
			return err
		}
		team.mu.Lock()
		now := c.model(c.spec.Source.Now())
		c.fire(now, min(n.judgeAt, until))
		for len(n.guards) > 0 && n.judgeAt <= min(now, until) {
			n.now = max(n.now, n.judgeAt)
			n.judge()
			c.fire(now, min(n.judgeAt, until))
		}
		team.next = min(n.queue.next(), n.judgeAt, until)
		idle := n.waiting == 0 && team.busy == 0
		if up := now >= until && team.next >= until; up && idle {
			n.now = max(n.now, until)
			team.mu.Unlock()
			return nil
		} else if up {
			team.next = timebase.EndOfTime // the last callback wakes the clock
		}
		next, batch := team.next, n.unreported
		n.unreported = nil
		team.leave()
		n.deliver(batch)
		c.wait(ctx, next-now)
	}
}
