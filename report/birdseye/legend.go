package birdseye

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Distance of the legend from the picture border and from the border of its own panel.
const (
	legendMargin = vg.Length(16)
	panelMargin  = vg.Length(8)
)

// placeLegend puts the legend in the lower right corner of an area of the given size, with the text
// after the marks.
func placeLegend(l *plot.Legend, area vg.Point) {
	l.TextStyle.Font = textStyle(labelSize, nil).Font
	l.TextStyle.YAlign = -0.12 // aligns the middle of small letters with the middle of the marks
	l.Left, l.YPosition = true, draw.PosBottom
	l.Padding, l.ThumbnailWidth = vg.Points(6), vg.Points(24)
	l.XOffs = area.X - l.Rectangle(draw.Canvas{}).Size().X - legendMargin
	l.YOffs = legendMargin
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
