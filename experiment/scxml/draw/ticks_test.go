package draw_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml/draw"
	"gosmp/timebase"
)

func TestTicks(t *testing.T) {
	const second, ms = timebase.Second, timebase.Millisecond
	for _, c := range []struct{ begin, end, first, step, last timebase.Time }{
		{0, 8120 * ms, 0, second, 8 * second},
		{0, 20 * second, 0, 2 * second, 20 * second},
		{1500 * ms, 61 * second, 10 * second, 10 * second, 60 * second},
		{-3 * ms, 12 * ms, -2 * ms, 2 * ms, 12 * ms},
		{0, 3, 0, 1, 3},
		{0, 7 * second, 0, second, 7 * second},
		{0, 24 * second, 0, 5 * second, 20 * second},
	} {
		at := draw.Ticks(c.begin, c.end)
		require.Equal(t, c.first, at[0], "%v", c)
		require.Equal(t, c.step, at[1]-at[0], "%v", c)
		require.Equal(t, c.last, at[len(at)-1], "%v", c)
	}
	require.Equal(t, []timebase.Time{5}, draw.Ticks(5, 5))
	require.LessOrEqual(t, len(draw.Ticks(0, math.MaxInt64)), 11, "no overflow")
}
