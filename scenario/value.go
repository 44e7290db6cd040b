package scenario

import (
	"math"
	"strconv"
)

// Kind is the kind of a value.
type Kind int

// The kinds of values.
const (
	Text Kind = iota
	Number
	Bool
)

// Value is a number, a Boolean or a text.
type Value struct {
	Kind   Kind
	Number float64 // double precision; whole numbers up to 2^53 are exact
	Bool   bool
	Text   string
}

// String returns the value as it is written in an attribute. A number has the shortest form that
// reads back as the same value.
func (v Value) String() string {
	switch v.Kind {
	case Number:
		return FormatNumber(v.Number)
	case Bool:
		return strconv.FormatBool(v.Bool)
	default:
		return v.Text
	}
}

// FormatNumber writes a number in the notation of XML Schema, in the shortest form that reads back
// as the same value.
func FormatNumber(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "INF"
	case math.IsInf(x, -1):
		return "-INF"
	case x == 0:
		return "0" // not -0
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// ValueOf returns the value of a text of unknown type: a number, a Boolean or a text.
func ValueOf(text string) Value {
	if x, ok := double(text); ok {
		return Value{Kind: Number, Number: x}
	}
	switch text {
	case "true", "false":
		return Value{Kind: Bool, Bool: text == "true"}
	}
	return Value{Text: text}
}
