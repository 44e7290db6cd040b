package simapi

import (
	"math"
	"strconv"

	"gosmp/timebase"
)

// tolerance is how far times of the API, which are milliseconds in floating point, may be off.
const tolerance = timebase.Microsecond

// largestMs bounds times: 100 years.
const largestMs = 3.2e12

// Ms is a time as the API writes it, in milliseconds.
func Ms(t timebase.Time) float64 { return float64(t) / float64(timebase.Millisecond) }

// FromMs reads a time of the API, rounded to nanoseconds; ok is false for what is not finite or
// beyond 100 years.
func FromMs(ms float64) (t timebase.Time, ok bool) {
	if !(math.Abs(ms) <= largestMs) {
		return 0, false
	}
	return timebase.Time(math.Round(ms * float64(timebase.Millisecond))), true
}

// inMs is a time for texts: "40 ms", with as many digits as it needs.
func inMs(t timebase.Time) string { return number(Ms(t)) + " ms" }

func number(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
