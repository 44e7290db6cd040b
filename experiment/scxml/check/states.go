package check

import (
	"fmt"
	"slices"

	"gosmp/experiment/scxml"
)

// reach is the set of states that may become active, as an upper bound: every transition of an
// active state may be taken.
type reach map[*scxml.State]bool

func reachFrom(root *scxml.State) reach {
	r := reach{root: true}
	for open := []*scxml.State{root}; len(open) > 0; {
		q := open[len(open)-1]
		open = open[:len(open)-1]
		enter := func(list ...*scxml.State) {
			for _, next := range list {
				if next != nil && !r[next] {
					r[next] = true
					open = append(open, next)
				}
			}
		}
		enter(q.Parent)
		switch {
		case q.Kind == scxml.Parallel:
			enter(q.Children...)
		case q.Initial != nil:
			enter(q.Initial.Targets...)
		}
		for _, t := range q.Transitions {
			enter(t.Targets...)
		}
	}
	return r
}

func (c *checker) reachable() {
	// A compound is entered by its initial only if no target is inside it. Always entering the
	// initial gives the upper bound.
	found := reachFrom(c.chart.Root())
	never := c.finals(found)
	for _, q := range c.chart.States {
		if never && q.Kind == scxml.Final && q.Parent.Kind == scxml.Root {
			continue // SX24
		}
		if found[q] || q.Kind == scxml.History || !found[q.Parent] {
			continue
		}
		report := c.warn
		if c.failsIn(q) {
			report = c.blind
		}
		report(SX20, q.Position, fmt.Sprintf("%s %q cannot be reached", q.Kind, q.ID),
			"add a transition to it, or remove it")
	}
}

// failsIn reports whether a state of an evaluation has a transition, itself or inside, that leads
// to the end in failure.
func (c *checker) failsIn(q *scxml.State) bool {
	fails := func(q *scxml.State) bool { return q.Kind == scxml.Final && q.ID == "failure" }
	return c.options.Evaluation && slices.ContainsFunc(c.transitions,
		func(t *scxml.Transition) bool {
			return (t.Source == q || t.Source.IsDescendant(q)) &&
				slices.ContainsFunc(t.Targets, fails)
		})
}

// finals checks SX24; it reports whether no top-level final can be reached although some exist.
func (c *checker) finals(found reach) (never bool) {
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
				c.warn(SX24, at, fmt.Sprintf("the evaluation has no top-level final %q", want),
					fmt.Sprintf("add <final id=%q/>", want))
			}
		}
	}
	never = len(finals) > 0 && len(reached) == 0
	if never {
		c.warn(SX24, at, "no top-level final can be reached: the machine never ends",
			"add a transition to one of them")
	}
	return never
}

// stuck finds atomic states that no transition leaves (SX25) and that do nothing else. A state
// whose own transitions have no targets exists to react to events. A machine that its invoker
// cancels needs no way out.
func (c *checker) stuck() {
	if c.cancelled {
		return
	}
	out := c.exits(func(*scxml.Transition) bool { return true })
	for _, q := range c.chart.States {
		if q.Kind == scxml.Atomic && len(q.Transitions) == 0 && !out.of(q) {
			c.warn(SX25, q.Position, fmt.Sprintf("state %q has no way out", q.ID),
				"add a transition, or make it a <final>")
		}
	}
}

// exits holds the ways out of states.
type exits struct {
	leaving map[*scxml.State]bool // sources of transitions with targets
	// of a parallel: the regions from which a transition leaves it
	regions map[*scxml.State]map[*scxml.State]bool
}

// exits finds the ways out using the transitions that counts accepts.
func (c *checker) exits(counts func(*scxml.Transition) bool) *exits {
	x := &exits{map[*scxml.State]bool{}, map[*scxml.State]map[*scxml.State]bool{}}
	for _, t := range c.transitions {
		if len(t.Targets) == 0 || !counts(t) {
			continue
		}
		x.leaving[t.Source] = true
		for region := t.Source; region.Parent != nil; region = region.Parent {
			if p := region.Parent; p.Kind == scxml.Parallel && !x.regions[p][region] &&
				leavesRegion(t, region) {
				if x.regions[p] == nil {
					x.regions[p] = map[*scxml.State]bool{}
				}
				x.regions[p][region] = true
			}
		}
	}
	return x
}

func leavesRegion(t *scxml.Transition, region *scxml.State) bool {
	return slices.ContainsFunc(t.Targets, func(q *scxml.State) bool {
		return !q.IsDescendant(region)
	})
}

// of reports whether a transition leaves a state: its own transition, one of an enclosing state, or
// one in another region that leaves the parallel enclosing both.
func (x *exits) of(q *scxml.State) bool {
	for s := q; s != nil; s = s.Parent {
		if x.leaving[s] {
			return true
		}
		if s.Parent == nil {
			break
		}
		others := len(x.regions[s.Parent])
		if x.regions[s.Parent][s] {
			others--
		}
		if others > 0 {
			return true
		}
	}
	return false
}
