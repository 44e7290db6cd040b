package activity

import (
	"iter"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// EntryInfo describes an entry.
type EntryInfo struct {
	Label  string
	Module string // module of the writer
	Kind   Kind
}

// EntryChange reports that an entry was added or removed.
type EntryChange struct {
	EntryInfo
	Closed bool          // the entry is gone
	Time   timebase.Time // time on the clock when it happened
}

// EntryWatcher reports which entries a channel has: first all existing ones, then those that are
// added and removed. It is a trigger as well: it emits the stamp of each change, at the end of the
// round that made it.
type EntryWatcher struct {
	triggerCore
	channel *channelCore
	module  string
	changes []EntryChange
	fresh   bool // previously existing entries were not announced to it yet
}

// Entries lists the open entries, in the order of labels and modules.
func (c *Channel[T]) Entries() []EntryInfo {
	c.node.enter()
	defer c.node.leave()
	if c.node.changed && !c.node.inRound {
		c.node.sealIfSound()
	}
	var list []EntryInfo
	for _, e := range c.entries {
		if !e.closed {
			list = append(list, e.info())
		}
	}
	return list
}

func (e *entry) info() EntryInfo { return EntryInfo{e.label, e.module, e.kind} }

// Watch returns the module's watcher of the channel; a module has one for each channel.
func (c *Channel[T]) Watch(m *Module) *EntryWatcher {
	w := &EntryWatcher{channel: &c.channelCore, module: m.name, fresh: true}
	w.node = c.node
	if err := m.build(w.String()); err != nil || c.err != nil {
		return w
	}
	for _, o := range c.watchers {
		if o.module == m.name {
			c.node.mistake(fault.New(ErrName, fault.At(w.String()),
				"another watcher of that module", "one"))
			return w
		}
	}
	c.watchers = append(c.watchers, w)
	return w
}

// Next takes the oldest remaining change; ok is false if there is none.
func (w *EntryWatcher) Next() (change EntryChange, ok bool) {
	w.node.enter()
	defer w.node.leave()
	if w.node.changed && !w.node.inRound {
		w.node.sealIfSound()
	}
	if len(w.changes) == 0 {
		return EntryChange{}, false
	}
	change = w.changes[0]
	w.changes = w.changes[1:]
	return change, true
}

// All takes all remaining changes.
func (w *EntryWatcher) All() iter.Seq[EntryChange] {
	return func(yield func(EntryChange) bool) {
		for c, ok := w.Next(); ok && yield(c); c, ok = w.Next() {
		}
	}
}

// announce reports to all watchers which entries were added and removed.
func (n *Node) announce() {
	n.news = false
	for _, c := range n.channels {
		c.announce()
	}
}

// announce reports to the channel's watchers which entries were added and removed since the last
// seal.
func (c *channelCore) announce() {
	sortByName(c.removed)
	for _, w := range c.watchers {
		if !w.fresh {
			for _, e := range c.removed {
				w.note(EntryChange{e.info(), true, c.node.now})
			}
		}
		for _, e := range c.entries {
			if !e.closed && (w.fresh || !e.announced) {
				w.note(EntryChange{e.info(), false, c.node.now})
			}
		}
		w.fresh = false
	}
	c.removed = nil
	for _, e := range c.entries {
		e.announced = e.announced || !e.closed
	}
}

func (w *EntryWatcher) note(change EntryChange) {
	w.changes = append(w.changes, change)
	w.emit(timebase.Stamp(change.Time))
}

func (w *EntryWatcher) part() part { return w }

func (w *EntryWatcher) String() string {
	return "entries of channel \"" + w.channel.name + "\" watched by " + w.module
}

func (w *EntryWatcher) waiting(timebase.Time) string {
	return "an entry of channel \"" + w.channel.name + "\" comes or goes"
}

func (w *EntryWatcher) save(e *encoder) {
	e.int(len(w.changes))
	for _, c := range w.changes {
		e.text(c.Label)
		e.text(c.Module)
		e.int(int(c.Kind))
		e.bool(c.Closed)
		e.time(c.Time)
	}
}

func (w *EntryWatcher) load(d *decoder) {
	w.changes, w.fresh = nil, false
	for range d.count(33) {
		c := EntryChange{EntryInfo: EntryInfo{d.String(), d.String(), Kind(d.uint())}}
		c.Closed, c.Time = d.bool(), d.time()
		w.changes = append(w.changes, c)
	}
}
