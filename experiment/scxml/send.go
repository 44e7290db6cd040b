package scxml

import (
	"cmp"
	"fmt"
	"strings"

	"gosmp/timebase"
)

// The forms of targets (appendix C.1).
const (
	targetInternal = "#_internal"
	targetParent   = "#_parent"
	targetSession  = "#_scxml_"
	targetInvoke   = "#_"
)

// IsChartProcessor reports whether a send of that type goes to a machine.
func IsChartProcessor(kind string) bool {
	return kind == "" || kind == "scxml" || kind == ProcessorSCXML
}

// outgoing is a send whose arguments have been evaluated.
type outgoing struct {
	event            Event
	target, kind, id string
	delay            timebase.Duration
	line             int // of the element send
}

func (m *Machine) send(a *Send) error {
	o := outgoing{id: a.ID, line: a.node().Position.Line}
	if a.IDLocation != nil {
		m.sends++
		o.id = fmt.Sprintf("%s.send%d", m.id, m.sends)
		if err := m.setLocation(a.IDLocation, String(o.id)); err != nil {
			return m.sendError(errorExecution, o.id, err)
		}
	}
	o.event = Event{SendID: o.id, Origin: m.address(), OriginType: ProcessorSCXML}
	if err := m.evaluateSend(a, &o); err != nil {
		return m.sendError(errorExecution, o.id, err)
	}
	if m.cancelled {
		return nil
	}
	if a.External != nil {
		return m.sendToChannel(a.External, o)
	}
	return m.dispatch(o)
}

func (m *Machine) setLocation(x *Expression, v Value) error {
	if x.Err != nil {
		return x.Err
	}
	return m.model.Set(x.Code, v)
}

// sendError returns an error of a send, which carries the sendid (X14).
func (m *Machine) sendError(name, id string, cause error) error {
	return &actionError{name, id, cause}
}

func (m *Machine) evaluateSend(a *Send, o *outgoing) (err error) {
	if o.kind, err = m.text(a.Type); err != nil {
		return err
	}
	if a.External == nil && !IsChartProcessor(o.kind) &&
		m.system.options.Processors[o.kind] == nil {
		// before its target is looked up
		return fmt.Errorf("the send type %q is not supported", o.kind)
	}
	if o.event.Name, err = m.text(a.Event); err != nil {
		return err
	}
	if o.target, err = m.text(a.Target); err != nil {
		return err
	}
	if a.Delay.Given {
		text, err := m.text(a.Delay)
		if err != nil {
			return err
		}
		if o.delay, err = ParseDuration(text); err != nil {
			return err
		}
	}
	o.event.Data, err = m.payload(&a.Payload, true)
	return err
}

// dispatch sends an event to its target, now or later.
func (m *Machine) dispatch(o outgoing) error {
	if !IsChartProcessor(o.kind) {
		return m.sendOutside(o)
	}
	if o.target == targetInternal {
		if o.delay > 0 {
			return m.sendError(errorExecution, o.id, fmt.Errorf("an event for %s cannot be delayed",
				targetInternal))
		}
		o.event.Type, o.event.Origin, o.event.OriginType = InternalEvent, "", ""
		m.raise(o.event)
		return nil
	}
	to, name, err := m.addressee(o.target)
	if err != nil {
		return m.sendError(name, o.id, err)
	}
	if m.parent != nil && to == m.parent {
		o.event.InvokeID = m.invokeID
	}
	return m.schedule(o, to)
}

// addressee finds the machine that a target refers to, or the name of the error event to raise.
func (m *Machine) addressee(target string) (to *Machine, errorName string, err error) {
	switch {
	case target == "":
		return m, "", nil
	case target == targetParent:
		to = m.parent
	case strings.HasPrefix(target, targetSession):
		to = m.system.byID[strings.TrimPrefix(target, targetSession)]
	case strings.HasPrefix(target, targetInvoke):
		to = m.child(strings.TrimPrefix(target, targetInvoke))
	default:
		return nil, errorExecution,
			fmt.Errorf("the target %q is malformed, expected %s, %s, %sSESSION or %sINVOKEID",
				target,
				targetInternal, targetParent, targetSession, targetInvoke)
	}
	if to == nil || to.started && !to.running && to != m {
		return nil, errorCommunication, fmt.Errorf("the target %q is not a running machine", target)
	}
	return to, "", nil
}

