// Package curves plots numbers over time, in stacked panels with aligned time axes.
//
//	p := &curves.Panel{Title: "speed", Unit: "m/s"}
//	c := p.Curve("ego", false)
//	c.Add(0.1, 13.9)
//	err := curves.Write(w, "svg", []*curves.Panel{p})
//
// A curve has at most about [MaxPoints] points, no matter how many are added: beyond that, it keeps
// the lowest and highest of neighboring points, and both ends. NaN and infinite numbers become
// gaps, up to a few hundred per curve. The same numbers produce the same bytes.
package curves

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/internal/plaintext"
)

const (
	// MaxPanels is the maximum number of panels for a readable picture.
	MaxPanels = 16
	// MaxPoints is the approximate maximum number of drawn points of a curve.
	MaxPoints = 4000

	mostGaps    = MaxPoints / 8 // more would not be visible
	most        = math.MaxFloat64 / 8
	width       = 18 * vg.Centimeter
	panelHeight = 4 * vg.Centimeter
	border      = 3 * vg.Millimeter
)

// Panel is a diagram with one or more curves.
type Panel struct {
	Title  string
	Unit   string // of its numbers, "" for none
	curves []*Curve
}

// Curve is one signal over time.
type Curve struct {
	label   string
	steps   bool
	stretch []stretch // points are added to the last one
	gap     bool      // the next point starts a stretch
	spans   int       // of all stretches
	every   int       // added points in a span
	start   start
}

// stretch is a part of a curve without gaps.
type stretch struct {
	last  plotter.XY
	spans []span
	count int // of points in the last span
}

// span replaces several neighboring points with three of them: the first, the lowest and the
// highest.
type span struct{ first, low, high plotter.XY }

func (s *span) add(p plotter.XY) {
	if p.Y < s.low.Y {
		s.low = p
	}
	if p.Y > s.high.Y {
		s.high = p
	}
}

// Curve adds a curve. With steps, a value holds until the next one.
func (p *Panel) Curve(label string, steps bool) *Curve {
	c := &Curve{label: label, steps: steps, every: 1, gap: true}
	p.curves = append(p.curves, c)
	return c
}

// Empty reports whether no curve of the panel has a point.
func (p *Panel) Empty() bool {
	return !slices.ContainsFunc(p.curves, func(c *Curve) bool { return len(c.stretch) > 0 })
}

// Add adds a point: a time in seconds, and a value in the unit of the panel. NaN, infinity and
// numbers that are too large for an axis leave a gap.
func (c *Curve) Add(x, y float64) {
	if !(math.Abs(x) <= most && math.Abs(y) <= most) {
		c.gap = true
		return
	}
	if c.gap && len(c.stretch) < mostGaps {
		c.stretch = append(c.stretch, stretch{count: c.every})
		c.gap = false
	}
	s, p := &c.stretch[len(c.stretch)-1], plotter.XY{X: x, Y: y}
	s.last = p
	c.start.add(p)
	if s.count < c.every {
		s.count++
		s.spans[len(s.spans)-1].add(p)
		return
	}
	s.spans, s.count = append(s.spans, span{p, p, p}), 1
	if c.spans++; c.spans > MaxPoints/3 {
		c.halve()
	}
}

// halve merges each pair of neighboring spans.
func (c *Curve) halve() {
	c.spans, c.every = 0, 2*c.every
	for n := range c.stretch {
		s := &c.stretch[n]
		half := s.spans[:0]
		for k := 0; k < len(s.spans); k += 2 {
			both := s.spans[k]
			if k+1 < len(s.spans) {
				both.add(s.spans[k+1].low)
				both.add(s.spans[k+1].high)
			}
			half = append(half, both)
		}
		if len(s.spans)%2 == 0 { // the last two were merged into one that is full, or nearly full
			s.count += c.every / 2
		}
		s.spans = half
		c.spans += len(half)
	}
}

// points returns the drawn points of a stretch, ordered by time.
func (s *stretch) points() (list plotter.XYs) {
	add := func(p plotter.XY) {
		if len(list) == 0 || p.X > list[len(list)-1].X {
			list = append(list, p)
		}
	}
	for _, x := range s.spans {
		add(x.first)
		if x.low.X <= x.high.X {
			add(x.low)
			add(x.high)
		} else {
			add(x.high)
			add(x.low)
		}
	}
	add(s.last)
	return list
}

