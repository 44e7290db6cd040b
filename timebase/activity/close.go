package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Objects that come and go, such as the traffic of a simulation, can be closed: a writer, a reader,
// an activity, a channel, or a module with everything that it owns. In a callback, closing takes
// effect after the round, once its data has been published.

// closing is something that can be closed.
type closing interface{ finish() }

// close finishes c at once or after the round.
func (n *Node) close(c closing) {
	n.enter()
	defer n.leave()
	if n.inRound {
		n.mu.Lock()
		n.closings, n.asked = append(n.closings, c), true
		n.mu.Unlock()
		return
	}
	c.finish()
	n.changed = true
	if n.running { // in threads or with a wall clock, where no round follows that would connect
		n.connectLater()
		n.announce()
	}
}

// finishAll finishes everything that the callbacks of a round closed.
func (n *Node) finishAll() {
	for _, c := range n.closings {
		c.finish()
	}
	clear(n.closings)
	n.closings = n.closings[:0]
	n.changed = true
	n.connectLater()
}

func closedError(where string) error {
	return fault.New(ErrClosed, fault.At(where), "a use after Close", "").WithHint("make a new one")
}

// Close ends the entry: nothing more can be written, and its label is free for another one.
// Sequential readers still receive the data they have not read. Readers by time receive data from
// before the close as long as the channel keeps it; [Reader.Newest] ignores the entry at once.
func (w *StreamWriter[T]) Close() { w.entry.close() }

// Close ends the entry, see [StreamWriter.Close].
func (w *EventWriter[T]) Close() { w.entry.close() }

func (e *entry) close() {
	e.node.enter()
	first := e.err == nil
	if first {
		e.err = closedError(e.String())
		e.closed = true
	}
	e.node.leave()
	if first {
		e.node.close(e)
	}
}

func (e *entry) finish() {
	c := e.channel
	k := slices.Index(c.entries, e)
	if k < 0 {
		return
	}
	c.entries = slices.Delete(c.entries, k, k+1)
	e.closed, e.closedAt, e.rank = true, e.node.now, -1
	if e.err == nil {
		e.err = closedError(e.String())
	}
	c.gone = append(c.gone, e)
	slices.SortStableFunc(c.gone, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.closedAt, b.closedAt), strings.Compare(a.String(), b.String()))
	})
	e.node.lingering++
	if e.announced {
		c.removed = append(c.removed, e)
	}
	if e.node.spec.Trace {
		e.node.retire(e.String(), e.tail, e.trace)
	}
}

// visible reports whether a reader by time may use the data of the entry for time t.
func (e *entry) visible(t timebase.Time) bool {
	return !e.closed || e.closedAt == unclosed ||
		t < e.closedAt && e.node.now-e.closedAt <= e.channel.keep
}

// unclosed is the closing time of an entry that is still open.
const unclosed = timebase.EndOfTime

// sweep drops closed entries that can no longer be read.
func (n *Node) sweep() {
	for _, c := range n.channels {
		c.gone = slices.DeleteFunc(c.gone, func(e *entry) bool {
			if n.now-e.closedAt <= c.keep || e.unreadBySome() {
				return false
			}
			for _, b := range e.binds {
				b.reader.unbind(b)
			}
			n.lingering--
			n.print = 0
			return true
		})
	}
}

func (e *entry) unreadBySome() bool {
	return slices.ContainsFunc(
		e.binds,
		func(b *bind) bool { return b.sequential && b.next() != e.tail },
	)
}

func (r *readerCore) unbind(b *bind) {
	r.lostBefore += b.lost
	r.binds = slices.DeleteFunc(r.binds, func(o *bind) bool { return o == b })
}

// Close ends the reader: it no longer returns or triggers anything, and no data is kept for it.
func (t *readToken) Close() {
	t.core.node.enter()
	first := t.core.err == nil
	if first {
		t.core.err = closedError(t.core.String())
	}
	t.core.node.leave()
	if first {
		t.core.node.close(&t.core)
	}
}

