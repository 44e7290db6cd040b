package run

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"gosmp/cosim"
	"gosmp/report/curves"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// panels is an observer that collects values and draws them at the end, with a panel for each
// signal.
type panels struct {
	r       *Simulation
	format  string
	signals []*cosim.Signal
	curves  []*curves.Curve
	list    []*curves.Panel
	began   bool // whether a row was recorded
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
		if !s.Variable.Kind.IsBlob() && len(p.curves) < curves.MaxPanels {
			panel := &curves.Panel{Title: s.Label(), Unit: s.Variable.Unit}
			p.signals, p.list = append(p.signals, s), append(p.list, panel)
			p.curves = append(p.curves, panel.Curve("", !s.Variable.Continuous))
		}
	}
	if len(p.curves) == 0 {
		return usage.Unexpected(
			"--plot",
			"no numbers among what is recorded",
			"at least one; see --output-variable",
		)
	}
	if len(p.curves) == curves.MaxPanels {
		r.log.warn("only the first 16 variables are drawn; choose with --output-variable")
	}
	r.files = append(r.files, outputFile{path: r.Options.Plot})
	r.Engine.Observe(p)
	return nil
}

// Begin does nothing.
func (p *panels) Begin(*cosim.Result) error { return nil }

// Row adds a point to each curve.
func (p *panels) Row(t timebase.Time, _ cosim.Row) error {
	p.began = true
	for k, c := range p.curves {
		c.Add(t.Seconds(), firstElement(p.signals[k]))
	}
	return nil
}

// Within adds a point within a step.
func (p *panels) Within(t timebase.Time) error { return p.Row(t, cosim.AtPoint) }

// firstElement returns the first element of a signal as a floating-point number.
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

// End draws the picture. A run that failed before its first row keeps the picture of an earlier
// one.
func (p *panels) End(*cosim.Result) error {
	if !p.began {
		return nil
	}
	return writeFile(p.r.Options.Plot, func(w io.Writer) error {
		return curves.Write(w, p.format, p.list)
	})
}
