package usage

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"gosmp/internal/decimal"
	"gosmp/timebase"
)

// Float parses the number of an option, which must be finite.
func Float(text string) (float64, error) {
	x, err := decimal.Float(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("found %q, expected a number such as 0.5", text)
	}
	return x, nil
}

// Int parses the whole number of an option with the given number of bits.
func Int(text string, bits int) (int64, error) {
	n, err := strconv.ParseInt(text, 10, bits)
	if errors.Is(err, strconv.ErrRange) {
		most := int64(math.MaxInt64) >> (64 - bits)
		return 0, fmt.Errorf("found %q, expected a whole number from %d to %d", text, -most-1,
			most)
	}
	if err != nil {
		return 0, fmt.Errorf("found %q, expected a whole number such as 4", text)
	}
	return n, nil
}

// Uint parses the whole number of an option that must not be negative.
func Uint(text string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("found %q, expected a whole number from 0 to %d", text,
			uint64(math.MaxUint64)>>(64-bits))
	}
	return n, nil
}

// Duration parses the duration of an option, with its unit. It must not be negative.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("found %q, expected a time with its unit, such as 10s or 1m30s", text)
	}
	if d < 0 {
		return 0, fmt.Errorf("found %q, expected a time of at least 0s, such as 10s or 1m30s", text)
	}
	return d, nil
}

// Seconds parses the time of an option in seconds: a number, or a quotient such as 1/60.
func Seconds(text string) (float64, error) {
	r, err := timebase.ParseSeconds(text)
	if err != nil {
		return 0, fmt.Errorf("found %q, expected seconds such as 0.02 or 1/60, up to 9.2e9", text)
	}
	return r.Seconds(), nil
}
