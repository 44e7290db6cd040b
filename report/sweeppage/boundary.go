package sweeppage

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"gosmp/sweep"
)

// boundary lies between two runs.
type boundary struct {
	passed, failed       float64
	passedRun, failedRun int // indices in the results
}

func (b boundary) low() float64 { return min(b.passed, b.failed) }

// Limits of the boundary tables.
const (
	mostBoundaries = 200 // rows per parameter
	mostPairs      = 12  // different pairs of values
	mostOthers     = 6   // parameters that describe a combination
)

type boundaryTable struct {
	Parameter   string
	Total       int
	Rows        []boundaryRow
	Pairs       []pairRow
	MorePairs   int
	Least, Most string // the range of all boundaries
}

type boundaryRow struct {
	Others, Passed, Failed string
	PassedCase, FailedCase int
}

// pairRow is a pair of values with the number of combinations whose boundary lies between them.
type pairRow struct {
	Passed, Failed string
	Count          int
	low, passed    float64
}

// boundaries finds the boundaries along the numeric parameters that have their own picture.
func (r *report) boundaries(s Sweep, parameters []*column) map[*column][]boundary {
	found := map[*column][]boundary{}
	keys := keysOf(parameters, s.Results)
	for k, c := range parameters[:min(len(parameters), mostCards)] {
		if !c.scale.numeric {
			continue
		}
		list := boundariesAlong(c, k, keys, s.Results)
		if len(list) > 0 {
			found[c] = list
			r.Boundaries = append(r.Boundaries, r.tableOf(c, list, s, parameters))
		}
	}
	r.NoBoundary = len(r.Boundaries) == 0
	return found
}

// keySize is the size of a value's number in a key.
const keySize = 4

// keysOf returns a key for each run, made of the seed and the number of each value.
func keysOf(parameters []*column, results []sweep.Result) [][]byte {
	keys := make([][]byte, len(results))
	for n, x := range results {
		keys[n] = make([]byte, len(parameters)*keySize, len(parameters)*keySize+8)
		keys[n] = binary.BigEndian.AppendUint64(keys[n], x.Row.Seed)
	}
	for k, c := range parameters {
		numbers := map[any]uint32{}
		for n, v := range c.values {
			if _, known := numbers[v]; !known {
				numbers[v] = uint32(len(numbers))
			}
			binary.BigEndian.PutUint32(keys[n][k*keySize:], numbers[v])
		}
	}
	return keys
}

// boundariesAlong finds the boundaries along parameter k.
func boundariesAlong(c *column, k int, keys [][]byte, results []sweep.Result) (list []boundary) {
	groups := map[string]int{}
	var members [][]int
	for n := range results {
		others := string(keys[n][:k*keySize]) + string(keys[n][(k+1)*keySize:])
		g, known := groups[others]
		if !known {
			g = len(members)
			groups[others] = g
			members = append(members, nil)
		}
		members[g] = append(members[g], n)
	}
	value := func(n int) float64 { return c.values[n].(float64) }
	for _, runs := range members {
		slices.SortStableFunc(runs, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
		for j := 1; j < len(runs); j++ {
			a, b := runs[j-1], runs[j]
			if value(a) == value(b) {
				continue
			}
			if verdictOf(results[a]) == failed {
				a, b = b, a
			}
			if verdictOf(results[a]) != passed || verdictOf(results[b]) != failed {
				continue
			}
			list = append(list, boundary{value(a), value(b), a, b})
		}
	}
	return list
}

// tableOf returns the boundary table of a parameter.
func (r *report) tableOf(c *column, list []boundary, s Sweep, parameters []*column) boundaryTable {
	t := boundaryTable{Parameter: c.name, Total: len(list)}
	take := sample(len(list), min(len(list), mostBoundaries))
	pairs := map[[2]float64]int{}
	low, high := list[0].low(), list[0].low()
	for _, b := range list {
		if take() {
			t.Rows = append(t.Rows, boundaryRow{othersOf(c, b.passedRun, s, parameters),
				label(b.passed), label(b.failed),
				s.Results[b.passedRun].Case.Index + 1, s.Results[b.failedRun].Case.Index + 1})
		}
		pairs[[2]float64{b.passed, b.failed}]++
		low, high = min(low, b.low()), max(high, b.passed, b.failed)
	}
	for p, n := range pairs {
		t.Pairs = append(t.Pairs, pairRow{label(p[0]), label(p[1]), n, min(p[0], p[1]), p[0]})
	}
	slices.SortFunc(t.Pairs, func(a, b pairRow) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.low, b.low), cmp.Compare(a.passed, b.passed))
	})
	t.MorePairs = max(0, len(t.Pairs)-mostPairs)
	t.Pairs = t.Pairs[:len(t.Pairs)-t.MorePairs]
	t.Least, t.Most = label(low), label(high)
	return t
}

// othersOf describes a run by everything that varies except for one parameter.
func othersOf(c *column, n int, s Sweep, parameters []*column) string {
	var words []string
	for _, other := range parameters {
		if other == c {
			continue
		}
		if len(words) == mostOthers {
			words = append(words, "…")
			break
		}
		words = append(words, short(other.name, longestName)+" = "+
			short(sweep.Text(other.values[n]), 24))
	}
	return strings.Join(append(words, fmt.Sprintf("seed %d", s.Results[n].Row.Seed)), ", ")
}
