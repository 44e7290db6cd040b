package scxml

import "slices"

// This file is Appendix D of the Recommendation, "Algorithm for SCXML Interpretation", with its
// names and in its order. Three things differ in form but not in effect. An OrderedSet of states is
// a stateSet, whose members are in entry order. Where the algorithm blocks on the external queue,
// interpret and external return to the system, which calls external with the next event. And where
// the algorithm speaks of a set of transitions, a slice holds them in the order selected.
//
// Two things differ in effect, both for transitions that lead from inside a state to a history of
// that state. Followed to the letter, the algorithm yields configurations that break the rules of
// section 3.11.
//
//   - The algorithm computes the domain of a transition once to leave states and again to enter
//     them, and in between it records histories. The second result may differ, in which case states
//     that were left are not entered again. Here, the first result is used; see microstep.
//   - The ancestors of a history's states are entered up to the history's parent, even if that is
//     still active because the domain of the transition lies inside it. Here, active states are not
//     entered; see addAncestorStatesToEnter.

// interpret runs the procedure of that name up to the first wait for an external event.
func (m *Machine) interpret() {
	m.running = true
	m.initializeDataModel()
	m.executeGlobalScripts()
	m.statesToInvoke.add(m.chart.Root())
	m.domains = append(m.domains[:0], m.chart.Root())
	m.enterStates(append(m.enabled[:0], m.chart.Root().Initial))
	m.mainEventLoop()
}

// mainEventLoop runs until there is nothing left to do but wait for an external event, or until the
// machine ends.
func (m *Machine) mainEventLoop() {
	m.microsteps = 0
	for m.running {
		m.macrostep()
		if !m.running {
			break
		}
		for i := m.statesToInvoke.next(0); i >= 0; i = m.statesToInvoke.next(i + 1) {
			for _, inv := range m.chart.States[i].Invokes {
				m.invoke(inv)
			}
		}
		m.statesToInvoke.clear()
		if m.internalQueue.isEmpty() {
			return
		}
	}
	m.exitInterpreter()
}

// macrostep takes eventless transitions and internal events until neither is left.
func (m *Machine) macrostep() {
	for macrostepDone := false; m.running && !macrostepDone; {
		enabledTransitions := m.selectEventlessTransitions()
		if len(enabledTransitions) == 0 {
			if m.internalQueue.isEmpty() {
				macrostepDone = true
			} else {
				internalEvent := m.takeInternal()
				m.setEvent(internalEvent)
				enabledTransitions = m.selectTransitions()
			}
		}
		switch {
		case len(enabledTransitions) > 0:
			m.microstep(enabledTransitions)
		case len(m.failed) > 0: // each failure raises an event, on which the condition fails again
			m.countMicrostep(m.failed)
		}
		m.failed = m.failed[:0]
	}
}

// external runs the part of mainEventLoop that handles one external event, and the macrostep that
// follows.
func (m *Machine) external(externalEvent Event) {
	m.setEvent(externalEvent)
	if len(m.invocations) > 0 {
		m.forwardAndFinalize()
	}
	if enabledTransitions := m.selectTransitions(); m.running && len(enabledTransitions) > 0 {
		m.microstep(enabledTransitions)
	}
	m.mainEventLoop()
}

// exitInterpreter leaves all active states, starting with the last one entered.
func (m *Machine) exitInterpreter() {
	for i := m.configuration.previous(
		len(m.chart.States) - 1); i >= 0; i = m.configuration.previous(i - 1) {
		s := m.chart.States[i]
		for _, content := range s.OnExit {
			m.executeContent(content)
		}
		m.cancelInvokes(s)
		m.leave(s)
		if s.Kind == Final && s.Parent.Kind == Root {
			m.returnDoneEvent(s)
		}
	}
	m.end()
}

