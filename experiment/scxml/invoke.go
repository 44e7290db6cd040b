package scxml

import (
	"errors"
	"fmt"
	"strings"
)

// maxInvokeDepth bounds the recursion of charts that invoke themselves.
const maxInvokeDepth = 50

// IsChartType reports whether an invoke of that type starts a chart.
func IsChartType(kind string) bool {
	switch kind {
	case "", "scxml", "http://www.w3.org/TR/scxml", "http://www.w3.org/TR/scxml/":
		return true
	}
	return false
}

// arguments holds the values that an invoker gives to top-level data.
type arguments struct {
	names  []string
	values []Value
}

func (a *arguments) get(name string) (Value, bool) {
	for i := len(a.names) - 1; i >= 0; i-- {
		if a.names[i] == name {
			return a.values[i], true
		}
	}
	return Value{}, false
}

// bytes returns the size of all values.
func (a *arguments) bytes() (n int) {
	for _, v := range a.values {
		n += len(v.text)
	}
	return n
}

// origin states where the chart of an invoked machine comes from, for saved states: an invoke
// element in the parent's chart that contains it, or a file and text.
type origin struct {
	inline     int // index of the invoke in the parent's chart, -1 for a text
	file, text string
}

// invocation is an active invoke: a machine, or a subscription to a channel.
type invocation struct {
	invoke *Invoke
	id     string
	child  *Machine // nil once it has ended
	cancel func()
}

// invoke starts the machine or subscription of an invoke element, once its state has become active
// and remained active until the end of a macrostep.
func (m *Machine) invoke(inv *Invoke) {
	if m.heed(); m.failure != nil {
		return
	}
	if err := m.tryInvoke(inv); err != nil {
		m.fail(inv.element, err)
	}
}

func (m *Machine) tryInvoke(inv *Invoke) error {
	id, err := m.invokeName(inv)
	if err != nil {
		return err
	}
	i := &invocation{invoke: inv, id: id}
	if inv.Register != nil {
		if err := m.subscribe(i); err != nil {
			return &actionError{errorCommunication, "", err}
		}
		m.invocations = append(m.invocations, i)
		return nil
	}
	kind, err := m.text(inv.Type)
	if err != nil {
		return err
	}
	if !IsChartType(kind) {
		return fmt.Errorf("the invoke type %q is not supported", kind)
	}
	chart, from, err := m.invokedChart(inv)
	if err != nil {
		return err
	}
	var args arguments
	if args.names, args.values, err = m.params(&inv.Payload, true); err != nil {
		return err
	}
	return m.startChild(i, chart, from, args)
}

func (m *Machine) invokeName(inv *Invoke) (string, error) {
	if inv.ID != "" {
		return inv.ID, nil
	}
	m.invokes++
	id := fmt.Sprintf("%s.%d", inv.State, m.invokes)
	if inv.IDLocation != nil {
		return id, m.setLocation(inv.IDLocation, String(id))
	}
	return id, nil
}

// invokedChart finds the chart: in the content, in the value of an expression, or in a file.
func (m *Machine) invokedChart(inv *Invoke) (*Chart, origin, error) {
	from := origin{inline: inv.index}
	if g := inv.Payload.Content; g != nil {
		if g.Chart != nil {
			return g.Chart, from, nil
		}
		v, err := m.given(g)
		if err != nil {
			return nil, from, err
		}
		from = origin{inline: -1, file: m.chart.File, text: v.Display()}
	} else {
		src, err := m.text(inv.Src)
		if err != nil {
			return nil, from, err
		}
		text, err := m.chart.config.load(src)
		if err != nil {
			return nil, from, &actionError{errorCommunication, "", err}
		}
		from = origin{inline: -1, file: src, text: string(text)}
	}
	chart, err := m.chart.parseInvoked(from)
	return chart, from, err
}

// parseInvoked reads a chart at run time. Elements that come from a value may have lost the
// namespace of their document.
func (c *Chart) parseInvoked(from origin) (*Chart, error) {
	if !strings.Contains(from.text, "<") {
		return nil, errors.New("the content is not a chart: " + quoteShort(from.text))
	}
	return Parse(from.file, []byte(from.text), c.config)
}

func (m *Machine) startChild(i *invocation, chart *Chart, from origin, args arguments) error {
	depth := 1 // depth of the child
	for p := m; p != nil; p = p.parent {
		depth++
	}
	s := m.system
	if depth > maxInvokeDepth {
		return fmt.Errorf("machines invoke each other %d levels deep, expected at most %d; %s",
			depth, maxInvokeDepth, m.route(i.invoke))
	}
	if err := s.roomFor(m, i.invoke, args.bytes()+len(from.text)); err != nil {
		return err
	}
	child, err := s.Add(s.sessionName(m.id+"."+i.id), chart)
	if err != nil {
		return err
	}
	s.invoked++
	child.parent, child.invokeID, child.arguments, child.origin = m, i.id, args, from
	s.budget.handed += child.handedOver()
	i.child = child
	m.invocations = append(m.invocations, i)
	if m.observe != nil {
		m.record(Record{Kind: Invoked, State: i.invoke.State.String(), Text: child.id,
			Line: i.invoke.element.Position.Line})
	}
	child.start()
	return nil
}

