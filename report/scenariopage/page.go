package scenariopage

import (
	"bytes"
	_ "embed" // the form of the page
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"gosmp/mocksim/opendrive"
	roads "gosmp/mocksim/opendrive/draw"
	"gosmp/report/internal/page"
	"gosmp/scenario/play"
)

//go:embed page.html
var form string

// report holds the data of the page.
type report struct {
	Result      *play.Result
	Timeline    template.HTML
	Curves      []curve
	Ground      template.HTML
	GroundStyle template.CSS
	Names       []string
	Colours     []string
	Boxes       []box
	Times       []float64
	Poses       [][]*[3]float64 // of each time and entity: x, y, h; null while it does not exist
	View        [4]float64
}

type curve struct {
	Name, Unit string
	Plot       template.HTML
}

// colours of the entities, in turns.
var colours = []string{"#1f5fa8", "#c33", "#282", "#b60", "#639", "#088", "#a36", "#555"}

// Write writes the report of a run. The map is that of the scenario; nil: none is drawn.
func Write(to io.Writer, r *play.Result, rec *Recorder, m *opendrive.Map) error {
	p := &report{Result: r, GroundStyle: roads.GroundStyle, Names: rec.names, Boxes: rec.boxes,
		Times: rec.times}
	if m != nil && len(m.Roads) > 0 {
		var ground bytes.Buffer
		if err := roads.Ground(&ground, m); err != nil {
			return err
		}
		p.Ground = template.HTML(ground.String()) //nolint:gosec // of package roads, which escapes
	}
	for k := range rec.names {
		p.Colours = append(p.Colours, colours[k%len(colours)])
	}
	p.poses(rec)
	p.Timeline = timeline(r)
	p.Curves = []curve{{"speed", "m/s", rec.plot(func(x pose) float64 { return x.speed })},
		{"acceleration", "m/s2", rec.plot(func(x pose) float64 { return x.acceleration })}}
	return page.Write(to, form, p)
}

// poses takes what the playback shows, rounded to millimetres, and the part of the map around it.
func (p *report) poses(rec *Recorder) {
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, list := range rec.states {
		row := make([]*[3]float64, len(list))
		for k, x := range list {
			if !x.exists {
				continue
			}
			row[k] = &[3]float64{rounded(x.x), rounded(x.y), rounded(x.h)}
			left, right = min(left, x.x), max(right, x.x)
			low, high = min(low, x.y), max(high, x.y)
		}
		p.Poses = append(p.Poses, row)
	}
	if right < left {
		left, right, low, high = 0, 0, 0, 0
	}
	p.View = [4]float64{rounded(left - 15), rounded(low - 15), rounded(right + 15), rounded(high +
		15)}
}

func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }

// bar is the time in which an element runs.
type bar struct {
	from, to float64
	stopped  bool
}

// timeline draws when the acts, events and actions of the stories run.
func timeline(r *play.Result) template.HTML {
	const left, width, height = 320.0, 620.0, 18.0
	var order []string
	bars := map[string][]bar{}
	for _, e := range r.Events {
		kind, path, _ := strings.Cut(e.Element, " ")
		if kind != "act" && kind != "event" && kind != "action" || !strings.Contains(path, "::") {
			continue
		}
		list := bars[e.Element]
		if list == nil {
			order = append(order, e.Element)
		}
		switch e.Transition {
		case "startTransition":
			list = append(list, bar{e.Time, r.Time, false})
		case "endTransition", "stopTransition":
			if n := len(list); n > 0 {
				list[n-1].to, list[n-1].stopped = e.Time, e.Transition == "stopTransition"
			}
		}
		bars[e.Element] = list
	}
	x := func(t float64) float64 { return left + t/max(r.Time, 1e-9)*width }
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg width="960" height="%.0f" class="timeline">`, height*float64(len(order))+
		24)
	for k, name := range order {
		y := float64(k) * height
		kind, path, _ := strings.Cut(name, " ")
		parts := strings.Split(path, "::")
		fmt.Fprintf(&b, `<text x="4" y="%.1f">%s<title>%s</title></text>`, y+13,
			template.HTMLEscapeString(kind+" "+parts[len(parts)-1]),
			template.HTMLEscapeString(name))
		for _, s := range bars[name] {
			class := kind
			if s.stopped {
				class += " stopped"
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="12">`+
				`<title>%s to %s s</title></rect>`, class, x(s.from), y+3, max(2,
				x(s.to)-x(s.from)),
				short(s.from), short(s.to))
		}
	}
	for k := range 6 {
		t := r.Time * float64(k) / 5
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x(t),
			height*float64(len(order))+18, short(t))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers and escaped names
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// plot draws a quantity of all entities over time.
func (r *Recorder) plot(of func(pose) float64) template.HTML {
	const left, width, height = 60.0, 880.0, 130.0
	low, high, end := math.Inf(1), math.Inf(-1), 0.0
	for k, list := range r.states {
		end = r.times[k]
		for _, x := range list {
			if x.exists {
				low, high = min(low, of(x)), max(high, of(x))
			}
		}
	}
	if high < low || end <= 0 {
		return ""
	}
	if high-low < 1e-6 {
		low, high = low-1, high+1
	}
	y := func(v float64) float64 { return 10 + (high-v)/(high-low)*height }
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg width="960" height="%.0f" class="curve">`, height+34)
	for _, v := range [...]float64{low, high} {
		fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fH%.1f"/><text x="%.1f" y="%.1f"`+
			` text-anchor="end">%s</text>`, left, y(v), left+width, left-6, y(v)+4, short(v))
	}
	for k := range 6 {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`,
			left+width*float64(k)/5, height+28, short(end*float64(k)/5))
	}
	for n := range r.names {
		r.line(&b, n, func(k int) (float64, float64, bool) {
			x := r.states[k][n]
			return left + r.times[k]/end*width, y(of(x)), x.exists
		})
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers only
}

// line draws one entity, with gaps while it does not exist.
func (r *Recorder) line(b *bytes.Buffer, n int, at func(k int) (x, y float64, ok bool)) {
	fmt.Fprintf(b, `<path class="line" style="stroke:%s" d="`, colours[n%len(colours)])
	word := byte('M')
	for k := range r.times {
		x, y, ok := at(k)
		if !ok {
			word = 'M'
			continue
		}
		fmt.Fprintf(b, "%c%.1f %.1f", word, x, y)
		word = 'L'
	}
	b.WriteString(`"/>`)
}
