package sweeppage

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"gosmp/sweep"
)

// Limits of the lists of runs.
const (
	mostLongest = 20
	mostCauses  = 30
	mostListed  = 10000   // runs that did not pass
	mostText    = 8 << 20 // bytes of their causes and commands
	blockSize   = 200     // of them in one part of the page
)

type runRow struct {
	Case                            int
	Values, Outcome, Cause, Command string
	Class, Report                   string
	Steps                           int64
	Time, Elapsed                   string
}

type causeRow struct {
	Outcome, Cause string
	Count, Case    int
}

// block is a part of the list of runs that did not pass. All blocks but the first are folded.
type block struct {
	First, Last int // numbers in the list
	From, To    int // cases
	Rows        []runRow
}

func rowOf(s Sweep, r sweep.Result) runRow {
	var words []string
	for k, name := range s.About.Parameters {
		if len(words) == mostOthers {
			words = append(words, "…")
			break
		}
		words = append(words, short(name, longestName)+" = "+short(sweep.Text(r.Case.Values[k]),
			24))
	}
	row := runRow{Case: r.Case.Index + 1, Values: strings.Join(words, ", "), Outcome: r.Row.Outcome,
		Cause: r.Row.Cause, Command: s.Command(r),
		Class: classes[verdictOf(r)], Steps: r.Row.Steps, Time: sweep.Text(r.Row.Time)}
	if r.Row.Elapsed > 0 {
		row.Elapsed = sweep.Text(r.Row.Elapsed)
	}
	if s.Report != nil {
		row.Report = s.Report(r)
	}
	return row
}

// longest fills in the runs that took the most time, or the most steps where times are not known.
func (r *report) longest(s Sweep) {
	order := make([]int, len(s.Results))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := s.Results[a].Row, s.Results[b].Row
		return cmp.Or(cmp.Compare(y.Elapsed, x.Elapsed), cmp.Compare(y.Steps, x.Steps))
	})
	for _, k := range order[:min(len(order), mostLongest)] {
		r.Longest = append(r.Longest, rowOf(s, s.Results[k]))
	}
}

// causes counts the runs that did not pass by outcome and cause. Causes that differ only in numbers
// count as the same cause.
func (r *report) causes(s Sweep) {
	index := map[[2]string]int{}
	for _, x := range s.Results {
		if sweep.Good(x.Row.Outcome) {
			continue
		}
		key := [2]string{x.Row.Outcome, withoutNumbers(x.Row.Cause)}
		k, known := index[key]
		if !known {
			k = len(r.Causes)
			index[key] = k
			r.Causes = append(r.Causes, causeRow{x.Row.Outcome, x.Row.Cause, 0, x.Case.Index + 1})
		}
		r.Causes[k].Count++
	}
	r.Causes, r.MoreCauses = mostFrequent(r.Causes)
}

// mostFrequent sorts a list and cuts it. It returns how many entries it left out.
func mostFrequent(list []causeRow) (kept []causeRow, more int) {
	slices.SortStableFunc(list, func(a, b causeRow) int { return b.Count - a.Count })
	more = max(0, len(list)-mostCauses)
	return list[:len(list)-more], more
}

// warnings counts the runs with each warning. Warnings that differ only in numbers count as the
// same.
func (r *report) warnings(s Sweep) {
	index := map[string]int{}
	for _, x := range s.Results {
		for _, text := range x.Row.Warnings {
			key := withoutNumbers(text)
			k, known := index[key]
			if !known {
				k = len(r.Warnings)
				index[key] = k
				r.Warnings = append(r.Warnings, causeRow{Cause: text, Case: x.Case.Index + 1})
			}
			r.Warnings[k].Count++
		}
	}
	r.Warnings, r.MoreWarnings = mostFrequent(r.Warnings)
}

// notes collects the notes on FMUs.
func (r *report) notes(s Sweep) {
	for _, x := range s.Results {
		for _, name := range slices.Sorted(maps.Keys(x.Row.Notes)) {
			r.Notes = append(r.Notes, x.Row.Notes[name])
		}
	}
}

// withoutNumbers replaces each number by one character.
func withoutNumbers(text string) string {
	var b strings.Builder
	within := false
	for _, c := range text {
		digit := c >= '0' && c <= '9'
		if within && (digit || c == '.') {
			continue
		}
		if within = digit; digit {
			c = '#'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// list fills in the runs that did not pass.
func (r *report) list(s Sweep) {
	size := 0
	for _, x := range s.Results {
		if sweep.Good(x.Row.Outcome) {
			continue
		}
		if r.Listed == mostListed || size > mostText {
			return
		}
		row := rowOf(s, x)
		size += len(row.Cause) + len(row.Command) + len(row.Values) + len(row.Report)
		r.Listed++
		if len(r.Blocks) == 0 || len(r.Blocks[len(r.Blocks)-1].Rows) == blockSize {
			r.Blocks = append(r.Blocks, block{First: r.Listed, From: row.Case})
		}
		b := &r.Blocks[len(r.Blocks)-1]
		b.Rows = append(b.Rows, row)
		b.Last, b.To = r.Listed, row.Case
	}
}
