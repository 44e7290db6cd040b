package scxml

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Options configure a system. With the zero value, machines communicate only with each other.
type Options struct {
	Start      timebase.Time        // initial time of the clock
	Seed       uint64               // for the charts' random numbers
	Observe    func(Record)         // is called for each record; must not call the system
	Processors map[string]Processor // by send type: receive the events that leave the system
	Channels   Channels             // for NRP's registerEvent, Message and ServiceRequest
	// fields of _x besides time, seed and machine, such as experiment
	System map[string]Value
	Limits Limits
}

// Limits bound what machines may do, so that a chart that runs in circles ends with an error that
// shows the cycle. Zero means the default. A step is a microstep or a macrostep.
type Limits struct {
	Microsteps int // in one macrostep; default 1000
	Macrosteps int // for one machine at one instant; default 1000
	Machines   int // invoked machines that run at the same time; default 1000
	Events     int // waiting events; default 1000000
	Waiting    int // bytes of the data of waiting events; default 256 MiB
	HandedOver int // bytes of values and charts given to running invoked machines; default 64 MiB
	PerSecond  int // steps of all machines in a second of their time; default 1000000
	Total      int // steps of all machines; default 100000000
}

// Processor receives an event that a machine sends to the outside. An error raises
// error.communication.
type Processor func(Message) error

// Message is an event on its way to the outside.
type Message struct {
	From   *Machine
	Target string
	Event  Event
	Line   int // of the element that sent it
}

// Channels connects the machines of an NRP experiment with its data. An error raises
// error.communication.
type Channels interface {
	// Subscribe calls deliver for each datum of a topic, between calls of the system, until cancel
	// is called.
	Subscribe(topic, dataClass string, deliver func(Value) error) (cancel func(), err error)
	// Publish writes a datum to a topic.
	Publish(topic, dataType string, data Value) error
	// Call calls a service and returns its answer.
	Call(service, serviceType string, request Value) (Value, error)
}

// The errors of a system, for errors.Is.
var (
	// ErrTime reports a clock that was set back.
	ErrTime = errors.New("the clock runs backwards")
	// ErrBounds reports a machine that exceeded one of the Limits.
	ErrBounds = errors.New("the machine does not settle")
	// ErrEnded reports an event for a machine that is not running.
	ErrEnded = errors.New("the machine is not running")
	// ErrBusy reports a call of the system from within an observer or processor.
	ErrBusy = errors.New("the system is busy")
)

// Error is an error with its place, see the documentation of package fault.
type Error = fault.Error

// System is a set of machines that share one clock. Time comes from outside, through Advance; Next
// returns the time of the next delayed event, so that the owner of the clock can stop there. Only
// one goroutine may use a system at a time.
//
// Events that are due at the same time are handled in the order in which they were sent, across all
// machines (X21).
type System struct {
	options  Options
	now      timebase.Time
	machines []*Machine // the running and the top-level machines, in the order of their creation
	byID     map[string]*Machine
	agenda   agenda
	// the delayed events in the agenda, and the sequence numbers of those that are cancelled
	delayed   map[sending][]delayed
	cancelled map[uint64]bool
	sequence  uint64 // of events
	sessions  int    // created so far
	invoked   int    // machines that run because they were invoked
	starts    int    // of invoked machines at the instant startsAt
	startsAt  timebase.Time
	busy      bool
	budget    budget
	failures  []error // of machines that ended in the current call
	ended     func() error
}

// NewSystem creates a system without machines.
func NewSystem(o Options) *System {
	for _, d := range []struct {
		limit *int
		value int
	}{{&o.Limits.Microsteps, 1000}, {&o.Limits.Macrosteps, 1000}, {&o.Limits.Machines, 1000},
		{&o.Limits.Events, mostEvents}, {&o.Limits.Waiting, mostWaiting},
		{&o.Limits.HandedOver, mostHandedOver},
		{&o.Limits.PerSecond, mostInASecond}, {&o.Limits.Total, mostSteps}} {
		if *d.limit <= 0 {
			*d.limit = d.value
		}
	}
	s := &System{options: o, now: o.Start, byID: map[string]*Machine{}}
	s.EndWith(context.Background())
	return s
}

