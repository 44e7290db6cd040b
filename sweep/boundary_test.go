package sweep_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/sweep"
)

// search runs a plan whose verdicts come from a function, and counts the runs.
func search(t require.TestingT, p *sweep.Plan, passes func(values []any, seed uint64) string) (
	[]sweep.Case, []sweep.Edge) {
	cases, err := p.Cases()
	require.NoError(t, err)
	rows := map[int]sweep.Row{}
	row := func(c sweep.Case) (sweep.Row, bool) { r, ok := rows[c.Index]; return r, ok }
	for next := cases; len(next) > 0; cases = append(cases, next...) {
		for _, c := range next {
			rows[c.Index] = sweep.Row{Outcome: passes(c.Values, c.Seed), Seed: c.Seed}
		}
		next, err = p.Refine(cases, row)
		require.NoError(t, err)
	}
	for k, c := range cases {
		require.Equal(t, k, c.Index)
	}
	return cases, p.Edges(cases, row)
}

func verdict(passes bool) string {
	if passes {
		return sweep.Passed
	}
	return sweep.Failed
}

// TestRefine_FindsBoundaries: boundaries are found wherever the verdict changes, to within the
// resolution, with no more runs than bisection needs.
func TestRefine_FindsBoundaries(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		threshold, resolution := rapid.Float64Range(0, 100).Draw(r, "threshold"),
			rapid.Float64Range(0.001, 30).Draw(r, "resolution")
		low := rapid.Bool().Draw(r, "low")
		p, err := sweep.Read("a", strings.NewReader(fmt.Sprintf(
			"experiment: a.exc\nparameters: {wet: {values: [true, false]}, m.x: {from: -10, to: "+
				"110, step: 40}}\nseeds: 2\nboundary: {along: m.x, resolution: %v}", resolution)))
		require.NoError(r, err)
		cases, edges := search(r, p, func(v []any, seed uint64) string {
			return verdict((v[1].(float64) < threshold+float64(seed)) == low || v[0].(bool))
		})
		require.Len(r, edges, 2, "one for each seed; on wet ground all runs pass")
		for k, e := range edges {
			a, b := e.Passed.Case.Values[1].(float64), e.Failed.Case.Values[1].(float64)
			require.LessOrEqual(r, math.Abs(a-b), resolution*(1+1e-6))
			bound := threshold + float64(k+1)
			require.True(r, min(a, b) < bound && bound <= max(a, b))
			require.EqualValues(r, k+1, e.Passed.Row.Seed)
		}
		require.LessOrEqual(r, len(cases), 16+2*int(math.Ceil(math.Log2(math.Ceil(40/resolution)))+
			1))
	})
}

// TestRefine_Islands: each change of the verdict between neighbors in the table is followed, but
// neighbors of a run without a verdict are ignored.
func TestRefine_Islands(t *testing.T) {
	p := read(t,
		"experiment: a.exc\nparameters: {m.x: {from: 0, to: 10, step: 1}}\nboundary: {along: "+
			"m.x, resolution: 0.25}")
	_, edges := search(t, p, func(v []any, _ uint64) string {
		x := v[0].(float64)
		if x == 8 {
			return sweep.Lost
		}
		return verdict(x > 2.1 && x < 4.6 || x > 7.5)
	})
	var out strings.Builder
	require.NoError(t, p.WriteEdges(&out, edges))
	require.Equal(t, "seed,passed,failed,passedCase,failedCase\n0,2.25,2,14,3\n0,4.5,4.75,13,15\n",
		out.String())
}

// TestWriteEdges_OtherParameters: each line names the other parameters and their values.
func TestWriteEdges_OtherParameters(t *testing.T) {
	p := read(t, "experiment: a.exc\nparameters: {m.a: {values: [7]}, m.x: {from: 0, to: 1, step: "+
		"1}, wet: {values: [true]}}\nboundary: {along: m.x, resolution: 0.5}")
	_, edges := search(t, p, func(v []any, _ uint64) string { return verdict(v[1].(float64) > 0.2) })
	var out strings.Builder
	require.NoError(t, p.WriteEdges(&out, edges))
	require.Equal(t, "m.a,wet,seed,passed,failed,passedCase,failedCase\n7,true,0,0.5,0,3,1\n",
		out.String())
}

// TestRefine_Constraints: constraints bound the search.
func TestRefine_Constraints(t *testing.T) {
	p := read(t,
		"experiment: a.exc\nparameters: {x: {from: 0, to: 8, step: 8}}\nset: {m.x: x}\n"+
			"constraints: [x < 3 || x > 5]\nboundary: {along: x, resolution: 1}")
	cases, edges := search(t, p, func(v []any, _ uint64) string {
		return verdict(v[0].(float64) > 1)
	})
	require.Len(t, cases, 2, "4 is not allowed")
	require.Len(t, edges, 1)
}

// TestBoundary_Refused covers parameters along which no boundary can be searched.
func TestBoundary_Refused(t *testing.T) {
	for text, want := range map[string]string{
		"boundary: {along: y, resolution: 1}": `boundary: unusable plan: found along: "y", ` +
			`expected the name of a parameter`,
		"boundary: {along: s, resolution: 1}": "found s with the value a, expected a " +
			"parameter with numbers",
		"boundary: {along: x, resolution: 0}":                                        "found resolution: 0, expected a number above 0",
		"boundary: {along: x, resolution: 1}\nstop: {passes: 1}":                     "found stop as well",
		"boundary: {along: x, resolution: 1}\nsampling: {method: random, count: 10}": "found the method random, expected the method grid",
		"boundary: {at: x}":              "expected one of along, resolution",
		"stop: {failures: 1, passes: 1}": "found failures and passes, expected one of the two",
	} {
		_, err := sweep.Read("a.yaml",
			strings.NewReader(
				"experiment: a.exc\nparameters: {x: {from: 0, to: 1, count: 3}, s: "+
					"{values: [a]}}\n"+text))
		require.ErrorIs(t, err, sweep.ErrPlan, text)
		require.ErrorContains(t, err, want)
	}
}

// TestSettled_AgreesWithDecided: both agree, regardless of the order in which rows arrive.
func TestSettled_AgreesWithDecided(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(r, "runs")
		stop := rapid.SampledFrom([]sweep.Stop{{}, {Failures: 2}, {Passes: 3}}).Draw(r, "stop")
		p := &sweep.Plan{Stop: stop}
		cases, rows := make([]sweep.Case, n), map[int]sweep.Row{}
		for k := range cases {
			cases[k].Index = k
		}
		row := func(c sweep.Case) (sweep.Row, bool) { x, ok := rows[c.Index]; return x, ok }
		s := p.Settled()
		for _, k := range rapid.Permutation(cases).Draw(r, "order") {
			rows[k.Index] = sweep.Row{Outcome: verdict(rapid.Bool().Draw(r, "passes"))}
			prefix := 0
			for ; prefix < n && rows[prefix].Outcome != ""; prefix++ {
			}
			_, want := p.Decided(cases[:prefix], row)
			require.Equal(r, want, s.Enough(cases, row))
		}
	})
}
