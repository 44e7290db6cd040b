// Package draw draws OpenDRIVE maps as SVG pictures for people to view: lanes seen from above,
// colored by kind, with arrows in the direction of traffic, road marks, objects, signals, and the
// ids of roads and junctions.
//
//	err := draw.Map(w, m)
//
// Rules: x points to the right and y up, in metres of the map. Each road, lane and signal has a
// title, which viewers show under the pointer. The same map gives the same bytes. Parts where lanes
// cannot be evaluated are not drawn.
//
// Functions: [Map], [Ground].
package draw

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"gosmp/frames"
	"gosmp/internal/plaintext"
	"gosmp/mocksim/opendrive"
)

const (
	spacing    = 2.0  // m between points of a border, except on large maps
	mostPoints = 4000 // along all roads; the spacing grows on larger maps
	margin     = 10.0 // m around the map
	labelled   = 300  // roads; on maps with more, ids would cover the roads
)

// The fills by kind of lane; kinds that are not listed get the last fill.
var fills = []struct {
	types []string
	fill  string
}{
	{[]string{"driving", "entry", "exit", "onRamp", "offRamp", "connectingRamp", "slipLane",
		"bidirectional", "bus", "taxi", "HOV"}, "#8a8f98"},
	{[]string{"biking"}, "#c98b7a"},
	{[]string{"sidewalk", "walking"}, "#d9d5cc"},
	{[]string{"parking", "stop"}, "#b3bccb"},
	{[]string{"shoulder", "border", "curb", "median", "restricted"}, "#bcc7b0"},
	{[]string{"rail", "tram"}, "#a79bb8"},
}

const otherFill = "#dfe6d8"

// Map writes a picture of the whole map.
func Map(w io.Writer, m *opendrive.Map) error { return newPicture(m).write(w, m) }

// Ground writes lanes and road marks as a group (g) for a picture by the caller, in metres, with x
// to the right and y down. [GroundStyle] is its style.
func Ground(w io.Writer, m *opendrive.Map) error {
	p := newPicture(m)
	_, err := io.WriteString(w, "<g>"+p.lanes.String()+p.marks.String()+"</g>")
	return err
}

// GroundStyle is the style sheet of [Ground].
const GroundStyle = "g path{stroke-width:.04}path.mark{fill:none;stroke:#fff;stroke-width:.18}pat" +
	"h.yellow{stroke:#e8c33a}path.curb{stroke:#5b5f66}" +
	"path.edge{stroke:#5b5f66;stroke-width:.1}.arrow{fill:#fff;fill-opacity:.55}.object{fill:#7d6" +
	"f5b;fill-opacity:.7}.paint{fill:#fff}"

func newPicture(m *opendrive.Map) *picture {
	p := &picture{step: spacing, labels: len(m.Roads) <= labelled, low: [2]float64{math.Inf(1),
		math.Inf(1)}, high: [2]float64{math.Inf(-1), math.Inf(-1)}}
	length := 0.0
	for _, r := range m.Roads {
		length += r.Length
	}
	p.step = max(p.step, length/mostPoints)
	for _, r := range m.Roads {
		p.road(r)
	}
	p.symbol = min(max(p.size()/250, 0.8), 6)
	for _, r := range m.Roads {
		p.objects(r)
		p.signals(r)
	}
	for _, j := range m.Junctions {
		p.junction(m, j)
	}
	return p
}

// picture collects the parts of a picture. Marks and texts are drawn above all lanes.
type picture struct {
	step               float64
	symbol             float64 // radius of the symbol of a signal, m
	labels             bool
	low, high          [2]float64
	lanes, marks, text strings.Builder
}

// size returns the larger side of what has been drawn, in m.
func (p *picture) size() float64 { return max(p.high[0]-p.low[0], p.high[1]-p.low[1], 0) }

func (p *picture) road(r *opendrive.Road) {
	fmt.Fprintf(&p.lanes, "<g><title>%s</title>\n", escape(roadTitle(r)))
	for _, sec := range r.Sections {
		for _, l := range sec.Lanes {
			p.lane(r, l)
		}
	}
	p.lanes.WriteString("</g>\n")
	if st, err := r.Station(r.Length / 2); p.labels && err == nil && r.Junction == "" {
		p.label(st.Point(0, 0), r.ID, "road")
	}
}

// signals draws a disc at the position of each signal.
func (p *picture) signals(r *opendrive.Road) {
	for _, s := range r.Signals {
		pose, err := s.Pose(r)
		if err != nil {
			continue
		}
		kind := "sign"
		if s.Dynamic {
			kind = "light"
		}
		fmt.Fprintf(&p.text,
			"<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"%s\"><title>signal %s</title></circle>\n",
			kind, number(pose.Position.X), number(-pose.Position.Y), number(p.symbol),
			escape(strings.TrimSpace(s.ID+" "+s.Name)))
	}
}

