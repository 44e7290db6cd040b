package birdseye

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
)

// Sizes of marks.
const (
	markRadius = vg.Length(2.8)
	dotRadius  = vg.Length(1.3)
	smallest   = 1.0 // m; anything shorter is drawn as a dot
)

// layers adds layers to a plot until one fails.
type layers struct {
	plot   *plot.Plot
	ground *ground
	ids    *names // of detected moving objects, placed so that they avoid the other layers
	err    error
}

// area adds filled outlines and returns one of them for the legend.
func (l *layers) area(fill, edge color.Color, rims ...plotter.XYs) plot.Thumbnailer {
	var one *plotter.Polygon
	for _, rim := range rims {
		if l.err != nil {
			return nil
		}
		if one, l.err = plotter.NewPolygon(rim); l.err != nil {
			return nil
		}
		one.Color, one.LineStyle = fill, draw.LineStyle{Color: edge, Width: vg.Points(0.6)}
		l.plot.Add(one)
	}
	if one == nil {
		return nil
	}
	return one
}

// marks adds a mark at each position.
func (l *layers) marks(c color.Color, shape draw.GlyphDrawer, radius vg.Length,
	at plotter.XYs) plot.Thumbnailer {
	if len(at) == 0 || l.err != nil {
		return nil
	}
	var scatter *plotter.Scatter
	if scatter, l.err = plotter.NewScatter(at); l.err != nil {
		return nil
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: c, Radius: radius, Shape: shape}
	l.plot.Add(unpadded{scatter})
	return scatter
}

// legend adds an entry for the given marks, if there are any.
func (l *layers) legend(name string, thumbs ...plot.Thumbnailer) {
	var drawn []plot.Thumbnailer
	for _, t := range thumbs {
		if t != nil {
			drawn = append(drawn, t)
		}
	}
	if len(drawn) > 0 && l.err == nil {
		l.plot.Legend.Add(" "+name, drawn...)
	}
}

// view adds the field of view. It has no edge where the border of the picture cuts it off.
func (l *layers) view(s *Snapshot) {
	if s.Sensor == nil {
		return
	}
	rim := l.ground.fieldOfView(s.Sensor)
	l.area(viewColor, color.Transparent, rim)
	if l.err != nil {
		return
	}
	line := draw.LineStyle{Color: viewEdge, Width: vg.Points(0.8)}
	edge, err := plotter.NewLine(append(rim, rim[0]))
	if l.err = err; err != nil {
		return
	}
	edge.LineStyle = line
	l.plot.Add(unpadded{edge})
	l.legend("field of view", &plotter.Polygon{Color: viewColor, LineStyle: line})
}

// truth adds the boxes of the ground truth.
func (l *layers) truth(s *Snapshot) {
	var moving, stationary, host []plotter.XYs
	var dots plotter.XYs
	for _, o := range s.View.GetGlobalGroundTruth().GetStationaryObject() {
		b := o.GetBase()
		if size := b.GetDimension(); max(size.GetLength(), size.GetWidth()) < smallest {
			dots = append(dots, l.ground.world(vector(b.GetPosition())))
			continue
		}
		stationary = append(stationary, outline(l.ground.world, b.GetPosition(), b.GetOrientation(),
			b.GetDimension()))
	}
	for _, o := range s.View.GetGlobalGroundTruth().GetMovingObject() {
		b := o.GetBase()
		rim := outline(l.ground.world, b.GetPosition(), b.GetOrientation(), b.GetDimension())
		if !s.inWorld() && o.GetId().GetValue() == s.Host.ID {
			host = append(host, rim)
		} else {
			moving = append(moving, rim)
		}
	}
	l.ids.avoid(append(moving, host...)...)
	of := "(truth)"
	if s.Kind != "" && s.Kind != "GroundTruth" {
		of = "(" + s.Kind + ")"
	}
	l.legend("host vehicle", l.area(hostColor, color.Black, host...))
	l.legend("moving object "+of, l.area(movingColor, movingEdge, moving...))
	l.legend("stationary object "+of, l.area(stationaryColor, stationaryEdge, stationary...))
	l.legend("stationary object under 1 m "+of, l.marks(stationaryEdge, draw.CircleGlyph{},
		dotRadius, dots))
}

// missed marks objects in view that are not detected.
func (l *layers) missed(s *Snapshot, inView *sighted) {
	var at plotter.XYs
	for _, o := range s.View.GetGlobalGroundTruth().GetMovingObject() {
		if inView.missed(objects.MovingObject, o.GetId()) {
			at = append(at, l.ground.world(vector(o.GetBase().GetPosition())))
		}
	}
	for _, o := range s.View.GetGlobalGroundTruth().GetStationaryObject() {
		if inView.missed(objects.StationaryObject, o.GetId()) {
			at = append(at, l.ground.world(vector(o.GetBase().GetPosition())))
		}
	}
	l.ids.keepClear(at...)
	name := "in view, not detected"
	if c := s.sensor(); c.Occlusion && !lossy(c) {
		name = "in view, hidden behind others"
	}
	l.legend(name, l.marks(missedMark, crossGlyph{}, markRadius, at))
}

// detections adds a mark at each reported position, with the tracking id and an arrow to the
// position relative to the host vehicle one second later.
func (l *layers) detections(s *Snapshot) {
	var stationary, moving plotter.XYs
	motion := &arrows{style: draw.LineStyle{Color: movingMark, Width: vg.Points(1.3)}}
	for _, o := range s.Data.GetStationaryObject() {
		stationary = append(stationary, l.ground.detection(vector(o.GetBase().GetPosition())))
	}
	for _, o := range s.Data.GetMovingObject() {
		at, v := vector(o.GetBase().GetPosition()), vector(o.GetBase().GetVelocity())
		from, to := l.ground.detection(at), l.ground.detection(at.Add(v))
		moving = append(moving, from)
		motion.add(from, to)
		l.ids.add(from, trackingID(o))
		l.ids.keepClearOfLine(from, to)
	}
	l.ids.keepClear(stationary...)
	if len(moving) > 0 {
		l.plot.Add(motion)
	}
	l.legend("detected stationary object", l.marks(stationaryMark, diamondGlyph{}, markRadius,
		stationary))
	dots := l.marks(movingMark, discGlyph{}, markRadius, moving)
	if dots == nil {
		return
	}
	l.legend("detected moving object, tracking id", dots)
	l.legend("motion relative to the host vehicle in 1 s", motion)
}

func trackingID(o *osi3.DetectedMovingObject) string {
	return strconv.FormatUint(o.GetHeader().GetTrackingId().GetValue(), 10)
}
