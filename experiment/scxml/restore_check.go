package scxml

import (
	"encoding/json"
	"fmt"
	"math/bits"
)

// A saved state may be untrusted. The functions below check everything that the interpreter relies
// on.

// checkMachine refuses states that a machine of the chart cannot reach.
func (r *stateReader) checkMachine(m *Machine) {
	sets := append([]stateSet{m.configuration, m.initialized}, m.historyValue...)
	for _, set := range sets {
		if set.last() >= len(m.chart.States) {
			r.refuse("a state that the chart of machine "+m.id+" does not have",
				"one of its states")
			return
		}
	}
	for _, q := range m.chart.States {
		if q.Kind == History {
			r.checkHistory(m, q)
		}
	}
	if m.running {
		r.checkConfiguration(m)
	}
	r.checkValue(m, m.result)
	r.checkValue(m, m.event.Data)
}

// last returns the last member, or -1.
func (s stateSet) last() int {
	for w := len(s) - 1; w >= 0; w-- {
		if s[w] != 0 {
			return w<<6 + bits.Len64(s[w]) - 1
		}
	}
	return -1
}

// checkHistory refuses a value that recordHistory cannot produce: it must have one state of each
// part that was left.
func (r *stateReader) checkHistory(m *Machine, h *State) {
	value := m.historyValue[h.history]
	if value == nil {
		return
	}
	for i := value.next(0); i >= 0; i = value.next(i + 1) {
		q := m.chart.States[i]
		fits := q.Parent == h.Parent
		if h.Deep {
			fits = q.isAtomic() && q.IsDescendant(h.Parent)
		}
		if !fits || q.Kind == History {
			r.refuse(fmt.Sprintf("state %s in history %s", q.ID, h.ID), "states that it can record")
			return
		}
	}
	closed := newStateSet(len(m.chart.States))
	for i := value.next(0); i >= 0; i = value.next(i + 1) {
		for q := m.chart.States[i]; q != h.Parent; q = q.Parent {
			closed.add(q)
		}
	}
	if closed.last() < 0 {
		r.refuse("nothing in history "+h.ID, "states that it can record")
	}
	r.checkParts(m, h.Parent, closed, h.Deep)
}

// checkConfiguration refuses configurations that violate section 3.11 of the Recommendation.
func (r *stateReader) checkConfiguration(m *Machine) {
	for i := m.configuration.next(0); i >= 0; i = m.configuration.next(i + 1) {
		q := m.chart.States[i]
		if q.Kind == History || q.Kind == Root ||
			q.Parent.Kind != Root && !m.configuration.isMember(q.Parent) {
			r.refuse(fmt.Sprintf("state %s active in machine %s", q.ID, m.id),
				"a legal configuration")
			return
		}
	}
	r.checkParts(m, m.chart.Root(), m.configuration, true)
}

// checkParts counts the active children of an active state and, if below is set, of its
// descendants.
func (r *stateReader) checkParts(m *Machine, q *State, active stateSet, below bool) {
	n := 0
	for _, child := range q.Children {
		if !active.isMember(child) {
			continue
		}
		n++
		if below {
			r.checkParts(m, child, active, below)
		}
	}
	want := len(q.Children)
	if q.Kind == Compound || q.Kind == Root {
		want = 1
	}
	if n != want {
		r.refuse(fmt.Sprintf("%d active states in state %q of machine %s", n, q.ID, m.id),
			fmt.Sprint(want))
	}
}

// checkValue refuses a text that is not a value.
func (r *stateReader) checkValue(m *Machine, v Value) {
	if text := v.text; text != "" && text[0] != '<' && !json.Valid([]byte(text)) {
		r.refuse(fmt.Sprintf("%.40q as a value of machine %s", text, m.id), "JSON, XML or nothing")
	}
}
