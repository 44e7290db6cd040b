package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/scenario"
)

// check checks that the parts fit together.
func (p *Plan) check() error {
	switch {
	case p.Experiment == "":
		return fault.New(ErrPlan, p.place("experiment"), "no experiment",
			"the name of a .exc file, of an FMU or of a system (.ssp)")
	case p.Timeout != 0 && !(p.Timeout >= 0.001 && p.Timeout <= 1e9):
		return fault.New(ErrPlan, p.place("timeout"), strconv.FormatFloat(p.Timeout, 'g', -1, 64),
			"seconds from 0.001 to 1e9, or 0 for no limit")
	case p.Attempts < 1:
		return fault.New(ErrPlan, p.place("attempts"), strconv.Itoa(p.Attempts),
			"a number of at least 1")
	case p.Stop.Failures < 0 || p.Stop.Passes < 0:
		return fault.New(ErrPlan, p.place("stop"), strconv.Itoa(min(p.Stop.Failures,
			p.Stop.Passes)), "a number of at least 0")
	case p.Stop.Failures > 0 && p.Stop.Passes > 0:
		return fault.New(ErrPlan, p.place("stop"), "failures and passes", "one of the two")
	}
	if err := p.checkNames(); err != nil {
		return err
	}
	if err := p.checkLists(); err != nil {
		return err
	}
	if err := p.checkSampling(); err != nil {
		return err
	}
	return p.checkBoundary()
}

func (p *Plan) checkNames() error {
	targets := map[string]bool{}
	for _, t := range p.Set {
		targets[t.Name] = true
	}
	for _, x := range p.Parameters {
		switch key := "parameters." + x.Name; {
		case !x.Direct() && !identifier(x.Name):
			return fault.New(ErrPlan, p.place(key), fmt.Sprintf("%q", x.Name),
				"a word of letters, digits and _ for expressions, or a name with a "+
					"dot, which is set")
		case slices.Contains(columns, x.Name):
			return fault.New(ErrPlan, p.place(key), fmt.Sprintf("%q", x.Name),
				"another name: "+TableFile+
					" has a column of this name already")
		case x.Direct() && targets[x.Name]:
			return fault.New(ErrPlan, p.place("set."+x.Name),
				"a parameter of this name, which is set already", "one of the two")
		}
	}
	return nil
}

// checkLists finds the parameters that vary together, and values that occur twice.
func (p *Plan) checkLists() error {
	members := make([][]int, len(p.Parameters))
	for k := range p.Parameters {
		x := &p.Parameters[k]
		x.leader = k
		if x.with != "" {
			x.leader = slices.IndexFunc(p.Parameters, func(y Parameter) bool {
				return y.Name == x.with && y.with == "" && len(y.points) > 0
			})
			if x.leader < 0 {
				return fault.New(ErrPlan, p.place("parameters."+x.Name), "with: "+x.with,
					"another parameter with values or a range, which has no with itself")
			}
			if n := len(p.Parameters[x.leader].points); n != len(x.points) {
				return fault.New(ErrPlan, p.place("parameters."+x.Name),
					fmt.Sprintf("%d values", len(x.points)),
					fmt.Sprintf("%d values, as %s has them", n, x.with))
			}
		}
		members[x.leader] = append(members[x.leader], k)
	}
	for k, group := range members {
		if len(group) == 0 || !p.Parameters[k].listed {
			continue
		}
		if twice, ok := repeated(p.rows(group)); ok {
			if r := []rune(twice); len(r) > 80 {
				twice = string(r[:80]) + "..."
			}
			return fault.New(ErrPlan, p.place("parameters."+p.Parameters[k].Name), twice+" twice",
				"different values")
		}
	}
	return nil
}

// rows returns the values of parameters that vary together, as texts.
func (p *Plan) rows(group []int) []string {
	rows := make([]string, len(p.Parameters[group[0]].points))
	for i := range rows {
		var texts []string
		for _, k := range group {
			text := Text(p.Parameters[k].points[i])
			if v, is := p.Parameters[k].points[i].(string); is {
				text = strconv.Quote(v)
			}
			texts = append(texts, text)
		}
		rows[i] = strings.Join(texts, " with ")
	}
	return rows
}