// startsForMachine is the number of machines that may be started at one instant for each one that
// may run. Otherwise, machines that end at once would make room for others forever.
const startsForMachine = 10

// roomFor refuses machines beyond the limits for all machines of the system. bytes is the size of
// what the machine would be given.
func (s *System) roomFor(m *Machine, by *Invoke, bytes int) error {
	if s.startsAt != s.now {
		s.startsAt, s.starts = s.now, 0
	}
	most := s.options.Limits.Machines
	if s.invoked >= most {
		return fmt.Errorf("%d invoked machines are running, expected at most %d; %s", s.invoked,
			most, m.route(by))
	}
	if s.starts++; s.starts > most*startsForMachine {
		return fmt.Errorf("more than %d machines were started at one instant; %s",
			most*startsForMachine, m.route(by))
	}
	if most := s.options.Limits.HandedOver; s.budget.handed+bytes > most {
		return fmt.Errorf("invoked machines are given values and charts of %d bytes, expected at "+
			"most %d; %s", s.budget.handed+bytes, most, m.route(by))
	}
	return nil
}

// handedOver returns the size of the values and of the text of the chart that an invoked machine
// was given.
func (m *Machine) handedOver() int { return m.arguments.bytes() + len(m.origin.text) }

// route names the states whose invokes led to a machine, newest first.
func (m *Machine) route(by *Invoke) string {
	const most = 4
	text := "invoked by state " + by.State.String()
	for n := 1; m.parent != nil; n++ {
		if n == most {
			return text + " and so on"
		}
		for _, i := range m.parent.invocations {
			if i.child == m {
				text += ", whose machine was invoked by state " + i.invoke.State.String()
			}
		}
		m = m.parent
	}
	return text
}

// sessionName derives a session id that no machine has from a proposed one.
func (s *System) sessionName(proposed string) string {
	proposed = strings.Join(strings.Fields(proposed), "-")
	name := proposed
	for n := 2; s.byID[name] != nil; n++ {
		name = fmt.Sprintf("%s~%d", proposed, n)
	}
	return name
}

// subscribe connects a registerEvent with its channel.
func (m *Machine) subscribe(i *invocation) (err error) {
	r := i.invoke.Register
	if m.system.options.Channels == nil {
		return fmt.Errorf("there are no channels to read %q from", r.Topic)
	}
	i.cancel, err = m.system.options.Channels.Subscribe(r.Topic, r.DataClass, func(v Value) error {
		return m.Post(Event{Name: r.Event, InvokeID: i.id, Data: v})
	})
	return err
}

// cancelInvokes ends the machines and subscriptions started by the invokes of a state (X16).
func (m *Machine) cancelInvokes(s *State) {
	if len(s.Invokes) == 0 {
		return
	}
	for k := 0; k < len(m.invocations); {
		i := m.invocations[k]
		if i.invoke.State != s {
			k++
			continue
		}
		m.invocations = append(m.invocations[:k], m.invocations[k+1:]...)
		if i.cancel != nil {
			i.cancel()
		}
		if i.child != nil {
			i.child.cancelled, i.child.running = true, false
			i.child.exitInterpreter()
		}
	}
}

// forgetInvocation records that an invoked machine ended. Its invocation stays until the state is
// left, because events that the machine sent earlier still pass through finalize.
func (m *Machine) forgetInvocation(child *Machine) {
	for _, i := range m.invocations {
		if i.child == child {
			i.child = nil
		}
	}
}

// forwardAndFinalize finalizes and forwards an external event for each active invoke, before
// transitions are selected.
func (m *Machine) forwardAndFinalize() {
	for _, i := range m.invocations {
		if i.id == m.event.InvokeID && i.invoke.HasFinalize {
			m.applyFinalize(i.invoke)
		}
		if i.invoke.AutoForward && i.child != nil {
			if err := m.system.post(appointment{due: m.system.now, from: m, to: i.child,
				event: m.event}); err != nil {
				m.breakDown(err)
			}
		}
	}
}

// applyFinalize executes a finalize; an empty one writes the event's data back to the locations
// named by namelist and params.
func (m *Machine) applyFinalize(inv *Invoke) {
	if len(inv.Finalize) > 0 {
		m.executeContent(inv.Finalize)
		return
	}
	for _, p := range inv.Payload.Params {
		v := m.event.Data.field(p.Name)
		if p.Location == nil || v.IsUndefined() {
			continue
		}
		if err := m.setLocation(p.Location, v); err != nil {
			m.fail(inv.element, err)
			return
		}
	}
}
