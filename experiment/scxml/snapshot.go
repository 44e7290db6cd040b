package scxml

import (
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/state"
)

const stateMagic = "scxml system 2\n"

// ErrState is the kind of error for bytes that are not the state of this system, and for a machine
// that cannot be saved.
var ErrState = state.ErrState

// AppendState appends the state of all machines (X23): configurations, histories, waiting events,
// timers, data, and the counters that the rest of the run depends on. If a variable cannot be
// written as JSON, it fails with an error that names the variable.
func (s *System) AppendState(b []byte) ([]byte, error) {
	if s.busy {
		return nil, fault.New(ErrBusy, fault.At("statecharts"), "", "")
	}
	start := len(b)
	w := stateWriter{system: s, b: append(b, stateMagic...)}
	w.number(int64(s.now))
	w.number(int64(s.sequence))
	w.number(int64(s.sessions))
	w.number(int64(len(s.machines)))
	for _, m := range s.machines {
		if err := w.machine(m); err != nil {
			return nil, err
		}
	}
	for _, m := range s.machines {
		w.invocations(m)
	}
	s.compact()
	waiting := slices.Clone(s.agenda)
	slices.SortFunc(waiting, func(a, c appointment) int {
		if a.before(&c) {
			return -1
		}
		return 1
	})
	w.number(int64(len(waiting)))
	for i := range waiting {
		w.appointment(&waiting[i])
	}
	return state.Seal(w.b, start), nil
}

type stateWriter struct {
	system *System
	b      []byte
}

func (w *stateWriter) number(x int64)   { w.b = state.AppendUint64(w.b, uint64(x)) }
func (w *stateWriter) text(text string) { w.b = state.AppendString(w.b, text) }
func (w *stateWriter) flag(x bool)      { w.b = state.AppendBool(w.b, x) }
func (w *stateWriter) set(set stateSet) {
	for _, word := range set {
		w.b = state.AppendUint64(w.b, word)
	}
}

// index writes the index of a machine, or -1 for none or for one that ended and was dropped.
func (w *stateWriter) index(m *Machine) { w.number(int64(slices.Index(w.system.machines, m))) }

func (w *stateWriter) machine(m *Machine) error {
	w.text(m.id)
	w.index(m.parent)
	w.text(m.invokeID)
	w.number(int64(m.origin.inline))
	w.text(m.origin.file)
	w.text(m.origin.text)
	w.number(int64(m.chart.sum))
	w.flag(m.started)
	w.flag(m.running)
	for _, x := range []uint64{m.sends, m.invokes, uint64(m.subtotal), uint64(m.instant)} {
		w.number(int64(x))
	}
	w.set(m.configuration)
	w.set(m.initialized)
	for _, value := range m.historyValue {
		w.flag(value != nil)
		w.set(value)
	}
	w.flag(m.eventBound)
	w.event(&m.event)
	outcome := -1
	if m.outcome != nil {
		outcome = m.outcome.index
	}
	w.number(int64(outcome))
	w.text(m.result.text)
	failure := ""
	if m.failure != nil {
		failure = m.failure.Error()
	}
	w.text(failure)
	var data []byte
	if m.started {
		var err error
		if data, err = m.model.Save(); err != nil {
			return fault.Wrap(ErrState, m.chart.place(m.chart.Root().Position, "machine "+m.id),
				err)
		}
	}
	w.b = state.AppendBytes(w.b, data)
	return nil
}

func (w *stateWriter) event(e *Event) {
	w.b = append(w.b, byte(e.Type))
	for _, text := range []string{e.Name, e.SendID, e.Origin, e.OriginType, e.InvokeID,
		e.Data.text} {
		w.text(text)
	}
}

func (w *stateWriter) invocations(m *Machine) {
	w.number(int64(len(m.invocations)))
	for _, i := range m.invocations {
		w.number(int64(i.invoke.index))
		w.text(i.id)
		w.index(i.child)
	}
}

func (w *stateWriter) appointment(a *appointment) {
	w.number(int64(a.due))
	w.number(int64(a.sequence))
	w.flag(a.from != nil)
	w.index(a.from)
	w.index(a.to)
	w.flag(a.delayed)
	w.event(&a.event)
	for _, text := range []string{a.id, a.kind, a.target} {
		w.text(text)
	}
	w.number(int64(a.line))
}
