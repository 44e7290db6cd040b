package draw

import (
	"fmt"
	"math"
	"strings"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// Defaults for values of marks that the file does not state, in m.
const (
	markWidth = 0.12
	dash, gap = 3.0, 6.0
)

// mark draws the lines of a mark along stations of the outer border of a lane.
func (p *picture) mark(l *opendrive.Lane, m *opendrive.RoadMark, along []opendrive.Station) {
	if m == nil || m.Type == "" || m.Type == "none" || len(along) < 2 {
		return
	}
	words := strings.Fields(m.Type)
	if m.Type == "botts dots" {
		words = []string{m.Type}
	}
	for k, word := range words {
		class, ok := markClass(word, m.Color)
		if !ok {
			continue
		}
		aside := 0.0
		if len(words) == 2 { // in the order of increasing t
			aside = (2*float64(k) - 1) * max(m.Width, markWidth)
		}
		points := make([]frames.Vector, len(along))
		for i := range along {
			_, outer := l.Edges(along[i].S)
			points[i] = l.Point(&along[i], outer+aside)
		}
		fmt.Fprintf(&p.marks, "<path class=\"%s\"%s d=\"%s\"/>\n", class, dashes(word, m, k),
			p.line(points))
	}
}

// markClass returns the class of a line in the picture; some kinds of lines are not shown.
func markClass(word, colour string) (class string, shown bool) {
	switch word {
	case "curb":
		return "mark curb", true
	case "edge":
		return "mark edge", true
	case "grass":
		return "", false
	}
	if colour == "yellow" {
		return "mark yellow", true
	}
	return "mark", true
}

// dashes returns the dash attribute of a line that is not solid.
func dashes(word string, m *opendrive.RoadMark, k int) string {
	switch word {
	case "broken":
		if k < len(m.Lines) && m.Lines[k].Length > 0 && m.Lines[k].Space > 0 {
			return fmt.Sprintf(" stroke-dasharray=\"%s %s\"", number(m.Lines[k].Length),
				number(m.Lines[k].Space))
		}
		return fmt.Sprintf(" stroke-dasharray=\"%s %s\"", number(dash), number(gap))
	case "botts dots":
		return " stroke-dasharray=\"0.2 1\""
	}
	return ""
}

// Dimensions of arrows, in m.
const (
	arrowDistance = 40.0
	arrowLength   = 2.4
	leastWidth    = 2.0 // of a lane with arrows
)

// arrows shows the direction of traffic on a lane for cars. There are none in junctions, where they
// would overlap.
func (p *picture) arrows(r *opendrive.Road, l *opendrive.Lane) {
	forwards, backwards := l.Directions()
	if !l.Drivable() || r.Junction != "" || forwards == backwards || !p.labels {
		return
	}
	length := l.Section.Length()
	n := int(length / arrowDistance)
	if n == 0 && length > arrowDistance/4 {
		n = 1
	}
	for k := range n {
		s := l.Section.S + length*(float64(k)+0.5)/float64(n)
		st, err := r.Station(s)
		if err != nil || l.Width(s) < leastWidth {
			continue
		}
		at, yaw := l.Point(&st, l.Center(s)), st.Heading
		if backwards {
			yaw += math.Pi
		}
		x, y := portable.Cos(yaw)*arrowLength/2, portable.Sin(yaw)*arrowLength/2
		tip := frames.Vector{X: at.X + x, Y: at.Y + y}
		left := frames.Vector{X: at.X - x - y/2, Y: at.Y - y + x/2}
		right := frames.Vector{X: at.X - x + y/2, Y: at.Y - y - x/2}
		fmt.Fprintf(&p.marks, "<path class=\"arrow\" d=\"%sZ\"/>\n",
			p.line([]frames.Vector{tip, left, right}))
	}
}
