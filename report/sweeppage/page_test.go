package sweeppage_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/report/sweeppage"
	"gosmp/sweep"
)

func command(r sweep.Result) string {
	return fmt.Sprintf("gosmp run <a&b>.exc --rng-seed %d --set 'case=%d'", r.Row.Seed,
		r.Case.Index+1)
}

func write(t require.TestingT, s sweeppage.Sweep) string {
	var b strings.Builder
	s.Command = command
	require.NoError(t, sweeppage.Write(&b, s))
	return b.String()
}

// grid contains all combinations of a gap, a speed, a surface and two seeds: braking saves the car
// when the gap is large enough for the speed. One combination crashes.
func grid(gaps, speeds int) sweeppage.Sweep {
	s := sweeppage.Sweep{Name: "aeb.results", About: sweep.About{FormatVersion: 1,
		Plan: "aeb.sweep.yaml", Experiment: "aeb.exc",
		Parameters: []string{"gap", "speed", "surface", "brake.delay"}}}
	for g := range gaps {
		for v := range speeds {
			for _, surface := range []string{"dry", "wet"} {
				for seed := range uint64(2) {
					gap, speed := 5+float64(g), 10+0.5*float64(v)
					need := speed * speed / 20
					if surface == "wet" {
						need *= 1.6
					}
					row := sweep.Row{ID: strconv.Itoa(len(s.Results)), Outcome: sweep.Passed,
						Seed: seed + 1, Time: 10, Steps: 1000,
						Metrics: map[string]float64{"judge.distance": gap - need}}
					switch {
					case g == 2 && v == 1:
						row.Outcome, row.Cause, row.Metrics = sweep.Faulty,
							"aeb: fmi2DoStep: <error> & \"more\"", nil
					case gap < need+float64(seed):
						row.Outcome, row.Cause, row.Time = sweep.Failed,
							fmt.Sprintf("judge: hit at %.3f s", speed/3), speed/3
						row.Steps = int64(row.Time * 100)
					}
					s.Results = append(s.Results,
						sweep.Result{Case: sweep.Case{Index: len(s.Results),
							Values: []any{gap, speed, surface, 0.2}, Seed: seed + 1}, Row: row})
				}
			}
		}
	}
	s.About.Cases, s.About.Finished = len(s.Results), len(s.Results)
	return s
}

// valid checks a page as far as possible without a validator: elements are closed correctly, ids
// are unique, and nothing is loaded from other addresses.
func valid(t require.TestingT, page string) {
	require.True(t, strings.HasPrefix(page, "<!DOCTYPE html>\n"))
	require.NotContains(t, strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), "http",
		"it works offline")
	text := regexp.MustCompile(`(?s)(<style>|<script>).*?(</style>|</script>)`).ReplaceAllString(
		page, "$1$2")
	// these elements have no end tag
	text = regexp.MustCompile(`<(?:meta|input|br)\b[^>]*`).ReplaceAllString(text, "$0/")
	d := xml.NewDecoder(strings.NewReader(text))
	d.Entity = xml.HTMLEntity
	ids := map[string]bool{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		if e, is := token.(xml.StartElement); is {
			for _, a := range e.Attr {
				require.NotEqual(t, "src", a.Name.Local)
				if a.Name.Local == "id" {
					require.False(t, ids[a.Value], a.Value)
					ids[a.Value] = true
				}
			}
		}
	}
}

// counted returns the numbers in the table of outcomes.
func counted(t require.TestingT, page string) map[string]int {
	counts := map[string]int{}
	for _, m := range regexp.MustCompile(`data-outcome="(\w+)">(\d+)<`).FindAllStringSubmatch(page,
		-1) {
		n, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		counts[m[1]] = n
	}
	return counts
}

// repeats checks that each run that did not pass is listed with its command and its cause.
func repeats(t require.TestingT, page string, s sweeppage.Sweep) {
	var expected, found []string
	for _, m := range regexp.MustCompile(
		`(?s)<td>([^<]*)<br><code>([^<]*)</code>`).FindAllStringSubmatch(page, -1) {
		found = append(found, html.UnescapeString(m[1]+": "+m[2]))
	}
	for _, r := range s.Results {
		if !sweep.Good(r.Row.Outcome) {
			expected = append(expected, r.Row.Cause+": "+command(r))
		}
	}
	require.Equal(t, expected, found)
}

func TestWrite_Grid(t *testing.T) {
	s := grid(25, 10)
	page := write(t, s)
	valid(t, page)
	repeats(t, page, s)
	require.Equal(t, page, write(t, s), "the same results give the same bytes")
	counts := map[string]int{}
	for _, r := range s.Results {
		counts[r.Row.Outcome]++
	}
	for o, n := range counted(t, page) {
		require.Equal(t, counts[o], n, o)
	}
	require.Contains(t, page, "brake.delay = 0.2", "what all runs have in common")
	require.Contains(t, page, "of 1000 runs passed")
	require.Contains(t, page, `<option selected="">gap</option><option>speed</option>`)
	require.Contains(t, page, "judge.distance")
	require.NotContains(t, page, "<error>")
	if to := os.Getenv("GOSMP_REPORT"); to != "" { // to view it in a browser
		require.NoError(t, os.WriteFile(to, []byte(page), 0o600))
	}
}

