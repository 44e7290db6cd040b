package birdseye

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/internal/portable"
)

// unpadded draws a plotter without requesting space for it, so that marks at the border of the
// picture do not change the scale.
type unpadded struct{ plot.Plotter }

// discGlyph draws a disc with a white rim.
type discGlyph struct{}

func (discGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	rim := s
	rim.Color, rim.Radius = color.White, s.Radius+vg.Points(1)
	disc(c, rim.Radius, rim.Color, at)
	disc(c, s.Radius, s.Color, at)
}

// disc draws a filled circle.
func disc(c *draw.Canvas, radius vg.Length, fill color.Color, at vg.Point) {
	c.DrawGlyph(draw.GlyphStyle{Color: fill, Radius: radius, Shape: draw.CircleGlyph{}}, at)
}

// diamondGlyph draws a square standing on its corner, with a white rim.
type diamondGlyph struct{}

func (diamondGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	diamond := func(r vg.Length, fill color.Color) {
		r *= 1.2 // a diamond looks smaller than a disc
		c.FillPolygon(fill, []vg.Point{
			{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y},
			{X: at.X, Y: at.Y - r},
		})
	}
	diamond(s.Radius+vg.Points(1), color.White)
	diamond(s.Radius, s.Color)
}

// crossGlyph draws a diagonal cross with a white rim.
type crossGlyph struct{}

func (crossGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	cross := func(r, width vg.Length, ink color.Color) {
		c.StrokeLines(draw.LineStyle{Color: ink, Width: width},
			[]vg.Point{{X: at.X - r, Y: at.Y - r}, {X: at.X + r, Y: at.Y + r}},
			[]vg.Point{{X: at.X - r, Y: at.Y + r}, {X: at.X + r, Y: at.Y - r}})
	}
	r := s.Radius * 0.85
	cross(r+vg.Points(0.6), vg.Points(2.6), color.White)
	cross(r, vg.Points(1.4), s.Color)
}

// arrows connect pairs of positions.
type arrows struct {
	style draw.LineStyle
	pairs [][2]plotter.XY
}

func (a *arrows) add(from, to plotter.XY) { a.pairs = append(a.pairs, [2]plotter.XY{from, to}) }

// Plot draws the arrows whose tips are in the picture, and clips the others.
func (a *arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, pair := range a.pairs {
		a.draw(&c, vg.Point{X: x(pair[0].X), Y: y(pair[0].Y)}, vg.Point{X: x(pair[1].X),
			Y: y(pair[1].Y)})
	}
}

// Thumbnail draws an arrow for the legend.
func (a *arrows) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	a.draw(c, vg.Point{X: c.Min.X, Y: y}, vg.Point{X: c.Max.X, Y: y})
}

func (a *arrows) draw(c *draw.Canvas, from, to vg.Point) {
	const length, half = 6, 2.6 // of the head
	arm := to.Sub(from)
	way := vg.Length(portable.Hypot(float64(arm.X), float64(arm.Y)))
	if way < markRadius+vg.Points(1) {
		return // below its mark
	}
	if !c.Contains(to) || way < length {
		c.StrokeLines(a.style, c.ClipLinesXY([]vg.Point{from, to})...)
		return
	}
	unit := arm.Scale(1 / way)
	side := vg.Point{X: -unit.Y, Y: unit.X}.Scale(half)
	neck := to.Sub(unit.Scale(length))
	c.StrokeLines(a.style, c.ClipLinesXY([]vg.Point{from, neck})...)
	c.FillPolygon(a.style.Color, []vg.Point{to, neck.Add(side), neck.Sub(side)})
}
