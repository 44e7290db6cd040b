package check

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gosmp/experiment/scxml"
)

// circular finds eventless transitions without cond that lead back to where they start (SX27).
// Starting from a state with such a transition, entered as if it were a target, it follows the
// steps that a machine must take as long as only transitions without cond can be taken. Where a
// cond or a history comes first, the next step depends on the run, and the search ends.
func (c *checker) circular() {
	f := follower{order: c.order, seen: map[string]int{}, budget: maxFollowed}
	for start, q := range c.chart.States {
		t, certain := first(q)
		if t == nil || !certain || f.budget <= 0 {
			continue
		}
		if found := f.follow(q, start); found != nil {
			c.warn(SX27, found.Position,
				fmt.Sprintf("eventless transitions without cond lead from %q back to itself",
					found.Source),
				"give one of them an event or a cond")
		}
	}
}

// maxFollowed bounds the number of active states that the search examines in total.
const maxFollowed = 1_000_000

// follower follows eventless transitions from one configuration to the next. Each configuration is
// followed once, no matter how many paths lead to it.
type follower struct {
	order  map[*scxml.State]int
	seen   map[string]int // configurations, with the start from which they were first reached
	budget int
}

// follow returns the first transition of a cycle that was not found before, or nil.
func (f *follower) follow(q *scxml.State, start int) *scxml.Transition {
	active, ok := f.fill(f.child(q, nil), []*scxml.State{q})
	for ok && f.budget > 0 {
		key := f.key(active)
		if by, before := f.seen[key]; before {
			if by != start {
				return nil
			}
			return f.earliest(active)
		}
		f.seen[key] = start
		_, active, ok = f.step(active)
	}
	return nil
}

// earliest goes once around a cycle and returns its first transition in document order.
func (f *follower) earliest(active []*scxml.State) (found *scxml.Transition) {
	for begin := f.key(active); ; {
		taken, next, _ := f.step(active)
		for _, t := range taken {
			if found == nil || f.order[t.Source] < f.order[found.Source] {
				found = t
			}
		}
		if active = next; f.key(active) == begin || f.budget <= 0 {
			return found
		}
	}
}

func (f *follower) key(active []*scxml.State) string {
	b := make([]byte, 0, 4*len(active))
	for _, q := range active {
		b = binary.AppendUvarint(b, uint64(f.order[q]))
	}
	return string(b)
}

// first returns the first eventless transition of a state; it is certain if it has no cond and has
// a target.
func first(q *scxml.State) (t *scxml.Transition, certain bool) {
	if q.Kind == scxml.History {
		return nil, false
	}
	for _, t := range q.Transitions {
		if t.Eventless() {
			return t, t.Cond == nil && len(t.Targets) > 0
		}
	}
	return nil, false
}

// step performs what a machine does in one microstep of a configuration, given as its active atomic
// states in document order; ok is false if there is nothing to do, or if the next step is
// uncertain.
func (f *follower) step(active []*scxml.State) (taken []*scxml.Transition, next []*scxml.State,
	ok bool) {
	var steps []followed
	for _, q := range active {
		for s := q; s != nil; s = s.Parent {
			f.budget--
			t, certain := first(s)
			if t == nil {
				continue
			}
			if !certain {
				return nil, nil, false
			}
			f.budget -= len(steps) + len(t.Targets)
			steps = prefer(steps, followed{t, domainOf(t)})
			break
		}
	}
	next = active
	for _, s := range steps {
		if next, ok = f.take(next, s); !ok {
			return nil, nil, false
		}
		taken = append(taken, s.transition)
	}
	return taken, next, len(taken) > 0
}

// followed is a transition with the state whose descendants it leaves.
type followed struct {
	transition *scxml.Transition
	domain     *scxml.State
}

// prefer adds a transition to those that are taken together. If two leave the same states, the one
// whose source lies inside the other's source is taken, or otherwise the earlier one (X5).
func prefer(steps []followed, s followed) []followed {
	meets := func(other followed) bool {
		return other.domain == s.domain || other.domain.IsDescendant(s.domain) ||
			s.domain.IsDescendant(other.domain)
	}
	for _, other := range steps {
		if other.transition == s.transition || meets(other) && !s.transition.Source.IsDescendant(
			other.transition.Source) {
			return steps
		}
	}
	return append(slices.DeleteFunc(steps, meets), s)
}

// domainOf returns the state whose descendants a transition leaves (X6).
func domainOf(t *scxml.Transition) *scxml.State {
	inside := func(q *scxml.State) bool {
		return !slices.ContainsFunc(t.Targets,
			func(target *scxml.State) bool { return !target.IsDescendant(q) })
	}
	if t.Internal && t.Source.Kind == scxml.Compound && inside(t.Source) {
		return t.Source
	}
	for q := t.Source.Parent; q != nil; q = q.Parent {
		if (q.Kind == scxml.Compound || q.Kind == scxml.Root) && inside(q) {
			return q
		}
	}
	return t.Source // the root, which has no parent
}

// take leaves the states of a transition's domain and enters its targets.
func (f *follower) take(active []*scxml.State, s followed) (next []*scxml.State, ok bool) {
	t, domain := s.transition, s.domain
	entered, ok := f.fill(f.child(t.Targets[0], domain), t.Targets)
	f.budget -= len(entered)
	if !ok {
		return nil, false
	}
	for _, q := range active {
		if !q.IsDescendant(domain) {
			next = append(next, q)
		}
	}
	next = append(next, entered...)
	slices.SortFunc(next, func(a, b *scxml.State) int { return f.order[a] - f.order[b] })
	return next, true
}

// child returns the child of a state, by default of the root, that contains another state.
func (f *follower) child(q, of *scxml.State) *scxml.State {
	for q.Parent != nil && q.Parent != of && (of != nil || q.Parent.Kind != scxml.Root) {
		q = q.Parent
	}
	return q
}

// fill lists the atomic states that are entered with a state, some of them because targets lie
// inside it. A history or a final state that ends the machine ends the search.
func (f *follower) fill(q *scxml.State, targets []*scxml.State) (active []*scxml.State, ok bool) {
	if f.budget--; f.budget <= 0 || q.Kind == scxml.History ||
		q.Kind == scxml.Final && q.Parent.Kind == scxml.Root {
		return nil, false
	}
	var inside []*scxml.State
	for _, t := range targets {
		if t.IsDescendant(q) {
			if t.Kind == scxml.History {
				return nil, false
			}
			inside = append(inside, t)
		}
	}
	f.budget -= len(targets)
	switch q.Kind {
	case scxml.Compound:
		if len(inside) == 0 {
			inside = q.Initial.Targets
		}
		if len(inside) == 0 {
			return nil, false
		}
		return f.fill(f.child(inside[0], q), inside)
	case scxml.Parallel:
		for _, region := range q.Children {
			part, ok := f.fill(region, inside)
			if !ok {
				return nil, false
			}
			active = append(active, part...)
		}
		return active, true
	}
	return []*scxml.State{q}, true
}
