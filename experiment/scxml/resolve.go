package scxml

import (
	"fmt"
	"math"
	"strings"
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
			b.report(SX05, p.at, fmt.Sprintf("%s %q is not a state", p.what, id), Nearest(id, b.chart))
			p.transition.unresolved = true
			continue
		}
		p.transition.Targets = append(p.transition.Targets, q)
	}
	for i, q := range p.transition.Targets {
		for _, r := range p.transition.Targets[:i] {
			if !compatible(q, r) {
				b.report(SX06, p.at, fmt.Sprintf("%q and %q cannot be active together", r.ID, q.ID), "name one state, or states in different regions of a parallel")
				return
			}
		}
	}
}

// Nearest is the advice for an id that does not exist.
func Nearest(id string, c *Chart) string {
	best, distance := "", len(id)/2+2
	for _, q := range c.States[:min(len(c.States), maxCompared)] {
		if q.Named && len(id) <= maxCompared && len(q.ID) <= maxCompared {
			if d := editDistance(id, q.ID); d < distance {
				best, distance = q.ID, d
			}
		}
	}
	if best == "" {
		return "name a state of this chart"
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// maxCompared bounds the search for a similar id: states, and bytes of each id.
const maxCompared = 200

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// compatible reports whether two states can be active at the same time: one contains the other, or
// their nearest common ancestor is a parallel.
func compatible(a, b *State) bool {
	if a == b || a.IsDescendant(b) || b.IsDescendant(a) {
		return true
	}
	anc := a.Parent
	for !b.IsDescendant(anc) {
		anc = anc.Parent
	}
	return anc.Kind == Parallel
}

// reach checks that defaults lead where they may: an initial into its own state, a history to what
// it can remember.
func (b *builder) reach(q *State, weights map[*State]int) {
	if q.Initial != nil {
		for _, t := range q.Initial.Targets {
			if !t.IsDescendant(q) {
				b.report(SX07, q.Initial.Position, fmt.Sprintf("initial state %q does not lie inside %q", t.ID, q), "name a state inside")
			}
		}
	}
	if q.Kind != History || len(q.Transitions) == 0 {
		return
	}
	for _, t := range q.Transitions[0].Targets {
		if ok := t.Parent == q.Parent && t != q || q.Deep && t.IsDescendant(q.Parent) && t != q; !ok {
			b.later(SX08, q.Transitions[0].Position, fmt.Sprintf("history %q cannot stand for %q", q.ID, t.ID),
				fmt.Sprintf("name a child of %q, or any state inside it if the history is deep", q.Parent))
		}
	}
	if stands(q, weights) > len(b.chart.States) {
		b.report(SX08, q.Transitions[0].Position, fmt.Sprintf("the default of history %q leads back to itself, or to a state more than once", q.ID),
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

// checkTexts finds states that In() names and that do not exist. It reads the texts of conditions,
// so that it works in every language.
func (b *builder) checkTexts(e *Element) {
	for i, a := range e.Attributes {
		if isChartSpace(e.Space) && a.Space == "" && (a.Name == "cond" || a.Name == "expr") {
			b.checkIn(&e.Attributes[i])
		}
	}
	for _, c := range e.Elements() {
		if !c.is("scxml") {
			b.checkTexts(c)
		}
	}
}

func (b *builder) checkIn(a *Attribute) {
	for rest, offset := a.Value, 0; ; {
		i := strings.Index(rest, "In(")
		if i < 0 {
			return
		}
		before := offset + i - 1
		rest, offset = rest[i+3:], offset+i+3
		arg := strings.TrimLeft(rest, " ")
		if arg == "" || arg[0] != '\'' && arg[0] != '"' || before >= 0 && isNamePart(a.Value[before]) {
			continue
		}
		id, after, closed := strings.Cut(arg[1:], arg[:1])
		if closed && strings.HasPrefix(strings.TrimLeft(after, " "), ")") && b.chart.byID[id] == nil {
			b.later(SX05, a.Position, fmt.Sprintf("In(%q) names no state and is always false", id), Nearest(id, b.chart))
		}
	}
}

func isNamePart(c byte) bool {
	return c == '_' || c == '$' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
