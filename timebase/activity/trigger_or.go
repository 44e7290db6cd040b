package activity

import (
	"strings"

	"gosmp/timebase"
)

// orTrigger emits the union of the time that its sources cover.
type orTrigger struct {
	triggerCore
	end   timebase.Time // the time up to which everything has been emitted
	began bool
}

// Or returns a trigger for the time that any of its parts covers, in the order in which the parts
// emit it. Time that was emitted or passed is not emitted again. Only the part of a span after the
// newest end is emitted, if there is any. A stamp is emitted if it is not earlier than the newest
// end; of several events with the same stamp, all are emitted.
func Or(parts ...Trigger) Trigger {
	o := &orTrigger{}
	o.triggerCore = combine("Or", parts)
	return o
}

func (o *orTrigger) part() part { return o }

func (o *orTrigger) accept(_ int, s timebase.Span) {
	if o.began && s.IsStamp() && s.Start < o.end {
		return
	}
	if o.began && !s.IsStamp() {
		s.Start = max(s.Start, o.end)
		if s.Empty() {
			return
		}
	}
	o.end, o.began = s.End, true
	o.emit(s)
}

func (o *orTrigger) reset() { o.began = false }

func (o *orTrigger) String() string { return "Or(" + names(o.inputs) + ")" }

func (o *orTrigger) waiting(from timebase.Time) string {
	all := make([]string, len(o.inputs))
	for i, p := range o.inputs {
		all[i] = p.waiting(from)
	}
	return "Or waits until " + strings.Join(all, ", or until ")
}
