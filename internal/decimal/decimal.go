// Package decimal reads numbers in texts from files and options. Other notations of Go, such as
// 0x1p4, 0b1, 010 for 8 or 1_000, are refused, because they are typing errors or mean other numbers
// in the formats that people and tools use.
package decimal

import (
	"math"
	"strconv"
	"strings"
)

// Float reads a decimal number with an exponent, or a word for a number that is infinite or not a
// number. bits is 32 or 64. The error is a [*strconv.NumError].
func Float(text string, bits int) (float64, error) {
	if !written(text) {
		return 0, &strconv.NumError{Func: "Float", Num: text, Err: strconv.ErrSyntax}
	}
	return strconv.ParseFloat(text, bits)
}

// Number reads a decimal number, and refuses words such as inf and nan.
func Number(text string) (float64, error) {
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, &strconv.NumError{Func: "Number", Num: text, Err: strconv.ErrSyntax}
	}
	return strconv.ParseFloat(text, 64)
}

// Exceeds reports whether a number is larger than another by more than what is rounded if one of
// them has been written with 15 digits, or converted from another unit: 180 degrees do not exceed a
// maximum of pi. NaN exceeds nothing.
func Exceeds(a, b float64) bool {
	const rounding = 1e-14
	return a > b && (math.IsInf(a, 0) || math.IsInf(b, 0) ||
		a-b > float64(rounding*min(math.Abs(a), math.Abs(b))))
}

// written reports whether a text has none of the characters with which numbers are written in Go
// but not in decimal notation.
func written(text string) bool {
	for k := range len(text) {
		switch text[k] {
		case 'x', 'X', 'p', 'P', '_':
			return false
		}
	}
	return true
}
