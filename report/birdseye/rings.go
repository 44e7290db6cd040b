package birdseye

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/internal/portable"
)

// rings draws circles of equal distance around the origin, and rays every 30 degrees.
type rings struct{}

// Plot draws the rings up to the farthest corner of the picture.
func (rings) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: gridColor, Width: vg.Points(0.6)}
	far := portable.Hypot(max(math.Abs(p.X.Min), math.Abs(p.X.Max)),
		max(math.Abs(p.Y.Min), math.Abs(p.Y.Max)))
	circle := func(r float64) {
		const pieces = 180
		rim := make([]vg.Point, 0, pieces+1)
		for k := range pieces + 1 {
			sin, cos := portable.Sincos(2 * math.Pi * float64(k) / pieces)
			rim = append(rim, vg.Point{X: x(r * cos), Y: y(r * sin)})
		}
		c.StrokeLines(style, c.ClipLinesXY(rim)...)
	}
	step := ringStep(p.X.Max - p.X.Min)
	text := textStyle(labelSize, movingEdge)
	for k := 1; float64(k)*step <= far; k++ {
		circle(float64(k) * step)
		at := vg.Point{X: x(0) + 2, Y: y(float64(k)*step) + 2}
		if c.Contains(at) {
			c.FillText(text, at, fmt.Sprintf("%g m", float64(k)*step))
		}
	}
	for k := range 12 {
		sin, cos := portable.Sincos(math.Pi * float64(k) / 6)
		c.StrokeLines(style, c.ClipLinesXY([]vg.Point{{X: x(0), Y: y(0)},
			{X: x(far * cos), Y: y(far * sin)}})...)
	}
}

// ringStep returns a round distance between rings for a picture of a width in m.
func ringStep(width float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(max(width, 1)/10)))
	for _, f := range []float64{1, 2, 5} {
		if width/(f*decade) <= 14 {
			return f * decade
		}
	}
	return 10 * decade
}

// grid returns the grid of the picture.
func (s *Snapshot) grid() plot.Plotter {
	if s.Polar {
		return rings{}
	}
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = gridColor, gridColor
	return g
}
