package signalpage

import (
	_ "embed" // for the page template
	"io"
	"math"

	"gosmp/experiment/scxml"
	"gosmp/report/internal/page"
	"gosmp/report/internal/states"
	"gosmp/timebase"
)

//go:embed page.html
var form string

// Page collects the content of a page.
type Page struct {
	Title   string
	Outcome string // passed, failed, finished, ...; "" is not shown
	Text    string // below the title
	Details []Detail

	signals     []*Signal
	records     []scxml.Record
	first, last float64
	begun       bool
}

// Detail is a line of the table at the end of the page.
type Detail struct{ Name, Text string }

// Signal is a number over time.
type Signal struct {
	page   *Page
	name   string
	series *page.Series
}

// New returns a page without content.
func New(title string) *Page { return &Page{Title: title} }

// Signal adds a curve. With steps, a value holds until the next one.
func (p *Page) Signal(name, unit string, steps bool) *Signal {
	s := &Signal{p, page.Named(name, unit), page.NewSeries()}
	s.series.Steps = steps
	p.signals = append(p.signals, s)
	return s
}

// Add adds a number at a time in seconds, which must not be earlier than previous times. It ignores
// NaN and infinite numbers.
func (s *Signal) Add(t, x float64) {
	s.page.cover(t)
	s.series.Add(t, x)
}

func (p *Page) cover(t float64) {
	if !p.begun {
		p.first, p.last, p.begun = t, t, true
	}
	p.first, p.last = math.Min(p.first, t), math.Max(p.last, t)
}

// States adds what statecharts recorded until a time.
func (p *Page) States(records []scxml.Record, end timebase.Time) {
	p.records = records
	for _, r := range records {
		p.cover(r.Time.Seconds())
	}
	p.cover(end.Seconds())
}

// content holds the data of the page template.
type content struct {
	*Page
	Changes  []states.Change
	Playback page.Playback
	Empty    int // signals without a number
}

// Write writes the page.
func (p *Page) Write(to io.Writer) error {
	c := &content{Page: p, Changes: states.Changes(p.records)}
	all := &page.Curves{Times: []float64{}, List: []page.Curve{}}
	for _, s := range p.signals {
		if s.series.Empty() {
			c.Empty++
			continue
		}
		all.List = append(all.List, s.series.Curve(s.name))
	}
	last, _ := timebase.FromSeconds(p.last)
	lanes := states.Lanes(p.records, last)
	c.Playback = page.Playback{First: p.first, Last: p.last, Curves: all, Lanes: lanes,
		Changes: page.Times(lanes)}
	return page.Write(to, form, c)
}