// Add creates a machine that runs a chart. The name identifies the machine in records, as its
// session id and in _x.machine; it must be new and contain no spaces. An empty name becomes s1, s2
// and so on.
func (s *System) Add(name string, c *Chart) (*Machine, error) {
	if name == "" {
		name = fmt.Sprintf("s%d", s.sessions+1)
	}
	if s.byID[name] != nil || strings.ContainsAny(name, " \t\r\n") {
		return nil, fault.New(errors.New("unusable name"), fault.At("machine "+name),
			fmt.Sprintf("%q", name), "a name without blanks that no other machine has")
	}
	s.sessions++
	m := newMachine(s, name, c)
	s.machines = append(s.machines, m)
	s.byID[name] = m
	return m, nil
}

// Machines lists the machines that were added and the machines that are currently invoked, in the
// order of their creation.
func (s *System) Machines() []*Machine { return append([]*Machine(nil), s.machines...) }

// EndWith lets all machines end with an error soon after a context has ended, even within a step or
// a script. The error wraps the cause of the context. It is to be called before the machines run.
func (s *System) EndWith(ctx context.Context) {
	s.ended = func() error {
		if ctx.Err() == nil {
			return nil
		}
		return context.Cause(ctx)
	}
}

// Ended returns the cause of the end of the context of [System.EndWith], or nil.
func (s *System) Ended() error { return s.ended() }

// Machine returns the machine with a session id, or nil.
func (s *System) Machine(id string) *Machine { return s.byID[id] }

// Now returns the time of the clock.
func (s *System) Now() timebase.Time { return s.now }

// Next returns the time at which the next event is due, which may be Now; ok is false if none
// waits.
func (s *System) Next() (due timebase.Time, ok bool) {
	if len(s.agenda) == 0 {
		return 0, false
	}
	return s.agenda[0].due, true
}

// Start starts all machines that have not been started, in the order in which they were added, see
// Machine.Start.
func (s *System) Start() error {
	var all []error
	for i := 0; i < len(s.machines); i++ {
		if m := s.machines[i]; !m.started {
			all = append(all, m.Start())
		}
	}
	return errors.Join(all...)
}

// Advance sets the clock to an instant and handles all events due by then, each at its own time.
// The error joins the errors of the machines that ended with one; the others continue.
func (s *System) Advance(to timebase.Time) error {
	if to < s.now {
		return fault.New(ErrTime, fault.At("statecharts"), Seconds(to), "not before "+
			Seconds(s.now))
	}
	if err := s.enter(); err != nil {
		return err
	}
	for len(s.agenda) > 0 && s.agenda[0].due <= to {
		a := s.take()
		s.now = max(s.now, a.due)
		s.deliver(&a)
	}
	s.now = to
	return s.leave()
}

// Settle handles all events that are due now.
func (s *System) Settle() error { return s.Advance(s.now) }

func (s *System) enter() error {
	if s.busy {
		return fault.New(ErrBusy, fault.At("statecharts"), "", "").
			WithHint("call the system after its own call has returned")
	}
	s.busy = true
	return nil
}

// leave ends a call of the system and returns the errors of the machines that it ended.
func (s *System) leave() error {
	s.busy = false
	if len(s.failures) == 0 {
		return nil
	}
	err := errors.Join(s.failures...)
	s.failures = nil
	return err
}

func (s *System) deliver(a *appointment) {
	m := a.to
	switch {
	case m == nil:
		if err := a.from.process(outgoing{event: a.event, kind: a.kind,
			target: a.target, line: a.line}); err != nil {
			a.from.fail(a.from.chart.element, err)
			a.from.mainEventLoop()
		}
	case !m.running:
		if m.observe != nil {
			m.record(Record{Kind: Dropped, Event: a.event.Name})
		}
	case a.from == nil || m.countMacrostep():
		m.external(a.event)
	default:
		m.mainEventLoop()
	}
}

// post puts an event into the external queue of a machine.
func (s *System) post(a appointment) error {
	if err := s.store(&a.event, a.from, s.waiting()); err != nil {
		return err
	}
	a.sequence = s.sequence
	s.sequence++
	s.agenda.push(a)
	s.note(&a)
	return nil
}

// drop removes the matching events that wait and returns their number.
func (s *System) drop(match func(*appointment) bool) int {
	s.compact()
	return s.agenda.drop(func(a *appointment) bool {
		found := match(a)
		if found {
			s.release(&a.event)
			s.unnote(a)
		}
		return found
	})
}

// forget drops an invoked machine that has ended.
func (s *System) forget(m *Machine) {
	delete(s.byID, m.id)
	for i, other := range s.machines {
		if other == m {
			s.machines = append(s.machines[:i], s.machines[i+1:]...)
			break
		}
	}
	s.invoked--
	s.budget.handed -= m.handedOver()
}