func roadTitle(r *opendrive.Road) string {
	title := "road " + r.ID
	if r.Name != "" {
		title += " (" + r.Name + ")"
	}
	if r.Junction != "" {
		title += " of junction " + r.Junction
	}
	return fmt.Sprintf("%s, %.1f m", title, r.Length)
}

// lane draws the area between a lane's edges, the marks on its outer edge, and arrows.
func (p *picture) lane(r *opendrive.Road, l *opendrive.Lane) {
	sec := l.Section
	n := max(1, int(math.Ceil(sec.Length()/p.step)))
	var inner, outer []frames.Vector
	var mark *opendrive.RoadMark
	var marked []opendrive.Station
	for k := range n + 1 {
		s := min(sec.S+sec.Length()*float64(k)/float64(n), r.Length)
		st, err := r.Station(s)
		if err != nil {
			return
		}
		in, out := l.Edges(s)
		inner, outer = append(inner, l.Point(&st, in)), append(outer, l.Point(&st, out))
		marked = append(marked, st)
		if now := l.Mark(s); now != mark || k == n {
			p.mark(l, mark, marked)
			mark, marked = now, marked[len(marked)-1:]
		}
	}
	if l.ID == 0 {
		return
	}
	for k := len(inner) - 1; k >= 0; k-- {
		outer = append(outer, inner[k])
	}
	p.arrows(r, l)
	fill := fillOf(l.Type)
	fmt.Fprintf(&p.lanes,
		"<path fill=\"%[1]s\" stroke=\"%[1]s\" d=\"%[2]sZ\"><title>%[3]s</title></path>\n", fill,
		p.line(outer), escape(fmt.Sprintf("lane %d of road %s: %s", l.ID, r.ID, l.Type)))
}

func fillOf(kind string) string {
	for _, f := range fills {
		for _, t := range f.types {
			if t == kind {
				return f.fill
			}
		}
	}
	return otherFill
}

// line returns path data, and extends the picture to include the points.
func (p *picture) line(points []frames.Vector) string {
	var b strings.Builder
	for k, q := range points {
		for axis, v := range [2]float64{q.X, -q.Y} {
			p.low[axis], p.high[axis] = min(p.low[axis], v), max(p.high[axis], v)
		}
		b.WriteByte("ML"[min(k, 1)])
		b.WriteString(number(q.X) + " " + number(-q.Y))
	}
	return b.String()
}

// junction writes the id of a junction in the middle of its roads.
func (p *picture) junction(m *opendrive.Map, j *opendrive.Junction) {
	var sum frames.Vector
	n := 0.0
	for _, r := range m.Roads {
		if st, err := r.Station(r.Length / 2); err == nil && r.Junction == j.ID {
			q := st.Point(0, 0)
			sum.X, sum.Y, n = sum.X+q.X, sum.Y+q.Y, n+1
		}
	}
	if p.labels && n > 0 {
		p.label(frames.Vector{X: sum.X / n, Y: sum.Y / n}, j.ID, "junction")
	}
}

func (p *picture) label(at frames.Vector, id, class string) {
	fmt.Fprintf(&p.text, "<text class=\"%s\" x=\"%s\" y=\"%s\">%s</text>\n", class, number(at.X),
		number(-at.Y), escape(id))
}

func (p *picture) write(w io.Writer, m *opendrive.Map) error {
	if math.IsInf(p.low[0], 0) {
		p.low, p.high = [2]float64{}, [2]float64{}
	}
	x, y := p.low[0]-margin, p.low[1]-margin
	width, height := p.high[0]-p.low[0]+2*margin, p.high[1]-p.low[1]+2*margin
	letter := min(max(max(width, height)/90, 2), 12)
	bar := math.Pow(10, math.Floor(math.Log10(max(width, 10)/2)))
	b := bufio.NewWriter(plaintext.Writer(w))
	fmt.Fprintf(b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%s %s %s %s\" width=\"1200\">\n",
		number(x), number(y), number(width), number(height))
	fmt.Fprintf(b, "<title>%s</title>\n<style>"+GroundStyle+
		"circle.sign{fill:#2f5fa8}circle.light{fill:#b3322c}text{font:%spx "+
		"sans-serif;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:%spx}"+
		".road{fill:#222}.junction{fill:#8a1f5c;font-weight:bold}.bar{stroke:#222;stroke-width:%s"+
		"px}</style>\n",
		escape(m.Name), number(letter), number(letter/6), number(letter/8))
	fmt.Fprintf(b, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"#fff\"/>\n",
		number(x), number(y), number(width), number(height))
	// Flush returns the error
	_, _ = b.WriteString(p.lanes.String() + p.marks.String() + p.text.String())
	left, bottom := x+margin/2, y+height-margin/2
	fmt.Fprintf(b,
		"<path class=\"bar\" d=\"M%s %sh%s\"/><text x=\"%s\" y=\"%s\">%s m</text>\n</svg>\n",
		number(left), number(bottom), number(bar),
		number(left+bar/2), number(bottom-letter/4), number(bar))
	return b.Flush()
}

// number formats a number rounded to centimeters.
func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", math.Round(v*100)/100+0),
		"0"), ".")
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
