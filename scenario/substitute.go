package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// kinds maps the types of parameters to types of attributes.
var kinds = map[string]string{"boolean": "Boolean", "dateTime": "DateTime", "double": "Double",
	"int": "Int", "integer": "Int", "string": "String", "unsignedInt": "UnsignedInt",
	"unsignedShort": "UnsignedShort"}

// typed converts a text to a value of the given type, or describes what the text should look like.
func typed(kind, text string) (v Value, expected string) {
	attribute := kinds[kind]
	if expected = mismatch(attribute, text); expected != "" {
		return Value{Text: text}, expected
	}
	trimmed := strings.Trim(text, " \t\r\n")
	switch attribute {
	case "Boolean":
		return Value{Kind: Bool, Bool: trimmed == "true" || trimmed == "1"}, ""
	case "Double", "Int", "UnsignedInt", "UnsignedShort":
		x, _ := double(text)
		return Value{Kind: Number, Number: x}, ""
	}
	return Value{Text: text}, ""
}

// substitute returns the value of an attribute, with its parameter or expression evaluated.
func (r *resolver) substitute(e *Element, a *Attribute, kind string, s *scope) string {
	if a == nil {
		return ""
	}
	if a.Name == "parameterRef" { // a name, which some authors write with a $
		return ParameterName(a.Value)
	}
	switch {
	case isParameter(a.Value):
		p, beyond, ok := s.find(a.Value[1:])
		if !ok {
			r.undeclared(e, a, a.Value[1:], s)
			return a.Value
		}
		r.beyond(e, a, a.Value[1:], beyond)
		if p.bad {
			return a.Value
		}
		return r.convert(e, a, kind, p.value, p.kind == "double")
	case isExpression(a.Value):
		return r.expression(e, a, kind, s)
	case strings.HasPrefix(a.Value, "${"):
		r.unclosed(e, a, s)
	}
	return a.Value
}

func (r *resolver) undeclared(e *Element, a *Attribute, name string, s *scope) {
	hint := r.hint(name, s.declared)
	r.fail(e.PlaceOf(a.Name), ErrParameter, "$"+name,
		"a parameter that is declared here or around it",
		cmp.Or(hint, "declare it in ParameterDeclarations"))
}

// beyond notes that an entry of a catalog uses a parameter of the scenario.
func (r *resolver) beyond(e *Element, a *Attribute, name string, is bool) {
	if is {
		r.note(RuleScope, finding.Warning, e.PlaceOf(a.Name), "found $"+name+
			" of the scenario in an entry of a catalog, expected a parameter of the entry",
			"declare it in the entry, and assign it where the entry is referred to")
	}
}

func (r *resolver) expression(e *Element, a *Attribute, kind string, s *scope) string {
	text := a.Value[2 : len(a.Value)-1]
	missing, reported := "", false
	v, err := r.evaluate(e, a, text, func(name string) (Value, bool) {
		p, beyond, ok := s.find(name)
		reported = reported || p.bad
		if !ok {
			missing = name
		} else {
			r.beyond(e, a, name, beyond)
		}
		return p.value, ok
	})
	switch {
	case errors.Is(err, errTexts):
		return a.Value
	case missing != "":
		r.undeclared(e, a, missing, s)
		return a.Value
	case reported && !errors.Is(err, ErrExpression):
		return a.Value
	case err != nil:
		r.failures = append(r.failures, at(err, e.PlaceOf(a.Name)))
		return a.Value
	}
	if usesPi(text) && !r.scenario.Version.AtLeast(4) {
		r.note(RulePi, finding.Note, e.PlaceOf(a.Name),
			"found pi in an expression, which is of version 1.4,"+
				" in a document of "+r.scenario.Version.String(), "")
	}
	return r.convert(e, a, kind, v, false)
}

// unclosed reports an expression without the closing }, and any other errors in it.
func (r *resolver) unclosed(e *Element, a *Attribute, s *scope) {
	_, err := r.evaluate(e, a, a.Value[2:], func(name string) (Value, bool) {
		p, _, ok := s.find(name)
		return p.value, ok
	})
	kind := ErrOperand
	if errors.Is(err, ErrExpression) {
		kind = ErrExpression
	}
	r.fail(e.PlaceOf(a.Name), kind, clipped(a.Value), "} at the end of the expression", "")
}

// at adds the place to an error of an expression.
func at(err error, place fault.Place) error {
	if e, is := err.(*Error); is { //nolint:errorlint // Evaluate returns it as it is
		copied := *e
		copied.Place = place
		return &copied
	}
	return err
}

func usesPi(text string) bool {
	e := &evaluator{text: text}
	for e.scan(); e.token != ""; e.scan() {
		if e.token == "pi" {
			return true
		}
	}
	return false
}

// convert writes a value as an attribute of that type. A double does not count as a whole number.
func (r *resolver) convert(e *Element, a *Attribute, kind string, v Value, isDouble bool) string {
	text := v.String()
	expected := ""
	switch items, is := r.grammar.enum(kind); {
	case is:
		if !slices.ContainsFunc(items, func(m mark) bool { return m.name == text }) {
			var names []string
			for _, m := range items {
				names = append(names, m.name)
			}
			expected = oneOf(names)
		}
	case v.Kind == Number && (kind == "Int" || kind == "UnsignedInt" || kind == "UnsignedShort"):
		if v.Number == math.Trunc(v.Number) && math.Abs(v.Number) < 1<<53 {
			text = strconv.FormatFloat(v.Number, 'f', -1, 64)
		}
		if expected = mismatch(kind, text); expected == "" && isDouble {
			expected = "a parameter of type int, unsignedInt or unsignedShort"
		}
	case v.Kind == Bool && kind != "String" && kind != "Boolean" && kind != "":
		expected = cmp.Or(mismatch(kind, text), "a value of type "+kind)
	default:
		expected = mismatch(kind, text)
	}
	if expected != "" {
		r.fail(e.PlaceOf(a.Name), ErrParameter, fmt.Sprintf("%s, which is %s, for %s",
			clipped(a.Value),
			clipped(text), a.Name), expected, "")
	}
	return text
}
