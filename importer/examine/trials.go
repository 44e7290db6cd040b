package examine

import "slices"

// trialsOf lists the trials for an FMU: those on which others rely, in order, and the rest.
func trialsOf(s *subject) (first, rest []trial) {
	first = []trial{
		{rules: []string{"R2", "R1", "S1", "R16", "S5", "S6", "S8", "V20",
			"V21", "V22", "G2", "G6", "G4", "Q5", "Q6", "Q7"},
			make: plainLife, alone: true},
		{rules: []string{"R12", "V20", "R16"}, make: otherProcesses},
	}
	rest = slices.Concat(lifeTrials(), stateTrials(), timeTrials(), valueTrials(), logTrials(),
		neutralTrials(), processTrials(), eventTrials(), derivativeTrials(), discardTrials(),
		readingTrials(), hostTrials(), outsideTrials(), courseTrials(), updateTrials(),
		itemTrials())
	if len(s.osmp.Variables) > 0 {
		rest = append(rest, osmpTrials()...)
	}
	rest = append(rest, illegalTrials(s)...)
	return first, slices.DeleteFunc(rest, func(t trial) bool {
		return !slices.ContainsFunc(t.rules, func(id string) bool {
			_, concerns := ruleOf(s.major, id)
			return concerns
		})
	})
}

// unless returns the condition of a trial that is skipped if the FMU lacks something; why is the
// reported reason.
func unless(has func(s *subject) bool, why string) func(x *exam) string {
	return func(x *exam) string {
		if has(x.s) {
			return ""
		}
		return why
	}
}

// manyInstances is the condition of trials with several instances in a process.
func manyInstances(x *exam) string {
	if x.s.once() {
		return "canBeInstantiatedOnlyOncePerProcess is true"
	}
	return ""
}
