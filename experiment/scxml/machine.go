package scxml

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Machine is one running statechart, which the Recommendation calls a session. Only the goroutine
// that uses its System may call its methods.
type Machine struct {
	system  *System
	chart   *Chart
	id      string
	name    string // name attribute of the chart, or the id
	model   Model
	observe func(Record)

	configuration  stateSet
	statesToInvoke stateSet
	initialized    stateSet // states whose late data has been set
	historyValue   []stateSet
	internalQueue  eventQueue
	event          Event // being handled
	eventBound     bool
	started        bool
	running        bool

	parent      *Machine
	invokeID    string // by which the parent identifies this machine
	cancelled   bool   // by its parent; nothing it sends arrives
	arguments   arguments
	origin      origin
	invocations []*invocation // in the order of their start

	outcome  *State
	result   Value
	failure  error
	sends    uint64 // ids generated for send
	invokes  uint64 // ids generated for invoke
	subtotal int    // macrosteps at the instant
	instant  timebase.Time
	second   timebase.Time // second in which the recent steps were taken
	recent   int
	all      int // steps

	scratch
}

// scratch is the working memory of the algorithm within a step. It is kept, so that a step
// allocates nothing.
type scratch struct {
	statesToExit, statesToEnter, statesForDefaultEntry, exit1 stateSet

	enabled, filtered, removed, defaultHistoryContent []*Transition

	chosen map[*Transition]bool // enabled, if these are many
	exits  []exitSet            // of filtered

	effective  []*State
	domains    []*State // domains of a microstep's transitions
	microsteps int
	trail      []*Transition // taken last, for the error about a machine that does not come to rest
	events     []string      // last ones handled, for the same error
	failed     []*Transition // transitions whose conditions failed in the current selection
}

func newMachine(s *System, id string, c *Chart) *Machine {
	m := &Machine{system: s, chart: c, id: id, name: c.Name, observe: s.options.Observe}
	if m.name == "" {
		m.name = id
	}
	w := words(len(c.States))
	slab := make(stateSet, 7*w)
	for i, set := range []*stateSet{&m.configuration, &m.statesToInvoke, &m.initialized,
		&m.statesToExit, &m.statesToEnter,
		&m.statesForDefaultEntry, &m.exit1} {
		*set = slab[i*w : (i+1)*w : (i+1)*w]
	}
	for _, q := range c.States {
		if q.Kind == History {
			m.historyValue = append(m.historyValue, nil)
		}
	}
	m.model = c.Language.New(environment{m})
	return m
}

// ID returns the session id, by which other machines address this one as "#_scxml_ID".
func (m *Machine) ID() string { return m.id }

// Chart returns the chart that the machine runs.
func (m *Machine) Chart() *Chart { return m.chart }

// Running reports whether the machine was started and has not ended.
func (m *Machine) Running() bool { return m.running }

// Err returns the error that ended the machine, or nil.
func (m *Machine) Err() error { return m.failure }

// Outcome returns the id of the top-level final state in which the machine ended, with the value of
// its donedata. The id is "" while the machine runs and if it ended in another way.
func (m *Machine) Outcome() (final string, result Value) {
	if m.outcome == nil {
		return "", Value{}
	}
	return m.outcome.ID, m.result
}

