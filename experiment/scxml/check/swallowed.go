package check

import (
	"fmt"
	"slices"

	"gosmp/experiment/scxml"
)

// taken is a set of event descriptors, each with a transition that takes all events that match it.
// No descriptor in it covers another one.
type taken map[string]*scxml.Transition

// covering returns the transition that takes everything that a descriptor matches, or nil.
func (s taken) covering(d string) *scxml.Transition {
	if t := s["*"]; t != nil {
		return t
	}
	if isLong(d) {
		return nil
	}
	for _, prefix := range prefixes(d) {
		if t := s[prefix]; t != nil {
			return t
		}
	}
	return nil
}

// all returns the last of the transitions that take everything that t matches, or nil.
func (s taken) all(t *scxml.Transition) (by *scxml.Transition) {
	for _, d := range t.Events {
		found := s.covering(d)
		if found == nil {
			return nil
		}
		if by == nil || found.Position.Line > by.Position.Line {
			by = found
		}
	}
	return by
}

// minimal returns the set without descriptors that others cover.
func (s taken) minimal() taken {
	all := taken{}
	for d, t := range s {
		others := prefixes(d)
		covered := d != "*" && s["*"] != nil || slices.ContainsFunc(others[min(1, len(others)):],
			func(prefix string) bool { return s[prefix] != nil })
		if !covered {
			all[d] = t
		}
	}
	return all
}

// takenInside returns for each state the events that never reach it while a state inside it is
// active: on each way to an atomic state, a transition without a condition takes them.
func (c *checker) takenInside(constants *scxml.Constants) map[*scxml.State]taken {
	inside, all := map[*scxml.State]taken{}, map[*scxml.State]taken{}
	for _, q := range slices.Backward(c.chart.States) { // children before their parents
		inside[q] = byAll(q, all)
		own := taken{}
		for d, t := range inside[q] {
			own[d] = t
		}
		for _, t := range q.Transitions {
			if holds, _ := constants.Holds(t.Cond); q.Kind == scxml.History || t.Eventless() ||
				t.Cond != nil && !holds {
				continue
			}
			for _, d := range t.Events {
				if !isLong(d) {
					own[d] = t
				}
			}
		}
		all[q] = own.minimal()
	}
	return inside
}

// byAll returns the events that all states directly inside a state take. At most one descriptor of
// each of them covers an event.
func byAll(q *scxml.State, all map[*scxml.State]taken) taken {
	count, first, states := map[string]int{}, taken{}, 0
	for _, child := range q.Children {
		if child.Kind == scxml.History {
			continue
		}
		states++
		for d, t := range all[child] {
			if count[d]++; count[d] == 1 {
				first[d] = t
			}
		}
	}
	both := taken{}
	for d, t := range first {
		n := count["*"]
		if d != "*" {
			for _, prefix := range prefixes(d) {
				n += count[prefix]
			}
		}
		if n == states {
			both[d] = t
		}
	}
	return both
}

// hidden finds targetless transitions of a judge that take an event for which an enclosing state
// has a transition, unless that only leads to success. Such a transition may be meant to ignore
// the event if it names it. Otherwise, the judge does not see the event.
func (c *checker) hidden(constants *scxml.Constants, inside map[*scxml.State]taken,
	dead map[*scxml.Transition]bool) {
	if !c.options.Evaluation {
		return
	}
	wanted := map[*scxml.State]map[string][]wish{}
	for _, q := range c.chart.States {
		wanted[q] = wantedBy(q, dead)
		for k, t := range q.Transitions {
			holds, _ := constants.Holds(t.Cond)
			if q.Kind == scxml.History || t.Eventless() || len(t.Targets) > 0 ||
				t.Cond != nil && !holds || dead[t] {
				continue
			}
			// A parallel state leaves events to its own transitions if one region takes none.
			for outer := q.Parent; outer != nil && !hasRegions(outer); outer = outer.Parent {
				if c.hides(t, q.Transitions[:k], inside[q], wanted[outer]) {
					break
				}
			}
		}
	}
}

// hasRegions reports whether a state is parallel and has several regions.
func hasRegions(q *scxml.State) bool {
	regions := 0
	for _, child := range q.Children {
		if child.Kind != scxml.History {
			regions++
		}
	}
	return q.Kind == scxml.Parallel && regions > 1
}

// wish is an event descriptor of a transition that should see its events.
type wish struct {
	event string
	by    *scxml.Transition
}

// wantedBy returns the events for which transitions leave a state other than to success, by their
// descriptors and all descriptors that cover those.
func wantedBy(q *scxml.State, dead map[*scxml.Transition]bool) map[string][]wish {
	all := map[string][]wish{}
	for _, t := range q.Transitions {
		if len(t.Targets) == 0 || toSuccess(t) || dead[t] {
			continue
		}
		for _, d := range t.Events {
			if isLong(d) {
				continue
			}
			covering := append(prefixes(d), "*")
			slices.Sort(covering)
			for _, prefix := range slices.Compact(covering) {
				all[prefix] = append(all[prefix], wish{d, t})
			}
		}
	}
	return all
}

// hides reports the first event that a targetless transition hides from those who want it.
func (c *checker) hides(t *scxml.Transition, earlier []*scxml.Transition, inside taken,
	wanted map[string][]wish) bool {
	for _, d := range t.Events {
		for _, w := range wanted[d] {
			if c.hidesOne(t, earlier, inside, w) {
				return true
			}
		}
	}
	return false
}

func (c *checker) hidesOne(t *scxml.Transition, earlier []*scxml.Transition, inside taken,
	w wish) bool {
	own := func(other *scxml.Transition) bool {
		return slices.ContainsFunc(other.Events,
			func(e string) bool { return e == w.event || scxml.MatchEvent(e, w.event) })
	}
	if slices.ContainsFunc(earlier, own) || inside.covering(w.event) != nil {
		return false
	}
	report := c.blind
	if w.event != "*" && slices.Contains(t.Events, w.event) {
		report = c.warn
	}
	report(SX21, t.Position, fmt.Sprintf("the transition takes the event %q and stays in "+
		"the state %q, so the transition in line %d is not taken", w.event, t.Source,
		w.by.Position.Line), "name only the events that it is meant for, or add a cond")
	return true
}
