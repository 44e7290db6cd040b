package truth

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

// stripe is one line of a road mark.
type stripe struct {
	kind      osi3.LaneBoundary_Classification_Type
	colour    osi3.LaneBoundary_Classification_Color
	width     float64
	height    float64
	aside     float64 // distance from the border in t, m
	dash, gap float64 // of dashed lines, m
	begin     float64 // start of the first dash, from the start of the mark
}

// Defaults for values of marks that the file does not state, in m.
const (
	defaultWidth = 0.12
	boldWidth    = 0.25
	defaultDash  = 3.0
	defaultGap   = 6.0
)

// stripes returns the lines of a mark; for double marks in the order of increasing t.
func stripes(mark *opendrive.RoadMark) []stripe {
	if mark == nil || mark.Type == "none" || mark.Type == "" {
		return []stripe{{kind: osi3.LaneBoundary_Classification_TYPE_NO_LINE,
			colour: osi3.LaneBoundary_Classification_COLOR_NONE}}
	}
	words := strings.Fields(mark.Type)
	if mark.Type == "botts dots" {
		words = []string{mark.Type}
	}
	width := mark.Width
	if width <= 0 {
		width = defaultWidth
		if mark.Weight == "bold" {
			width = boldWidth
		}
	}
	list := make([]stripe, len(words))
	for k, word := range words {
		s := stripe{kind: boundaryType(word), colour: boundaryColour(mark.Color), width: width,
			height: mark.Height,
			dash:   defaultDash, gap: defaultGap}
		if len(words) == 2 {
			s.aside = (float64(k) - 0.5) * 2 * width
		}
		if k < len(mark.Lines) {
			l := mark.Lines[k]
			if l.Length > 0 && l.Space > 0 {
				s.dash, s.gap, s.begin = l.Length, l.Space, l.S
			}
			if l.Width > 0 {
				s.width = l.Width
			}
			if len(mark.Lines) == len(words) && len(words) > 1 && l.T != 0 {
				s.aside = l.T
			}
		}
		list[k] = s
	}
	if len(list) == 2 && list[0].aside > list[1].aside {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

func boundaryType(word string) osi3.LaneBoundary_Classification_Type {
	switch word {
	case "solid":
		return osi3.LaneBoundary_Classification_TYPE_SOLID_LINE
	case "broken":
		return osi3.LaneBoundary_Classification_TYPE_DASHED_LINE
	case "botts dots":
		return osi3.LaneBoundary_Classification_TYPE_BOTTS_DOTS
	case "grass":
		return osi3.LaneBoundary_Classification_TYPE_GRASS_EDGE
	case "curb":
		return osi3.LaneBoundary_Classification_TYPE_CURB
	case "edge":
		return osi3.LaneBoundary_Classification_TYPE_ROAD_EDGE
	}
	return osi3.LaneBoundary_Classification_TYPE_OTHER
}

func boundaryColour(name string) osi3.LaneBoundary_Classification_Color {
	switch name {
	case "", "standard", "white":
		return osi3.LaneBoundary_Classification_COLOR_WHITE
	case "yellow":
		return osi3.LaneBoundary_Classification_COLOR_YELLOW
	case "red":
		return osi3.LaneBoundary_Classification_COLOR_RED
	case "blue":
		return osi3.LaneBoundary_Classification_COLOR_BLUE
	case "green":
		return osi3.LaneBoundary_Classification_COLOR_GREEN
	case "violet":
		return osi3.LaneBoundary_Classification_COLOR_VIOLET
	case "orange":
		return osi3.LaneBoundary_Classification_COLOR_ORANGE
	}
	return osi3.LaneBoundary_Classification_COLOR_OTHER
}

// draw creates the boundary for a stripe.
func (s *stripe) draw(m *marking, f func(float64) place) *osi3.LaneBoundary {
	b := &osi3.LaneBoundary{Classification: &osi3.LaneBoundary_Classification{Type: s.kind.Enum(),
		Color: s.colour.Enum()}}
	add := func(points []place, dash osi3.LaneBoundary_BoundaryPoint_Dash) {
		for _, p := range points {
			point := &osi3.LaneBoundary_BoundaryPoint{Position: vector(p.at),
				Width: proto.Float64(s.width), Height: proto.Float64(s.height)}
			if dash != 0 {
				point.Dash = dash.Enum()
			}
			b.BoundaryLine = append(b.BoundaryLine, point)
		}
	}
	if s.kind != osi3.LaneBoundary_Classification_TYPE_DASHED_LINE {
		add(line(m.from, m.to, f), 0)
		return b
	}
	const start, onwards = osi3.LaneBoundary_BoundaryPoint_DASH_START,
		osi3.LaneBoundary_BoundaryPoint_DASH_CONTINUE
	const end, gap = osi3.LaneBoundary_BoundaryPoint_DASH_END,
		osi3.LaneBoundary_BoundaryPoint_DASH_GAP
	const least = 1e-3
	if m.to-m.from <= 2*least { // too short for a dash
		points := line(m.from, m.to, f)
		add(points[:len(points)-1], start)
		add(points[len(points)-1:], end)
		return b
	}
	at := m.from
	if s.begin > least {
		first := min(m.from+s.begin, m.to)
		gaps := line(at, first, f)
		add(gaps[:len(gaps)-1], gap)
		at = first
	}
	for at < m.to-least {
		stop := min(at+s.dash, m.to)
		points := line(at, stop, f)
		add(points[:1], start)
		add(points[1:len(points)-1], onwards)
		add(points[len(points)-1:], end)
		next := min(stop+s.gap, m.to)
		if next > stop+least {
			gaps := line(stop, next, f)
			if next >= m.to-least { // the line ends in a gap
				add(gaps[1:], gap)
			} else {
				add(gaps[1:len(gaps)-1], gap)
			}
		}
		at = next
	}
	return b
}
