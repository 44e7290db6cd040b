package cosim

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// AppendValue and the recorder write the fewest digits that read back as the same number, as
// verified by a slower method.
func TestAppend_ShortestDigitsThatReadBackEqual(t *testing.T) {
	shortest := func(v float64) string {
		size := math.Abs(v)
		if size != 0 && (size < 1e-4 || size >= 1e16) {
			return strconv.FormatFloat(v, 'e', -1, 64)
		}
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if size < 1e15 && v == math.Trunc(v) {
			text += ".0"
		}
		return text
	}
	check := func(t require.TestingT, v float64) {
		require.Equal(t, shortest(v), string(AppendValue(nil, Float64, math.Float64bits(v))))
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 1e15, 1e15 - 1, -1e16, 1e-4,
		9.999e-5, 0.1, 4503599627370497.5, math.MaxFloat64} {
		check(t, v)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int64(), func(n int64) float64 {
			return float64(n)
		})).Draw(t, "value"))
		at := timebase.Time(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-2e9, 2e9),
			rapid.Map(rapid.Int64Range(-1e9, 1e9),
				func(n int64) int64 { return n * 1_000_000 })).Draw(t, "time"))
		require.Equal(t, shortest(at.Seconds()), string(appendTime(nil, at, at.Seconds())))
	})
}
