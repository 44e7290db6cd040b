package systemgraph

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gosmp/internal/nested"
)

// Dimensions of the drawing, in pixels.
const (
	letter  = 7.3 // width of a letter of the font
	line    = 16  // height of a line of text
	padding = 10
)

// maxLetters is the maximum length of a connection in a line of text; the whole text is in the
// tooltip of its arrow.
const maxLetters = 40

// box is a component, or a system that contains components. The root has no border.
type box struct {
	nested.Box
	class string
	lines []string // the first one is the name
	inner []*box
}

type picture struct {
	root   *box
	nodes  []*box
	arrows []*nested.Arrow
}

func newPicture(g Graph) *picture {
	p := &picture{root: &box{lines: []string{g.Title}}}
	systems := map[string]*box{}
	for _, n := range g.Nodes {
		b := &box{class: "component"}
		if n.Loop {
			b.class = "loop"
		}
		system, name := split(n.Name)
		b.lines = append([]string{name}, n.Lines...)
		p.system(system, systems).add(b)
		p.nodes = append(p.nodes, b)
	}
	for _, e := range g.Edges {
		from := p.nodes[e.From]
		from.lines = append(from.lines, "→ "+g.Nodes[e.To].Name+": "+label(e.Labels))
		p.arrows = append(p.arrows, &nested.Arrow{
			From: &from.Box, To: &p.nodes[e.To].Box, Line: baseline(len(from.lines)-1) - 4,
			Title: strings.Join(e.Labels, "\n"),
		})
	}
	p.root.measure()
	return p
}

// split splits the name of a component after that of its system.
func split(name string) (system, rest string) {
	at := strings.LastIndexByte(name, '.')
	if at <= 0 || at == len(name)-1 {
		return "", name
	}
	return name[:at], name[at+1:]
}

// system returns the box of a nested system, creating it if necessary.
func (p *picture) system(name string, known map[string]*box) *box {
	if name == "" {
		return p.root
	}
	if b := known[name]; b != nil {
		return b
	}
	outer, rest := split(name)
	b := &box{class: "system", lines: []string{rest}}
	known[name] = b
	p.system(outer, known).add(b)
	return b
}

func (b *box) add(inner *box) {
	b.inner = append(b.inner, inner)
	b.Boxes = append(b.Boxes, &inner.Box)
}

// measure sets the sizes of the texts of a box and of all boxes in it.
func (b *box) measure() {
	longest := 0
	for _, text := range b.lines {
		longest = max(longest, utf8.RuneCountInString(text))
	}
	b.TextWidth = int(letter*float64(longest)) + 2*padding
	b.TextHeight = line*len(b.lines) + 2*padding - 4
	for _, inner := range b.inner {
		inner.measure()
	}
}

// baseline returns the position of a line of text, from the top of its box.
func baseline(k int) int { return padding + line*(k+1) - 4 }

// label returns the label of an edge: the connection, or the number of connections.
func label(labels []string) string {
	if len(labels) != 1 {
		return fmt.Sprintf("%d connections", len(labels))
	}
	runes := []rune(labels[0])
	if len(runes) > maxLetters {
		return string(runes[:maxLetters-1]) + "…"
	}
	return labels[0]
}
