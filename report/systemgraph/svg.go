package systemgraph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"gosmp/internal/nested"
	"gosmp/internal/plaintext"
)

const style = `<style>
text { font: 12px ui-monospace, monospace; fill: #1b2733; }
.name { font-weight: bold; }
.system { fill: #f4f7fa; stroke: #51657a; }
.component { fill: #ffffff; stroke: #51657a; }
.loop { fill: #fdf3e1; stroke: #b9770e; stroke-width: 2; }
.arrow { fill: none; stroke: #8796a5; stroke-width: 1.5; }
.back { fill: none; stroke: #b9770e; stroke-width: 1.5; stroke-dasharray: 6 3; }
.arrow:hover, .back:hover { stroke: #c0392b; stroke-width: 3; }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" ` +
	`markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0 L8,4 L0,8 z" ` +
	`fill="#51657a"/></marker></defs>
`

// Write writes the picture of a graph.
func Write(w io.Writer, g Graph) error {
	p := newPicture(g)
	nested.Place(&p.root.Box, p.arrows)
	out := bufio.NewWriter(plaintext.Writer(w))
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`+"\n%s",
		p.root.Width, p.root.Height, style)
	p.root.draw(out)
	for _, a := range p.arrows {
		class := "arrow"
		if a.Back {
			class = "back"
		}
		fmt.Fprintf(out, `<path class="%s" marker-end="url(#tip)" d="%s"><title>%s</title></path>`+
			"\n",
			class, a.Path(), escape(a.Title))
	}
	p.root.write(out)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // writing to a Builder cannot fail
	return b.String()
}

// draw draws the borders of a box and of all boxes in it.
func (b *box) draw(out io.Writer) {
	if b.class != "" {
		fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="4"/>`+"\n",
			b.class, b.X, b.Y, b.Width, b.Height)
	}
	for _, inner := range b.inner {
		inner.draw(out)
	}
}

// write writes the text of a box and of all boxes in it.
func (b *box) write(out io.Writer) {
	for k, text := range b.lines {
		class := ""
		if k == 0 {
			class = ` class="name"`
		}
		fmt.Fprintf(out, `<text%s x="%d" y="%d">%s</text>`+"\n", class, b.X+b.Indent+padding,
			b.Y+baseline(k), escape(text))
	}
	for _, inner := range b.inner {
		inner.write(out)
	}
}
