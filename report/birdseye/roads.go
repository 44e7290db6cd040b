package birdseye

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/proto/osi3"
)

// roadSight is the distance from the origin up to which road marks are drawn, in m.
const roadSight = 400

// roads adds the lane boundaries, with gaps where marks are dashed.
func (l *layers) roads(s *Snapshot) {
	style := draw.LineStyle{Color: roadColor, Width: vg.Points(0.7)}
	var one plot.Thumbnailer
	for _, b := range s.View.GetGlobalGroundTruth().GetLaneBoundary() {
		if b.GetClassification().GetType() == osi3.LaneBoundary_Classification_TYPE_NO_LINE {
			continue
		}
		for _, stroke := range l.ground.strokes(b.GetBoundaryLine()) {
			line, err := plotter.NewLine(stroke)
			if l.err = err; err != nil {
				return
			}
			line.LineStyle = style
			l.plot.Add(unpadded{line})
			one = line
		}
	}
	l.legend("lane boundary", one)
}

// strokes returns the parts of a boundary that are painted and in sight.
func (g *ground) strokes(points []*osi3.LaneBoundary_BoundaryPoint) (list []plotter.XYs) {
	var stroke plotter.XYs
	end := func() {
		if len(stroke) > 1 {
			list = append(list, stroke)
		}
		stroke = nil
	}
	for _, p := range points {
		at := g.world(vector(p.GetPosition()))
		if max(math.Abs(at.X), math.Abs(at.Y)) > roadSight ||
			p.GetDash() == osi3.LaneBoundary_BoundaryPoint_DASH_GAP {
			end()
			continue
		}
		stroke = append(stroke, at)
		if p.GetDash() == osi3.LaneBoundary_BoundaryPoint_DASH_END {
			end()
		}
	}
	end()
	return list
}