// TestWrite_Boundary uses a small table that can be counted manually.
func TestWrite_Boundary(t *testing.T) {
	s := sweeppage.Sweep{Name: "a",
		About: sweep.About{Experiment: "a.exc", Parameters: []string{"x", "y"}, Cases: 8}}
	for k, outcome := range []string{"failed", "passed", "failed", "error", "passed", "passed",
		"passed", "passed"} {
		s.Results = append(s.Results, sweep.Result{Case: sweep.Case{Index: k,
			Values: []any{float64(k / 2), []any{"left", "right"}[k%2]}},
			Row: sweep.Row{Outcome: outcome, Seed: 1}})
	}
	page := write(t, s)
	valid(t, page)
	require.Contains(t, page, "<h3>x: 1 boundary between 1 and 2</h3>")
	require.Contains(t, page,
		`<tr><td>y = left, seed 1</td><td class="n">2</td><td class="n">5</td>`+
			`<td class="n">1</td><td class="n">3</td></tr>`)
	require.NotContains(t, page, "<h3>y", "texts have no order")
	s.Results[7].Row.Outcome = sweep.Failed
	require.Contains(t, write(t, s), "<h3>x: 2 boundaries between 1 and 3</h3>")
	s.Results[7].Row.Outcome, s.Results[4].Row.Outcome = sweep.Passed, sweep.Lost
	require.Contains(t, write(t, s), "None was found",
		"an undecided run is between those that failed and passed")
}

// TestWrite_LinksReports: the page links to existing reports only, and never to anything that could
// be a script.
func TestWrite_LinksReports(t *testing.T) {
	s := grid(3, 2)
	require.NotContains(t, write(t, s), "<a href")
	s.Report = func(r sweep.Result) string {
		return map[int]string{0: "a%20b/case-0001/report.html",
			1: "javascript:alert(1)"}[r.Case.Index]
	}
	page := write(t, s)
	valid(t, page)
	require.Contains(t, page, `<a href="a%20b/case-0001/report.html">report of this run</a>`)
	require.NotContains(t, page, "javascript")
}

// TestWrite_BoundariesAreEdges: the page shows the same boundaries as the files that gosmp sweep
// writes.
func TestWrite_BoundariesAreEdges(t *testing.T) {
	plan, err := sweep.Read("a", strings.NewReader(`
experiment: a.exc
parameters:
  x: {from: 1, to: 6, step: 1}
  y: {values: [0, 1, left]}
boundary: {along: x, resolution: 1}
seeds: 2
`))
	require.NoError(t, err)
	cases, err := plan.Cases()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		s := sweeppage.Sweep{Name: "a", About: plan.About("a.exc", len(cases), len(cases), false)}
		for _, c := range cases {
			outcome := rapid.SampledFrom([]string{sweep.Passed, sweep.Failed, sweep.Failed,
				sweep.Passed, sweep.Hung}).Draw(t, "outcome")
			s.Results = append(s.Results, sweep.Result{Case: c, Row: sweep.Row{Outcome: outcome,
				Seed: c.Seed}})
		}
		edges := plan.Edges(cases, func(c sweep.Case) (sweep.Row,
			bool) {
			return s.Results[c.Index].Row, true
		})
		page := write(t, s)
		if len(edges) == 0 {
			require.Contains(t, page, "None was found")
		}
		for _, e := range edges {
			require.Contains(t, page,
				fmt.Sprintf(
					`<tr><td>y = %v, seed %d</td><td class="n">%v</td><td class="n">%d</td>`+
						`<td class="n">%v</td><td class="n">%d</td></tr>`,
					e.Passed.Case.Values[1], e.Passed.Row.Seed, e.Passed.Case.Values[0],
					e.Passed.Case.Index+1, e.Failed.Case.Values[0], e.Failed.Case.Index+1))
		}
		if len(edges) > 0 {
			require.Regexp(t, fmt.Sprintf("<h3>x: %d boundar", len(edges)), page)
		}
	})
}

// TestWrite_Bounds covers tables of any shape: the size of the page does not depend on the number
// of passed runs, and is bounded for all others.
func TestWrite_Bounds(t *testing.T) {
	s := grid(100, 25)
	for len(s.Results) < 10000 {
		s.Results = append(s.Results, s.Results[len(s.Results)%5000])
	}
	for k := range s.Results {
		s.Results[k].Case.Index = k
	}
	page := write(t, s)
	valid(t, page)
	repeats(t, page, s)
	require.Less(t, len(page), 2<<20)

	s = sweeppage.Sweep{Name: "many", About: sweep.About{Experiment: "a.exc"}}
	for k := range 40 {
		s.About.Parameters = append(s.About.Parameters, fmt.Sprintf("p%d", k))
	}
	for k := range 20000 {
		r := sweep.Result{Case: sweep.Case{Index: k}, Row: sweep.Row{Outcome: sweep.Failed, Seed: 1,
			Cause: "none"}}
		for j := range s.About.Parameters {
			r.Case.Values = append(r.Case.Values, float64((k*7919+j*104729)%10007)/10007)
		}
		s.Results = append(s.Results, r)
	}
	page = write(t, s)
	valid(t, page)
	require.Less(t, len(page), 8<<20)
	require.Contains(t, page, "10000 of 20000 runs are listed")
	require.Contains(t, page, "The first 12 of 40 parameters")
}

