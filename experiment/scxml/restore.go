package scxml

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// RestoreState restores the state saved by AppendState, even in another process. The system must
// have the same added machines as the saved one, with the same names, order and charts; they need
// not be started. Invoked machines are recreated. If RestoreState fails, nothing is changed.
func (s *System) RestoreState(b []byte) error {
	if s.busy {
		return fault.New(ErrBusy, fault.At("statecharts"), "", "")
	}
	d, err := state.Open(stateMagic, b)
	if err != nil {
		return err
	}
	r := stateReader{system: s, d: d, fresh: NewSystem(s.options), given: s.added()}
	r.read()
	if err := errors.Join(r.err, d.Done()); err != nil {
		return err
	}
	return r.commit()
}

// added lists the machines that were not invoked.
func (s *System) added() (list []*Machine) {
	for _, m := range s.machines {
		if m.parent == nil {
			list = append(list, m)
		}
	}
	return list
}

// stateReader builds all machines of a state, separately from the machines that the system has.
type stateReader struct {
	system, fresh *System
	d             *state.Decoder
	given         []*Machine // added machines that have no state yet
	// by index: the machine that the owner of the system holds, or the new machine itself
	owners []*Machine
	err    error
}

func (r *stateReader) number() int64       { return int64(r.d.Uint64()) }
func (r *stateReader) time() timebase.Time { return timebase.Time(r.d.Uint64()) }
func (r *stateReader) good() bool          { return r.err == nil && r.d.Err() == nil }
func (r *stateReader) set(set stateSet) {
	for i := range set {
		set[i] = r.d.Uint64()
	}
}

func (r *stateReader) refuse(found, expected string) {
	if r.good() {
		r.err = fault.New(ErrState, fault.At("statecharts"), found, expected).
			WithHint("restore into a system to which the same charts were " +
				"added under the same names")
	}
}

func (r *stateReader) read() {
	s := r.fresh
	s.now, s.sequence, s.sessions = r.time(), r.d.Uint64(), int(r.number())
	for n := r.number(); n > 0 && r.good(); n-- {
		r.machine()
	}
	for i := 0; i < len(s.machines) && r.good(); i++ {
		r.invocations(s.machines[i])
	}
	for n := r.number(); n > 0 && r.good(); n-- {
		r.appointment()
	}
	if len(r.given) > 0 {
		r.refuse("no state of machine "+r.given[0].id, "one")
	}
}

// machineAt returns the machine at an index, or nil.
func (r *stateReader) machineAt(list []*Machine) *Machine {
	i := r.number()
	if i < -1 || i >= int64(len(list)) {
		r.refuse(fmt.Sprintf("machine %d", i), fmt.Sprintf("one of %d", len(list)))
		return nil
	}
	if i < 0 {
		return nil
	}
	return list[i]
}

func (r *stateReader) machine() {
	id := r.d.String()
	parent := r.machineAt(r.fresh.machines)
	invokeID := r.d.String()
	from := origin{int(r.number()), r.d.String(), r.d.String()}
	sum := r.d.Uint64()
	owner, chart := r.identify(id, parent, from)
	if chart == nil || chart.sum != sum {
		r.refuse("another chart for machine "+id, "the one that was saved")
	}
	if !r.good() {
		return
	}
	m := newMachine(r.fresh, id, chart)
	if owner == nil {
		owner = m
	} else {
		m.model = chart.Language.New(environment{owner})
	}
	m.parent, m.invokeID, m.origin = parent, invokeID, from
	r.fresh.machines = append(r.fresh.machines, m)
	r.owners = append(r.owners, owner)
	r.fresh.byID[id] = m
	r.fields(m)
}

// identify finds the machine whose state comes next, or the chart of an invoked one.
func (r *stateReader) identify(id string, parent *Machine, from origin) (*Machine, *Chart) {
	if parent == nil {
		if len(r.given) == 0 || r.given[0].id != id {
			r.refuse("a state of machine "+id,
				"one of the machines that were added, in their order")
			return nil, nil
		}
		owner := r.given[0]
		r.given = r.given[1:]
		return owner, owner.chart
	}
	if from.inline < 0 {
		chart, err := parent.chart.parseInvoked(from)
		if err != nil {
			r.err = err
		}
		return nil, chart
	}
	if from.inline >= len(parent.chart.invokes) ||
		parent.chart.invokes[from.inline].Payload.Content == nil {
		return nil, nil
	}
	return nil, parent.chart.invokes[from.inline].Payload.Content.Chart
}

