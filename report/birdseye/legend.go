package birdseye

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Distance of the legend from the picture border and from the border of its own panel.
const (
	legendMargin = vg.Length(16)
	panelMargin  = vg.Length(8)
)

// placeLegend puts the legend in the corner of an area of the given size where it covers the fewest
// of some positions, preferably the lower right one, with the text after the marks.
func placeLegend(p *plot.Plot, area vg.Point, at plotter.XYs) {
	l := &p.Legend
	l.TextStyle.Font = textStyle(labelSize, nil).Font
	l.TextStyle.YAlign = -0.12 // aligns the middle of small letters with the middle of the marks
	l.Left, l.YPosition = true, draw.PosBottom
	l.Padding, l.ThumbnailWidth = vg.Points(6), vg.Points(24)
	size := l.Rectangle(draw.Canvas{}).Size()
	left, right := legendMargin, area.X-size.X-legendMargin
	low, high := legendMargin, area.Y-size.Y-legendMargin
	fewest := len(at) + 1
	for _, corner := range []vg.Point{{X: right, Y: low}, {X: left, Y: low}, {X: right, Y: high},
		{X: left, Y: high}} {
		covered := 0
		for _, place := range at {
			x := vg.Length((place.X-p.X.Min)/(p.X.Max-p.X.Min))*area.X - corner.X
			y := vg.Length((place.Y-p.Y.Min)/(p.Y.Max-p.Y.Min))*area.Y - corner.Y
			if x > -panelMargin && x < size.X+panelMargin &&
				y > -panelMargin && y < size.Y+panelMargin {
				covered++
			}
		}
		if covered < fewest {
			l.XOffs, l.YOffs, fewest = corner.X, corner.Y, covered
		}
	}
}

// panel is the background of the legend.
type panel struct{}

// Plot draws the panel, if there is a legend.
func (panel) Plot(c draw.Canvas, p *plot.Plot) {
	size := p.Legend.Rectangle(c).Size()
	if size.Y == 0 {
		return
	}
	low := c.Min.Add(vg.Point{X: p.Legend.XOffs - panelMargin, Y: p.Legend.YOffs - panelMargin})
	high := low.Add(size).Add(vg.Point{X: 2 * panelMargin, Y: 2 * panelMargin})
	rim := []vg.Point{low, {X: high.X, Y: low.Y}, high, {X: low.X, Y: high.Y}, low}
	c.FillPolygon(color.White, rim)
	c.StrokeLines(draw.LineStyle{Color: viewEdge, Width: vg.Points(0.6)}, rim)
}
