package scxml

import (
	"errors"
	"strings"

	"gosmp/internal/fault"
)

// The names of the events raised by errors.
const (
	errorExecution     = "error.execution"
	errorCommunication = "error.communication"
)

// actionError is an error of executable content that has its own name or sendid.
type actionError struct {
	name   string
	sendID string
	cause  error
}

func (e *actionError) Error() string { return e.cause.Error() }

// executeContent executes a block up to its first error, which raises an event (X11).
func (m *Machine) executeContent(content Block) {
	for _, a := range content {
		if m.failure != nil {
			return
		}
		if err := m.execute(a); err != nil {
			m.fail(a.node(), err)
			return
		}
	}
}

// contentError is an error inside a nested block, which ends the outer blocks too.
type contentError struct {
	at    *Element
	cause error
}

func (e *contentError) Error() string { return e.cause.Error() }

// within records the element of an error, unless an inner call already did.
func within(at *Element, err error) error {
	if inner := (*contentError)(nil); errors.As(err, &inner) {
		return err
	}
	return &contentError{at, err}
}

// fail raises an event for an error, or ends the machine if evaluation was stopped.
func (m *Machine) fail(at *Element, err error) {
	if inner := (*contentError)(nil); errors.As(err, &inner) {
		at, err = inner.at, inner.cause
	}
	if m.heed(); m.failure != nil {
		return
	}
	if errors.Is(err, ErrStopped) {
		found := strings.TrimPrefix(err.Error(), ErrStopped.Error()+": ")
		if states := m.Configuration(); len(states) > 0 {
			found += " in " + strings.Join(states, " ")
		}
		m.breakDown(fault.New(ErrStopped, m.chart.place(at.Position, "machine "+m.id), found, "").
			WithHint("look for a loop without end in <" + at.Name + ">"))
		return
	}
	event := Event{Name: errorExecution, Type: PlatformEvent, Data: m.errorData(at, err)}
	if a := (*actionError)(nil); errors.As(err, &a) {
		event.Name, event.SendID = a.name, a.sendID
	}
	m.raise(event)
}

// errorData returns the data of an error event (X28).
func (m *Machine) errorData(at *Element, err error) Value {
	return object([]string{"tagname", "line", "column", "reason"}, []Value{
		String(at.Name), Number(float64(at.Position.Line)), Number(float64(at.Position.Column)),
		String(err.Error())})
}

func (m *Machine) execute(a Action) error {
	switch a := a.(type) {
	case *Raise:
		m.raise(Event{Name: a.Event, Type: InternalEvent})
		return nil
	case *Log:
		return m.log(a)
	case *If:
		return m.branch(a)
	case *ForEach:
		return m.forEach(a)
	case *Assign:
		return m.assign(a)
	case *Script:
		return m.run(a.Code)
	case *Send:
		return m.send(a)
	case *Cancel:
		return m.cancel(a)
	}
	return nil
}

// nested executes a block inside an action.
func (m *Machine) nested(content Block) error {
	for _, a := range content {
		if m.broken() {
			break
		}
		if err := m.execute(a); err != nil {
			return within(a.node(), err)
		}
	}
	return nil
}

func (m *Machine) log(a *Log) error {
	v, err := m.value(a.Expr)
	if err != nil {
		return err
	}
	if m.observe == nil {
		return nil
	}
	text := a.Label
	if a.Expr != nil {
		if text != "" {
			text = strings.TrimSpace(text) + " "
		}
		text += v.Display()
	}
	m.record(Record{Kind: Logged, Text: text, Line: a.element.Position.Line})
	return nil
}

func (m *Machine) branch(a *If) error {
	for i := range a.Branches {
		b := &a.Branches[i]
		if b.Cond != nil {
			holds, err := m.bool(b.Cond)
			if err != nil {
				return &contentError{b.element, err}
			}
			if !holds {
				continue
			}
		}
		return m.nested(b.Content)
	}
	return nil
}

func (m *Machine) forEach(a *ForEach) error {
	for _, x := range []*Expression{a.Array, a.Item, a.Index} {
		if x != nil && x.Err != nil {
			return x.Err
		}
	}
	var index Code
	if a.Index != nil {
		index = a.Index.Code
	}
	return m.model.ForEach(a.Array.Code, a.Item.Code, index,
		func() error { return m.nested(a.Content) })
}

func (m *Machine) assign(a *Assign) error {
	if a.Location.Err != nil {
		return a.Location.Err
	}
	if a.Value == nil {
		return m.model.Set(a.Location.Code, Value{})
	}
	if x := a.Value.Expr; x != nil {
		if x.Err != nil {
			return x.Err
		}
		return m.model.Assign(a.Location.Code, x.Code)
	}
	return m.model.Set(a.Location.Code, a.Value.Value)
}

