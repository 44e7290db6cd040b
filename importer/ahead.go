package importer

import (
	"gosmp/cosim"
	"gosmp/importer/worker"
	"gosmp/timebase"
)

// DiscardsSoundly reports whether a discarded step leaves the FMU unchanged, which only FMI 3.0
// requires.
func (i *Instance) DiscardsSoundly() bool { return i.fmu.Model.Major() == 3 }

// Begin begins a step before its turn, in a process that no other instance uses. The reply waits
// for [Instance.Step], and so do the messages that the FMU logs.
func (i *Instance) Begin(as cosim.Participant, s timebase.Span) bool {
	if !worker.Overlaps || as != cosim.Participant(i) || i.o.Shared || i.begun || !i.isPlain() ||
		i.flight.course != nil && i.flight.course.ahead {
		return false
	}
	published := i.published
	i.stepEnd = s.End
	if i.prepare(s, s.End) == nil {
		i.arguments.Slot, i.arguments.Major = i.slot, int(i.fmu.Model.Major())
		i.lastText.Store(nil)
		i.begun = i.process.Begin(worker.Step, &i.arguments)
	}
	if !i.begun {
		i.published = published
	}
	return i.begun
}

// begunStep waits for the reply to a step started by Begin, if there is one.
func (i *Instance) begunStep() (r worker.Reply, is bool, err error) {
	if !i.begun {
		return r, false, nil
	}
	i.begun = false
	r, err = i.process.End(i.o.Timeout)
	r, err = i.judge(worker.Step, r, err)
	return r, true, err
}
