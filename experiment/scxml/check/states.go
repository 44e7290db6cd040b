package check

import (
	"fmt"
	"slices"

	"gosmp/experiment/scxml"
)

// reach is the set of states that may become active, counted generously: every transition of an
// active state may be taken.
type reach map[*scxml.State]bool

func reachFrom(root *scxml.State) reach {
	r := reach{}
	r.enter(root)
	return r
}

// enter adds a state with all that is entered with it.
func (r reach) enter(q *scxml.State) {
	if r[q] {
		return
	}
	r[q] = true
	if q.Parent != nil {
		r.enter(q.Parent)
	}
	switch {
	case q.Kind == scxml.Parallel:
		for _, child := range q.Children {
			r.enter(child)
		}
	case q.Initial != nil:
		r.targets(q.Initial)
	}
	for _, t := range q.Transitions {
		r.targets(t)
	}
}

func (r reach) targets(t *scxml.Transition) {
	for _, q := range t.Targets {
		r.enter(q)
	}
}

func (c *checker) reachable() {
	// A compound is entered by its initial only if nothing targets states inside it; entering the
	// initial always is generous.
	found := reachFrom(c.chart.Root())
	for _, q := range c.chart.States {
		if !found[q] && q.Kind != scxml.History && found[q.Parent] {
			c.warn(SX20, q.Position, fmt.Sprintf("%s %q cannot be reached", q.Kind, q.ID), "add a transition to it, or remove it")
		}
	}
	c.finals(found)
}

func (c *checker) finals(found reach) {
	var finals, reached []string
	for _, q := range c.chart.Root().Children {
		if q.Kind == scxml.Final {
			finals = append(finals, q.ID)
			if found[q] {
				reached = append(reached, q.ID)
			}
		}
	}
	at := c.chart.Root().Position
	if c.options.Evaluation {
		for _, want := range []string{"success", "failure"} {
			if !slices.Contains(finals, want) {
				c.warn(SX24, at, fmt.Sprintf("the evaluation has no top-level final %q", want), fmt.Sprintf("add <final id=%q/>", want))
			}
		}
	}
	if len(finals) > 0 && len(reached) == 0 {
		c.warn(SX24, at, "no top-level final can be reached: the machine never ends", "add a transition to one of them")
	}
}

// shadowed finds transitions that never come to their turn (SX21).
func (c *checker) shadowed() {
	for _, q := range c.chart.States {
		if q.Kind == scxml.History {
			continue
		}
		for i, t := range q.Transitions {
			if by := shadowing(q.Transitions[:i], t); by != nil {
				c.warn(SX21, t.Position, fmt.Sprintf("the transition is never taken: the one in line %d always comes first", by.Position.Line),
					"put it first, or give the other one a cond")
			}
		}
	}
}

// shadowing is the last of the earlier unconditional transitions that together match all that t
// matches, or nil.
func shadowing(earlier []*scxml.Transition, t *scxml.Transition) (by *scxml.Transition) {
	if t.Eventless() {
		for _, e := range earlier {
			if e.Eventless() && e.Cond == nil {
				return e
			}
		}
		return nil
	}
	for _, d := range t.Events {
		var found *scxml.Transition
		for _, e := range earlier {
			if e.Cond == nil && slices.ContainsFunc(e.Events, func(other string) bool { return covers(other, d) }) {
				found = e
				break
			}
		}
		if found == nil {
			return nil
		}
		by = found
	}
	return by
}

// covers reports whether a descriptor matches all that another one matches.
func covers(d, other string) bool { return d == "*" || other != "*" && scxml.MatchEvent(d, other) }

// stuck finds atomic states that no transition leaves (SX25).
func (c *checker) stuck() {
	for _, q := range c.chart.States {
		if q.Kind == scxml.Atomic && !slices.ContainsFunc(c.transitions, func(t *scxml.Transition) bool { return leaves(t, q) }) {
			c.warn(SX25, q.Position, fmt.Sprintf("state %q has no way out", q.ID), "add a transition, or make it a <final>")
		}
	}
}

// leaves reports whether a transition can exit an atomic state: it has a target, and state and
// source are active together.
func leaves(t *scxml.Transition, q *scxml.State) bool {
	if len(t.Targets) == 0 {
		return false
	}
	if t.Source == q || q.IsDescendant(t.Source) {
		return true
	}
	// The source is in another region: the transition must leave the parallel around both.
	for anc := q.Parent; anc != nil; anc = anc.Parent {
		if t.Source.IsDescendant(anc) {
			return anc.Kind == scxml.Parallel && slices.ContainsFunc(t.Targets, func(target *scxml.State) bool {
				return !sameRegion(anc, t.Source, target)
			})
		}
	}
	return false
}

func sameRegion(parallel, a, b *scxml.State) bool {
	for _, region := range parallel.Children {
		if (a == region || a.IsDescendant(region)) && b.IsDescendant(region) {
			return true
		}
	}
	return false
}

// circular finds eventless transitions that lead back to where they start, without a condition
// (SX27).
func (c *checker) circular() {
	reported := map[*scxml.State]bool{}
	for _, q := range c.chart.States {
		t := freeway(q)
		if t == nil || reported[q] {
			continue
		}
		seen := map[*scxml.State]bool{}
		for at := t; at != nil && !seen[at.Source]; {
			seen[at.Source] = true
			at = onward(at)
			if at != nil && at.Source == q {
				c.warn(SX27, t.Position, fmt.Sprintf("eventless transitions without cond lead from %q back to it", q.ID),
					"give one of them an event or a cond")
				for s := range seen {
					reported[s] = true
				}
				break
			}
		}
	}
}

// freeway is the first transition of a state that is taken as soon as the state is active, or nil.
func freeway(q *scxml.State) *scxml.Transition {
	if q.Kind == scxml.History {
		return nil
	}
	for _, t := range q.Transitions {
		if t.Eventless() && t.Cond == nil && len(t.Targets) > 0 {
			return t
		}
	}
	return nil
}

// onward is the transition that is taken next, after one that has a single target, followed down
// its defaults and up again.
func onward(t *scxml.Transition) *scxml.Transition {
	if len(t.Targets) != 1 {
		return nil
	}
	q := t.Targets[0]
	for q.Kind == scxml.Compound && len(q.Initial.Targets) == 1 {
		q = q.Initial.Targets[0]
	}
	for ; q != nil; q = q.Parent {
		if next := freeway(q); next != nil {
			return next
		}
	}
	return nil
}
