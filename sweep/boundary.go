package sweep

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

// Boundary requests a search for the values of a parameter at which runs begin to pass or to fail:
// wherever a run passed and its neighbor, with the same other parameters and the same seed, failed,
// the interval between them is halved until it is no larger than the resolution.
type Boundary struct {
	Along      string  `yaml:"along"`
	Resolution float64 `yaml:"resolution"`
}

// Edge is a boundary that was found: two neighbours with different verdicts.
type Edge struct {
	Passed, Failed Result
}

// checkBoundary checks that the plan meets the requirements for a boundary.
func (p *Plan) checkBoundary() error {
	b := p.Boundary
	if b == nil {
		return nil
	}
	at := slices.IndexFunc(p.Parameters, func(x Parameter) bool { return x.Name == b.Along })
	switch {
	case at < 0:
		return fault.New(ErrPlan, p.place("boundary"), fmt.Sprintf("along: %q", b.Along),
			"the name of a parameter")
	case p.Sampling.Method != Grid:
		return fault.New(ErrPlan, p.place("boundary"), "the method "+p.Sampling.Method,
			"the method grid")
	case !(b.Resolution > 0) || math.IsInf(b.Resolution, 0):
		return fault.New(ErrPlan, p.place("boundary"), "resolution: "+Text(b.Resolution),
			"a number above 0")
	case p.Stop.limit() > 0:
		return fault.New(ErrPlan, p.place("boundary"), "stop as well", "one of the two")
	}
	for k, x := range p.Parameters {
		if k != x.leader && (k == at || x.leader == at) {
			return fault.New(ErrPlan, p.place("boundary"),
				fmt.Sprintf("%s, which varies together with others", b.Along),
				"a parameter that varies alone")
		}
	}
	for _, v := range p.Parameters[at].points {
		if _, ok := v.(float64); !ok {
			return fault.New(ErrPlan, p.place("boundary"),
				fmt.Sprintf("%s with the value %v", b.Along, v), "a parameter with numbers")
		}
	}
	return nil
}

// series groups cases that differ along the boundary's parameter only, in the order of their first
// cases, each sorted by its value.
func (p *Plan) series(cases []Case) (groups [][]Case, along int) {
	along = slices.IndexFunc(p.Parameters, func(x Parameter) bool {
		return x.Name == p.Boundary.Along
	})
	number := map[string]int{}
	for _, c := range cases {
		var key strings.Builder
		for k, v := range c.Values {
			if k != along {
				fmt.Fprintf(&key, "%T %q,", v, Text(v))
			}
		}
		key.WriteString(strconv.FormatUint(c.Seed, 10))
		n, ok := number[key.String()]
		if !ok {
			n = len(groups)
			number[key.String()] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], c)
	}
	for _, g := range groups {
		slices.SortFunc(g, func(a, b Case) int {
			return cmp.Compare(a.Values[along].(float64), b.Values[along].(float64))
		})
	}
	return groups, along
}

// neighbours visits the pairs of neighbors of which one passed and the other failed.
func (p *Plan) neighbours(cases []Case, row func(Case) (Row, bool), visit func(a, b Result,
	along int)) {
	groups, along := p.series(cases)
	for _, g := range groups {
		for k := range len(g) - 1 {
			a, known := row(g[k])
			b, both := row(g[k+1])
			if known && both && (a.Outcome == Passed && b.Outcome == Failed ||
				a.Outcome == Failed && b.Outcome == Passed) {
				visit(Result{g[k], a}, Result{g[k+1], b}, along)
			}
		}
	}
}

// Refine returns the next cases for the search for boundaries, in addition to the given cases.
// Their values depend only on the rows. There are none once all boundaries are known to within the
// resolution.
func (p *Plan) Refine(cases []Case, row func(Case) (Row, bool)) (list []Case, err error) {
	if p.Boundary == nil {
		return nil, nil
	}
	e, err := p.evaluator()
	if err != nil {
		return nil, err
	}
	e.room -= p.computed(cases)
	p.neighbours(cases, row, func(a, b Result, along int) {
		x, inside := middle(a.Case.Values[along].(float64), b.Case.Values[along].(float64),
			p.Boundary.Resolution)
		if !inside || err != nil {
			return
		}
		if all := len(cases) + len(list) + 1; all > mostCases || all*p.width() > mostCells {
			err = fault.New(ErrPlan, p.place("boundary"), "too many runs",
				fmt.Sprintf("at most %d runs and %d values", mostCases, mostCells))
			return
		}
		values := slices.Clone(a.Case.Values)
		values[along] = x
		ok, set, e := e.settings(values)
		if err = e; err == nil && ok {
			list = append(list, Case{Index: len(cases) + len(list), Values: values, Set: set,
				Seed: a.Case.Seed})
		}
	})
	return list, err
}

// computed returns the number of bytes of the settings that expressions computed for cases. Those
// of one combination share them.
func (p *Plan) computed(cases []Case) (bytes int) {
	names := map[string]bool{}
	for _, t := range p.Set {
		names[t.Name] = true
	}
	for k, c := range cases {
		if k > 0 && len(c.Set) > 0 && len(cases[k-1].Set) > 0 && &c.Set[0] == &cases[k-1].Set[0] {
			continue
		}
		for _, s := range c.Set {
			if names[s.Name] {
				bytes += len(s.Value)
			}
		}
	}
	return bytes
}

// Edges returns the boundaries found so far, in the order of the table.
func (p *Plan) Edges(cases []Case, row func(Case) (Row, bool)) (list []Edge) {
	if p.Boundary == nil {
		return nil
	}
	p.neighbours(cases, row, func(a, b Result, _ int) {
		if a.Row.Outcome == Passed {
			list = append(list, Edge{Passed: a, Failed: b})
		} else {
			list = append(list, Edge{Passed: b, Failed: a})
		}
	})
	return list
}

// WriteEdges writes a line of CSV for each boundary: the other parameters, the seed, the values of
// the boundary's parameter on both sides, and the numbers of the two cases.
func (p *Plan) WriteEdges(w io.Writer, edges []Edge) error {
	var head []string
	along := 0
	for k, x := range p.Parameters {
		if x.Name == p.Boundary.Along {
			along = k
			continue
		}
		head = append(head, x.Name)
	}
	out := csv.NewWriter(w)
	// Flush keeps the error
	_ = out.Write(append(head, "seed", "passed", "failed", "passedCase", "failedCase"))
	for _, e := range edges {
		var line []string
		for k, v := range e.Passed.Case.Values {
			if k != along {
				line = append(line, Text(v))
			}
		}
		_ = out.Write(append(line, strconv.FormatUint(e.Passed.Row.Seed, 10),
			Text(e.Passed.Case.Values[along]), Text(e.Failed.Case.Values[along]),
			strconv.Itoa(e.Passed.Case.Index+1), strconv.Itoa(e.Failed.Case.Index+1)))
	}
	out.Flush()
	return out.Error()
}
