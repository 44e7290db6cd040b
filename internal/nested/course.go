package nested

import (
	"fmt"
	"slices"
	"strings"
)

// draw sets the points of an arrow. All positions are known.
func (a *Arrow) draw() {
	a.Points = nil
	if a.From == a.To {
		right, y := a.From.X+a.From.Width, a.From.Y+a.Line
		a.Points = []Point{{right, y}, {right + tip, y}, {right + tip, y + pitch},
			{right, y + pitch}}
		return
	}
	y := a.From.Y + a.Line
	switch {
	case a.pieces[0].level().box == a.From:
		a.Points = append(a.Points, Point{a.From.X + a.From.Indent + pitch, y})
	case a.Back:
		a.Points = append(a.Points, Point{a.From.X, y})
	default:
		a.Points = append(a.Points, Point{a.From.X + a.From.Width, y})
	}
	for _, p := range a.pieces {
		points := p.course()
		if a.Back {
			slices.Reverse(points)
		}
		a.Points = append(a.Points, points...)
	}
	// The first vertical part begins at the line of text.
	a.Points[1].Y = y
	end := &a.Points[len(a.Points)-1]
	switch {
	case a.pieces[len(a.pieces)-1].level().box == a.To:
		end.Y = a.To.Y + a.To.Height
	case a.Back:
		end.Y = a.To.Y + a.To.Height
	default:
		end.Y = a.To.Y
	}
	a.Points = straighten(a.Points)
}

// level returns the vertical position of a piece.
func (p *piece) level() *level {
	if p.upper != nil {
		return p.upper.parent.level
	}
	return p.lower.parent.level
}

// course returns the points of a piece from its upper to its lower end.
func (p *piece) course() []Point {
	l := p.level()
	x, y := l.box.X, l.box.Y+l.box.TextHeight
	var points []Point
	for _, k := range p.links {
		c := l.channels[k.lower.layer]
		upper, lower := k.ends()
		at := y + c.y + pitch*(k.track+1)
		points = append(points, Point{x + upper, y + c.y}, Point{x + upper, at},
			Point{x + lower, at}, Point{x + lower, y + c.y + c.height})
	}
	return points
}

// straighten removes points that are not corners.
func straighten(points []Point) []Point {
	var out []Point
	for _, p := range points {
		for n := len(out); n >= 2; n = len(out) {
			a, b := out[n-2], out[n-1]
			if corner := (a.X != b.X || b.X != p.X) && (a.Y != b.Y || b.Y != p.Y); corner {
				break
			}
			out = out[:n-1]
		}
		if len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	return out
}

// Path returns the course of an arrow as the data of an SVG path, with rounded corners.
func (a *Arrow) Path() string {
	const radius = 6
	var b strings.Builder
	last := len(a.Points) - 1
	for n, p := range a.Points {
		switch n {
		case 0:
			fmt.Fprintf(&b, "M%d,%d", p.X, p.Y)
		case last:
			fmt.Fprintf(&b, " L%d,%d", p.X, p.Y)
		default:
			from, to := toward(p, a.Points[n-1], radius), toward(p, a.Points[n+1], radius)
			fmt.Fprintf(&b, " L%d,%d Q%d,%d %d,%d", from.X, from.Y, p.X, p.Y, to.X, to.Y)
		}
	}
	return b.String()
}

// toward returns the point at a distance from p on the way to q, or halfway if q is nearer than
// twice that distance.
func toward(p, q Point, distance int) Point {
	step := func(from, to int) int {
		if to < from {
			return from - min(distance, (from-to)/2)
		}
		return from + min(distance, (to-from)/2)
	}
	return Point{step(p.X, q.X), step(p.Y, q.Y)}
}
