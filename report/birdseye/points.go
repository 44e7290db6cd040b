package birdseye

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/internal/quantity"
	"gosmp/trace/points"
)

// ErrColor reports a field by which no point can be colored.
var ErrColor = errors.New("unusable field")

// pointRadius is half the size of a mark for a point.
const pointRadius = vg.Length(1.1)

// glyphs are the shapes of points, by the kind of their sensor.
var glyphs = map[string]draw.GlyphDrawer{
	points.Lidar: draw.BoxGlyph{}, points.Radar: draw.PyramidGlyph{},
	points.Camera:           draw.CircleGlyph{},
	points.LidarReflections: draw.BoxGlyph{}, points.RadarReflections: draw.PyramidGlyph{},
}

// coordinates are the fields that all points have.
var coordinates = []string{"x, m", "y, m", "z, m"}

// value returns a coordinate or a value of a point.
func value(p *points.Point, field int) float64 {
	switch field {
	case 0:
		return p.Position.X
	case 1:
		return p.Position.Y
	case 2:
		return p.Position.Z
	}
	return p.Values[field-len(coordinates)]
}

// fields returns the names of what all points of a cloud can be colored by.
func fields(c *points.Cloud) []string {
	return append(append([]string{}, coordinates...), c.Fields...)
}

// bounds returns the least and the greatest value of a field; ok is false if there is none.
func bounds(c *points.Cloud, field int) (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for k := range c.Points {
		if x := value(&c.Points[k], field); !math.IsNaN(x) && !math.IsInf(x, 0) {
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high, low <= high
}

// colorField returns the field by which the points of a cloud are colored: the wanted one, or else
// the first one with values, or else the height.
func (s *Snapshot) colorField(c *points.Cloud) int {
	const height = 2
	names := fields(c)
	for k, name := range names {
		short, _, _ := strings.Cut(name, ",")
		if s.Color != "" && (s.Color == name || s.Color == short) {
			if _, _, ok := bounds(c, k); ok {
				return k
			}
		}
	}
	for k := len(coordinates); k < len(names); k++ {
		if _, _, ok := bounds(c, k); ok {
			return k
		}
	}
	return height
}

// checkColor returns an error if no point has a value of the wanted field.
func (s *Snapshot) checkColor() error {
	if s.Color == "" {
		return nil
	}
	var have []string
	known := map[string]bool{}
	for i := range s.clouds {
		c := &s.clouds[i]
		for k, name := range fields(c) {
			short, _, _ := strings.Cut(name, ",")
			if _, _, ok := bounds(c, k); !ok {
				continue
			}
			if s.Color == name || s.Color == short {
				return nil
			}
			if !known[short] {
				known[short] = true
				have = append(have, short)
			}
		}
	}
	if len(have) == 0 {
		return fault.New(ErrColor, fault.Place{}, fmt.Sprintf("%q for a message without points",
			s.Color), "a SensorData with detections, or a SensorView with reflections")
	}
	return fault.New(ErrColor, fault.Place{}, fmt.Sprintf("%q", s.Color),
		"one of "+strings.Join(have, ", "))
}

// noun returns what the elements of a cloud are called: "radar detection".
func noun(kind string) string {
	if one, is := strings.CutSuffix(kind, "reflections"); is {
		return one + "reflection"
	}
	return kind + " detection"
}

// counted lists the number of points of each kind, such as ", 50 radar detections of 2 sensors".
func (s *Snapshot) counted() (text string) {
	for k := 0; k < len(s.clouds); { // clouds of one kind follow each other
		kind, sensors, n := s.clouds[k].Kind, 0, 0
		for ; k < len(s.clouds) && s.clouds[k].Kind == kind; k++ {
			sensors++
			n += points.Count(s.clouds[k : k+1])
		}
		text += ", " + quantity.Of(n, noun(kind))
		if sensors > 1 {
			text += " of " + quantity.Of(sensors, "sensor")
		}
	}
	return text
}

// points adds the points and the arcs that sensors measured.
func (l *layers) points(s *Snapshot) {
	kinds := map[string]int{}
	for k := range s.clouds {
		kinds[s.clouds[k].Kind]++
	}
	for k := range s.clouds {
		c := &s.clouds[k]
		name := noun(c.Kind)
		if kinds[c.Kind] > 1 {
			name = fmt.Sprintf("%s of sensor %d", name, c.Index)
		}
		l.arcs(c, name)
		if len(c.Points) == 0 {
			continue
		}
		field := s.colorField(c)
		d := &dots{shape: glyphs[c.Kind]}
		low, high, _ := bounds(c, field)
		for i := range c.Points {
			p := &c.Points[i]
			d.at = append(d.at, plotter.XY{X: p.Position.X, Y: p.Position.Y})
			d.colors = append(d.colors, shade(value(p, field), low, high))
		}
		l.plot.Add(d)
		by, unit, _ := strings.Cut(fields(c)[field], ",")
		text := fmt.Sprintf("%s: %s %.4g to %.4g", name, by, low, high)
		l.legend(strings.TrimRight(text+unit, " "), d)
	}
}

// arcs adds the distances of an ultrasonic sensor, which measures no direction.
func (l *layers) arcs(c *points.Cloud, name string) {
	var one plot.Thumbnailer
	for _, a := range c.Arcs {
		const pieces = 24
		var rim plotter.XYs
		for k := range pieces + 1 {
			sin, cos := portable.Sincos(c.Mount.Orientation.Yaw +
				points.ArcHalfAngle*(2*float64(k)/pieces-1))
			rim = append(rim, plotter.XY{X: c.Mount.Position.X + float64(a.Distance*cos),
				Y: c.Mount.Position.Y + float64(a.Distance*sin)})
		}
		line, err := plotter.NewLine(rim)
		if l.err = err; err != nil {
			return
		}
		line.LineStyle = draw.LineStyle{Color: stationaryMark, Width: vg.Points(1.2)}
		l.plot.Add(unpadded{line})
		one = line
	}
	l.legend(name+": distance", one)
}

// shade returns the color of a value between low, blue, and high, red. Values that are not set are
// gray.
func shade(x, low, high float64) color.Color {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return color.RGBA{110, 116, 122, 255}
	}
	part := 0.0
	if high > low {
		part = (x - low) / (high - low)
	}
	// Blue, cyan, green, yellow and red, dark enough for a white background.
	stops := [...][3]float64{{30, 60, 190}, {0, 130, 170}, {20, 140, 50}, {185, 130, 0},
		{200, 30, 30}}
	at := float64(part * float64(len(stops)-1))
	k := min(int(at), len(stops)-2)
	mix := func(n int) uint8 {
		return uint8(math.Round(stops[k][n] + float64((at-float64(k))*(stops[k+1][n]-stops[k][n]))))
	}
	return color.RGBA{mix(0), mix(1), mix(2), 255}
}

// dots are points with a color each.
type dots struct {
	at     plotter.XYs
	colors []color.Color
	shape  draw.GlyphDrawer
}

// Plot draws the points that are in the picture.
func (d *dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for k, at := range d.at {
		place := vg.Point{X: x(at.X), Y: y(at.Y)}
		if c.Contains(place) {
			c.DrawGlyph(draw.GlyphStyle{Color: d.colors[k], Radius: pointRadius, Shape: d.shape},
				place)
		}
	}
}

// Thumbnail draws points from the least to the greatest value.
func (d *dots) Thumbnail(c *draw.Canvas) {
	const n = 5
	for k := range n {
		part := float64(k) / (n - 1)
		at := vg.Point{X: c.Min.X + vg.Length(part)*(c.Max.X-c.Min.X), Y: c.Center().Y}
		c.DrawGlyph(draw.GlyphStyle{Color: shade(part, 0, 1), Radius: 2 * pointRadius,
			Shape: d.shape}, at)
	}
}
