package scxml

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

const maxTrail = 6

// countMicrostep counts a microstep and ends a machine that does not come to rest (X12). It returns
// false if the machine has ended.
func (m *Machine) countMicrostep(transitions []*Transition) bool {
	m.microsteps++
	if m.nearLimit() {
		m.trail = append(m.trail, transitions...)
		m.trail = m.trail[max(0, len(m.trail)-maxTrail):]
	}
	m.heed()
	if over := m.system.spend(m); m.running && over != "" {
		m.restless(over, m.trail)
	}
	if m.running && m.microsteps > m.system.options.Limits.Microsteps {
		m.restless(fmt.Sprintf("%d microsteps in one macrostep", m.microsteps-1), m.trail)
	}
	return m.running
}

// nearLimit reports whether a limit is so close that the machine's steps must be recorded.
func (m *Machine) nearLimit() bool {
	limits := &m.system.options.Limits
	if m.system.scarce() {
		return true
	}
	return m.microsteps > limits.Microsteps-maxTrail || m.subtotal > limits.Macrosteps-maxTrail
}

// countMacrostep does the same as countMicrostep for machines that send events to each other or to
// themselves without delay.
func (m *Machine) countMacrostep() bool {
	if m.instant != m.system.now {
		m.instant, m.subtotal = m.system.now, 0
	}
	m.heed()
	if m.subtotal++; m.running && m.subtotal > m.system.options.Limits.Macrosteps {
		m.restless(fmt.Sprintf("%d macrosteps at %s s", m.subtotal-1, Seconds(m.instant)), m.trail)
	}
	if over := m.system.spend(m); m.running && over != "" {
		m.restless(over, m.trail)
	}
	return m.running
}

// heed ends the machine if the context of the system has ended.
func (m *Machine) heed() {
	if cause := m.system.ended(); m.running && cause != nil {
		m.breakDown(fmt.Errorf("machine %s: %w", m.id, cause))
	}
}

func (m *Machine) restless(what string, trail []*Transition) {
	var steps []string
	trail = slices.Clone(trail)
	slices.SortFunc(trail, func(a, b *Transition) int { return a.order - b.order })
	for _, t := range trail {
		step := fmt.Sprintf("%s to %s in line %d", t.Source, targetText(t), t.Position.Line)
		if !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	at := m.chart.Root().Position
	if len(trail) > 0 {
		at = trail[0].Position
	}
	events := "no events"
	if list := slices.Compact(slices.Sorted(slices.Values(m.events))); len(list) > 0 {
		events = fmt.Sprintf("events %q", list)
	}
	m.breakDown(fault.New(ErrBounds, m.chart.place(at, "machine "+m.id),
		fmt.Sprintf("%s in %s, %s, transitions %s", what, strings.Join(m.Configuration(), " "),
			events, strings.Join(steps, ", ")), "transitions to end").
		WithHint("give one of them an event, or a cond that becomes false"))
}

func targetText(t *Transition) string {
	ids := make([]string, len(t.Targets))
	for i, q := range t.Targets {
		ids[i] = q.ID
	}
	if len(ids) == 0 {
		return "no target"
	}
	return strings.Join(ids, " ")
}
