package scenario

import (
	"strings"

	"gosmp/internal/fault"
)

// constrain checks the constraint groups of a declaration, one of which must be satisfied. place is
// the place of the value.
func (r *resolver) constrain(d *Element, name string, v Value, s *scope, place fault.Place) {
	groups := d.All("ConstraintGroup")
	for _, g := range groups {
		satisfied := true
		for _, c := range g.All("ValueConstraint") {
			limit := r.substitute(c, c.Attribute("value"), "String", s)
			satisfied = satisfied && compare(c.Value("rule"), v, ValueOf(limit))
		}
		if satisfied {
			return
		}
	}
	if len(groups) > 0 {
		r.fail(place, ErrConstraint, name+" = "+v.String(), r.constraintText(groups,
			s), "")
	}
}

// signs maps the rules to their usual signs.
var signs = map[string]string{"equalTo": "=", "greaterThan": ">", "lessThan": "<",
	"greaterOrEqual": ">=", "lessOrEqual": "<=", "notEqualTo": "!="}

func (r *resolver) constraintText(groups []*Element, s *scope) string {
	var texts []string
	for _, g := range groups {
		var parts []string
		for _, c := range g.All("ValueConstraint") {
			parts = append(parts, signs[c.Value("rule")]+" "+
				r.substitute(c, c.Attribute("value"), "String", s))
		}
		texts = append(texts, strings.Join(parts, " and "))
	}
	return strings.Join(texts, ", or ")
}

// compare compares without a tolerance, because constraints do not apply to measured values.
func compare(rule string, a, b Value) bool {
	if a.Kind != Number || b.Kind != Number {
		switch rule {
		case "equalTo":
			return a.String() == b.String()
		case "notEqualTo":
			return a.String() != b.String()
		}
		return false
	}
	switch rule {
	case "equalTo":
		return a.Number == b.Number
	case "notEqualTo":
		return a.Number != b.Number
	case "greaterThan":
		return a.Number > b.Number
	case "lessThan":
		return a.Number < b.Number
	case "greaterOrEqual":
		return a.Number >= b.Number
	case "lessOrEqual":
		return a.Number <= b.Number
	}
	return false
}
