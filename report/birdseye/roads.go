package birdseye

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/proto/osi3"
	"gosmp/report/internal/lanes"
)

// roadSight is the distance from the origin up to which road marks are drawn, in m.
const roadSight = 400

// roads adds the lane boundaries, with gaps where marks are dashed, and fainter lines for the edges
// of lanes without marks. Without any, it adds the logical ones or the centerlines of the lanes.
func (l *layers) roads(s *Snapshot) {
	truth := s.View.GetGlobalGroundTruth()
	var one, bare plot.Thumbnailer
	for _, b := range truth.GetLaneBoundary() {
		if unmarked(b) {
			bare = l.road(b.GetBoundaryLine(), edgeColor, bare)
		}
	}
	for _, b := range truth.GetLaneBoundary() {
		if !unmarked(b) {
			one = l.road(b.GetBoundaryLine(), roadColor, one)
		}
	}
	if one != nil || bare != nil {
		l.legend("lane boundary", one)
		l.legend("edge of a lane without a mark", bare)
		return
	}
	for _, other := range lanes.Of(truth) {
		var points []*osi3.LaneBoundary_BoundaryPoint
		for _, p := range other.Points {
			points = append(points, &osi3.LaneBoundary_BoundaryPoint{Position: p})
		}
		if other.Style != "none" {
			one = l.road(points, roadColor, one)
		}
	}
	name := "logical lane boundary"
	if len(truth.GetLogicalLaneBoundary()) == 0 {
		name = "centerline of a lane"
	}
	l.legend(name, one)
}

// unmarked reports whether a boundary is an edge without a mark.
func unmarked(b *osi3.LaneBoundary) bool {
	return b.GetClassification().GetType() == osi3.LaneBoundary_Classification_TYPE_NO_LINE
}

// road adds a line on the road and returns what shows it in the legend, which is last for a line
// out of sight.
func (l *layers) road(points []*osi3.LaneBoundary_BoundaryPoint, ink color.Color,
	last plot.Thumbnailer) plot.Thumbnailer {
	for _, stroke := range l.ground.strokes(points) {
		line, err := plotter.NewLine(stroke)
		if l.err = err; err != nil {
			return last
		}
		line.LineStyle = draw.LineStyle{Color: ink, Width: vg.Points(0.7)}
		l.plot.Add(unpadded{line})
		last = line
	}
	return last
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
