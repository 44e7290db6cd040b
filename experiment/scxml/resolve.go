package scxml

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gosmp/internal/similar"
)

// resolve finds the targets of all transitions, and names what has no id.
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

// nameless makes an id up. It cannot clash, because the author's ids have no blanks.
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

// incompatible finds two states that cannot be active together: at a state around both that is not
// a parallel they lie in different children. It notes the way to each state from the root, so that
// the cost grows with the number of states and their depth only.
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

// Nearest is the advice for an id that does not exist.
func Nearest(id string, c *Chart) string {
	var ids []string
	for _, q := range c.States[:min(len(c.States), maxCompared)] {
		if q.Named {
			ids = append(ids, q.ID)
		}
	}
	return cmp.Or(similar.Hint(id, ids), "name a state of this chart")
}

// nearest is Nearest for the first names that do not exist; a chart with many is not worth more.
func (b *builder) nearest(id string) string {
	if b.advised++; b.advised > maxAdvised {
		return "name a state of this chart"
	}
	return Nearest(id, b.chart)
}

const maxAdvised = 10

// maxCompared bounds the states among which similar ids are searched.
const maxCompared = 200

// reach checks that defaults lead where they may: an initial into its own state, a history to what
// it can remember.
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
			b.later(SX08, q.Transitions[0].Position, fmt.Sprintf("history %q cannot stand for %q",
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

// stands is for how many states a history stands by default, through other histories, endless if
// it leads back to itself. Each history is counted once, whatever number of ways leads to it.
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

// checkStates finds states that In() names and that do not exist, in all expressions and scripts.
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
					fmt.Sprintf("In(%q) names no state and is always false", id), b.nearest(id))
			}
		}
	})
}

// maxLocated bounds the search for calls of In in one text; further ones get its beginning.
const maxLocated = 100

// inCall is where In is called with an id, at or after an offset, and where to look for the next.
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
