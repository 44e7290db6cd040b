package scxml

import (
	"fmt"
	"strings"
)

func (b *builder) transition(e *Element, source *State) *Transition {
	t := &Transition{Source: source, Position: e.Position, element: e}
	events, given := e.Attr("event")
	t.eventless = !given
	t.Events, t.wildcard = b.descriptors(e, events)
	t.Cond = b.expression(e, "cond", Condition)
	t.Internal = b.choice(e, "type", "external", "internal") == "internal"
	targets, hasTarget := e.Attr("target")
	if t.unresolved = !hasTarget; hasTarget {
		b.pending = append(b.pending, pending{t, targets, e.At("target"), "target"})
	}
	if !hasTarget && t.eventless && t.Cond == nil && source.Kind != History &&
		e != initialTransition(source) {
		b.later(SX09, e.Position, "the transition has neither event nor cond nor target",
			"add one of them")
	}
	t.Content = b.block(e)
	t.order = b.orders
	b.orders++
	return t
}

// descriptors reads the attribute event. A malformed descriptor is reported and matches nothing.
func (b *builder) descriptors(e *Element, text string) (list []string, wildcard bool) {
	fields := strings.Fields(text)
	if _, given := e.Attr("event"); given && len(fields) == 0 {
		b.later(SX10, e.At("event"), "the attribute event is empty, which matches no event",
			"name an event, or remove the attribute")
	}
	for _, d := range fields {
		if !validDescriptor(d) {
			b.later(SX10, e.At("event"), fmt.Sprintf("the event descriptor %q is malformed", d),
				"write names separated by dots, with an optional .* at the end")
			continue
		}
		d = strings.TrimSuffix(strings.TrimSuffix(d, "*"), ".")
		if d == "" {
			wildcard, d = true, "*"
		}
		list = append(list, d)
	}
	return list, wildcard
}

func initialTransition(q *State) *Element {
	if i := q.element.child("initial"); i != nil {
		return i.child("transition")
	}
	return nil
}

// validDescriptor accepts names separated by dots; "*" stands alone or last.
func validDescriptor(d string) bool {
	if d == "*" || d == ".*" {
		return true
	}
	d = strings.TrimSuffix(strings.TrimSuffix(d, ".*"), ".")
	return validEvent(d)
}

func validEvent(name string) bool {
	if name == "" {
		return false
	}
	for _, part := range strings.Split(name, ".") {
		if part == "" || strings.ContainsAny(part, "* \t\r\n") {
			return false
		}
	}
	return true
}
