package scxml

func (m *Machine) enterStates(enabledTransitions []*Transition) {
	m.statesToEnter.clear()
	m.statesForDefaultEntry.clear()
	m.defaultHistoryContent = m.defaultHistoryContent[:0]
	m.computeEntrySet(enabledTransitions)
	for i := m.statesToEnter.next(0); i >= 0; i = m.statesToEnter.next(i + 1) {
		s := m.chart.States[i]
		m.enter(s)
		m.statesToInvoke.add(s)
		m.initializeLate(s)
		for _, content := range s.OnEntry {
			m.executeContent(content)
		}
		if m.statesForDefaultEntry.isMember(s) {
			m.executeContent(s.Initial.Content)
		}
		for _, t := range m.defaultHistoryContent {
			if t.Source.Parent == s {
				m.executeContent(t.Content)
			}
		}
		if s.Kind == Final {
			m.enterFinal(s)
		}
	}
}

func (m *Machine) enterFinal(s *State) {
	if s.Parent.Kind == Root {
		m.running = false
		return
	}
	parent, grandparent := s.Parent, s.Parent.Parent
	m.raise(Event{Name: parent.doneEvent, Type: PlatformEvent, Data: m.doneData(s)})
	if grandparent.Kind == Parallel && m.isInFinalState(grandparent) {
		m.raise(Event{Name: grandparent.doneEvent, Type: PlatformEvent})
	}
}

func (m *Machine) computeEntrySet(transitions []*Transition) {
	for i, t := range transitions {
		for _, s := range t.Targets {
			m.addDescendantStatesToEnter(s)
		}
		if len(t.Targets) > 0 {
			m.addAncestorsOfEffectiveTargets(t.Targets, m.domains[i])
		}
	}
}

// addAncestorsOfEffectiveTargets implements the loop over getEffectiveTargetStates, which replaces
// a history with the states it represents.
func (m *Machine) addAncestorsOfEffectiveTargets(targets []*State, ancestor *State) {
	for _, s := range targets {
		if s.Kind != History {
			m.addAncestorStatesToEnter(s, ancestor)
		} else if value := m.historyValue[s.history]; value != nil {
			for i := value.next(0); i >= 0; i = value.next(i + 1) {
				m.addAncestorStatesToEnter(m.chart.States[i], ancestor)
			}
		} else {
			m.addAncestorsOfEffectiveTargets(s.Transitions[0].Targets, ancestor)
		}
	}
}

func (m *Machine) addDescendantStatesToEnter(state *State) {
	switch state.Kind {
	case History:
		m.addHistoryToEnter(state)
	case Compound:
		m.statesToEnter.add(state)
		m.statesForDefaultEntry.add(state)
		for _, s := range state.Initial.Targets {
			m.addDescendantStatesToEnter(s)
		}
		for _, s := range state.Initial.Targets {
			m.addAncestorStatesToEnter(s, state)
		}
	case Parallel:
		m.statesToEnter.add(state)
		m.addRegionsToEnter(state)
	default:
		m.statesToEnter.add(state)
	}
}

func (m *Machine) addHistoryToEnter(state *State) {
	if value := m.historyValue[state.history]; value != nil {
		for i := value.next(0); i >= 0; i = value.next(i + 1) {
			m.addDescendantStatesToEnter(m.chart.States[i])
		}
		for i := value.next(0); i >= 0; i = value.next(i + 1) {
			m.addAncestorStatesToEnter(m.chart.States[i], state.Parent)
		}
		return
	}
	m.setDefaultHistoryContent(state.Transitions[0])
	for _, s := range state.Transitions[0].Targets {
		m.addDescendantStatesToEnter(s)
	}
	for _, s := range state.Transitions[0].Targets {
		m.addAncestorStatesToEnter(s, state.Parent)
	}
}

// setDefaultHistoryContent sets an entry in the table defaultHistoryContent, which has one entry
// for each parent of histories.
func (m *Machine) setDefaultHistoryContent(t *Transition) {
	for i, other := range m.defaultHistoryContent {
		if other.Source.Parent == t.Source.Parent {
			m.defaultHistoryContent[i] = t
			return
		}
	}
	m.defaultHistoryContent = append(m.defaultHistoryContent, t)
}

func (m *Machine) addAncestorStatesToEnter(state, ancestor *State) {
	for anc := state.Parent; anc != ancestor && anc.Kind != Root &&
		!m.configuration.isMember(anc); anc = anc.Parent {
		m.statesToEnter.add(anc)
		if anc.Kind == Parallel {
			m.addRegionsToEnter(anc)
		}
	}
}

// addRegionsToEnter enters, by default, the regions of a parallel in which no state is entered yet.
func (m *Machine) addRegionsToEnter(parallel *State) {
	for _, child := range parallel.Children {
		if first := m.statesToEnter.next(child.index + 1); first < 0 || first > child.last {
			m.addDescendantStatesToEnter(child)
		}
	}
}
