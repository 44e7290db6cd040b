package scenario

import "math"

// mixed is an operator with operands that it does not accept, as text.
type mixed struct{ operator, operands string }

func (m mixed) Error() string { return m.operator + " between " + m.operands }

func apply(operator string, a, b Value) (Value, error) {
	p, q := asBool(a), asBool(b)
	switch {
	case operator == "and" && p.Kind == Bool && q.Kind == Bool:
		return Value{Kind: Bool, Bool: p.Bool && q.Bool}, nil
	case operator == "or" && p.Kind == Bool && q.Kind == Bool:
		return Value{Kind: Bool, Bool: p.Bool || q.Bool}, nil
	}
	x, y := asNumber(a), asNumber(b)
	if x.Kind == Number && y.Kind == Number {
		if z, ok := calculate(operator, x.Number, y.Number); ok {
			return Value{Kind: Number, Number: z}, nil
		}
	}
	if operator == "+" && (a.Kind == Text || b.Kind == Text) {
		return Value{Text: a.String() + b.String()}, nil
	}
	return Value{}, mixed{operator, describe(a) + " and " + describe(b)}
}

// asBool converts 0 and 1 to false and true where a Boolean is expected, as in attributes.
func asBool(v Value) Value {
	if n := asNumber(v); n.Kind == Number && (n.Number == 0 || n.Number == 1) {
		return Value{Kind: Bool, Bool: n.Number == 1}
	}
	return v
}

// asNumber converts a text that is a number, such as the value of a string parameter, to that
// number.
func asNumber(v Value) Value {
	if v.Kind == Text {
		if w := ValueOf(v.Text); w.Kind == Number {
			return w
		}
	}
	return v
}

func describe(v Value) string {
	switch v.Kind {
	case Number:
		return "the number " + v.String()
	case Bool:
		return v.String()
	default:
		return "the text " + clipped(v.Text)
	}
}

func calculate(operator string, a, b float64) (float64, bool) {
	switch operator {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		return a / b, true
	case "%":
		return math.Mod(a, b), true
	default:
		return 0, false
	}
}
