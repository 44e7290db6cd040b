package birdseye

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/internal/portable"
)

// names writes a name next to each mark, where it covers as little as possible.
type names struct {
	style text.Style
	at    plotter.XYs
	texts []string

	marks plotter.XYs     // not to be covered: the named marks and others
	lines [][2]plotter.XY // not to be covered
	boxes []plotter.XYs   // preferably not covered
}

func (n *names) add(at plotter.XY, name string) {
	n.at, n.texts = append(n.at, at), append(n.texts, name)
	n.keepClear(at)
}

func (n *names) keepClear(marks ...plotter.XY) { n.marks = append(n.marks, marks...) }

func (n *names) keepClearOfLine(from, to plotter.XY) {
	n.lines = append(n.lines, [2]plotter.XY{from, to})
}

func (n *names) avoid(boxes ...plotter.XYs) { n.boxes = append(n.boxes, boxes...) }

// Plot writes the names whose marks are in the picture, with a white halo.
func (n *names) Plot(c draw.Canvas, p *plot.Plot) {
	face := n.style.Handler.Cache().Lookup(n.style.Font, n.style.Font.Size)
	const halo, around = 1.6, 16
	for k, box := range n.places(&c, p) {
		if box == (vg.Rectangle{}) {
			continue
		}
		c.SetColor(color.White)
		for a := range around {
			sin, cos := portable.Sincos(2 * math.Pi * float64(a) / around)
			c.FillString(face, box.Min.Add(vg.Point{X: vg.Length(halo * cos),
				Y: vg.Length(halo * sin)}), n.texts[k])
		}
		c.SetColor(n.style.Color)
		c.FillString(face, box.Min, n.texts[k])
	}
}

// places returns the boxes of the names, in the same order. Names outside the picture have empty
// boxes.
func (n *names) places(c *draw.Canvas, p *plot.Plot) []vg.Rectangle {
	toX, toY := p.Transforms(c)
	point := func(v plotter.XY) vg.Point { return vg.Point{X: toX(v.X), Y: toY(v.Y)} }
	o := n.obstacles(point)
	places := make([]vg.Rectangle, len(n.at))
	for k, name := range n.texts {
		at := point(n.at[k])
		if !c.Contains(at) {
			continue
		}
		// Digits are as tall as capitals, which is this fraction of the font size.
		size := vg.Point{X: n.style.Width(name), Y: 0.72 * n.style.Font.Size}
		places[k] = o.best(c, at, size)
		o.hard = append(o.hard, places[k])
	}
	return places
}

// obstacles are the shapes that names must avoid, in canvas coordinates.
type obstacles struct {
	hard, soft []vg.Rectangle
}

func (n *names) obstacles(point func(plotter.XY) vg.Point) *obstacles {
	o := &obstacles{}
	square := func(at vg.Point, r vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: at.X - r, Y: at.Y - r}, Max: vg.Point{X: at.X + r,
			Y: at.Y + r}}
	}
	for _, m := range n.marks {
		o.hard = append(o.hard, square(point(m), markRadius+1))
	}
	for _, l := range n.lines {
		const pieces = 40
		from, to := point(l[0]), point(l[1])
		for k := range pieces + 1 {
			o.hard = append(o.hard, square(from.Add(to.Sub(from).Scale(vg.Length(k)/pieces)), 2))
		}
	}
	for _, b := range n.boxes {
		r := vg.Rectangle{Min: point(b[0]), Max: point(b[0])}
		for _, corner := range b[1:] {
			v := point(corner)
			r.Min.X, r.Min.Y = min(r.Min.X, v.X), min(r.Min.Y, v.Y)
			r.Max.X, r.Max.Y = max(r.Max.X, v.X), max(r.Max.Y, v.Y)
		}
		o.soft = append(o.soft, r)
	}
	return o
}

// best returns the box next to a mark with the lowest penalty. Distance from the mark has a low
// penalty, covering a vehicle has a higher one, and covering a mark, a line or a name has the
// highest.
func (o *obstacles) best(c *draw.Canvas, mark, size vg.Point) vg.Rectangle {
	const (
		turns        = 16
		hard, soft   = 100, 0.2 // per square point
		outside      = 1e6
		distinctness = 1e-6 // smaller differences are insignificant, and depend on the processor
	)
	var best vg.Rectangle
	least := math.Inf(1)
	for _, gap := range []vg.Length{2.5, 4, 7, 10, 14, 18} {
		for turn := range turns {
			// Start above the mark, and alternate between right and left.
			angle := math.Pi/2 - math.Pi*float64((turn+1)/2*(1-turn%2*2))*2/turns
			box := beside(mark, size, markRadius+gap, angle)
			cost := float64(gap)
			if !c.Contains(box.Min) || !c.Contains(box.Max) {
				cost += outside
			}
			for _, r := range o.hard {
				cost += hard * overlap(box, r)
			}
			for _, r := range o.soft {
				cost += soft * overlap(box, r)
			}
			if cost < least-distinctness {
				best, least = box, cost
			}
		}
	}
	return best
}

// beside returns the box that touches a circle around the mark in the given direction.
func beside(mark, size vg.Point, radius vg.Length, angle float64) vg.Rectangle {
	sin, cos := portable.Sincos(angle)
	center := mark.Add(vg.Point{
		X: vg.Length(cos) * (radius + size.X/2), Y: vg.Length(sin) * (radius + size.Y/2),
	})
	low := center.Sub(size.Scale(0.5))
	return vg.Rectangle{Min: low, Max: low.Add(size)}
}

// overlap returns the common area of two boxes, in square points.
func overlap(a, b vg.Rectangle) float64 {
	width := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	height := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	if width <= 0 || height <= 0 {
		return 0
	}
	return float64(width * height)
}
