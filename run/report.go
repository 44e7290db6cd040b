package run

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/cosim"
	"gosmp/importer/system"
	"gosmp/report/signalpage"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// mostReported is the maximum number of variables in a report.
const mostReported = 1000

// reported is an observer that collects the content of a simulation's report: a curve for each
// recorded variable.
type reported struct {
	r       *Simulation
	page    *signalpage.Page
	signals []*cosim.Signal
	curves  []*signalpage.Signal
}

func (r *Simulation) observeReport() error {
	var names []string
	for _, argument := range r.Options.Files {
		_, file := system.Named(argument)
		names = append(names, filepath.Base(file))
	}
	p := &reported{r: r, page: signalpage.New(strings.Join(names, ", "))}
	for _, s := range r.signals {
		if !s.Variable.Kind.IsBlob() && len(p.signals) < mostReported {
			p.signals = append(p.signals, s)
			p.curves = append(p.curves, p.page.Signal(s.Label(), s.Variable.Unit,
				!s.Variable.Continuous))
		}
	}
	if len(p.signals) == 0 {
		return usage.Unexpected("--report", "no numbers among what is recorded",
			"at least one; see --output-variable")
	}
	if len(p.signals) == mostReported {
		r.log.warn(fmt.Sprintf("the report has only the first %d variables; choose with "+
			"--output-variable", mostReported))
	}
	r.files = append(r.files, outputFile{path: r.Options.Report})
	r.Engine.Observe(p)
	return nil
}

// Begin does nothing.
func (p *reported) Begin(*cosim.Result) error { return nil }

// Row adds a point to each curve.
func (p *reported) Row(t timebase.Time, _ cosim.Row) error {
	for k, c := range p.curves {
		c.Add(t.Seconds(), firstElement(p.signals[k]))
	}
	return nil
}

// Within adds a point within a step.
func (p *reported) Within(t timebase.Time) error { return p.Row(t, cosim.AtPoint) }

// End writes the page.
func (p *reported) End(result *cosim.Result) error {
	p.page.Text = fmt.Sprintf("%d steps from %g s; the curves show the lowest and the highest "+
		"value in each short interval", result.Steps, p.r.Spec.Start.Seconds())
	return writeFile(p.r.Options.Report, func(w io.Writer) error { return p.page.Write(w) })
}
