package sweeppage

import (
	_ "embed" // for the page template
	"html/template"
	"io"
	"math"
	"strconv"

	"gosmp/report/internal/page"
	"gosmp/sweep"
)

//go:embed page.html
var form string

// Sweep is the subject of a report.
type Sweep struct {
	Name    string // the title
	About   sweep.About
	Results []sweep.Result
	Command func(sweep.Result) string // repeats a run
	// path of the report of a run relative to the page, or "" if there is none; may be nil
	Report func(sweep.Result) string
}

// Limits of the page content.
const (
	mostDrawn   = 4000    // runs in pictures
	mostCells   = 120000  // values in the data of the scatter plot
	mostValues  = 1 << 20 // bytes of the values of runs in the scatter plot
	mostChoices = 40      // columns to choose from
	mostCards   = 24      // parameters with their own picture
	mostAxes    = 12      // parameters side by side
	mostLines   = 2000    // lines across them
)

// report holds the data of the page.
type report struct {
	Name         string
	About        sweep.About
	Finished     int
	Passed       string // share in percent
	Rate         string // what the share counts: passed runs, or finished runs where nothing judges
	Outcomes     []outcomeRow
	Bar          template.HTML
	Constants    []string
	Drawn        int // runs in pictures
	Shares       []card
	MoreShares   int // parameters without a card
	Parallel     template.HTML
	Axes, Lines  string // part of the whole shown in the parallel coordinates
	Scatter      template.HTML
	Choices      []choice
	Data         plotted
	Boundaries   []boundaryTable
	NoBoundary   bool
	Longest      []runRow
	Causes       []causeRow
	MoreCauses   int
	Warnings     []causeRow // Cause is the warning
	MoreWarnings int
	Notes        []string // FMUs that need a new process for each run
	Bad          int      // runs that did not pass
	Listed       int      // how many of them are in Blocks
	Blocks       []block
}

type outcomeRow struct {
	Outcome, Meaning, Share string
	Count                   int
}

type card struct {
	Name string
	SVG  template.HTML
}

type choice struct {
	Name string
	X, Y bool // whether the picture initially shows it
}

var meanings = map[string]string{
	sweep.Passed: "the verdict", sweep.Failed: "the verdict",
	sweep.Finished:  "at its own end, without a machine that judges",
	sweep.Undecided: "a machine that was to judge has not",
	sweep.Timeout:   "no verdict before the experiment's timeout",
	sweep.Faulty:    "a participant, or the experiment itself, failed",
	sweep.Lost: "the process of the run died in every attempt, or its machine " +
		"had no space left",
	sweep.Hung: "the run took too long in every attempt",
}

// The verdicts that pictures distinguish.
const (
	passed    = iota // drawn first, below the others
	undecided        // timeout, error, lost, hung
	failed
	verdicts
)

// classes maps the verdicts to classes of the style sheet.
var classes = [verdicts]string{"passed", "undecided", "failed"}

func verdictOf(r sweep.Result) int {
	switch r.Row.Outcome {
	case sweep.Passed, sweep.Finished:
		return passed
	case sweep.Failed:
		return failed
	}
	return undecided
}

// Write writes the report. The only errors are write errors.
func Write(to io.Writer, s Sweep) error {
	r := &report{Name: s.Name, About: s.About, Finished: len(s.Results)}
	r.count(s.Results)
	list := columns(s)
	drawn := drawnOf(s.Results, min(mostDrawn, mostCells/max(1, min(len(list), mostChoices))))
	r.Drawn = len(drawn)
	var parameters []*column
	for _, c := range list {
		if c.varies() {
			if c.parameter {
				parameters = append(parameters, c)
			}
		} else if c.parameter && c.scale.first != nil {
			r.Constants = append(r.Constants, c.name+" = "+sweep.Text(c.scale.first))
		}
	}
	found := r.boundaries(s, parameters)
	for _, c := range parameters[:min(len(parameters), mostCards)] {
		r.Shares = append(r.Shares, card{c.name, shares(c, s.Results, found[c])})
	}
	r.MoreShares = max(0, len(parameters)-mostCards)
	r.parallel(parameters, s.Results, drawn)
	r.scatter(list, s, drawn)
	r.longest(s)
	r.causes(s)
	r.warnings(s)
	r.notes(s)
	r.list(s)
	return page.Write(to, form, r)
}

// percent formats a share with one decimal. The result is 100 only if all runs count and 0 only if
// none do.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	tenths := int(math.Round(float64(part) * 1000 / float64(whole)))
	if part > 0 && part < whole {
		tenths = min(max(tenths, 1), 999)
	}
	return strconv.FormatFloat(float64(tenths)/10, 'f', -1, 64) + " %"
}

