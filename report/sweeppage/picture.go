package sweeppage

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"

	"gosmp/sweep"
)

// picture is an SVG under construction. Everything added to it must be a number, a class, or
// escaped.
type picture struct{ b strings.Builder }

func newPicture(width, height int, title string) *picture {
	p := &picture{}
	p.add(`<svg class="plot" viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, height,
		html.EscapeString(title))
	return p
}

func (p *picture) add(format string, a ...any) { fmt.Fprintf(&p.b, format, a...) }

func (p *picture) html() template.HTML { return template.HTML(p.b.String() + "</svg>") }

// tenth formats a number of tenths.
func tenth(n int) string {
	if n%10 == 0 {
		return strconv.Itoa(n / 10)
	}
	return strconv.FormatFloat(float64(n)/10, 'f', 1, 64)
}

// text writes an escaped text; the anchor is start, middle or end.
func (p *picture) text(x, y int, anchor, text string) {
	p.add(`<text x="%s" y="%s" text-anchor="%s">%s</text>`, tenth(x), tenth(y), anchor,
		html.EscapeString(text))
}

// parallel draws the parameters side by side, followed by the outcome, with a line for each run.
func (r *report) parallel(parameters []*column, results []sweep.Result, drawn []int) {
	if len(parameters) == 0 {
		return
	}
	axes := append([]*column{}, parameters[:min(len(parameters), mostAxes)]...)
	if len(axes) < len(parameters) {
		r.Axes = fmt.Sprintf("The first %d of %d parameters that vary are shown. ", len(axes),
			len(parameters))
	}
	outcome := &column{name: "outcome", values: make([]any, len(results))}
	for k, x := range results {
		outcome.values[k] = x.Row.Outcome
	}
	present := []any{}
	for _, o := range sweep.Outcomes {
		for _, x := range results {
			if x.Row.Outcome == o {
				present = append(present, o)
				break
			}
		}
	}
	outcome.scale = newScale(present)
	axes = append(axes, outcome)
	const width, top, height = 1060, 40, 300
	p := newPicture(width, top+height+20, "all parameters of the runs, by verdict")
	x := func(k int) int { return 500 + k*(width*10-1300)/(len(axes)-1) }
	p.lines(r, axes, x, top, results, drawn)
	for k, c := range axes {
		p.add(`<line class="axis" x1="%s" x2="%[1]s" y1="%d" y2="%d"/>`, tenth(x(k)), top,
			top+height)
		room := max(6, 130/len(axes))
		p.add(`<g class="halo" paint-order="stroke"><title>%s</title>`, html.EscapeString(c.name))
		if k == 0 { // a long name has no room to its left
			p.text(50, (top-16)*10, "start", short(c.name, room))
		} else {
			p.text(x(k), (top-16)*10, "middle", short(c.name, room))
		}
		for _, t := range c.scale.ticks() {
			p.text(x(k)+50, (top+height)*10-t.At*height*10/unit+40, "start", short(t.Label, room))
		}
		p.add(`</g>`)
	}
	r.Parallel = p.html()
}

// lines draws runs. Equal lines with the same verdict are drawn only once.
func (p *picture) lines(r *report, axes []*column, x func(int) int, top int, results []sweep.Result,
	drawn []int) {
	const height = 300
	at := make([][]int, len(axes))
	for k, c := range axes {
		at[k] = c.positions(drawn)
	}
	var paths [verdicts][]string
	seen := map[string]bool{}
	total := 0
	for n, run := range drawn {
		var d strings.Builder
		for k := range axes {
			d.WriteByte("LM"[bit(k == 0)])
			d.WriteString(tenth(x(k)) + " " + tenth((top+height)*10-at[k][n]*height*10/unit))
		}
		v := verdictOf(results[run])
		if path := d.String(); !seen[classes[v]+path] {
			seen[classes[v]+path] = true
			paths[v] = append(paths[v], path)
			total++
		}
	}
	shown := 0
	for v, list := range paths {
		opacity := "0.75"
		switch n := min(len(list), mostLines); {
		case n > 500:
			opacity = "0.15"
		case n > 100:
			opacity = "0.35"
		}
		take := sample(len(list), max(1, len(list)*mostLines/max(total, mostLines)))
		p.add(`<g class="l %s" data-verdict="%d" stroke-opacity="%s">`, classes[v], v, opacity)
		for _, d := range list {
			if take() {
				p.add(`<path d="%s"/>`, d)
				shown++
			}
		}
		p.add(`</g>`)
	}
	r.Lines = fmt.Sprintf(
		"%d lines for %d runs: runs with the same verdict and the same values share a line.", shown,
		len(results))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The position of the scatter plot in its picture, in pixels. The kit's scatter.js contains it,
// too.
const (
	scatterLeft, scatterTop      = 90, 12
	scatterWidth, scatterHeight  = 920, 380
	scatterRight, scatterBottomY = scatterLeft + scatterWidth, scatterTop + scatterHeight
)

// scatterPicture draws one column against another: dots for passed runs, crosses for failed runs,
// rings for runs without a verdict. Runs at the same position share one mark of each kind.
func scatterPicture(x, y plottedColumn, verdict []int) template.HTML {
	p := newPicture(scatterRight+30, scatterBottomY+44, "two parameters of the runs, by verdict")
	text := strings.Replace(p.b.String(), "<svg ", `<svg id="scatter" tabindex="0" `, 1)
	p.b.Reset()
	p.b.WriteString(text)
	p.add(`<clipPath id="frame"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>`,
		scatterLeft-10, scatterTop-6, scatterWidth+20, scatterHeight+12)
	p.add(`<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>`, scatterLeft-10,
		scatterTop-6, scatterWidth+20, scatterHeight+12)
	p.add(`<g id="ticks">`)
	for _, t := range x.Ticks {
		at := scatterLeft*10 + t.At*scatterWidth*10/unit
		p.add(`<line class="grid" x1="%s" x2="%[1]s" y1="%d" y2="%d"/>`, tenth(at), scatterTop-6,
			scatterBottomY+6)
		p.text(at, (scatterBottomY+22)*10, "middle", t.Label)
	}
	for _, t := range y.Ticks {
		at := scatterBottomY*10 - t.At*scatterHeight*10/unit
		p.add(`<line class="grid" x1="%d" x2="%d" y1="%s" y2="%[3]s"/>`, scatterLeft-10,
			scatterRight+10, tenth(at))
		p.text((scatterLeft-16)*10, at+40, "end", short(t.Label, 12))
	}
	p.add(`</g><g clip-path="url(#frame)">`)
	for v := range verdicts {
		var d strings.Builder
		seen := map[[2]int]bool{}
		for k, is := range verdict {
			at := [2]int{x.At[k], y.At[k]}
			if is == v && at[0] >= 0 && at[1] >= 0 && !seen[at] {
				seen[at] = true
				mark := marks[v]
				fmt.Fprintf(&d, "M%s %s%s", tenth(scatterLeft*10+at[0]*scatterWidth*10/unit),
					tenth(scatterBottomY*10-at[1]*scatterHeight*10/unit), mark)
			}
		}
		p.add(`<path class="m %s" data-verdict="%d" d="%s"/>`, classes[v], v, d.String())
	}
	p.add(`<path id="chosen" d=""/></g>`)
	p.add(`<text id="xname" x="%d" y="%d" text-anchor="middle">%s</text>`,
		(scatterLeft+scatterRight)/2, scatterBottomY+40, html.EscapeString(short(x.Name,
			longestName)))
	p.add(
		`<text id="yname" transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`,
		(scatterTop+scatterBottomY)/2, html.EscapeString(short(y.Name, longestName)))
	return p.html()
}

// marks are the SVG paths of the marks, relative to their positions. The kit's
// scatter.js contains them, too.
var marks = [verdicts]string{"h0", "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
	"m-3.5-3.5l7 7m0-7l-7 7"}
