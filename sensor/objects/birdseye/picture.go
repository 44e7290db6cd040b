package birdseye

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gosmp/sensor/frames"
	"gosmp/sensor/objects"
)

// Size of the picture.
const (
	Width  = 26 * vg.Centimeter
	Height = 15 * vg.Centimeter
)

var (
	viewColor       = color.RGBA{255, 244, 200, 255}
	movingColor     = color.RGBA{150, 170, 190, 255}
	stationaryColor = color.RGBA{190, 190, 180, 255}
	hostColor       = color.RGBA{30, 90, 160, 255}
	detectedColor   = color.RGBA{200, 30, 30, 255}
	structureColor  = color.RGBA{110, 80, 30, 255}
)

// Plot draws the snapshot.
func Plot(s *Snapshot) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("SensorView and detections at t = %.2f s: %d moving, %d stationary objects detected",
		float64(s.View.GetTimestamp().GetSeconds())+float64(s.View.GetTimestamp().GetNanos())/1e9,
		len(s.Data.MovingObject), len(s.Data.StationaryObject))
	p.X.Label.Text, p.Y.Label.Text = "x, forward of the rear axle (m)", "y, to the left (m)"
	p.Legend.Left = true
	layers := &layers{plot: p, ground: newGround(s)}
	layers.view(s)
	layers.truth(s)
	layers.detections(s)
	if layers.err != nil {
		return nil, layers.err
	}
	p.Add(plotter.NewGrid())
	frameAll(p, &s.Sensor)
	return p, nil
}

// Write draws the snapshot in one of the formats png, svg, pdf, jpg, tif, eps.
func Write(w io.Writer, format string, s *Snapshot) error {
	p, err := Plot(s)
	if err != nil {
		return err
	}
	to, err := p.WriterTo(Width, Height, format)
	if err != nil {
		return fmt.Errorf("format of the picture: %w", err)
	}
	_, err = to.WriteTo(w)
	return err
}

// frameAll shows the field of view and what is around it, in one scale for both axes.
func frameAll(p *plot.Plot, c *objects.Config) {
	p.X.Min, p.X.Max = -0.3*c.Range(), 1.1*c.Range()
	area := p.DataCanvas(draw.NewCanvas(&recorder.Canvas{}, Width, Height)).Size()
	half := (p.X.Max - p.X.Min) * float64(area.Y/area.X) / 2
	p.Y.Min, p.Y.Max = -half, half
}

// layers adds to a plot until something fails.
type layers struct {
	plot   *plot.Plot
	ground *ground
	err    error
}

// area adds a filled outline and returns it for the legend.
func (l *layers) area(fill, edge color.Color, rims ...plotter.XYs) plot.Thumbnailer {
	if len(rims) == 0 || l.err != nil {
		return nil
	}
	var one *plotter.Polygon
	for _, rim := range rims {
		one, l.err = plotter.NewPolygon(rim)
		if l.err != nil {
			return nil
		}
		one.Color, one.LineStyle = fill, draw.LineStyle{Color: edge, Width: vg.Points(0.6)}
		l.plot.Add(one)
	}
	return one
}

// legend names what was added, if anything was.
func (l *layers) legend(name string, t plot.Thumbnailer) {
	if t != nil && l.err == nil {
		l.plot.Legend.Add(name, t)
	}
}

func (l *layers) view(s *Snapshot) {
	l.legend("field of view", l.area(viewColor, color.Gray{170}, l.ground.fieldOfView(&s.Sensor)))
}

// truth adds the boxes of the ground truth.
func (l *layers) truth(s *Snapshot) {
	var moving, stationary, host []plotter.XYs
	for _, o := range s.View.GetGlobalGroundTruth().GetStationaryObject() {
		b := o.GetBase()
		stationary = append(stationary, outline(l.ground.world, b.GetPosition(), b.GetOrientation(), b.GetDimension()))
	}
	for _, o := range s.View.GetGlobalGroundTruth().GetMovingObject() {
		b := o.GetBase()
		rim := outline(l.ground.world, b.GetPosition(), b.GetOrientation(), b.GetDimension())
		if o.GetId().GetValue() == s.Host.ID {
			host = append(host, rim)
		} else {
			moving = append(moving, rim)
		}
	}
	l.legend("stationary objects (truth)", l.area(stationaryColor, color.Gray{120}, stationary...))
	l.legend("moving objects (truth)", l.area(movingColor, color.Gray{80}, moving...))
	l.legend("host vehicle", l.area(hostColor, color.Black, host...))
}

// detections adds a mark at each reported position, with a line to where the object moves in the next second relative
// to the host vehicle, and the tracking id.
func (l *layers) detections(s *Snapshot) {
	var moving, stationary plotter.XYs
	var names plotter.XYLabels
	for _, o := range s.Data.GetStationaryObject() {
		stationary = append(stationary, l.ground.detection(vector(o.GetBase().GetPosition())))
	}
	for _, o := range s.Data.GetMovingObject() {
		at, v := vector(o.GetBase().GetPosition()), vector(o.GetBase().GetVelocity())
		moving = append(moving, l.ground.detection(at))
		names.XYs = append(names.XYs, moving[len(moving)-1])
		names.Labels = append(names.Labels, fmt.Sprintf(" %d", o.GetHeader().GetTrackingId().GetValue()))
		l.motion(at, v)
	}
	l.marks("detected, stationary", structureColor, draw.CrossGlyph{}, stationary)
	l.marks("detected, moving: tracking id, way of 1 s", detectedColor, draw.RingGlyph{}, moving)
	if len(names.XYs) == 0 || l.err != nil {
		return
	}
	text, err := plotter.NewLabels(names)
	if l.err = err; err != nil {
		return
	}
	for k := range text.TextStyle {
		text.TextStyle[k].Color, text.TextStyle[k].Font.Size = detectedColor, vg.Points(7)
	}
	l.plot.Add(text)
}

func (l *layers) motion(at, velocity frames.Vector) {
	if l.err != nil {
		return
	}
	line, err := plotter.NewLine(plotter.XYs{l.ground.detection(at), l.ground.detection(at.Add(velocity))})
	if l.err = err; err != nil {
		return
	}
	line.Color, line.Width = detectedColor, vg.Points(0.8)
	l.plot.Add(line)
}

func (l *layers) marks(name string, c color.Color, shape draw.GlyphDrawer, at plotter.XYs) {
	if len(at) == 0 || l.err != nil {
		return
	}
	scatter, err := plotter.NewScatter(at)
	if l.err = err; err != nil {
		return
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2.5), Shape: shape}
	l.plot.Add(scatter)
	l.legend(name, scatter)
}
