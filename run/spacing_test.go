package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// The spacing of regular messages is determined from time stamps that are rounded or truncated to
// any unit, and no message is later than its grid point by more than is allowed.
func TestSpacing(t *testing.T) {
	round := func(x, unit timebase.Time) timebase.Time { return (x + unit/2) / unit * unit }
	cut := func(x, unit timebase.Time) timebase.Time { return x / unit * unit }
	units := []timebase.Time{timebase.Nanosecond, timebase.Microsecond, timebase.Millisecond}
	for _, step := range []string{"1/60", "1/30", "1/24", "1/3", "1001/30000", "0.02", "0.1"} {
		r, err := timebase.ParseSeconds(step)
		require.NoError(t, err)
		want := timebase.EveryRational(r)
		for _, unit := range units {
			for _, stamp := range []func(x, unit timebase.Time) timebase.Time{round, cut} {
				for _, begin := range []int64{0, 1, 2, 7} {
					const n = 601
					at := func(k int64) timebase.Time { return stamp(want.Point(0, begin+k), unit) }
					got := spacing(at(0), at(n-1), n)
					late := lateness(at(0), at(n-1), n, want)
					if unit > timebase.Nanosecond && step == "1001/30000" {
						continue // other spacings are equally near
					}
					require.Equal(t, want, got, "%s, %v, from %d", step, unit, begin)
					for k := range int64(n) {
						require.LessOrEqual(t, at(k)-at(0)-late, want.Point(0, k))
					}
				}
			}
		}
	}
	require.True(t, spacing(0, 0, 1).IsZero())
	const ms = timebase.Millisecond
	sixtieth := timebase.Every(1. / 60)
	require.Equal(t, ms, lateness(0, 67*ms, 5, sixtieth), "four steps")
	require.Equal(t, ms, lateness(0, 133*ms, 5, sixtieth), "each second point")
	require.Zero(t, lateness(0, 70*ms, 5, sixtieth), "another rate")
	require.Zero(t, lateness(0, 80*ms, 5, timebase.Every(0.02)),
		"the points are whole milliseconds")
	require.Zero(t, lateness(0, 4*ms, 5, timebase.Every(0.001)))
	require.Zero(t, lateness(0, 0, 1, sixtieth))
}