func (r *readerCore) finish() {
	if r.err == nil {
		r.err = closedError(r.String())
	}
	r.channel.readers = slices.DeleteFunc(
		r.channel.readers,
		func(o *readerCore) bool { return o == r },
	)
	r.node.joined = slices.DeleteFunc(r.node.joined, func(o *readerCore) bool { return o == r })
	for _, b := range slices.Clone(r.binds) {
		r.unbind(b)
		b.entry.binds = slices.DeleteFunc(b.entry.binds, func(o *bind) bool { return o == b })
	}
	r.pending, r.targets = nil, nil
}

// Close ends the channel with all its writers, readers and watchers, regardless of the modules that
// own them. Its name can be used again.
func (c *Channel[T]) Close() {
	c.node.enter()
	first := c.err == nil
	if first {
		c.err = closedError(fmt.Sprintf("channel %q", c.name))
	}
	c.node.leave()
	if first {
		c.node.close(&c.channelCore)
	}
}

func (c *channelCore) finish() {
	for _, e := range slices.Clone(c.entries) {
		e.finish()
	}
	for _, r := range slices.Clone(c.readers) {
		r.finish()
	}
	n := c.node
	n.lingering -= len(c.gone)
	c.gone, c.watchers = nil, nil
	n.channels = slices.DeleteFunc(n.channels, func(o *channelCore) bool { return o == c })
	delete(n.byName, c.name)
}

// Close ends the activity: scheduled calls no longer run. Its name can be used again.
func (a *Activity) Close() { a.node.close(a) }

func (a *Activity) finish() {
	n := a.node
	k := slices.Index(n.acts, a)
	if k < 0 {
		return
	}
	n.acts = slices.Delete(n.acts, k, k+1)
	n.managers[a.manager].remove(a)
	n.guards = slices.DeleteFunc(n.guards, func(g *guard) bool { return g.act == a })
	n.findDeadline()
	a.windows, a.working, a.behind, a.closed = nil, nil, 0, true
	n.release(a.trigger)
	if a.guard != nil {
		n.release(a.guard.on)
	}
	if n.spec.Trace {
		n.retire(a.String(), a.cycles, a.trace)
	}
}

// remove takes all items of an activity off the list.
func (m *manager) remove(a *Activity) {
	before := len(m.items)
	kept := make([]item, 0, before)
	for _, it := range m.ordered() {
		if it.act != a {
			kept = append(kept, *it)
		}
	}
	m.items = kept
	m.node.waiting -= before - len(kept)
}

func (a *alarmCore) finish() {
	a.node.alarms = slices.DeleteFunc(a.node.alarms, func(o *alarmCore) bool { return o == a })
	a.due, a.targets, a.closed = timebase.EndOfTime, nil, true
}

// Close ends the module with everything that it owns: writers, readers, watchers, alarms,
// activities and the state hook. Its name can be used again.
func (m *Module) Close() { m.node.close(m) }

func (m *Module) finish() {
	n := m.node
	if n.modules[m.name] != m {
		return
	}
	for _, a := range slices.Clone(n.acts) {
		if a.module == m {
			a.finish()
		}
	}
	for _, c := range n.channels {
		for _, e := range slices.Clone(c.entries) {
			if e.module == m.name {
				e.finish()
			}
		}
		for _, r := range slices.Clone(c.readers) {
			if r.module == m.name {
				r.finish()
			}
		}
		c.watchers = slices.DeleteFunc(
			c.watchers,
			func(w *EntryWatcher) bool { return w.module == m.name },
		)
	}
	for _, a := range slices.Clone(n.alarms) {
		if a.module == m {
			a.finish()
		}
	}
	m.hook, m.closed = nil, true
	delete(n.modules, m.name)
}

// build is called before anything is added to the module, see Node.build.
func (m *Module) build(where string) error {
	if m.closed {
		return m.node.refuse(closedError(where))
	}
	return m.node.build(where)
}

// retire keeps the trace of a closed object.
func (n *Node) retire(name string, count, hash uint64) {
	line := n.retired[name]
	if line == nil {
		line = &TraceLine{Name: name}
		if n.retired == nil {
			n.retired = map[string]*TraceLine{}
		}
		n.retired[name] = line
	}
	line.Count += count
	line.Hash = mix(mix(line.Hash, count), hash)
}
