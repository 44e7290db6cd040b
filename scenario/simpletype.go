package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/internal/decimal"
)

// mismatch describes what a text must be to have that type; it returns an empty string if the text
// has the type.
func mismatch(kind, text string) string {
	trimmed := strings.Trim(text, " \t\r\n")
	switch kind {
	case "Boolean":
		if !slices.Contains([]string{"true", "false", "0", "1"}, trimmed) {
			return "true or false"
		}
	case "Double":
		if _, ok := double(text); !ok {
			return "a number"
		}
	case "Int":
		return outside(trimmed, math.MinInt32, math.MaxInt32)
	case "UnsignedInt":
		return outside(trimmed, 0, math.MaxUint32)
	case "UnsignedShort":
		return outside(trimmed, 0, math.MaxUint16)
	case "DateTime":
		if !isDateTime(trimmed) {
			return "a date with time, such as 2026-01-31T12:00:00"
		}
	}
	return ""
}

// plain reports whether a type of attributes is not an enumeration; "" is an unknown type.
func plain(kind string) bool {
	switch kind {
	case "", "Boolean", "DateTime", "Double", "Int", "String", "UnsignedInt", "UnsignedShort":
		return true
	}
	return false
}

func outside(text string, low, high int64) string {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
	if err != nil || n < low || n > high || strings.HasPrefix(text, "+-") {
		return fmt.Sprintf("a whole number from %d to %d", low, high)
	}
	return ""
}

// double reads a number as XML Schema writes it: with INF and NaN, but without hexadecimal digits.
// The number is 0 if the text is not a number.
func double(text string) (float64, bool) {
	text = strings.Trim(text, " \t\r\n")
	switch text {
	case "INF", "+INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NaN":
		return math.NaN(), true
	}
	x, err := decimal.Number(text)
	if err != nil {
		return 0, false
	}
	return x, true
}

func isDateTime(text string) bool {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}
