package systemgraph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

const style = `<style>
text { font: 12px ui-monospace, monospace; fill: #1b2733; }
.name { font-weight: bold; }
.component { fill: #ffffff; stroke: #51657a; }
.loop { fill: #fdf3e1; stroke: #b9770e; stroke-width: 2; }
.arrow { fill: none; stroke: #8796a5; stroke-width: 1.5; }
.back { fill: none; stroke: #b9770e; stroke-width: 1.5; stroke-dasharray: 6 3; }
.arrow:hover, .back:hover { stroke: #c0392b; stroke-width: 3; }
.count { font-size: 10px; fill: #51657a; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#8796a5"/></marker></defs>
`

const margin = 24

// maxLetters is the maximum length of an arrow's label; the whole text is in the tooltip.
const maxLetters = 13

// Write writes the picture of a graph.
func Write(w io.Writer, g Graph) error {
	l := place(g)
	width, height, title := 0.0, 0.0, 0.0
	if g.Title != "" {
		title = 2 * line
	}
	for _, b := range l.boxes {
		width, height = max(width, b.x+b.width), max(height, b.y+b.height)
	}
	loops := 0.0
	for _, e := range l.edges {
		if e.From == e.To {
			loops = 3 * line
		}
	}
	width = max(width+loops, float64(len(g.Title))*letter)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="%d %s %s %s">`+
			"\n%s", num(width+2*margin),
		num(height+title+2*margin), -margin, num(-margin-title), num(width+2*margin),
		num(height+title+2*margin), style)
	if g.Title != "" {
		fmt.Fprintf(out, `<text class="name" x="0" y="%s">%s</text>`+"\n", num(-title+line),
			escape(g.Title))
	}
	for k, e := range l.edges {
		arrow(out, e, l.routes[k])
	}
	for _, b := range l.boxes {
		if b.node >= 0 {
			drawNode(out, b, g.Nodes[b.node])
		}
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// num formats a coordinate with one decimal, which is the same on all machines.
func num(v float64) string {
	text := fmt.Sprintf("%.1f", math.Round(v*10)/10)
	return strings.TrimSuffix(strings.Replace(text, "-0.0", "0.0", 1), ".0")
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // writing to a Builder cannot fail
	return b.String()
}

func drawNode(out io.Writer, b *box, n Node) {
	class := "component"
	if n.Loop {
		class = "loop"
	}
	fmt.Fprintf(out, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="4"/>`+"\n", class,
		num(b.x), num(b.y), num(b.width), num(b.height))
	y := b.y + padding + line - 4
	fmt.Fprintf(out, `<text class="name" x="%s" y="%s">%s</text>`+"\n", num(b.x+padding), num(y),
		escape(n.Name))
	for k, text := range n.Lines {
		fmt.Fprintf(out, `<text x="%s" y="%s">%s</text>`+"\n", num(b.x+padding),
			num(y+float64(line*(k+1))), escape(text))
	}
}

// port returns where an arrow meets a box. The arrows on one side are spread over its height in the
// order of their other ends.
func port(b, other *box, list []*box) float64 {
	above := 0
	for _, x := range list {
		if x.y+x.height/2 < other.y+other.height/2 {
			above++
		}
	}
	return b.y + b.height*float64(above+1)/float64(len(list)+1)
}

// arrow draws an edge along its route.
func arrow(out io.Writer, e Edge, route []*box) {
	class := "arrow"
	if e.Back {
		class = "back"
	}
	path, x, y := path(e, route)
	if e.Back {
		path += `" marker-start="url(#tip)`
	} else {
		path += `" marker-end="url(#tip)`
	}
	fmt.Fprintf(out, `<path class="%s" d="%s"><title>%s</title></path>`+"\n", class, path,
		escape(strings.Join(e.Labels, "\n")))
	fmt.Fprintf(out, `<text class="count" x="%s" y="%s">%s</text>`+"\n", num(x), num(y),
		escape(label(e.Labels)))
}

// label returns the label of an arrow: the connection, or the number of connections.
func label(labels []string) string {
	if len(labels) != 1 {
		return fmt.Sprintf("%d", len(labels))
	}
	runes := []rune(labels[0])
	if len(runes) > maxLetters {
		return string(runes[:maxLetters-1]) + "…"
	}
	return labels[0]
}

// path returns the line of an arrow from its left to its right end, and the position of its label.
func path(e Edge, route []*box) (d string, x, y float64) {
	first := route[0]
	if e.From == e.To {
		right, top := first.x+first.width, first.y
		return fmt.Sprintf("M%s,%s c36,-8 36,36 0,28", num(right), num(top+8)), right + 30, top + 22
	}
	x, y = first.x+first.width, port(first, route[1], first.after)
	d = fmt.Sprintf("M%s,%s", num(x), num(y))
	labelX, labelY := x+8, y-4
	for k := 1; k < len(route); k++ {
		b := route[k]
		toX, toY := b.x, b.y+b.height/2
		if b.node >= 0 {
			toY = port(b, route[k-1], b.before)
		}
		bend := (toX - x) / 2
		d += fmt.Sprintf(" C%s,%s %s,%s %s,%s", num(x+bend), num(y), num(toX-bend), num(toY),
			num(toX), num(toY))
		x, y = toX, toY
	}
	return d, labelX, labelY
}
