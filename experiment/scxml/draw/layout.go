package draw

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gosmp/experiment/scxml"
	"gosmp/internal/nested"
)

// Sizes in pixels.
const (
	lineHeight = 17
	charWidth  = 7.3
	padding    = 10
	minWidth   = 70
)

// box is a state with its text and its position.
type box struct {
	nested.Box
	state    *scxml.State
	title    string
	lines    []line
	children []*box
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
	b.measure()
	for _, child := range slices.Concat(q.Histories, q.Children) {
		c := newBox(child)
		b.children = append(b.children, c)
		b.Boxes = append(b.Boxes, &c.Box)
	}
	return b
}

// measure sets the size of the text of a box.
func (b *box) measure() {
	b.TextWidth = max(minWidth, textWidth(b.title))
	for _, l := range b.lines {
		b.TextWidth = max(b.TextWidth, textWidth(l.text))
	}
	b.TextWidth += 2 * padding
	b.TextHeight = lineHeight*(1+len(b.lines)) + padding
}

// lineY returns the offset of a line's baseline from the top of its box.
func lineY(i int) int { return lineHeight * (i + 2) }

// place sets the positions of a box and of everything in it, and returns the arrows.
func (b *box) place() []*nested.Arrow {
	places := map[*scxml.State]*box{}
	b.all(func(b *box) { places[b.state] = b })
	var arrows []*nested.Arrow
	b.all(func(b *box) {
		for i, l := range b.lines {
			if l.transition == nil {
				continue
			}
			for _, q := range l.transition.Targets {
				arrows = append(arrows, &nested.Arrow{
					From: &b.Box, To: &places[q].Box, Line: lineY(i) - 4, Title: l.text,
				})
			}
		}
		if b.state.Initial != nil {
			for _, q := range b.state.Initial.Targets {
				places[q].First = true
			}
		}
	})
	nested.Place(&b.Box, arrows)
	return arrows
}

// all visits a box and all boxes in it, outer boxes first.
func (b *box) all(visit func(*box)) {
	visit(b)
	for _, child := range b.children {
		child.all(visit)
	}
}

func textWidth(text string) int { return int(charWidth * float64(utf8.RuneCountInString(text))) }

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
			words = append(words, a.Location.Text+" = "+valueText(a.Value))
		default:
			words = append(words, scxml.Source(a).Name)
		}
	}
	return short(strings.Join(words, ", "))
}

// valueText describes the value of an assignment.
func valueText(g *scxml.Given) string {
	switch {
	case g == nil:
		return "nothing"
	case g.Expr != nil:
		return g.Expr.Text
	}
	return "its content"
}

func short(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
