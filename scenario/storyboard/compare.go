package storyboard

import (
	"math"
	"strings"

	"gosmp/internal/decimal"
)

// rule describes how two values are compared.
type rule uint8

const (
	equalTo rule = iota
	greaterThan
	lessThan
	greaterOrEqual
	lessOrEqual
	notEqualTo
)

var rules = map[string]rule{"equalTo": equalTo, "greaterThan": greaterThan, "lessThan": lessThan,
	"greaterOrEqual": greaterOrEqual, "lessOrEqual": lessOrEqual, "notEqualTo": notEqualTo}

var ruleSigns = [...]string{"=", ">", "<", ">=", "<=", "!="}

func (r rule) String() string { return ruleSigns[r] }

// compare compares numbers with a tolerance, because times and distances are sums of steps. NaN
// satisfies no rule except !=.
func (r rule) compare(a, b float64) bool {
	tolerance := 1e-9 + float64(1e-12*math.Abs(b))
	equal := a == b || !math.IsInf(b, 0) && math.Abs(a-b) <= tolerance
	switch r {
	case greaterThan:
		return a > b && !equal
	case lessThan:
		return a < b && !equal
	case greaterOrEqual:
		return a > b || equal
	case lessOrEqual:
		return a < b || equal
	case notEqualTo:
		return !equal
	default:
		return equal
	}
}

// comparand is a text to compare, and its value if it is a number.
type comparand struct {
	text   string
	number float64
	is     bool
}

func comparandOf(text string) comparand {
	x, err := decimal.Float(strings.TrimSpace(text), 64)
	return comparand{text, x, err == nil}
}

// compareTexts compares two texts as numbers if both are numbers. Other texts can only be equal or
// unequal.
func (r rule) compareTexts(a, b comparand) bool {
	if a.is && b.is {
		return r.compare(a.number, b.number)
	}
	switch r {
	case equalTo:
		return a.text == b.text
	case notEqualTo:
		return a.text != b.text
	default:
		return false
	}
}
