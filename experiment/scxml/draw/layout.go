package draw

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gosmp/experiment/scxml"
)

// Sizes in pixels.
const (
	lineHeight = 17
	charWidth  = 7
	padding    = 10
	gap        = 34 // between boxes, for arrows
	minWidth   = 70
)

// box is a state with its position. Positions are absolute once place has run.
type box struct {
	state         *scxml.State
	title         string
	lines         []line
	children      []*box
	x, y          int
	width, height int
}

// line is a line of text in a box; the line of a transition has an arrow.
type line struct {
	text       string
	transition *scxml.Transition
}

func newBox(q *scxml.State) *box {
	b := &box{state: q, title: title(q)}
	for _, block := range q.OnEntry {
		b.lines = append(b.lines, line{text: "entry / " + summary(block)})
	}
	for _, block := range q.OnExit {
		b.lines = append(b.lines, line{text: "exit / " + summary(block)})
	}
	for _, i := range q.Invokes {
		b.lines = append(b.lines, line{text: invokeText(i)})
	}
	for _, t := range q.Transitions {
		b.lines = append(b.lines, line{transitionText(t), t})
	}
	for _, child := range slices.Concat(q.Histories, ordered(q)) {
		b.children = append(b.children, newBox(child))
	}
	b.measure()
	return b
}

// ordered lists the children of a state in the order in which transitions lead from one to the
// next, starting with the initial one.
func ordered(q *scxml.State) []*scxml.State {
	if q.Kind == scxml.Parallel || q.Initial == nil {
		return q.Children
	}
	var order []*scxml.State
	known := map[*scxml.State]bool{}
	var follow func(child *scxml.State)
	follow = func(child *scxml.State) {
		if child == nil || known[child] {
			return
		}
		known[child] = true
		order = append(order, child)
		for _, t := range child.Transitions {
			for _, target := range t.Targets {
				follow(childOf(q, target))
			}
		}
	}
	for _, target := range q.Initial.Targets {
		follow(childOf(q, target))
	}
	for _, child := range q.Children {
		follow(child)
	}
	return order
}

// childOf returns the child of a state that contains another state, or nil.
func childOf(q, inner *scxml.State) *scxml.State {
	for ; inner != nil; inner = inner.Parent {
		if inner.Parent == q && inner.Kind != scxml.History {
			return inner
		}
	}
	return nil
}

// columns returns the number of boxes side by side: all regions of a parallel, or otherwise about
// as many as form a square.
func (b *box) columns() int {
	if b.state.Kind == scxml.Parallel {
		return max(1, len(b.children))
	}
	n := 1
	for n*n < len(b.children) {
		n++
	}
	return max(1, n)
}

// rows splits the children into rows.
func (b *box) rows() [][]*box {
	return slices.Collect(slices.Chunk(b.children, b.columns()))
}

func (b *box) head() int { return lineHeight*(1+len(b.lines)) + padding }

// measure sets the size of the box, which depends on the sizes of its children.
func (b *box) measure() {
	b.width = max(minWidth, textWidth(b.title))
	for _, l := range b.lines {
		b.width = max(b.width, textWidth(l.text))
	}
	b.width += 2 * padding
	b.height = b.head()
	for _, row := range b.rows() {
		width, height := gap, 0
		for _, child := range row {
			width += child.width + gap
			height = max(height, child.height)
		}
		b.width = max(b.width, width)
		b.height += height + gap
	}
}

// place sets the positions of a box and of everything in it.
func (b *box) place(x, y int) {
	b.x, b.y = x, y
	y += b.head() + gap/2
	for _, row := range b.rows() {
		at, height := x+gap, 0
		for _, child := range row {
			child.place(at, y)
			at += child.width + gap
			height = max(height, child.height)
		}
		y += height + gap
	}
}

// all visits a box and all boxes in it, outer boxes first.
func (b *box) all(visit func(*box)) {
	visit(b)
	for _, child := range b.children {
		child.all(visit)
	}
}

func textWidth(text string) int { return charWidth * utf8.RuneCountInString(text) }

func title(q *scxml.State) string {
	name := q.ID
	if !q.Named && q.Kind != scxml.Root {
		name = ""
	}
	switch q.Kind {
	case scxml.Root:
		return "scxml"
	case scxml.Parallel:
		return strings.TrimSpace("∥ " + name)
	case scxml.Final:
		return strings.TrimSpace("◉ " + name)
	case scxml.History:
		if q.Deep {
			return strings.TrimSpace("H* " + name)
		}
		return strings.TrimSpace("H " + name)
	}
	return name
}

func transitionText(t *scxml.Transition) string {
	parts := []string{strings.Join(t.Events, " ")}
	if t.Cond != nil {
		parts = append(parts, "["+short(t.Cond.Text)+"]")
	}
	if s := summary(t.Content); s != "" {
		parts = append(parts, "/ "+s)
	}
	if len(t.Targets) > 0 {
		ids := make([]string, len(t.Targets))
		for i, q := range t.Targets {
			ids[i] = q.ID
		}
		parts = append(parts, "→ "+strings.Join(ids, " "))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

func invokeText(i *scxml.Invoke) string {
	if i.Register != nil {
		return "reads " + i.Register.Topic + " as " + i.Register.Event
	}
	return strings.TrimSpace("invoke " + i.ID + " " + i.Src.Value)
}

// summary describes in a few words what a block does.
func summary(b scxml.Block) string {
	words := make([]string, 0, len(b))
	for _, a := range b {
		switch a := a.(type) {
		case *scxml.Raise:
			words = append(words, "raise "+a.Event)
		case *scxml.Send:
			words = append(words, strings.TrimSpace("send "+a.Event.Value+" "+a.Delay.Value))
		case *scxml.Assign:
			words = append(words, a.Location.Text+" =")
		default:
			words = append(words, scxml.Source(a).Name)
		}
	}
	return short(strings.Join(words, ", "))
}

func short(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
