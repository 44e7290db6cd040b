package birdseye

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"

	"gosmp/frames"
	"gosmp/internal/plaintext"
	"gosmp/sensor/objects"
)

// Size of the picture.
const (
	Width  = 24 * vg.Centimeter
	Height = 16 * vg.Centimeter
)

// resolution is the resolution of a PNG in dots per inch: about twice as many dots as on a page
// that shows the picture 900 dots wide.
const resolution = 192

// Plot draws the snapshot. The error has the cause [objects.ErrConfig] if the snapshot's sensor is
// invalid, and [ErrColor] if no point has a value of the field by which to color.
func Plot(s *Snapshot) (*plot.Plot, error) {
	l, err := compose(s)
	if err != nil {
		return nil, err
	}
	return l.plot, nil
}

// compose builds the plot from its layers.
func compose(s *Snapshot) (*layers, error) {
	if err := s.checkColor(); err != nil {
		return nil, err
	}
	inView, err := s.lookAll()
	if err != nil {
		return nil, err
	}
	p := plot.New()
	style(p)
	title(p, s, inView)
	p.X.Label.Text =
		"x (m), forward, in the frame of the host vehicle (origin: center of its rear axle)"
	p.Y.Label.Text = "y (m), to the left, in the same frame"
	if s.inWorld() {
		p.X.Label.Text = "x (m) from the first object, along the axes of the world, as the " +
			"message has no host vehicle"
		p.Y.Label.Text = "y (m), along the axes of the world"
	}
	all := &layers{plot: p, ground: newGround(s), ids: &names{style: textStyle(idSize, nameColor)}}
	all.view(s)
	p.Add(s.grid())
	all.roads(s)
	all.truth(s)
	all.signs(s)
	all.points(s)
	all.seenLines(s)
	all.detections(s)
	all.missed(s, inView)
	p.Add(all.ids, panel{})
	if all.err != nil {
		return nil, all.err
	}
	if s.Sensor != nil {
		frameAll(p, -0.2*s.Sensor.Range(), 1.06*s.Sensor.Range(), s.places(all.ground))
		return all, nil
	}
	low, high := s.extent(all.ground)
	frameAll(p, low, high, s.places(all.ground))
	return all, nil
}

// sensor returns the snapshot's sensor, or the default sensor if it is unknown.
func (s *Snapshot) sensor() *objects.Config {
	if s.Sensor != nil {
		return s.Sensor
	}
	usual := objects.Default()
	return &usual
}

// inWorld reports whether there is ground truth without a host vehicle.
func (s *Snapshot) inWorld() bool {
	truth := s.View.GetGlobalGroundTruth()
	return s.Host.ID == 0 && s.Host.Dimension == (frames.Vector{}) && len(truth.GetMovingObject())+
		len(truth.GetStationaryObject()) > 0
}

// extent returns the range along x of a picture without a field of view. It includes all objects
// within sight of the origin and, if there are roads, the surroundings.
func (s *Snapshot) extent(g *ground) (low, high float64) {
	const sight, least, neighbourhood, margin = 250, 25, 100, 10 // m
	low, high = -least, least
	if s.hasRoads() {
		low, high = -neighbourhood, neighbourhood
	}
	for _, at := range s.places(g) {
		if max(math.Abs(at.X), math.Abs(at.Y)) > sight {
			continue
		}
		low, high = min(low, at.X-margin), max(high, at.X+margin)
		if wanted := 2 * (math.Abs(at.Y) + margin) * float64(Width/Height); high-low < wanted {
			more := (wanted - (high - low)) / 2
			low, high = low-more, high+more
		}
	}
	return low, high
}

func (s *Snapshot) hasRoads() bool {
	truth := s.View.GetGlobalGroundTruth()
	return len(truth.GetLane())+len(truth.GetLaneBoundary())+len(truth.GetLogicalLane()) > 0
}

// places returns the positions of all objects, true and detected, and of all points.
func (s *Snapshot) places(g *ground) (at plotter.XYs) {
	for _, o := range s.View.GetGlobalGroundTruth().GetMovingObject() {
		at = append(at, g.world(vector(o.GetBase().GetPosition())))
	}
	for _, o := range s.View.GetGlobalGroundTruth().GetStationaryObject() {
		at = append(at, g.world(vector(o.GetBase().GetPosition())))
	}
	for _, o := range s.Data.GetMovingObject() {
		at = append(at, g.detection(vector(o.GetBase().GetPosition())))
	}
	for _, o := range s.Data.GetStationaryObject() {
		at = append(at, g.detection(vector(o.GetBase().GetPosition())))
	}
	for k := range s.clouds {
		for _, p := range s.clouds[k].Points {
			at = append(at, plotter.XY{X: p.Position.X, Y: p.Position.Y})
		}
	}
	return at
}

// Write draws the snapshot in one of the formats png, svg, pdf, jpg, tif, eps.
func Write(w io.Writer, format string, s *Snapshot) error {
	p, err := Plot(s)
	if err != nil {
		return err
	}
	var canvas vg.CanvasWriterTo
	if format == "png" {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(Width, Height),
			vgimg.UseDPI(resolution))}
	} else if canvas, err = draw.NewFormattedCanvas(Width, Height, format); err != nil {
		return fmt.Errorf("format of the picture: %w", err)
	}
	whole := draw.New(canvas)
	whole.FillPolygon(p.BackgroundColor, []vg.Point{
		whole.Min, {X: whole.Max.X, Y: whole.Min.Y}, whole.Max, {X: whole.Min.X, Y: whole.Max.Y},
	})
	p.Draw(inside(whole))
	if format == "svg" {
		w = plaintext.Writer(w)
	}
	_, err = canvas.WriteTo(w)
	return err
}

// inside returns the picture without its margin.
func inside(c draw.Canvas) draw.Canvas {
	const margin = 8
	return draw.Crop(c, margin, -margin, margin, -margin)
}

// dataArea returns the area in which the plot draws its data.
func dataArea(p *plot.Plot) draw.Canvas {
	return p.DataCanvas(inside(draw.NewCanvas(&recorder.Canvas{}, Width, Height)))
}

// frameAll shows the range from low to high along x, with the same scale for both axes. The legend
// avoids some positions.
func frameAll(p *plot.Plot, low, high float64, at plotter.XYs) {
	p.X.Min, p.X.Max = low, high
	ticks := roundTicks(p.X.Max - p.X.Min)
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, ticks
	for range 2 { // the labels of the y axis need part of the width, and depend on its range
		area := dataArea(p).Size()
		half := (p.X.Max - p.X.Min) * float64(area.Y/area.X) / 2
		p.Y.Min, p.Y.Max = -half, half
	}
	placeLegend(p, dataArea(p).Size(), at)
}