// TestWrite_Warnings: warnings of all runs, also of those that passed, are counted.
func TestWrite_Warnings(t *testing.T) {
	s := grid(2, 2)
	require.NotContains(t, write(t, s), "<h2>Warnings</h2>")
	for k := range s.Results {
		s.Results[k].Row.Warnings = []string{fmt.Sprintf("a.scxml:3: <x> in %d of 9 steps", k)}
	}
	s.Results[2].Row.Warnings = append(s.Results[2].Row.Warnings, "other")
	page := write(t, s)
	valid(t, page)
	require.Contains(t, page, "<h2>Warnings</h2>")
	require.Contains(t, page, fmt.Sprintf(`<tr><td class="n">%d</td><td>a.scxml:3: &lt;x&gt; in 0 of 9 `+
		`steps</td><td class="n">1</td></tr>`, len(s.Results)))
	require.Contains(t, page, `<tr><td class="n">1</td><td>other</td><td class="n">3</td></tr>`)
}

// TestWrite_Any uses arbitrary results.
func TestWrite_Any(t *testing.T) {
	value := rapid.OneOf(rapid.Map(rapid.Float64(), func(x float64) any { return x }),
		rapid.Map(rapid.String(), func(x string) any { return x }),
		rapid.Map(rapid.Bool(), func(x bool) any { return x }), rapid.Just(any(1.5)),
		rapid.Just(any(-0.5)))
	rapid.Check(t, func(t *rapid.T) {
		s := sweeppage.Sweep{Name: rapid.StringMatching(`[a-z<>&"']*`).Draw(t, "name"),
			About: sweep.About{Experiment: "a.exc"}}
		for k := range rapid.IntRange(0, 15).Draw(t, "parameters") {
			s.About.Parameters = append(s.About.Parameters, fmt.Sprintf("p%d</script>", k))
		}
		numbers := rapid.Bool().Draw(t, "numbers")
		counts := map[string]int{}
		for k := range rapid.IntRange(0, 60).Draw(t, "runs") {
			r := sweep.Result{Case: sweep.Case{Index: k},
				Row: sweep.Row{Outcome: rapid.SampledFrom(sweep.Outcomes).Draw(t, "outcome"),
					Cause: rapid.StringMatching(`[a-z0-9 <&]*`).Draw(t, "cause"),
					Steps: rapid.Int64Min(0).Draw(t, "steps"),
					Time: rapid.Float64Range(0, 1e9).Draw(t,
						"time"), Seed: rapid.Uint64().Draw(t, "seed")}}
			for range s.About.Parameters {
				v := any(float64(rapid.IntRange(-3, 40).Draw(t, "number")))
				if !numbers {
					v = value.Draw(t, "value")
				}
				r.Case.Values = append(r.Case.Values, v)
			}
			counts[r.Row.Outcome]++
			s.Results = append(s.Results, r)
		}
		page := write(t, s)
		valid(t, strings.ToValidUTF8(strings.Map(legible, page), ""))
		require.Equal(t, page, write(t, s))
		found := counted(t, page)
		require.ElementsMatch(t, sweep.Outcomes, slices.Collect(func(yield func(string) bool) {
			for o := range found {
				if !yield(o) {
					return
				}
			}
		}))
		for o, n := range found {
			require.Equal(t, counts[o], n)
		}
		repeats(t, page, s)
	})
}

// legible removes characters that XML does not allow.
func legible(r rune) rune {
	if r < ' ' && r != '\n' || r == 0xfffe || r == 0xffff {
		return -1
	}
	return r
}

// TestWrite_LongNames: names that fill a line leave room for their neighbors.
func TestWrite_LongNames(t *testing.T) {
	s := grid(3, 2)
	long := strings.Repeat("wide", 50)
	s.About.Parameters[0], s.About.Parameters[1] = long, long+"2"
	page := write(t, s)
	valid(t, page)
	cut := strings.Repeat("wide", 14) + "wid…"
	require.Contains(t, page, "<td>"+cut+" = 5, "+cut+" = 10, surface = dry")
	require.Regexp(t, `<text id="xname"[^>]*>`+cut+"</text>", page)
	require.Regexp(t, `<text id="yname"[^>]*>`+cut+"</text>", page)
	require.Contains(t, page, "<h3>"+long+": ", "the whole name is there, too")
}
