package importer

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// exactly returns an interval in nanoseconds.
func exactly(d interval) *big.Rat {
	part, den := d.parts()
	x := new(big.Rat).SetFrac(new(big.Int).SetUint64(part), new(big.Int).SetUint64(den))
	return x.Add(x, new(big.Rat).SetInt64(d.ns))
}

func fraction(counter, resolution uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(counter), new(big.Int).SetUint64(resolution))
}

// An interval equals the given fraction or, for a decimal number, the fraction that rounds to it.
// It is rounded, far below a nanosecond, only if the number has too many digits.
func TestInterval_IsExact(t *testing.T) {
	billion := new(big.Rat).SetInt64(1e9)
	near := func(t *rapid.T, want *big.Rat, got interval) {
		want.Mul(want, billion).Sub(want, exactly(got))
		require.LessOrEqual(t, want.Abs(want).Cmp(big.NewRat(1, partsOfNanosecond)), 0, "%v", got)
		part, den := got.parts()
		require.Less(t, part, den)
	}
	rapid.Check(t, func(t *rapid.T) {
		resolution := rapid.Uint64Min(1).Draw(t, "resolution")
		counter := rapid.Uint64Range(0, uint64(min(9e18, 9e9*float64(resolution)))).Draw(t,
			"counter")
		d, err := fractionOf(counter, resolution)
		require.NoError(t, err)
		near(t, fraction(counter, resolution), d)

		counter, resolution = counter%100_000, resolution%100_000+1
		want := new(big.Rat).Mul(fraction(counter, resolution), billion)
		d, err = fractionOf(counter, resolution)
		require.NoError(t, err)
		require.Zero(t, want.Cmp(exactly(d)))
		seconds := float64(counter) / float64(resolution)
		decimal, err := decimalOf(seconds)
		require.NoError(t, err)
		require.Equal(t, d, decimal)
		require.Equal(t, seconds, decimal.seconds(), "rounded once")
	})
}

// The n-th tick is at start + n·interval, rounded once, even after ten million additions.
func TestInterval_TicksDoNotDrift(t *testing.T) {
	for _, c := range [][2]uint64{{1, 60}, {1001, 30000}, {1, 3}, {7, 30}} {
		start, err := fractionOf(1, 7)
		require.NoError(t, err)
		d, err := fractionOf(c[0], c[1])
		require.NoError(t, err)
		at := start
		for range 10_000_000 {
			at = at.plus(d)
		}
		want := new(big.Rat).Mul(fraction(c[0], c[1]), new(big.Rat).SetInt64(10_000_000))
		seconds, _ := want.Add(want, big.NewRat(1, 7)).Float64()
		require.Equal(t, seconds, at.seconds())
		require.Equal(t, at, start.plus(d.times(10_000_000)))
	}
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
	require.Equal(t, never, never.plus(interval{part: 1, den: 2}))
	require.Equal(t, never, interval{ns: 5}.plus(never))
	require.Equal(t, timebase.EndOfTime, never.time())
}

// after gives the same result as repeated addition of the interval, for any number of missed ticks.
func TestInterval_AfterIsTheSumOfIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := interval{ns: rapid.Int64Range(-1e9, 1e9).Draw(t, "start")}
		den := rapid.Uint64Range(1, finest-1).Draw(t, "den")
		e := intervalOf(rapid.Int64Range(1, 40).Draw(t, "ns"),
			rapid.Uint64Range(0, den).Draw(t, "part"), den)
		at := timebase.Time(start.ns + rapid.Int64Range(0, 5000).Draw(t, "gap"))
		want := start
		for want.time() <= at {
			want = want.plus(e)
		}
		require.Equal(t, want, start.after(at, e))
	})
	late := interval{}.after(timebase.EndOfTime-timebase.Second, interval{ns: 1,
		part: partsOfNanosecond - 1, den: partsOfNanosecond})
	require.Greater(t, late.time(), timebase.EndOfTime-timebase.Second, "without as many additions")
	slow := interval{}.after(timebase.EndOfTime-timebase.Second, interval{ns: 9_000_000_000,
		part: 1, den: 2})
	require.Greater(t, slow.time(), timebase.EndOfTime-timebase.Second)
}
