package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/scenario"
)

// one returns the only child with one of the names.
func (p openScenario) one(e *scenario.Element, names ...string) (*scenario.Element, error) {
	child, err := p.oneOrNone(e, names...)
	if child == nil && err == nil {
		err = fault.New(ErrPlan, e.Place(), "no "+strings.Join(names, " or "), "one")
	}
	return child, err
}

func (p openScenario) oneOrNone(e *scenario.Element, names ...string) (child *scenario.Element,
	err error) {
	for _, c := range e.Children {
		if !slices.Contains(names, c.Name) {
			continue
		}
		if child != nil {
			return nil, fault.New(ErrPlan, c.Place(), fmt.Sprintf("it in addition to %s in line %d",
				child.Name, child.Line), "one of the two")
		}
		child = c
	}
	return child, nil
}

// some returns the children, of which there must be at least one.
func (p openScenario) some(e *scenario.Element) ([]*scenario.Element, error) {
	if len(e.Children) == 0 {
		return nil, fault.New(ErrPlan, e.Place(), "nothing in it", "at least one element")
	}
	return e.Children, nil
}

// number reads an attribute that is a number.
func (p openScenario) number(e *scenario.Element, name string) (float64, error) {
	x, ok := xmlNumber(e.Value(name))
	if !ok {
		return 0, fault.New(ErrPlan, e.Place(), fmt.Sprintf("%s %q", name, e.Value(name)),
			"a number; this kind of document has no parameters to refer to")
	}
	return x, nil
}

// computed returns the value of a constant expression.
func (p openScenario) computed(e *scenario.Element, text string) (any, error) {
	v, err := scenario.Evaluate(text[2:len(text)-1], func(string) (scenario.Value, bool) {
		return scenario.Value{}, false
	})
	switch {
	case err != nil:
		return nil, fault.New(ErrPlan, e.Place(), fmt.Sprintf("value %q", text),
			"an expression of constants; this kind of document has no parameters to refer to")
	case v.Kind == scenario.Number:
		return v.Number, nil
	case v.Kind == scenario.Bool:
		return v.Bool, nil
	default:
		return v.Text, nil
	}
}

// value reads the attribute value as a number, true or false, or otherwise a text.
func (p openScenario) value(e *scenario.Element) (any, error) {
	text := e.Value("value")
	if x, ok := xmlNumber(text); ok {
		return x, nil
	}
	switch {
	case text == "true":
		return true, nil
	case text == "false":
		return false, nil
	case strings.HasPrefix(text, "${") && strings.HasSuffix(text, "}"):
		return p.computed(e, text)
	case strings.HasPrefix(text, "$"):
		return nil, fault.New(ErrPlan, e.Place(), fmt.Sprintf("value %q", text),
			"a number or a text; this kind of document has no parameters to refer to")
	}
	return text, nil
}

// xmlNumber reads a number in XML notation: without hexadecimal digits, infinities and underscores.
func xmlNumber(text string) (float64, bool) {
	x, err := decimal.Number(strings.Trim(text, " \t\r\n"))
	// 0 instead of -0
	return cmp.Or(x, 0), err == nil
}
