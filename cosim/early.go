package cosim

import (
	"slices"

	"gosmp/timebase"
)

// Early is a participant whose step can begin before its turn, while others step.
type Early interface {
	// Begin begins a step over a span, whose result the next call of Step over the same span
	// returns, and reports whether it has begun it. The inputs already have their values. Until
	// Step is called, nothing of the step may be visible outside. The engine may never call Step:
	// then the next call of another method first waits for the end of the step. The argument is the
	// participant as the engine knows it: a wrapper around this participant may do more in Step, so
	// in that case nothing begins.
	Begin(as Participant, s timebase.Span) bool
	// DiscardsSoundly reports whether the participant is still where it was after any step that it
	// discards.
	DiscardsSoundly() bool
}

// agenda lists the steps that can begin before their turns.
type agenda struct {
	// ready lists the participants, by their positions in the order, whose steps can begin when the
	// first k participants have ended theirs.
	ready [][]int
	// halts holds the position of the next participant, from the k-th on, that may discard a step
	// that all then repeat in halves.
	halts []int
	// held means that steps could begin but for such a participant.
	held bool
}

// schedule finds out when the steps of participants can begin in [Sequential]: as soon as the
// participants from which they receive values have ended theirs. This does not affect the values,
// the order of results and errors, or which steps are performed. With Rollback, steps that have not
// begun yet may be taken back; with one thread, everything happens in order.
func (e *Engine) schedule() {
	if e.spec.Algorithm != Sequential || e.spec.Rollback || e.spec.Threads == 1 {
		return
	}
	n := len(e.order)
	e.agenda = agenda{ready: make([][]int, n), halts: make([]int, n+1)}
	e.agenda.halts[n] = n
	for k := n - 1; k >= 0; k-- {
		m := e.order[k]
		p, can := m.participant.(Early)
		e.agenda.halts[k] = e.agenda.halts[k+1]
		if m.traits.VariableSteps && (!can || p.DiscardsSoundly()) {
			e.agenda.halts[k] = k
		}
		if !can || m.every > 1 || len(m.lines) > 0 {
			continue
		}
		if first := e.provided(k); first < k {
			e.agenda.ready[first] = append(e.agenda.ready[first], k)
		}
	}
	for _, ready := range e.agenda.ready {
		slices.Reverse(ready)
	}
}

// provided returns how many participants must have ended a step before the k-th one can begin it.
func (e *Engine) provided(k int) (count int) {
	for _, l := range e.order[k].links {
		if !l.lags && !l.initial && l.from.source == nil {
			count = max(count, slices.Index(e.order[:k], l.from)+1)
		}
	}
	return count
}

// beginEarly begins the steps that can begin when the first k participants have ended theirs,
// unless a participant before them may discard a step that can still be repeated, that is, if no
// participant has advanced yet.
func (e *Engine) beginEarly(k int, s timebase.Span) {
	a := &e.agenda
	if a.ready == nil || len(a.ready[k]) == 0 && !a.held {
		return
	}
	final := e.moved()
	for first := 0; first < k && final && a.held; first++ {
		e.beginAll(a.ready[first], k, s, final)
	}
	a.held = a.held && !final
	e.beginAll(a.ready[k], k, s, final)
}

// beginAll begins the steps of participants whose turn comes after the k-th one.
func (e *Engine) beginAll(list []int, k int, s timebase.Span, final bool) {
	for _, n := range list {
		m := e.order[n]
		switch {
		case n <= k || m.begun || !m.due || m.now != s.Start || m.isAhead():
		case final || e.agenda.halts[k] >= n:
			m.begin(s)
		default:
			e.agenda.held = true
		}
	}
}

// beginTogether begins the steps of [Parallel] that do not need a thread of the host.
func (e *Engine) beginTogether(s timebase.Span) {
	if e.spec.Threads == 1 {
		return
	}
	for _, m := range e.order {
		if m.due && m.now == s.Start && m.every == 1 && len(m.lines) == 0 {
			if p, can := m.participant.(Early); can {
				m.begun = p.Begin(m.participant, s)
			}
		}
	}
}

// begin begins a step before its turn.
func (m *member) begin(s timebase.Span) {
	m.show()
	if m.fetch() == nil { // an error is reported in its turn
		m.begun = m.participant.(Early).Begin(m.participant, s)
	}
}