func (r *stateReader) fields(m *Machine) {
	m.started, m.running = r.d.Bool(), r.d.Bool()
	m.sends, m.invokes, m.subtotal, m.instant = r.d.Uint64(), r.d.Uint64(), int(r.number()),
		r.time()
	r.set(m.configuration)
	r.set(m.initialized)
	for i := range m.historyValue {
		if r.d.Bool() {
			m.historyValue[i] = newStateSet(len(m.chart.States))
			r.set(m.historyValue[i])
		}
	}
	m.eventBound, m.event = r.d.Bool(), r.event()
	if i := r.number(); i >= 0 && i < int64(len(m.chart.States)) {
		m.outcome = m.chart.States[i]
	}
	m.result = Value{r.d.String()}
	if failure := r.d.String(); failure != "" {
		m.failure = errors.New(failure)
	}
	data := r.d.Bytes()
	if r.good() {
		r.checkMachine(m)
	}
	if m.started && r.good() {
		r.err = m.restoreModel(data)
	}
}

// restoreModel runs global scripts for the functions that they declare, and then sets the
// variables.
func (m *Machine) restoreModel(data []byte) error {
	m.declare()
	for _, script := range m.chart.Scripts {
		if script.Code.Err == nil {
			_ = m.model.Run(script.Code.Code) // an error was reported when the machine was started
		}
	}
	m.model.Ready()
	if err := m.model.Restore(data); err != nil {
		return fault.Wrap(ErrState, fault.At("machine "+m.id), err)
	}
	return nil
}

func (r *stateReader) event() (e Event) {
	e.Type = EventType(min(r.d.Byte(), byte(PlatformEvent)))
	for _, text := range []*string{&e.Name, &e.SendID, &e.Origin, &e.OriginType, &e.InvokeID,
		&e.Data.text} {
		*text = r.d.String()
	}
	return e
}

func (r *stateReader) invocations(m *Machine) {
	for n := r.number(); n > 0 && r.good(); n-- {
		index := r.number()
		i := &invocation{id: r.d.String(), child: r.machineAt(r.fresh.machines)}
		if index < 0 || index >= int64(len(m.chart.invokes)) {
			r.refuse(fmt.Sprintf("invoke %d", index), fmt.Sprintf("one of %d",
				len(m.chart.invokes)))
			return
		}
		if i.child != nil && i.child.parent != m {
			r.refuse("machine "+i.child.id+" invoked by machine "+m.id, "the one that invoked it")
			return
		}
		i.invoke = m.chart.invokes[index]
		m.invocations = append(m.invocations, i)
	}
}

func (r *stateReader) appointment() {
	a := appointment{due: r.time(), sequence: r.d.Uint64()}
	sent := r.d.Bool()
	a.from, a.to = r.machineAt(r.fresh.machines), r.machineAt(r.fresh.machines)
	if sent && a.from == nil {
		a.from = a.to // sent by a machine that has since ended
	}
	a.delayed, a.event = r.d.Bool(), r.event()
	a.id, a.kind, a.target = r.d.String(), r.d.String(), r.d.String()
	a.line = int(int64(r.d.Uint64())) //nolint:gosec // as written
	if m := cmp.Or(a.to, a.from); m != nil {
		r.checkValue(m, a.event.Data)
	}
	if a.to == nil && (a.from == nil || r.system.options.Processors[a.kind] == nil) {
		r.refuse(fmt.Sprintf("an event for the processor %q", a.kind), "one of Options.Processors")
	}
	r.fresh.agenda.push(a)
}

// commit replaces the old machines with the new ones. The owner's references to machines stay
// valid.
func (r *stateReader) commit() error {
	s := r.system
	for _, m := range s.machines {
		for _, i := range m.invocations {
			if i.cancel != nil {
				i.cancel()
			}
		}
	}
	owner := func(m *Machine) *Machine {
		if i := slices.Index(r.fresh.machines, m); i >= 0 {
			return r.owners[i]
		}
		return m
	}
	for i := range r.fresh.agenda {
		a := &r.fresh.agenda[i]
		a.from, a.to = owner(a.from), owner(a.to)
	}
	var err error
	for _, m := range r.fresh.machines {
		m.system, m.parent = s, owner(m.parent)
		for _, i := range m.invocations {
			i.child = owner(i.child)
		}
	}
	s.now, s.sequence, s.sessions, s.agenda = r.fresh.now, r.fresh.sequence, r.fresh.sessions,
		r.fresh.agenda
	s.delayed, s.cancelled = nil, nil
	s.budget = budget{}
	for i := range s.agenda {
		s.budget.bytes += len(s.agenda[i].event.Data.text)
		s.note(&s.agenda[i])
	}
	s.machines, s.invoked, s.byID = r.owners, 0, map[string]*Machine{}
	for i, m := range r.fresh.machines {
		if o := r.owners[i]; o != m {
			*o = *m
		}
		s.byID[m.id] = r.owners[i]
		if m.parent != nil {
			s.invoked++
			s.budget.handed += m.handedOver()
		}
	}
	for _, m := range s.machines {
		for _, i := range m.invocations {
			if i.invoke.Register != nil {
				err = errors.Join(err, m.subscribe(i))
			}
		}
	}
	return err
}
