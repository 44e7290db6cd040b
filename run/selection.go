package run

import (
	"fmt"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/run/usage"
	"gosmp/sweep"
)

// selection is a comparison of a parameter, given by --select.
type selection struct {
	parameter int
	rule      string
	text      string
	number    float64
	isNumber  bool
}

// selectionRules lists the comparison operators of selections. Longer operators come before their
// prefixes.
var selectionRules = []string{"<=", ">=", "!=", "<", ">", "="}

// Selections are comparisons that cases of a plan must satisfy.
type Selections []selection

// ParseSelections reads comparisons with parameters of a plan, such as "speed>=10".
func ParseSelections(texts []string, plan *sweep.Plan) (list Selections, err error) {
	for _, text := range texts {
		x, err := parseSelection(text, plan)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// Restrict removes values of parameters that are not selected from the plan.
func (l Selections) Restrict(plan *sweep.Plan) {
	for _, x := range l {
		plan.Restrict(x.parameter, func(v any) bool { return x.holds(sweep.Text(v)) })
	}
}

// Select reports whether a case satisfies all comparisons.
func (l Selections) Select(x sweep.Case) bool {
	for _, s := range l {
		if !s.holds(sweep.Text(x.Values[s.parameter])) {
			return false
		}
	}
	return true
}

func parseSelection(text string, plan *sweep.Plan) (x selection, err error) {
	at := strings.IndexAny(text, "<>=!")
	if at > 0 {
		for _, rule := range selectionRules {
			if strings.HasPrefix(text[at:], rule) {
				x.rule = rule
				break
			}
		}
	}
	if x.rule == "" {
		return x, usage.Unexpected("--select", fmt.Sprintf("%q", text),
			"a parameter, one of < <= > >= = !=, and a value")
	}
	name := strings.TrimSpace(text[:at])
	x.text = strings.TrimSpace(text[at+len(x.rule):])
	x.number, err = decimal.Float(x.text, 64)
	x.isNumber = err == nil
	var names []string
	for k, p := range plan.Parameters {
		if p.Name == name {
			x.parameter = k
			return x, nil
		}
		names = append(names, p.Name)
	}
	return x, usage.Unexpected("--select", fmt.Sprintf("%q", name), "one of "+strings.Join(names,
		", "))
}

// holds compares numerically if both texts are numbers. Other texts can only be compared for
// equality.
func (s selection) holds(text string) bool {
	x, err := decimal.Float(text, 64)
	if !s.isNumber || err != nil {
		return s.rule == "=" && text == s.text || s.rule == "!=" && text != s.text
	}
	switch s.rule {
	case "<":
		return x < s.number
	case "<=":
		return x <= s.number
	case ">":
		return x > s.number
	case ">=":
		return x >= s.number
	case "!=":
		return x != s.number
	default:
		return x == s.number
	}
}
