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
	tracks      map[string]*track // by the beginning of the names
	order       []*track
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
	place  func(t, x float64) // of a latitude or a longitude
}

// New returns a page without content.
func New(title string) *Page { return &Page{Title: title, tracks: map[string]*track{}} }

// Signal adds a curve. With steps, a value holds until the next one. If there is a latitude and a
// longitude given as angles, the page also shows the track from above.
func (p *Page) Signal(name, unit string, steps bool) *Signal {
	s := &Signal{page: p, name: page.Named(name, unit), series: page.NewSeries()}
	s.series.Steps = steps
	p.follow(s, name, unit)
	p.signals = append(p.signals, s)
	return s
}

// Add adds a number at a time in seconds, which must not be earlier than previous times. It ignores
// NaN and infinite numbers.
func (s *Signal) Add(t, x float64) {
	s.page.cover(t)
	s.series.Add(t, x)
	if s.place != nil {
		s.place(t, x)
	}
}

func (p *Page) cover(t float64) {
	if !p.begun {
		p.first, p.last, p.begun = t, t, true
	}
	p.first, p.last = math.Min(p.first, t), math.Max(p.last, t)
}

// States adds what statecharts recorded up to a given time.
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
	if scene := p.scene(); scene != nil {
		c.Playback.Scene = scene
	}
	return page.Write(to, form, c)
}
