package birdseye

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/proto/osi3"
)

// bulbs are the colors of traffic lights.
var bulbs = []struct {
	of   osi3.TrafficLight_Classification_Color
	name string
	fill color.RGBA
}{
	{osi3.TrafficLight_Classification_COLOR_RED, "red", color.RGBA{214, 32, 32, 255}},
	{osi3.TrafficLight_Classification_COLOR_YELLOW, "yellow", color.RGBA{232, 172, 0, 255}},
	{osi3.TrafficLight_Classification_COLOR_GREEN, "green", color.RGBA{24, 160, 70, 255}},
	{osi3.TrafficLight_Classification_COLOR_BLUE, "blue", color.RGBA{43, 111, 224, 255}},
	{osi3.TrafficLight_Classification_COLOR_WHITE, "white", color.RGBA{225, 228, 232, 255}},
}

// signs adds the traffic signs and the bulbs of traffic lights. A bulb that is off is gray.
func (l *layers) signs(s *Snapshot) {
	truth := s.View.GetGlobalGroundTruth()
	var signs, off plotter.XYs
	for _, o := range truth.GetTrafficSign() {
		if p := o.GetMainSign().GetBase().GetPosition(); p != nil {
			signs = append(signs, l.ground.world(vector(p)))
		}
	}
	lit := make([]plotter.XYs, len(bulbs))
	for _, o := range truth.GetTrafficLight() {
		p, c := o.GetBase().GetPosition(), o.GetClassification()
		if p == nil {
			continue
		}
		at := l.ground.world(vector(p))
		found := false
		for k, b := range bulbs {
			if c.GetColor() == b.of && on(c.GetMode()) {
				lit[k], found = append(lit[k], at), true
			}
		}
		if !found {
			off = append(off, at)
		}
	}
	l.ids.keepClear(signs...)
	l.legend("traffic sign", l.marks(missedMark, signGlyph{}, markRadius, signs))
	l.legend("traffic light, off or unknown", l.marks(roadColor, discGlyph{}, dotRadius, off))
	for k, b := range bulbs {
		l.ids.keepClear(lit[k]...)
		l.legend("traffic light, "+b.name, l.marks(b.fill, bulbGlyph{}, markRadius, lit[k]))
	}
}

// on reports whether a bulb shines, at least some of the time.
func on(m osi3.TrafficLight_Classification_Mode) bool {
	switch m {
	case osi3.TrafficLight_Classification_MODE_CONSTANT,
		osi3.TrafficLight_Classification_MODE_FLASHING,
		osi3.TrafficLight_Classification_MODE_COUNTING:
		return true
	}
	return false
}

// seenLines adds the lane boundaries that a sensor has detected.
func (l *layers) seenLines(s *Snapshot) {
	var one plot.Thumbnailer
	for _, b := range s.Data.GetLaneBoundary() {
		var at plotter.XYs
		for _, p := range b.GetBoundaryLine() {
			at = append(at, l.ground.detection(vector(p.GetPosition())))
		}
		if len(at) < 2 {
			continue
		}
		line, err := plotter.NewLine(at)
		if l.err = err; err != nil {
			return
		}
		line.LineStyle = draw.LineStyle{Color: stationaryMark, Width: vg.Points(1.4)}
		l.plot.Add(unpadded{line})
		one = line
	}
	l.legend("detected lane boundary", one)
}

// signGlyph draws a triangle with a dark rim.
type signGlyph struct{}

// DrawGlyph draws the sign at a point.
func (signGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := 1.2 * s.Radius
	rim := []vg.Point{{X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y - 0.7*r},
		{X: at.X - r, Y: at.Y - 0.7*r}, {X: at.X, Y: at.Y + r}}
	c.FillPolygon(color.White, rim)
	c.StrokeLines(draw.LineStyle{Color: color.RGBA{190, 30, 30, 255}, Width: vg.Points(1)}, rim)
}

// bulbGlyph draws a disc with a dark rim, which is visible on any background.
type bulbGlyph struct{}

// DrawGlyph draws the bulb at a point.
func (bulbGlyph) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	rim := s
	rim.Color, rim.Radius = movingEdge, s.Radius+vg.Points(0.7)
	disc(c, rim.Radius, rim.Color, at)
	disc(c, s.Radius, s.Color, at)
}
