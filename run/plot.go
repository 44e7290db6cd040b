package run

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/cosim"
	"gosmp/run/usage"
	"gosmp/timebase"
)

const (
	maxPanels   = 16   // a picture of more is not readable
	maxPoints   = 4000 // of a curve; between them the extremes are kept
	panelWidth  = 18 * vg.Centimeter
	panelHeight = 4 * vg.Centimeter
)

// curve is one signal over time. When it has too many points, every two neighbours become one: the
// one that lies farther from the last that was kept.
type curve struct {
	signal *cosim.Signal
	points plotter.XYs
	every  int // rows for one point
	count  int
}

// panels collects what is drawn at the end.
type panels struct {
	r      *Simulation
	format string
	curves []*curve
}

func (r *Simulation) observePlot() error {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(r.Options.Plot), "."))
	if r.Options.Plot == standard {
		format = "png"
	}
	if formats := slices.Sorted(slices.Values(draw.Formats())); !slices.Contains(formats, format) {
		return usage.Unexpected(
			"--plot",
			r.Options.Plot,
			"a name with the ending of a picture: "+strings.Join(formats, ", "),
		)
	}
	p := &panels{r: r, format: format}
	for _, s := range r.signals {
		if !s.Variable.Kind.IsBlob() && len(p.curves) < maxPanels {
			p.curves = append(p.curves, &curve{signal: s, every: 1})
		}
	}
	if len(p.curves) == 0 {
		return usage.Unexpected(
			"--plot",
			"no numbers among what is recorded",
			"at least one; see --output-variable",
		)
	}
	if len(p.curves) == maxPanels {
		r.log.warn("only the first 16 variables are drawn; choose with --output-variable")
	}
	r.files = append(r.files, outputFile{path: r.Options.Plot})
	r.Engine.Observe(p)
	return nil
}

// Begin does nothing.
func (p *panels) Begin(*cosim.Result) error { return nil }

// Row takes a point of each curve.
func (p *panels) Row(t timebase.Time, _ cosim.Row) error {
	for _, c := range p.curves {
		c.add(t.Seconds(), firstElement(c.signal))
	}
	return nil
}

// firstElement is the first element of a signal as a floating-point number.
func firstElement(s *cosim.Signal) float64 {
	cell, _ := s.First()
	switch k := s.Variable.Kind; {
	case k == cosim.Float64:
		return math.Float64frombits(cell)
	case k == cosim.Float32:
		return float64(math.Float32frombits(uint32(cell)))
	case k == cosim.Boolean && cell != 0:
		return 1
	case k == cosim.UInt64:
		return float64(cell)
	}
	return float64(int64(cell))
}

func (c *curve) add(x, y float64) {
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return // there is no place for it
	}
	n := len(c.points)
	if c.count++; c.count%c.every != 0 && n > 0 {
		if before := c.points[max(0, n-2)].Y; math.Abs(
			y-before,
		) > math.Abs(
			c.points[n-1].Y-before,
		) {
			c.points[n-1].Y = y
		}
		return
	}
	c.points = append(c.points, plotter.XY{X: x, Y: y})
	if len(c.points) < maxPoints {
		return
	}
	half := c.points[:0]
	for k := 0; k+1 < len(c.points); k += 2 {
		a, b := c.points[k], c.points[k+1]
		if last := len(half) - 1; last >= 0 &&
			math.Abs(a.Y-half[last].Y) > math.Abs(b.Y-half[last].Y) {
			b.Y = a.Y
		}
		half = append(half, b)
	}
	c.points, c.every = half, 2*c.every
}

// End draws.
func (p *panels) End(*cosim.Result) error {
	canvas, err := draw.NewFormattedCanvas(
		panelWidth,
		panelHeight*vg.Length(len(p.curves)),
		p.format,
	)
	if err != nil {
		return err
	}
	whole := draw.New(canvas)
	for k, c := range p.curves {
		panel, err := c.plot(k == len(p.curves)-1)
		if err != nil {
			return err
		}
		top := panelHeight * vg.Length(len(p.curves)-k)
		panel.Draw(draw.Crop(whole, 0, -4*vg.Millimeter, top-panelHeight, top-whole.Max.Y))
	}
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return err
	}
	return writeFile(p.r.Options.Plot, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}

func (c *curve) plot(last bool) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = c.signal.Label()
	p.Y.Label.Text = c.signal.Variable.Unit
	if last {
		p.X.Label.Text = "time in s"
	}
	p.Add(plotter.NewGrid())
	if len(c.points) == 0 {
		return p, nil
	}
	line, err := plotter.NewLine(c.points)
	if err != nil {
		return nil, err
	}
	line.Color = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	line.Width = vg.Points(1.2)
	if !c.signal.Variable.Continuous {
		line.StepStyle = plotter.PostStep
	}
	p.Add(line)
	return p, nil
}
