package trial

import (
	"slices"

	"gosmp/experiment/scxml"
)

// Alone judges a machine that runs without an experiment in the way that a [Trial] judges its
// machines. It follows the records of the machine and of those that it invokes.
type Alone struct {
	machine, file string
	errors        *errorLog
	taken         scxml.Record // the last event
	cause, by     scxml.Record // the last transition, and the event taken before it
}

// NewAlone returns the judge of a machine whose chart is in the file.
func NewAlone(machine, file string) *Alone {
	return &Alone{machine: machine, file: file, errors: newErrorLog(func(m string) string {
		if m == machine {
			return file
		}
		return ""
	})}
}

// See processes the next record.
func (a *Alone) See(r scxml.Record) {
	a.errors.see(r)
	if r.Machine != a.machine {
		return
	}
	switch r.Kind {
	case scxml.Took:
		a.taken = r
	case scxml.Followed:
		a.cause, a.by = r, a.taken
	}
}

// Errors returns the unhandled errors so far, and the number of different ones that were not kept.
// The machine must be at rest.
func (a *Alone) Errors() (list []MachineError, more int) {
	a.errors.rest()
	return slices.Clone(a.errors.List), a.errors.More
}

// Cause returns why a machine is undecided, with the first of its unhandled errors: the states in
// which it still is and what it waits for, or how it ended without a final state. It is "" for a
// machine that ended without such an error in a final state.
func (a *Alone) Cause(m *scxml.Machine) string {
	list, _ := a.Errors()
	why := ""
	switch id, _ := m.Outcome(); {
	case m.Err() != nil:
		why = m.Err().Error()
	case m.Running():
		why = waiting(m, a.file, causeText(a.file, a.cause, a.by))
	case id == "":
		why = outside
	}
	return both(why, list)
}