// count fills in the outcomes.
func (r *report) count(results []sweep.Result) {
	counts := map[string]int{}
	for _, x := range results {
		counts[x.Row.Outcome]++
	}
	r.Bad = len(results) - counts[sweep.Passed] - counts[sweep.Finished]
	r.Rate = sweep.Passed
	if counts[sweep.Finished] > 0 && counts[sweep.Passed] == 0 {
		r.Rate = sweep.Finished
	}
	r.Passed = percent(counts[r.Rate], len(results))
	for _, o := range sweep.Outcomes {
		r.Outcomes = append(r.Outcomes, outcomeRow{o, meanings[o], percent(counts[o], len(results)),
			counts[o]})
	}
	r.Bar = r.bar([verdicts]int{counts[sweep.Passed] + counts[sweep.Finished],
		r.Bad - counts[sweep.Failed], counts[sweep.Failed]})
}

// bar draws the share of each verdict as part of a bar that is as wide as the page.
func (r *report) bar(counts [verdicts]int) template.HTML {
	p := newPicture(1000, 22, "shares of the outcomes")
	x := 0
	for v, n := range counts {
		if n > 0 {
			w := n * 10000 / r.Finished
			p.add(`<rect class="%s" x="%s" y="0" width="%s" height="22"/>`, "f "+classes[v],
				tenth(x), tenth(max(w, 5)))
			x += w
		}
	}
	return p.html()
}

// drawnOf chooses the runs that pictures show: all of them, or up to most, divided between runs
// that passed and runs that did not.
func drawnOf(results []sweep.Result, most int) (list []int) {
	if len(results) <= most {
		for k := range results {
			list = append(list, k)
		}
		return list
	}
	bad := 0
	for _, x := range results {
		if !sweep.Good(x.Row.Outcome) {
			bad++
		}
	}
	good := len(results) - bad
	quota := min(bad, max(most/2, most-good))
	takeBad, takeGood := sample(bad, quota), sample(good, most-quota)
	for k, x := range results {
		take := takeGood
		if !sweep.Good(x.Row.Outcome) {
			take = takeBad
		}
		if take() {
			list = append(list, k)
		}
	}
	return list
}

// sample returns a function that returns true for most of n calls, or for all if n is smaller. The
// choice is always the same but irregular, because the order of runs in tables is regular.
func sample(n, most int) func() bool {
	k := 0
	return func() bool {
		left := n - k
		k++
		take := int(scattered(uint64(k))%uint64(max(left, 1))) < most
		if take {
			most--
		}
		return take
	}
}

// scattered mixes the bits of a number (SplitMix64).
func scattered(x uint64) uint64 {
	x = (x + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// plotted is the data of the page's script, a contract with the kit's scatter.js.
type plotted struct {
	Columns  []plottedColumn `json:"columns"`
	Verdicts []int           `json:"verdicts"`
	Cases    []int           `json:"cases"`
	Texts    []string        `json:"texts"` // outcomes and parameters
}

type plottedColumn struct {
	Name  string `json:"name"`
	At    []int  `json:"at"`
	Ticks []tick `json:"ticks"`
	// Range holds the numbers at both ends of a numeric column.
	Range []float64 `json:"range,omitempty"`
}

// scatter draws the first two columns that vary, and passes the others to the script.
func (r *report) scatter(list []*column, s Sweep, drawn []int) {
	results := s.Results
	data := plotted{Columns: []plottedColumn{}, Verdicts: make([]int, len(drawn))}
	for _, c := range list {
		if !c.varies() || len(data.Columns) == mostChoices {
			continue
		}
		n := len(data.Columns)
		r.Choices = append(r.Choices, choice{c.name, n == 0, n == 1})
		p := plottedColumn{Name: c.name, At: c.positions(drawn), Ticks: c.scale.ticks()}
		if span := c.scale.high - c.scale.low; c.scale.numeric && !math.IsInf(span, 0) {
			p.Range = []float64{c.scale.low, c.scale.high}
		}
		data.Columns = append(data.Columns, p)
	}
	left := mostValues
	for k, n := range drawn {
		data.Verdicts[k] = verdictOf(results[n])
		row := rowOf(s, results[n])
		if left -= len(row.Values); left < 0 {
			row.Values = "values in results.csv"
		}
		data.Cases = append(data.Cases, row.Case)
		data.Texts = append(data.Texts, row.Outcome+": "+row.Values)
	}
	r.Data = data
	if len(data.Columns) > 1 {
		r.Scatter = scatterPicture(data.Columns[0], data.Columns[1], data.Verdicts)
	}
}