// Configuration lists the ids of the active atomic states in document order or, after the end, the
// id of the final state.
func (m *Machine) Configuration() (ids []string) {
	if m.outcome != nil {
		return []string{m.outcome.ID}
	}
	for i := m.configuration.next(0); i >= 0; i = m.configuration.next(i + 1) {
		if q := m.chart.States[i]; q.isAtomic() {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// Active lists all active states in document order, including those that contain others.
func (m *Machine) Active() (states []*State) {
	for i := m.configuration.next(0); i >= 0; i = m.configuration.next(i + 1) {
		states = append(states, m.chart.States[i])
	}
	return states
}

// In reports whether a state is active.
func (m *Machine) In(id string) bool {
	q := m.chart.byID[id]
	return q != nil && m.configuration.isMember(q)
}

// Value evaluates an expression on the machine's data. The expression must not change the data.
func (m *Machine) Value(expr string) (Value, error) {
	code, err := m.chart.Language.Compile(Expr, expr)
	if err != nil {
		return Value{}, err
	}
	return m.model.Value(code)
}

// SetData replaces the value of a top-level <data> element before the machine starts (W3C SCXML
// 1.0, 5.3.3). It returns an error if there is no such element.
func (m *Machine) SetData(id string, v Value) error {
	var known []string
	for _, d := range m.chart.Root().Data {
		known = append(known, d.ID)
	}
	if !slices.Contains(known, id) || m.started {
		return fault.New(errors.New("no such data"), fault.At("machine "+m.id),
			fmt.Sprintf("%q", id), cmp.Or(strings.Join(known, ", "),
				"a chart with data at its top level"))
	}
	m.arguments.names, m.arguments.values = append(m.arguments.names, id),
		append(m.arguments.values, v)
	return nil
}

// Start enters the initial states and takes eventless transitions and internal events until neither
// is left. Events that the machine sends meanwhile wait for Settle or Advance.
func (m *Machine) Start() error {
	if m.started {
		return fault.New(errors.New("the machine was already started"), fault.At("machine "+m.id),
			"", "").WithHint("add another one")
	}
	if err := m.system.enter(); err != nil {
		return err
	}
	m.start()
	return m.system.leave()
}

func (m *Machine) start() {
	m.started = true
	m.instant = m.system.now
	if m.observe != nil {
		m.record(Record{Kind: Started, Text: m.chart.Name})
	}
	m.interpret()
}

// Post queues an external event after the events already waiting. A processor may call it to answer
// an event; such answers count towards [Limits].Macrosteps.
func (m *Machine) Post(e Event) error {
	if !m.running {
		return m.ended(e)
	}
	a := appointment{due: m.system.now, to: m, event: e}
	if m.system.busy { // an answer counts as if the machine had sent it to itself
		a.from = m
	}
	return m.system.post(a)
}

// Handle handles an external event, after all events due now, up to the end of its macrostep.
// Events sent meanwhile wait for Settle or Advance.
func (m *Machine) Handle(e Event) error {
	if err := m.system.Settle(); err != nil {
		return err
	}
	if !m.running {
		return m.ended(e)
	}
	m.system.busy = true
	m.external(e)
	return m.system.leave()
}

func (m *Machine) ended(e Event) error {
	return fault.New(ErrEnded, fault.At("machine "+m.id), fmt.Sprintf("event %q", e.Name), "").
		WithHint("start it first, or ask Running")
}

func (m *Machine) record(r Record) {
	r.Time, r.Machine = m.system.now, m.id
	m.observe(r)
}

// setEvent binds _event.
func (m *Machine) setEvent(e Event) {
	m.event, m.eventBound = e, true
	m.model.EventChanged()
	if m.nearLimit() {
		m.events = append(m.events, e.Name)
		m.events = m.events[max(0, len(m.events)-maxTrail):]
	}
	if m.observe != nil {
		m.record(Record{Kind: Took, Event: e.Name, Text: e.Data.text})
	}
}

func (m *Machine) raise(e Event) {
	if m.observe != nil {
		m.record(Record{Kind: Raised, Event: e.Name, Text: e.Data.text})
	}
	if err := m.system.store(&e, m, m.internalQueue.length()); err != nil {
		m.breakDown(err)
		return
	}
	m.internalQueue.enqueue(e)
}

// takeInternal takes the first event of the internal queue.
func (m *Machine) takeInternal() Event {
	e := m.internalQueue.dequeue()
	m.system.release(&e)
	return e
}

func (m *Machine) enter(s *State) {
	m.configuration.add(s)
	if m.observe != nil {
		m.record(Record{Kind: Entered, State: s.ID, Line: s.Position.Line})
	}
}

func (m *Machine) leave(s *State) {
	m.configuration.delete(s)
	if m.observe != nil {
		m.record(Record{Kind: Left, State: s.ID, Line: s.Position.Line})
	}
}

// end ends the machine and drops everything pending.
func (m *Machine) end() {
	m.running = false
	for _, i := range append([]*invocation(nil), m.invocations...) {
		m.cancelInvokes(i.invoke.State)
	}
	for !m.internalQueue.isEmpty() {
		m.takeInternal()
	}
	m.internalQueue.clear()
	m.system.drop(func(a *appointment) bool {
		return a.from == m && (a.delayed || m.cancelled) || a.to == m
	})
	if m.observe != nil {
		r := Record{Kind: Ended, Text: m.result.text}
		if m.outcome != nil {
			r.State = m.outcome.ID
		}
		m.record(r)
	}
	if m.parent != nil {
		m.parent.forgetInvocation(m)
		m.system.forget(m)
	}
}

// returnDoneEvent reports that the machine ended in a final state to the owner and to the invoking
// machine.
func (m *Machine) returnDoneEvent(s *State) {
	if m.failure != nil {
		return
	}
	m.outcome, m.result = s, m.doneData(s)
	if m.parent != nil && !m.cancelled {
		m.toParent(Event{Name: "done.invoke." + m.invokeID, Type: PlatformEvent,
			InvokeID: m.invokeID, Data: m.result})
	}
}

func (m *Machine) broken() bool { return m.failure != nil }

// breakDown ends the machine with an error.
func (m *Machine) breakDown(err error) {
	if m.failure != nil {
		return
	}
	m.failure, m.running = err, false
	m.system.failures = append(m.system.failures, err)
	if m.observe != nil {
		m.record(Record{Kind: Broken, Text: err.Error()})
	}
	if m.parent != nil && !m.cancelled {
		m.toParent(Event{Name: errorCommunication, Type: PlatformEvent, InvokeID: m.invokeID,
			Data: String(err.Error())})
	}
}
