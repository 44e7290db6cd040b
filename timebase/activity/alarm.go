package activity

import (
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// alarm is an element of the node's queue of instants.
type alarm interface {
	part
	core() *alarmCore
	// start sets the first instant on a clock that begins at t.
	start(t timebase.Time)
	// fire emits the spans that are due at the node's time and sets alarmCore.due to the next
	// instant.
	fire()
}

// alarmCore is the common part of all alarms. alarmQueue maintains its field place.
type alarmCore struct {
	triggerCore
	name  string        // module/name
	rank  int           // rank in the order of names
	due   timebase.Time // the next instant, EndOfTime when there is none
	place int           // index in the queue
	self  alarm

	module *Module
	closed bool
	fired  uint64
}

func (a *alarmCore) core() *alarmCore { return a }
func (a *alarmCore) part() part       { return a.self }

// add registers an alarm with its node.
func (a *alarmCore) add(m *Module, kind, name string, self alarm) {
	n := m.node
	a.node, a.module, a.name, a.self, a.due = n, m, m.name+"/"+name, self, timebase.EndOfTime
	where := fmt.Sprintf("%s %q of module %q", kind, name, m.name)
	if m.build(where) != nil {
		return
	}
	if bad := badName(name); bad != "" {
		n.mistake(fault.New(ErrName, fault.At(where), bad, ""))
	}
	if slices.ContainsFunc(n.alarms, func(o *alarmCore) bool { return o.name == a.name }) {
		n.mistake(fault.New(ErrName, fault.At(where), "another alarm of that name",
			"one per module and name"))
	}
	n.alarms = append(n.alarms, a)
}

// PeriodicAlarm emits a span of one period whenever the clock passes the start of a period:
// [offset, offset+period) at offset, the next one at offset+period, and so on. Periods before the
// start of the clock are omitted.
type PeriodicAlarm struct {
	alarmCore
	offset, period timebase.Time
	next           struct {
		wanted         bool
		offset, period timebase.Time
	}
	end   timebase.Time // end of the newest period
	began bool
}

// PeriodicAlarm creates an alarm that starts at offset. Its name must be unique within the module.
func (m *Module) PeriodicAlarm(
	name string,
	offset timebase.Time,
	period timebase.Duration,
) *PeriodicAlarm {
	p := &PeriodicAlarm{offset: offset, period: period}
	p.add(m, "periodic alarm", name, p)
	if err := badPeriod(p.String(), period); err != nil {
		m.node.mistake(err)
		return p
	}
	p.due = p.firstFrom(m.node.now)
	return p
}

// firstFrom returns the first start of a period that is neither before offset nor before t.
func (p *PeriodicAlarm) firstFrom(t timebase.Time) timebase.Time {
	if t <= p.offset {
		return p.offset
	}
	return gridAfter(t-1, p.offset, p.period)
}

func (p *PeriodicAlarm) start(t timebase.Time) { p.due = p.firstFrom(t) }

// SetPeriod changes the grid once the current period is complete. If the grid offset + k*period has
// no point at that instant, a shorter span up to its next point comes first.
func (p *PeriodicAlarm) SetPeriod(offset timebase.Time, period timebase.Duration) error {
	p.node.enter()
	defer p.node.leave()
	if err := badPeriod(p.String(), period); err != nil {
		return err
	}
	p.next.wanted, p.next.offset, p.next.period = true, offset, period
	if !p.began && !p.node.inRound {
		p.change()
		p.due = p.firstFrom(p.node.now)
		p.node.queue.settle(p.place, &p.alarmCore)
	}
	return nil
}

func (p *PeriodicAlarm) change() {
	p.offset, p.period, p.next.wanted = p.next.offset, p.next.period, false
}

func (p *PeriodicAlarm) fire() {
	if p.next.wanted {
		p.change()
	}
	start := p.due
	p.end, p.began = gridAfter(start, p.offset, p.period), true
	p.due = p.end
	p.emit(timebase.Span{Start: start, End: p.end})
}

func (p *PeriodicAlarm) String() string {
	return fmt.Sprintf("alarm %s every %v", p.name, p.period)
}

func (p *PeriodicAlarm) waiting(from timebase.Time) string {
	if from > p.due && gridAfter(from, p.offset, p.period) != from+p.period {
		return fmt.Sprintf("alarm %s fires for the period that contains %v", p.name, from)
	}
	return fmt.Sprintf("alarm %s fires at %v", p.name, max(p.due, from))
}

// AperiodicAlarm emits one stamp for each request. As with tokens, only callbacks of one manager
// may make and withdraw requests. A program whose requests do not come in chronological order must
// store them itself, and request the earliest one again after Cancel.
type AperiodicAlarm struct {
	alarmCore
	requests ring[timebase.Time]
	newest   timebase.Time
	began    bool
	noted    bool // among the node's requests of this round
}

// AperiodicAlarm creates an alarm that fires on request. Its name must be unique within the module.
func (m *Module) AperiodicAlarm(name string) *AperiodicAlarm {
	a := &AperiodicAlarm{}
	a.add(m, "aperiodic alarm", name, a)
	return a
}

// Request schedules one firing at t. Requests must be made in chronological order: one that is not
// later than the newest is rejected with [ErrOrder]. A request for an instant in the past fires at
// the next tick.
func (a *AperiodicAlarm) Request(t timebase.Time) error {
	n := a.node
	n.enter()
	defer n.leave()
	n.mu.Lock()
	defer n.mu.Unlock()
	if a.closed {
		return closedError(a.String())
	}
	if a.began && t <= a.newest {
		return fault.New(ErrOrder, fault.At(a.String()), "a request for "+t.String(),
			"one later than the newest, "+a.newest.String())
	}
	a.newest, a.began = t, true
	if present := n.present(); n.clocked &&
		t < present { // without a clock, no time has passed, because it may start before 0
		t = n.spec.Granule.Next(present)
	}
	if a.requests.len() > 0 {
		t = max(t, *a.requests.last()) // late ones must not overtake each other
	}
	a.requests.push(t)
	if !n.inRound {
		a.schedule()
	} else if !a.noted {
		a.noted = true
		n.requests, n.asked = append(n.requests, a), true
	}
	return nil
}

// Cancel withdraws all requests that have not fired and returns their number. Subsequent requests
// may be for any time.
func (a *AperiodicAlarm) Cancel() int {
	n := a.node
	n.enter()
	defer n.leave()
	n.mu.Lock()
	defer n.mu.Unlock()
	count := a.requests.len()
	a.requests.head, a.began = a.requests.tail, false
	if !n.inRound {
		a.schedule()
	} else if !a.noted {
		a.noted = true
		n.requests, n.asked = append(n.requests, a), true
	}
	return count
}

func (a *AperiodicAlarm) start(t timebase.Time) { a.due = max(a.due, t) }

// schedule makes the earliest request the next due instant.
func (a *AperiodicAlarm) schedule() {
	a.noted = false
	a.due = timebase.EndOfTime
	if a.requests.len() > 0 {
		a.due = *a.requests.first()
	}
	a.node.queue.settle(a.place, &a.alarmCore)
}

func (a *AperiodicAlarm) fire() {
	if a.requests.len() > 0 && *a.requests.first() <= a.due {
		stamp := *a.requests.first()
		a.requests.drop()
		a.emit(timebase.Stamp(stamp))
	}
	a.due = timebase.EndOfTime
	if a.requests.len() > 0 {
		a.due = *a.requests.first()
	}
}

func (a *AperiodicAlarm) String() string { return "alarm " + a.name + " on request" }

func (a *AperiodicAlarm) waiting(from timebase.Time) string {
	for i := a.requests.head; i != a.requests.tail; i++ {
		if at := *a.requests.at(i); at >= from {
			return fmt.Sprintf("alarm %s fires at %v", a.name, at)
		}
	}
	if from > a.node.now {
		return fmt.Sprintf("alarm %s is requested for %v or later", a.name, from)
	}
	return "alarm " + a.name + " is requested"
}

// StepAlarm emits the span of each advance of a [VirtualClock]. It is the time base of a program
// whose steps come from outside and need not be equal, such as an FMU. A wall clock has no steps
// and cannot be created for a node with such an alarm.
type StepAlarm struct{ alarmCore }

// StepAlarm creates an alarm for the steps of the clock. Its name must be unique within the module.
func (m *Module) StepAlarm(name string) *StepAlarm {
	s := &StepAlarm{}
	s.add(m, "step alarm", name, s)
	return s
}

func (s *StepAlarm) start(timebase.Time) {}

// fire does nothing: a step alarm is never due by itself.
func (s *StepAlarm) fire() {}

func (s *StepAlarm) String() string { return "alarm " + s.name + " every step" }

func (s *StepAlarm) waiting(from timebase.Time) string {
	if from > s.node.now {
		return fmt.Sprintf("the clock makes a step beyond %v", from)
	}
	return "the clock makes a step"
}

// alarmQueue is a binary heap of alarms, the earliest first; alarms at the same instant are ordered
// by name.
type alarmQueue []*alarmCore

func (q alarmQueue) next() timebase.Time {
	if len(q) == 0 {
		return timebase.EndOfTime
	}
	return q[0].due
}

func before(a, b *alarmCore) bool { return a.due < b.due || a.due == b.due && a.rank < b.rank }

func (q *alarmQueue) add(a *alarmCore) {
	*q = append(*q, a)
	a.place = len(*q) - 1
	q.up(a.place)
}

// settle restores the order after the due time of a, at index i, has changed. An alarm that is not
// yet in the queue is left to the next seal.
func (q alarmQueue) settle(i int, a *alarmCore) {
	if i >= len(q) || q[i] != a {
		return
	}
	q.up(i)
	q.down(a.place)
}

func (q alarmQueue) up(i int) {
	for i > 0 && before(q[i], q[(i-1)/2]) {
		q.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

// down moves the alarm at index i down, below all alarms that are due before it. The others move up
// into the gap, with one write each.
func (q alarmQueue) down(i int) {
	a := q[i]
	for {
		c := 2*i + 1
		if c >= len(q) {
			break
		}
		if r := c + 1; r < len(q) && before(q[r], q[c]) {
			c = r
		}
		if !before(q[c], a) {
			break
		}
		q[i] = q[c]
		q[i].place = i
		i = c
	}
	q[i] = a
	a.place = i
}

func (q alarmQueue) swap(i, k int) {
	q[i], q[k] = q[k], q[i]
	q[i].place, q[k].place = i, k
}