// Write draws panels in a format of [draw.Formats], such as "svg" or "png".
func Write(w io.Writer, format string, panels []*Panel) error {
	if len(panels) == 0 || len(panels) > MaxPanels {
		return fmt.Errorf("found %d panels, expected 1 to %d", len(panels), MaxPanels)
	}
	canvas, err := draw.NewFormattedCanvas(width, panelHeight*vg.Length(len(panels)), format)
	if err != nil {
		return err
	}
	column, err := plots(panels)
	if err != nil {
		return err
	}
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadTop: border, PadBottom: border,
		PadLeft: border, PadRight: 2 * border, PadY: border}
	for k, places := range plot.Align(column, tiles, draw.New(canvas)) {
		column[k][0].Draw(places[0])
	}
	if format == "svg" {
		w = plaintext.Writer(w)
	}
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return err
	}
	_, err = picture.WriteTo(w)
	return err
}

// plots returns the plots of the panels, with the same time range.
func plots(panels []*Panel) ([][]*plot.Plot, error) {
	from, to := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		for _, c := range p.curves {
			for _, part := range c.stretch {
				from, to = min(from, part.spans[0].first.X), max(to, part.last.X)
			}
		}
	}
	var column [][]*plot.Plot
	for k, p := range panels {
		drawn, err := p.plot()
		if err != nil {
			return nil, err
		}
		if from <= to {
			drawn.X.Min, drawn.X.Max = from, to
			widen(&drawn.X)
		}
		if k == len(panels)-1 {
			drawn.X.Label.Text = "time in s"
		}
		column = append(column, []*plot.Plot{drawn})
	}
	return column, nil
}

// colours are the colors of the curves in a panel, which color-blind people can also distinguish.
var colours = []color.RGBA{
	{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}, {R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, {R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
	{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, {R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
}

func (p *Panel) plot() (*plot.Plot, error) {
	drawn := plot.New()
	drawn.BackgroundColor = color.White
	drawn.Title.Text = p.Title
	drawn.Title.TextStyle.Font.Size = vg.Points(10)
	drawn.Y.Label.Text = p.Unit
	drawn.Y.Label.TextStyle.Font.Size = vg.Points(10)
	drawn.Add(plotter.NewGrid())
	for n, c := range p.curves {
		hidden := c.start.hides()
		if hidden && drawn.Title.Text == p.Title {
			drawn.Title.Text += fmt.Sprintf(" (0 until %.4g s, not shown)", c.start.left)
		}
		for k := range c.stretch {
			points := c.stretch[k].points()
			if hidden {
				points = slices.DeleteFunc(points, c.start.has)
			}
			if len(points) == 0 {
				continue
			}
			line, err := plotter.NewLine(points)
			if err != nil {
				return nil, err
			}
			line.Color, line.Width = colours[n%len(colours)], vg.Points(1.2)
			if c.steps {
				line.StepStyle = plotter.PostStep
			}
			drawn.Add(line)
		}
	}
	widen(&drawn.Y)
	shorten(&drawn.Y)
	return drawn, p.label(drawn)
}

// widen widens an axis whose range is too small for marks, such as that of a constant.
func widen(axis *plot.Axis) {
	if !(axis.Min <= axis.Max) {
		return // no numbers: the library chooses a range
	}
	size := max(math.Abs(axis.Min), math.Abs(axis.Max))
	if room := size * 1e-9; axis.Max-axis.Min < room || axis.Max == axis.Min {
		room = max(room, 1)
		axis.Min, axis.Max = axis.Min-room, axis.Max+room
	}
}

// label writes the names of several curves at their ends. It leaves out names that would cover
// others.
func (p *Panel) label(drawn *plot.Plot) error {
	if len(p.curves) < 2 {
		return nil
	}
	const height = 0.14 // of a name, as a fraction of the panel
	var at []plotter.XYer
	for n, c := range p.curves {
		if len(c.stretch) == 0 {
			continue
		}
		end := c.stretch[len(c.stretch)-1].last
		covers := slices.ContainsFunc(at, func(other plotter.XYer) bool {
			x, y := other.XY(0)
			return math.Abs(y-end.Y) < height*(drawn.Y.Max-drawn.Y.Min) &&
				math.Abs(x-end.X) < height*(drawn.X.Max-drawn.X.Min)
		})
		if covers {
			continue
		}
		at = append(at, plotter.XYs{end})
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{end},
			Labels: []string{c.label}})
		if err != nil {
			return err
		}
		labels.TextStyle[0].Color = colours[n%len(colours)]
		labels.TextStyle[0].Font.Size = vg.Points(8)
		labels.TextStyle[0].XAlign = draw.XRight
		drawn.Add(labels)
	}
	return nil
}
