package activity

import (
	"fmt"
	"slices"

	"gosmp/timebase"
)

// queueWarning is the number of waiting items at which a manager reports a backlog; it reports
// again at each doubling.
const queueWarning = 500

// manager is an activity manager, which has the to-do list of one priority. It runs its items one
// by one.
type manager struct {
	node     *Node
	priority int
	items    []item // a heap, the most important first
	seq      uint64
	warnAt   int
	plain    *Activity // whose callback is running a plain cycle
}

// item is one activity on a to-do list, with the time it must work for.
type item struct {
	act    *Activity
	span   timebase.Span
	key    int64 // order, adjusted for age
	seq    uint64
	missed int // above 0 for the safe callback
}

// Scheduled is one item of a to-do list, for inspection.
type Scheduled struct {
	Activity string
	Span     timebase.Span
	Safe     bool // the safe callback will be called
}

// Queue returns the to-do list of the manager with this priority, in the order in which its items
// will run, or nil if there is no such manager.
func (n *Node) Queue(priority int) []Scheduled {
	if priority < 0 || priority >= len(n.managers) {
		return nil
	}
	n.enter()
	defer n.leave()
	items := n.managers[priority].ordered()
	list := make([]Scheduled, len(items))
	for i, it := range items {
		list[i] = Scheduled{it.act.name, it.span, it.missed > 0}
	}
	return list
}

// ordered returns the items in the order in which they will run.
func (m *manager) ordered() []*item {
	items := make([]*item, len(m.items))
	for i := range m.items {
		items[i] = &m.items[i]
	}
	slices.SortStableFunc(items, func(a, b *item) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return items
}

func (a *item) before(b *item) bool { return a.key > b.key || a.key == b.key && a.seq < b.seq }

// push schedules an item. Each tick of age is worth 100 of order, so that an item gains on all
// later ones and no item is delayed forever. Manager 0 gives all items the same key, so that they
// run in the order of arrival.
func (m *manager) push(a *Activity, s timebase.Span, missed int) {
	last := len(m.items)
	if last == cap(m.items) {
		m.items = append(m.items, item{})
	} else {
		m.items = m.items[:last+1]
	}
	it := &m.items[last]
	m.seq++
	it.act, it.span, it.missed, it.seq = a, s, missed, m.seq
	if m.priority > 0 {
		it.key = int64(a.spec.Priority.Order) - orderPerTick*m.node.spec.Granule.Tick(s.Start)
	}
	a.behind++
	m.node.waiting++
	if last > 0 {
		m.up(last)
	}
	if len(m.items) > m.warnAt {
		m.warnAt *= 2
		m.node.report(
			QueueBacklog,
			m.name(),
			"%d items wait, the newest is %v for %v",
			len(m.items),
			a,
			s,
		)
	}
}

func (m *manager) name() string { return fmt.Sprintf("manager %d", m.priority) }

// pop takes the most important item. It stays in memory, past the end of the list, until the next
// push; nothing is pushed during a round.
func (m *manager) pop() *item {
	last := len(m.items) - 1
	top := &m.items[last]
	if last > 0 {
		m.items[0], *top = *top, m.items[0]
	}
	if m.items = m.items[:last]; last > 1 {
		m.down(0)
	}
	return top
}

func (m *manager) up(i int) {
	for i > 0 && m.items[i].before(&m.items[(i-1)/2]) {
		m.items[i], m.items[(i-1)/2] = m.items[(i-1)/2], m.items[i]
		i = (i - 1) / 2
	}
}

// down moves the item at i below all items that take precedence over it; they move up into the gap.
func (m *manager) down(i int) {
	it := m.items[i]
	for {
		c := 2*i + 1
		if c >= len(m.items) {
			break
		}
		if r := c + 1; r < len(m.items) && m.items[r].before(&m.items[c]) {
			c = r
		}
		if !m.items[c].before(&it) {
			break
		}
		m.items[i] = m.items[c]
		i = c
	}
	m.items[i] = it
}

// runAll runs all items on the list; nothing is added to it during a round.
func (m *manager) runAll() {
	for len(m.items) > 0 {
		m.runUntilPanic()
	}
}

// runUntilPanic runs the items on the list until it is empty or the callback of a plain cycle
// panics; Activity.run handles panics of all other cycles itself. One deferred function for all
// plain cycles takes less time than one for each.
func (m *manager) runUntilPanic() {
	defer m.catch()
	for len(m.items) > 0 {
		it := &m.items[0]
		if len(m.items) == 1 {
			m.items = m.items[:0]
		} else {
			it = m.pop()
		}
		a, s := it.act, it.span
		w := a.plain(s)
		if w == nil {
			a.run(it)
			continue
		}
		a.behind--
		a.cycles++
		a.last, a.everRan = s, true
		c := Cycle{Span: s, First: !w.begun, Safe: it.missed > 0, Behind: a.behind,
			Missed: it.missed}
		work := a.spec.Work
		if w.begun = true; c.Safe {
			work = a.spec.Safe.Work
		}
		m.plain = a
		err := work(c)
		m.plain = nil
		if err != nil {
			a.fail(s, false, err)
		}
	}
}

// plain returns the window of an activity if s is one cycle that needs nothing but a call: the
// activity is on for the whole span and beyond, is not critical, and is neither traced nor
// measured. It returns nil otherwise.
func (a *Activity) plain(s timebase.Span) *window {
	if a.special || len(a.windows) != 1 {
		return nil
	}
	w := &a.windows[0]
	if s.Start < w.span.Start || s.End >= w.span.End {
		return nil
	}
	return w
}

// catch ends a plain cycle whose callback has panicked as if it had returned an error. A callback
// that ends its goroutine, such as a test, has not failed.
func (m *manager) catch() {
	a := m.plain
	if a == nil {
		return
	}
	m.plain = nil
	if p := recover(); p != nil {
		a.fail(a.last, false, fmt.Errorf("panic: %v", p))
	}
}
