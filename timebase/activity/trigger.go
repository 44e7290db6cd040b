package activity

import (
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Trigger is anything that gives an activity its time base: alarms and readers, and the
// combinations of other triggers that [And], [Or], [Regulate] and [RegulateGreedy] create. It emits
// spans, and stamps for events, in chronological order. The interface is closed: only this package
// implements it.
type Trigger interface {
	// String names the trigger and its parts.
	String() string
	// part returns the trigger as seen by the engine. Readers differ in the type of their payload,
	// but their parts do not.
	part() part
}

// part is the internal interface of a trigger.
type part interface {
	String() string
	trigger() *triggerCore
	// waiting describes what must happen before the trigger emits its next span that extends beyond
	// from.
	waiting(from timebase.Time) string
	save(*encoder)
	load(*decoder)
}

// partOf returns the part of a trigger, or nil if there is none.
func partOf(t Trigger) part {
	if t == nil {
		return nil
	}
	return t.part()
}

// listener receives the spans of a trigger; input is the index of the input on which they arrive.
type listener interface {
	accept(input int, s timebase.Span)
}

type target struct {
	listener listener
	input    int
}

// triggerCore is the common part of all triggers: the listeners that receive their spans.
type triggerCore struct {
	node    *Node
	inputs  []part
	targets []target
	tour    int // the latest tour of Node.wire, or of saving, that visited this trigger
}

func (c *triggerCore) trigger() *triggerCore { return c }

func (c *triggerCore) emit(s timebase.Span) {
	targets := c.targets
	for i := range targets {
		t := &targets[i]
		t.listener.accept(t.input, s)
	}
}

// nodeOf returns the node of the first trigger that has one. If the triggers belong to different
// nodes, it records a mistake there.
func nodeOf(what string, triggers []Trigger) *Node {
	var n *Node
	for _, t := range triggers {
		if t == nil {
			continue
		}
		other := t.part().trigger().node
		if n == nil {
			n = other
		} else if other != nil && other != n {
			n.mistake(fault.New(ErrSpec, fault.At(what), "triggers of different nodes", "one node"))
		}
	}
	return n
}

// combine checks the parts of a combination, leaves out nil parts, and records each of them as a
// mistake.
func combine(what string, triggers []Trigger) triggerCore {
	n := nodeOf(what, triggers)
	parts := make([]part, 0, len(triggers))
	for _, t := range triggers {
		if t != nil {
			parts = append(parts, t.part())
		} else if n != nil {
			n.mistake(fault.New(ErrSpec, fault.At(what), "a nil trigger",
				"an alarm, a reader or a combination"))
		}
	}
	if n != nil {
		_ = n.build(what) // Err reports it; the trigger stays unconnected
	}
	return triggerCore{node: n, inputs: parts}
}
