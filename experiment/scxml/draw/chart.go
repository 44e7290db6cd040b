package draw

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"gosmp/experiment/scxml"
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
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#8796a5"/></marker></defs>
`

// Chart writes the picture of a chart; the states whose ids are given are marked. An id that no
// state has is an error.
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
	root.place(0, 0)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="-10 -10 %d %d">`+
			"\n%s",
		root.width+20, root.height+20, root.width+20, root.height+20, style)
	places := map[*scxml.State]*box{}
	root.all(func(b *box) {
		places[b.state] = b
		drawBox(out, b, marked[b.state])
	})
	root.all(func(b *box) { drawArrows(out, b, places) })
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
		class(b.state, marked), escape(b.state.String()),
		b.x, b.y, b.width, b.height)
	drawText(w, "title", b.x+padding, b.y+lineHeight, b.title)
	for i, l := range b.lines {
		drawText(w, "", b.x+padding, b.lineY(i), l.text)
	}
}

func drawText(w io.Writer, class string, x, y int, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(w, `<text%s x="%d" y="%d">%s</text>`+"\n", class, x, y, escape(text))
}

func (b *box) lineY(i int) int { return b.y + lineHeight*(i+2) }

// drawArrows draws the arrow of each transition of a state, and the dot with an arrow to its
// initial states.
func drawArrows(w io.Writer, b *box, places map[*scxml.State]*box) {
	for i, l := range b.lines {
		if l.transition == nil {
			continue
		}
		for _, q := range l.transition.Targets {
			drawArrow(w, b, b.lineY(i)-4, places[q], l.text)
		}
	}
	if b.state.Initial == nil {
		return
	}
	for _, q := range b.state.Initial.Targets {
		to := places[q]
		fmt.Fprintf(w,
			`<circle class="dot" cx="%d" cy="%d" r="5"/><path class="arrow" marker-end="url(#tip)" d="M%d,%d L%d,%d"/>`+"\n",
			to.x-20, to.y-10, to.x-20, to.y-10, to.x, to.y+8)
	}
}

// drawArrow draws an arrow that leaves the source's box at the height of the transition's line, and
// enters the target's box at the nearer side.
func drawArrow(w io.Writer, from *box, y int, to *box, label string) {
	const bend = 40
	if from == to {
		fmt.Fprintf(w,
			`<path class="arrow" marker-end="url(#tip)" d="M%d,%d c%d,-12 %d,12 0,10"><title>%s</title></path>`+"\n",
			from.x+from.width, y, bend, bend, escape(label))
		return
	}
	x1, side := from.x+from.width, bend
	x2, y2 := to.x+to.width, to.y+lineHeight/2
	switch {
	case to.x >= x1: // to the right
		x2 = to.x
		fmt.Fprintf(w, `<path class="arrow" marker-end="url(#tip)" d="M%d,%d C%d,%d %d,%d %d,%d">`,
			x1, y, x1+side, y, x2-side, y2, x2, y2)
	case x2 <= from.x: // to the left
		x1 = from.x
		fmt.Fprintf(w, `<path class="arrow" marker-end="url(#tip)" d="M%d,%d C%d,%d %d,%d %d,%d">`,
			x1, y, x1-side, y, x2+side, y2, x2, y2)
	default: // above, below, or around
		fmt.Fprintf(w, `<path class="arrow" marker-end="url(#tip)" d="M%d,%d C%d,%d %d,%d %d,%d">`,
			x1, y, x1+side, y, x2+side, y2, x2, y2)
	}
	fmt.Fprintf(w, "<title>%s</title></path>\n", escape(label))
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder never fails
	return b.String()
}
