package draw

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/plaintext"
)

const style = `<style>
text { font: 12px ui-monospace, monospace; fill: #1b2733; }
.title { font-weight: bold; }
.state { fill: #ffffff; stroke: #51657a; }
.parallel { fill: #f4f7fa; stroke: #51657a; stroke-dasharray: 6 3; }
.final { fill: #eef1f4; stroke: #51657a; stroke-width: 3; }
.history { fill: #ffffff; stroke: #51657a; stroke-dasharray: 2 2; }
.active { fill: #d7ecc9; stroke: #2c7a1f; stroke-width: 2; }
.arrow { fill: none; stroke: #8796a5; }
.arrow:hover { stroke: #c0392b; stroke-width: 2; }
.dot { fill: #51657a; }
.axis { stroke: #c6ced6; }
.bar { fill: #9cc4e4; stroke: #51657a; }
.event { stroke: #c0392b; }
.name { fill: #c0392b; }
.before { text-anchor: end; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" ` +
	`orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#8796a5"/></marker></defs>
`

// Chart writes a picture of a chart in which the states with the given ids are marked. An id
// without a state is an error.
func Chart(w io.Writer, c *scxml.Chart, active []string) error {
	marked := map[*scxml.State]bool{}
	for _, id := range active {
		q := c.State(id)
		if q == nil {
			return fmt.Errorf("there is no state %q to mark; %s", id, scxml.Nearest(id, c))
		}
		for ; q != nil; q = q.Parent {
			marked[q] = q.Kind != scxml.Root
		}
	}
	root := newBox(c.Root())
	root.title = c.Name
	arrows := root.place()
	out := bufio.NewWriter(plaintext.Writer(w))
	fmt.Fprintf(out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="-10 -10 %d %d">`+
			"\n%s",
		root.Width+20, root.Height+20, root.Width+20, root.Height+20, style)
	root.all(func(b *box) { drawBox(out, b, marked[b.state]) })
	for _, a := range arrows {
		fmt.Fprintf(out,
			`<path class="arrow" marker-end="url(#tip)" d="%s"><title>%s</title></path>`+"\n",
			a.Path(), escape(plaintext.Shortened(a.Title))) // it may list thousands of targets
	}
	root.all(func(b *box) { drawText(out, b) })
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

func class(q *scxml.State, marked bool) string {
	switch {
	case marked:
		return "active"
	case q.Kind == scxml.Parallel:
		return "parallel"
	case q.Kind == scxml.Final:
		return "final"
	case q.Kind == scxml.History:
		return "history"
	}
	return "state"
}

func drawBox(w io.Writer, b *box, marked bool) {
	fmt.Fprintf(w, `<rect class="%s" id="%s" x="%d" y="%d" width="%d" height="%d" rx="8"/>`+"\n",
		class(b.state, marked), escape(b.state.String()), b.X, b.Y, b.Width, b.Height)
	if x := b.X + b.DotX(); b.First {
		fmt.Fprintf(w, `<circle class="dot" cx="%d" cy="%d" r="5"/>`+
			`<path class="arrow" marker-end="url(#tip)" d="M%d,%d V%d"/>`+"\n",
			x, b.Y-18, x, b.Y-13, b.Y)
	}
}

// drawText draws the title and the lines of a box.
func drawText(w io.Writer, b *box) {
	x := b.X + b.Indent + padding
	writeText(w, "title", x, b.Y+lineHeight, b.title)
	for i, l := range b.lines {
		writeText(w, "", x, b.Y+lineY(i), l.text)
	}
}

func writeText(w io.Writer, class string, x, y int, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(w, `<text%s x="%d" y="%d">%s</text>`+"\n", class, x, y, escape(text))
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder never fails
	return b.String()
}
