package simapi

import (
	"math"
	"strconv"

	"gosmp/timebase"
)

// tolerance is the largest error of times in the API, which are floating-point milliseconds.
const tolerance = timebase.Microsecond

// largestMs is the largest time: 100 years.
const largestMs = 3.2e12

// Ms returns a time in the API's form, in milliseconds.
func Ms(t timebase.Time) float64 { return float64(t) / float64(timebase.Millisecond) }

// FromMs reads a time in the API, rounded to nanoseconds; ok is false if it is not finite or beyond
// 100 years.
func FromMs(ms float64) (t timebase.Time, ok bool) {
	if !(math.Abs(ms) <= largestMs) {
		return 0, false
	}
	return timebase.Time(math.Round(ms * float64(timebase.Millisecond))), true
}

// SpacingOf reads a step in the API. Steps are exact: 16.666666666666668 ms are 1/60 s. ok is false
// if the step is below a nanosecond or not finite.
func SpacingOf(ms float64) (step timebase.Grid, ok bool) {
	r, err := timebase.RationalOfMs(ms)
	if err != nil || ms <= 0 {
		return timebase.Grid{}, false
	}
	step = timebase.EveryRational(r)
	return step, !step.IsZero()
}

// StepMs returns a step in the API's form, in milliseconds.
func StepMs(step timebase.Grid) float64 {
	s := timebase.NewScale(timebase.Rational{}, step)
	return s.Milliseconds(s.Point(1))
}

// near reports whether two times are the same within the precision of times in the API.
func near(a, b timebase.Time) bool { return a-b <= tolerance && b-a <= tolerance }

// inMs formats a time for texts, such as "40 ms", with as many digits as necessary.
func inMs(t timebase.Time) string { return number(Ms(t)) + " ms" }

func number(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