func (m *Machine) child(invokeID string) *Machine {
	for _, i := range m.invocations {
		if i.id == invokeID {
			return i.child
		}
	}
	return nil
}

// schedule puts an event into the external queue of a machine, or of the outside world if to is
// nil.
func (m *Machine) schedule(o outgoing, to *Machine) error {
	due := m.system.now + o.delay
	if due < m.system.now {
		return m.sendError(errorExecution, o.id,
			fmt.Errorf("the delay of %s s exceeds the range of time", Seconds(o.delay)))
	}
	if m.observe != nil {
		m.recordSent(o, to)
	}
	err := m.system.post(appointment{due: due, from: m, to: to, delayed: o.delay > 0,
		event: o.event, id: o.id, kind: o.kind, target: o.target, line: o.line})
	if err != nil {
		m.breakDown(err)
	}
	return nil
}

func (m *Machine) recordSent(o outgoing, to *Machine) {
	text := "to " + cmp.Or(o.target, o.kind)
	if to != nil {
		text = "to " + to.id
	}
	if o.delay > 0 {
		text += " at " + Seconds(m.system.now+o.delay)
	}
	if !o.event.Data.IsUndefined() {
		text += ": " + o.event.Data.text
	}
	m.record(Record{Kind: Sent, Event: o.event.Name, Text: text})
}

// sendOutside passes an event to a processor of the owner, now or when it is due.
func (m *Machine) sendOutside(o outgoing) error {
	if o.delay > 0 {
		return m.schedule(o, nil)
	}
	return m.process(o)
}

func (m *Machine) process(o outgoing) error {
	o.delay = 0 // it is due
	if m.observe != nil {
		m.recordSent(o, nil)
	}
	if err := m.system.options.Processors[o.kind](Message{From: m, Target: o.target,
		Event: o.event, Line: o.line}); err != nil {
		return m.sendError(errorCommunication, o.event.SendID, err)
	}
	return nil
}

// toParent puts an event into the external queue of the machine that invoked this one.
func (m *Machine) toParent(e Event) {
	if err := m.system.post(appointment{due: m.system.now, from: m, to: m.parent,
		event: e}); err != nil {
		m.breakDown(err)
	}
}

// sendToChannel implements X33: a Message writes to a topic, a ServiceRequest calls a service and
// raises its answer.
func (m *Machine) sendToChannel(x *External, o outgoing) error {
	channels := m.system.options.Channels
	if channels == nil {
		return m.sendError(errorExecution, o.id, fmt.Errorf("there are no channels to send to %q",
			o.target))
	}
	if m.observe != nil {
		m.recordSent(o, nil)
	}
	if !x.Service {
		if err := channels.Publish(o.target, x.DataType, o.event.Data); err != nil {
			return m.sendError(errorCommunication, o.id, err)
		}
		return nil
	}
	answer, err := channels.Call(o.target, x.DataType, o.event.Data)
	if err != nil {
		return m.sendError(errorCommunication, o.id, err)
	}
	if o.event.Name != "" {
		m.raise(Event{Name: o.event.Name, Type: InternalEvent, SendID: o.id, Data: answer})
	}
	return nil
}

func (m *Machine) cancel(a *Cancel) error {
	id, err := m.text(a.SendID)
	if err != nil {
		return err
	}
	n := m.system.cancel(m, id)
	if m.observe != nil && n > 0 {
		m.record(Record{Kind: Cancelled, Text: id})
	}
	return nil
}