func (m *Machine) run(x *Expression) error {
	if x.Err != nil {
		return x.Err
	}
	return m.model.Run(x.Code)
}

func (m *Machine) bool(x *Expression) (bool, error) {
	if x.Err != nil {
		return false, x.Err
	}
	return m.model.Bool(x.Code)
}

// value evaluates an expression; nil yields no value.
func (m *Machine) value(x *Expression) (Value, error) {
	if x == nil {
		return Value{}, nil
	}
	if x.Err != nil {
		return Value{}, x.Err
	}
	return m.model.Value(x.Code)
}

// given evaluates a value that the chart states.
func (m *Machine) given(g *Given) (Value, error) {
	if g == nil {
		return Value{}, nil
	}
	if g.Expr != nil {
		return m.value(g.Expr)
	}
	return g.Value, g.err
}

// text evaluates an attribute with two forms.
func (m *Machine) text(t Text) (string, error) {
	if t.Expr == nil {
		return t.Value, nil
	}
	if t.Expr.Err != nil {
		return "", t.Expr.Err
	}
	return m.model.Text(t.Expr.Code)
}

// conditionMatch evaluates a condition; if it fails, it counts as false and raises an event (X12).
func (m *Machine) conditionMatch(t *Transition) bool {
	if t.Cond == nil {
		return true
	}
	if m.broken() { // an earlier condition has used up the time of all scripts
		return false
	}
	holds, err := m.bool(t.Cond)
	if err != nil {
		m.failed = append(m.failed, t)
		m.fail(t.element, err)
		return false
	}
	return holds
}

// payload evaluates params and content. A failing param is left out and its error raises an event,
// unless strict is set, in which case the error is returned (X14).
func (m *Machine) payload(p *Payload, strict bool) (Value, error) {
	if p.Content != nil {
		return m.given(p.Content)
	}
	if len(p.Params) == 0 {
		return Value{}, nil
	}
	names, values, err := m.params(p, strict)
	if err != nil || len(names) == 0 {
		return Value{}, err
	}
	return object(names, values), nil
}

func (m *Machine) params(p *Payload, strict bool) (names []string, values []Value, err error) {
	for _, param := range p.Params {
		v, err := m.value(param.Expr)
		if err != nil {
			if strict {
				return nil, nil, err
			}
			m.fail(param.element, err)
			continue
		}
		names, values = append(names, param.Name), append(values, v)
	}
	return names, values, nil
}

// doneData evaluates the donedata of a final state. Data that fails is left out and raises
// error.execution first (X9, X18).
func (m *Machine) doneData(s *State) Value {
	if s.DoneData == nil {
		return Value{}
	}
	v, err := m.payload(s.DoneData, false)
	if err != nil {
		m.fail(s.element, err)
	}
	return v
}

// initializeDataModel declares all variables and sets their values unless binding is late (X3). For
// top-level data, values from an invoker take precedence.
func (m *Machine) initializeDataModel() {
	m.declare()
	for _, q := range m.chart.States {
		if !m.chart.Late || q.Kind == Root {
			m.initialize(q)
		}
	}
}

func (m *Machine) declare() {
	for _, q := range m.chart.States {
		for _, d := range q.Data {
			if d.variable.Err != nil {
				continue // reported when its value is set
			}
			if err := m.model.Declare(d.variable.Code); err != nil {
				m.fail(d.element, err)
			}
		}
	}
}

func (m *Machine) initializeLate(s *State) {
	if m.chart.Late && len(s.Data) > 0 && !m.initialized.isMember(s) {
		m.initialized.add(s)
		m.initialize(s)
	}
}

func (m *Machine) initialize(q *State) {
	for _, d := range q.Data {
		if err := m.initializeOne(q, d); err != nil {
			m.fail(d.element, err)
		}
	}
}

func (m *Machine) initializeOne(q *State, d *Data) error {
	if d.variable.Err != nil {
		return d.variable.Err
	}
	if v, ok := m.arguments.get(d.ID); ok && q.Kind == Root {
		return m.model.Set(d.variable.Code, v)
	}
	if d.Value == nil {
		return nil
	}
	if x := d.Value.Expr; x != nil {
		if x.Err != nil {
			return x.Err
		}
		return m.model.Assign(d.variable.Code, x.Code)
	}
	if d.Value.err != nil {
		return d.Value.err
	}
	return m.model.Set(d.variable.Code, d.Value.Value)
}

func (m *Machine) executeGlobalScripts() {
	for _, s := range m.chart.Scripts {
		m.executeContent(Block{s})
	}
	m.model.Ready()
}
