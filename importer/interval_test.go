package importer

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// exactly returns an interval in parts of a nanosecond.
func exactly(d interval) *big.Int {
	x := new(big.Int).Mul(big.NewInt(d.ns), big.NewInt(partsOfNanosecond))
	return x.Add(x, big.NewInt(d.part))
}

// A decimal interval is that of the double, and a fraction that of the rational number, both
// rounded to the nearest part of a nanosecond.
func TestInterval_IsTheNearest(t *testing.T) {
	near := func(t *rapid.T, want *big.Rat, got interval) {
		want.Mul(want, new(big.Rat).SetInt64(1e9)).Mul(want,
			new(big.Rat).SetInt64(partsOfNanosecond))
		want.Sub(want, new(big.Rat).SetInt(exactly(got))).Abs(want)
		limit := new(big.Rat).SetFloat64(0.51)
		require.LessOrEqual(t, want.Cmp(limit), 0, "%v is off by %v", got, want)
		require.GreaterOrEqual(t, got.part, int64(0))
		require.Less(t, got.part, int64(partsOfNanosecond))
	}
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Float64Range(0, 1e9).Draw(t, "seconds")
		d, err := decimalOf(seconds)
		require.NoError(t, err)
		near(t, new(big.Rat).SetFloat64(seconds), d)
		resolution := rapid.Uint64Min(1).Draw(t, "resolution")
		counter := rapid.Uint64Range(0, uint64(min(9e18, 9e9*float64(resolution)))).Draw(t,
			"counter")
		d, err = fractionOf(counter, resolution)
		require.NoError(t, err)
		near(t, new(big.Rat).SetFrac(new(big.Int).SetUint64(counter),
			new(big.Int).SetUint64(resolution)), d)
	})
}

func TestInterval_OddOnesAreErrorsOrNever(t *testing.T) {
	for _, seconds := range []float64{-1, -1e-300, math.NaN(), math.Inf(-1)} {
		_, err := decimalOf(seconds)
		require.Error(t, err)
	}
	_, err := fractionOf(1, 0)
	require.Error(t, err)
	for _, seconds := range []float64{math.Inf(1), math.MaxFloat64, 1e10} {
		d, err := decimalOf(seconds)
		require.NoError(t, err)
		require.Equal(t, never, d)
	}
	for _, c := range [][2]uint64{{math.MaxUint64, 1}, {math.MaxUint64, 2}, {1 << 35, 1}} {
		d, err := fractionOf(c[0], c[1])
		require.NoError(t, err)
		require.Equal(t, never, d)
	}
	require.Equal(t, never, never.plus(interval{part: 1}))
	require.Equal(t, never, interval{ns: 5}.plus(never))
	require.Equal(t, timebase.EndOfTime, never.time())
}

// after gives the same result as repeated addition of the interval, whatever the number of missed
// ticks.
func TestInterval_AfterIsTheSumOfIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := interval{ns: rapid.Int64Range(-1e9, 1e9).Draw(t, "start")}
		e := interval{ns: rapid.Int64Range(1, 40).Draw(t, "ns"), part: rapid.Int64Range(0,
			partsOfNanosecond-1).Draw(t, "part")}
		at := timebase.Time(start.ns + rapid.Int64Range(0, 5000).Draw(t, "gap"))
		want := start
		for want.time() <= at {
			want = want.plus(e)
		}
		require.Equal(t, want, start.after(at, e))
	})
	late := interval{}.after(timebase.EndOfTime-timebase.Second, interval{ns: 1,
		part: partsOfNanosecond - 1})
	require.Greater(t, late.time(), timebase.EndOfTime-timebase.Second, "without as many additions")
	slow := interval{}.after(timebase.EndOfTime-timebase.Second, interval{ns: 9_000_000_000,
		part: 1})
	require.Greater(t, slow.time(), timebase.EndOfTime-timebase.Second)
}
