package scxml

import (
	"fmt"
	"math"
	"strings"

	"gosmp/timebase"
)

var durationUnits = []struct {
	suffix string
	length timebase.Duration
}{ // "ms" before "s" and "m"
	{"ms", timebase.Millisecond},
	{"s", timebase.Second},
	{"m", 60 * timebase.Second},
	{"h", 3600 * timebase.Second},
	{"d", 86400 * timebase.Second},
}

// ParseDuration reads a duration such as "1.5s": a decimal number with one of the units ms, s, m, h
// and d (X20). Digits beyond nanoseconds are dropped. Ten times "0.1s" is exactly one second.
func ParseDuration(text string) (timebase.Duration, error) {
	text = strings.TrimSpace(text)
	for _, u := range durationUnits {
		if number, ok := strings.CutSuffix(text, u.suffix); ok {
			whole, fraction, point := strings.Cut(number, ".")
			if whole == "" && fraction == "" || point && fraction == "" ||
				strings.Trim(whole+fraction, "0123456789") != "" {
				break
			}
			d, ok := decimal(whole, fraction, u.length)
			if !ok {
				return 0,
					fmt.Errorf("the duration %s is too long, expected at most %d days (292 years)",
						quoteShort(text), longest)
			}
			return d, nil
		}
	}
	return 0, fmt.Errorf("the duration %s is not a number with one of the units ms, s, m, h and d",
		quoteShort(text))
}

// longest is the number of days that fit in 64-bit nanoseconds.
const longest = math.MaxInt64 / (86400 * timebase.Second)

// decimal multiplies a decimal number by a unit using integers; ok is false if the product is too
// large.
func decimal(whole, fraction string, unit timebase.Duration) (product timebase.Duration, ok bool) {
	var total timebase.Duration
	for _, digit := range []byte(whole) {
		d := timebase.Duration(digit - '0')
		if total > (math.MaxInt64-d)/10 {
			return 0, false
		}
		total = total*10 + d
	}
	part := fractionOf(unit, fraction)
	if total > (math.MaxInt64-part)/unit {
		return 0, false
	}
	return total*unit + part, true
}

// fractionOf returns the whole nanoseconds of unit times 0.FRACTION. It performs a long
// multiplication starting at the last digit. The carry out of the first digit is the exact result
// for any number of digits.
func fractionOf(unit timebase.Duration, fraction string) (carry timebase.Duration) {
	for i := len(fraction) - 1; i >= 0; i-- {
		carry = (unit*timebase.Duration(fraction[i]-'0') + carry) / 10
	}
	return carry
}
