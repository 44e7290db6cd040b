package scxml

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gosmp/internal/similar"
)

// resolve finds the targets of all transitions, and generates missing ids.
func (b *builder) resolve() {
	histories := 0
	for _, q := range b.chart.States {
		if q.Kind != Root && !q.Named {
			b.nameless(q)
		}
		if q.Kind == History {
			q.history = histories
			histories++
		}
	}
	for _, p := range b.pending {
		b.target(p)
	}
	weights := map[*State]int{}
	for _, q := range b.chart.States {
		b.reach(q, weights)
	}
}

// nameless generates an id. It cannot clash, because the author's ids contain no spaces.
func (b *builder) nameless(q *State) {
	q.ID = fmt.Sprintf("%s %d", q.element.Name, q.index)
	q.doneEvent = "done.state." + q.ID
	b.chart.byID[q.ID] = q
}

func (b *builder) target(p pending) {
	ids := strings.Fields(p.names)
	if len(ids) == 0 {
		b.report(SX05, p.at, fmt.Sprintf("%s is empty", p.what), "name a state")
	}
	for _, id := range ids {
		q := b.chart.byID[id]
		if q == nil {
			b.report(SX05, p.at, fmt.Sprintf("%s %q is not a state", p.what, id), b.nearest(id))
			p.transition.unresolved = true
			continue
		}
		p.transition.Targets = append(p.transition.Targets, q)
	}
	if q, r := incompatible(p.transition.Targets); q != nil {
		b.report(SX06, p.at, fmt.Sprintf("%q and %q cannot be active together", r.ID, q.ID),
			"name one state, or states in different regions of a parallel")
	}
}

// incompatible finds two states that cannot be active together: they lie in different children of a
// state that is not a parallel. It records the path from the root to each state, so the cost
// depends only on the number of states and their depth.
func incompatible(states []*State) (q, earlier *State) {
	type way struct{ child, target *State }
	taken := map[*State]way{}
	for _, q := range states {
		for child := q; child.Parent != nil; child = child.Parent {
			if child.Parent.Kind == Parallel {
				continue
			}
			if other, ok := taken[child.Parent]; ok && other.child != child {
				return q, other.target
			}
			taken[child.Parent] = way{child, q}
		}
	}
	return nil, nil
}

// Nearest returns the advice for an id that does not exist.
func Nearest(id string, c *Chart) string {
	var ids []string
	for _, q := range c.States[:min(len(c.States), maxCompared)] {
		if q.Named {
			ids = append(ids, q.ID)
		}
	}
	return cmp.Or(similar.Hint(id, ids), "name a state of this chart")
}

// nearest is like Nearest, but works only for the first few unknown names; a chart with many of
// them is not worth the cost.
func (b *builder) nearest(id string) string {
	if b.advised++; b.advised > maxAdvised {
		return "name a state of this chart"
	}
	return Nearest(id, b.chart)
}

const maxAdvised = 10

// maxCompared bounds the number of states searched for similar ids.
const maxCompared = 200

// reach checks that defaults lead to permitted states: an initial into its own state, a history to
// states that it can remember.
func (b *builder) reach(q *State, weights map[*State]int) {
	if q.Initial != nil {
		for _, t := range q.Initial.Targets {
			if !t.IsDescendant(q) {
				b.report(SX07, q.Initial.Position,
					fmt.Sprintf("initial state %q does not lie inside %q", t.ID, q),
					"name a state inside")
			}
		}
	}
	if q.Kind != History || len(q.Transitions) == 0 {
		return
	}
	for _, t := range q.Transitions[0].Targets {
		if ok := t.Parent == q.Parent && t != q || q.Deep && t.IsDescendant(q.Parent) &&
			t != q; !ok {
			b.later(SX08, q.Transitions[0].Position, fmt.Sprintf("history %q cannot record %q",
				q.ID, t.ID),
				fmt.Sprintf("name a child of %q, or any state inside it if the history is deep",
					q.Parent))
		}
	}
	if stands(q, weights) > len(b.chart.States) {
		b.report(SX08, q.Transitions[0].Position,
			fmt.Sprintf(
				"the default of history %q leads back to itself, or to a state more than once",
				q.ID),
			"name a state that is not a history")
	}
}

const endless = math.MaxInt32

// stands returns the number of states that a history represents by default, including through other
// histories, or endless if it leads back to itself. Each history is counted once, no matter how
// many paths lead to it.
func stands(q *State, weights map[*State]int) int {
	if q.Kind != History || len(q.Transitions) == 0 {
		return 1
	}
	if w, ok := weights[q]; ok {
		return w
	}
	weights[q] = endless
	sum := 0
	for _, t := range q.Transitions[0].Targets {
		sum = min(sum+stands(t, weights), endless)
	}
	weights[q] = sum
	return sum
}

// checkStates finds calls of In() that name states that do not exist, in all expressions and
// scripts.
func (b *builder) checkStates() {
	analyzer, _ := b.chart.Language.(Analyzer)
	if analyzer == nil {
		return
	}
	b.chart.Expressions(func(x *Expression) {
		if x.Code == nil {
			return
		}
		after := 0
		for k, id := range analyzer.Facts(x.Code).States {
			at := Position{1, 1}
			if k < maxLocated {
				at, after = inCall(x.Text, id, after)
			}
			if b.chart.byID[id] == nil {
				b.later(SX05, inText(x.Position, &CompileError{Position: at}),
					fmt.Sprintf("In(%q) refers to no state and is always false", id), b.nearest(id))
			}
		}
	})
}

// maxLocated bounds the search for calls of In in one text; further calls get the position of its
// beginning.
const maxLocated = 100

// inCall returns the position of a call of In with an id, at or after an offset, and the offset at
// which to search for the next one.
func inCall(text, id string, from int) (at Position, end int) {
	i := from
	for _, quote := range []string{"'", `"`, ""} {
		if k := strings.Index(text[from:], quote+id+quote); k >= 0 {
			i = from + k
			break
		}
	}
	start := max(from, strings.LastIndex(text[:i], "In"))
	before := text[:start]
	return Position{1 + strings.Count(before, "\n"), start - strings.LastIndex(before, "\n")},
		min(len(text), i+len(id))
}