func identifier(name string) bool {
	for k, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (k == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func (p *Plan) checkSampling() error {
	s := &p.Sampling
	if s.Method == "" {
		s.Method = Grid
	}
	methods := []string{Grid, Random, LatinHypercube, Sobol}
	switch {
	case !slices.Contains(methods, s.Method):
		return fault.New(ErrPlan, p.place("sampling"), fmt.Sprintf("the method %q", s.Method),
			"one of "+strings.Join(methods, ", "))
	case s.Method == Grid && s.Count != 0:
		return fault.New(ErrPlan, p.place("sampling"), "a count",
			"no count for the method grid, or the method "+strings.Join(methods[1:], ", "))
	case s.Method != Grid && (s.Count < 1 || s.Count > mostCases):
		return fault.New(ErrPlan, p.place("sampling"), fmt.Sprintf("count %d", s.Count),
			fmt.Sprintf("count: 1 to %d", mostCases))
	case s.Method == Sobol && len(p.Parameters) > sobolDimensions:
		return fault.New(ErrPlan, p.place("sampling"), fmt.Sprintf("%d parameters",
			len(p.Parameters)), fmt.Sprintf("at most %d for the method sobol", sobolDimensions))
	}
	if s.Count*max(1, len(p.Seeds)) > mostCases || s.Count*p.width() > mostCells {
		return fault.New(ErrPlan, p.place("sampling"), "too many samples",
			fmt.Sprintf("at most %d runs and %d values", mostCases, mostCells))
	}
	if s.Method != Grid {
		return nil
	}
	for k, x := range p.Parameters {
		if x.leader == k && len(x.points) == 0 { // the others vary together with another one
			return fault.New(ErrPlan, p.place("parameters."+x.Name), "a distribution",
				"values or a range for the method grid, or sampling: {method: random, count: N}")
		}
	}
	if (openScenario{p}).ofScenario() && p.combinations() <= scenario.MaxPoints {
		return nil // Restrict may leave fewer
	}
	return p.checkCount()
}

// combinations returns the number of cases of a grid without constraints.
func (p *Plan) combinations() float64 {
	all := float64(max(1, len(p.Seeds)))
	for k, x := range p.Parameters {
		if x.leader == k {
			all *= float64(p.choices(k))
		}
	}
	return all
}

// width returns the number of values that a run takes in the table: of its parameters, or of its
// settings if it has more of them.
func (p *Plan) width() int {
	settings := len(p.Set)
	for k := range p.Parameters {
		if p.Parameters[k].Direct() {
			settings++
		}
	}
	return max(len(p.Parameters), settings)
}

// described describes the size of a run.
func (p *Plan) described() string {
	text := quantity.Of(len(p.Parameters), "parameter")
	if p.width() > len(p.Parameters) {
		text += fmt.Sprintf(" with %d settings", p.width())
	}
	return text
}

// checkCount checks that the table of a grid fits in memory.
func (p *Plan) checkCount() error {
	if p.Sampling.Method != Grid {
		return nil
	}
	all := p.combinations()
	if all <= mostCases && all*float64(p.width()) <= mostCells {
		return nil
	}
	count := strconv.FormatFloat(all, 'g', 4, 64)
	switch {
	case math.IsInf(all, 1):
		count = "more than 1e308"
	case all < 1e15:
		count = strconv.FormatFloat(all, 'f', 0, 64)
	}
	e := fault.New(ErrPlan, p.place("parameters"),
		fmt.Sprintf("%s combinations and seeds of %s", count, p.described()),
		fmt.Sprintf("at most %d runs and %d values", mostCases, mostCells))
	if (openScenario{p}).ofScenario() {
		return e.WithHint(few(p.Parameters[0].Name))
	}
	return e
}

// few is the hint for scenarios with too many points.
func few(parameter string) string {
	return "select some of them, as with gosmp sweep --select '" + parameter +
		">40', or run a single one with gosmp run --point"
}