func (m *Machine) selectEventlessTransitions() []*Transition {
	enabledTransitions := m.enabled[:0]
	for i := m.configuration.next(0); i >= 0; i = m.configuration.next(i + 1) {
		if state := m.chart.States[i]; state.isAtomic() {
		loop:
			for s := state; s != nil; s = s.Parent {
				for _, t := range s.Transitions {
					if t.eventless && m.conditionMatch(t) {
						enabledTransitions = m.addTransition(enabledTransitions, t)
						break loop
					}
				}
			}
		}
	}
	m.enabled = enabledTransitions
	return m.removeConflictingTransitions(enabledTransitions)
}

func (m *Machine) selectTransitions() []*Transition {
	enabledTransitions := m.enabled[:0]
	for i := m.configuration.next(0); i >= 0; i = m.configuration.next(i + 1) {
		if state := m.chart.States[i]; state.isAtomic() {
		loop:
			for s := state; s != nil; s = s.Parent {
				for _, t := range s.Transitions {
					if !t.eventless && t.matches(m.event.Name) && m.conditionMatch(t) {
						enabledTransitions = m.addTransition(enabledTransitions, t)
						break loop
					}
				}
			}
		}
	}
	m.enabled = enabledTransitions
	return m.removeConflictingTransitions(enabledTransitions)
}

// addTransition implements OrderedSet.add: several states in a parallel may select the same
// transition of a common ancestor.
func (m *Machine) addTransition(set []*Transition, t *Transition) []*Transition {
	const few = 16 // so many are compared faster than looked up
	if len(set) < few {
		if slices.Contains(set, t) {
			return set
		}
		return append(set, t)
	}
	if len(set) == few {
		if m.chosen == nil {
			m.chosen = map[*Transition]bool{}
		}
		clear(m.chosen)
		for _, member := range set {
			m.chosen[member] = true
		}
	}
	if m.chosen[t] {
		return set
	}
	m.chosen[t] = true
	return append(set, t)
}

func (m *Machine) removeConflictingTransitions(enabledTransitions []*Transition) []*Transition {
	filteredTransitions := m.filtered[:0]
	if len(enabledTransitions) == 1 {
		filteredTransitions = append(filteredTransitions, enabledTransitions[0])
		m.filtered = filteredTransitions
		return filteredTransitions
	}
	exits := m.exits[:0] // of the filtered transitions
	m.exit1.clear()      // the sets of all transitions, also of removed ones
	for _, t1 := range enabledTransitions {
		t1Preempted := false
		transitionsToRemove := m.removed[:0]
		exit1 := m.exitOf(t1)
		others := filteredTransitions
		if !exit1.meets(m.exit1) { // most transitions of parallel states
			others = nil
		}
		for k, t2 := range others {
			if exit1.with(exits[k]).meets(m.configuration) {
				if t1.Source.IsDescendant(t2.Source) {
					transitionsToRemove = append(transitionsToRemove, t2)
				} else {
					t1Preempted = true
					break
				}
			}
		}
		m.removed = transitionsToRemove
		if !t1Preempted {
			for _, t3 := range transitionsToRemove {
				i := slices.Index(filteredTransitions, t3)
				filteredTransitions = slices.Delete(filteredTransitions, i, i+1)
				exits = slices.Delete(exits, i, i+1)
			}
			filteredTransitions, exits = append(filteredTransitions, t1), append(exits, exit1)
			m.exit1.addRange(m.configuration, exit1)
		}
	}
	m.filtered, m.exits = filteredTransitions, exits
	return filteredTransitions
}

// exitSet is the range of the indices of the states within the domain of a transition. The active
// ones among them are the transition's exit set.
type exitSet struct{ first, last int }

// with returns what two exit sets have in common.
func (e exitSet) with(o exitSet) exitSet {
	return exitSet{max(e.first, o.first), min(e.last, o.last)}
}

// meets reports whether a state of a set is in the range.
func (e exitSet) meets(s stateSet) bool {
	if e.first > e.last {
		return false
	}
	i := s.next(e.first)
	return i >= 0 && i <= e.last
}

// exitOf returns the range of the states that a transition exits.
func (m *Machine) exitOf(t *Transition) exitSet {
	if len(t.Targets) == 0 {
		return exitSet{0, -1}
	}
	domain := m.getTransitionDomain(t)
	return exitSet{domain.index + 1, domain.last}
}

func (m *Machine) microstep(enabledTransitions []*Transition) {
	if !m.countMicrostep(enabledTransitions) {
		return
	}
	m.domains = m.domains[:0]
	for _, t := range enabledTransitions {
		m.domains = append(m.domains, m.getTransitionDomain(t))
	}
	m.exitStates(enabledTransitions)
	m.executeTransitionContent(enabledTransitions)
	m.enterStates(enabledTransitions)
}

func (m *Machine) exitStates(enabledTransitions []*Transition) {
	statesToExit := m.statesToExit
	statesToExit.clear()
	for _, t := range enabledTransitions {
		m.computeExitSet(t, statesToExit)
	}
	for i := statesToExit.next(0); i >= 0; i = statesToExit.next(i + 1) {
		s := m.chart.States[i]
		m.statesToInvoke.delete(s)
		for _, h := range s.Histories {
			m.recordHistory(h)
		}
	}
	for i := statesToExit.previous(len(m.chart.States) - 1); i >= 0; i = statesToExit.previous(
		i - 1) {
		s := m.chart.States[i]
		for _, content := range s.OnExit {
			m.executeContent(content)
		}
		m.cancelInvokes(s)
		m.leave(s)
	}
}

// recordHistory records the active atomic descendants of a deep history's parent, or the active
// children of a shallow history's parent.
func (m *Machine) recordHistory(h *State) {
	value := newStateSet(len(m.chart.States))
	for i := m.configuration.next(0); i >= 0; i = m.configuration.next(i + 1) {
		s0 := m.chart.States[i]
		if h.Deep && s0.isAtomic() && s0.IsDescendant(h.Parent) ||
			!h.Deep && s0.Parent == h.Parent {
			value.add(s0)
		}
	}
	m.historyValue[h.history] = value
}

func (m *Machine) computeExitSet(t *Transition, statesToExit stateSet) {
	statesToExit.addRange(m.configuration, m.exitOf(t))
}

func (m *Machine) executeTransitionContent(enabledTransitions []*Transition) {
	for _, t := range enabledTransitions {
		if m.observe != nil {
			m.record(Record{Kind: Followed, State: t.Source.String(), Text: targetText(t),
				Line: t.Position.Line})
		}
		m.executeContent(t.Content)
	}
}

func (m *Machine) isInFinalState(s *State) bool {
	switch s.Kind {
	case Compound:
		for _, child := range s.Children {
			if child.Kind == Final && m.configuration.isMember(child) {
				return true
			}
		}
		return false
	case Parallel:
		for _, child := range s.Children {
			if !m.isInFinalState(child) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func (m *Machine) getTransitionDomain(t *Transition) *State {
	if len(t.Targets) == 0 {
		return nil
	}
	effective := m.effective[:0]
	for _, s := range t.Targets {
		effective = m.getEffectiveTargetStates(effective, s)
	}
	m.effective = effective
	if t.Internal && t.Source.Kind == Compound && allDescendants(effective, t.Source) {
		return t.Source
	}
	return findLCCA(t.Source, effective)
}

func (m *Machine) getEffectiveTargetStates(list []*State, s *State) []*State {
	if s.Kind != History {
		return append(list, s)
	}
	if value := m.historyValue[s.history]; value != nil {
		for i := value.next(0); i >= 0; i = value.next(i + 1) {
			list = append(list, m.chart.States[i])
		}
		return list
	}
	for _, target := range s.Transitions[0].Targets {
		list = m.getEffectiveTargetStates(list, target)
	}
	return list
}

func findLCCA(source *State, others []*State) *State {
	for anc := source.Parent; ; anc = anc.Parent {
		if (anc.Kind == Compound || anc.Kind == Root) && allDescendants(others, anc) {
			return anc
		}
	}
}

func allDescendants(list []*State, of *State) bool {
	for _, s := range list {
		if !s.IsDescendant(of) {
			return false
		}
	}
	return true
}

func (q *State) isAtomic() bool { return q.Kind == Atomic || q.Kind == Final }
