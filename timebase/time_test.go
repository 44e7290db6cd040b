package timebase

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFromSeconds(t *testing.T) {
	for s, want := range map[float64]Time{
		0: 0, 0.02: 20 * Millisecond, 10 * 0.02: 200 * Millisecond, -0.25: -250 * Millisecond,
		1e-10: 0,
		// These two literals are not exact: their float64 values are slightly below and above.
		1.5e-9: 1, 2.5e-9: 3,
		// Real ties go to the even nanosecond.
		1.0 / 1024: 976_562, 3.0 / 1024: 2_929_688,
		9.2e9: 9_200_000_000 * Second,
	} {
		got, err := FromSeconds(s)
		require.NoError(t, err)
		require.Equal(t, want, got, "%g", s)
	}
	for _, s := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 9.3e9, -9.3e9} {
		_, err := FromSeconds(s)
		require.ErrorIs(t, err, ErrTimeRange, "%g", s)
	}
}

// Exact arithmetic determines the nearest nanosecond, at any distance from 0; hosts that count from
// 1970 are 54 years away.
func TestFromSecondsIsExactEverywhere(t *testing.T) {
	nearest := func(s float64) Time {
		ns := new(big.Rat).Mul(new(big.Rat).SetFloat64(s), big.NewRat(1e9, 1))
		whole, rest := new(big.Int).DivMod(ns.Num(), ns.Denom(), new(big.Int))
		if c := new(big.Int).Lsh(rest, 1).Cmp(ns.Denom()); c > 0 || c == 0 && whole.Bit(0) == 1 {
			whole.Add(whole, big.NewInt(1))
		}
		return Time(whole.Int64())
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.Float64Range(-9.2e9, 9.2e9), rapid.Float64Range(1.7e9, 1.8e9),
			rapid.Float64Range(8e6, 1e7),
			rapid.Float64Range(-1, 1)).
			Draw(t, "s")
		got, err := FromSeconds(s)
		require.NoError(t, err)
		require.Equal(t, nearest(s), got, "%g", s)
		if math.Abs(s) >= 1<<23 {
			require.Equal(t, s, got.Seconds())
		}
	})
}

func TestSecondsIsNearestEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := Time(
			rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1<<54, 1<<54), rapid.Int64Range(-1e9,
				1e9)).
				Draw(t, "t"),
		)
		want, _ := big.NewRat(int64(at), 1e9).Float64()
		require.Equal(t, want, at.Seconds())
		if math.Abs(want) < 1<<23 {
			back, err := FromSeconds(want)
			require.NoError(t, err)
			require.Equal(t, at, back)
		}
	})
}

func TestFromSecondsAtTheBeginningOfTime(t *testing.T) {
	const before = -9223372036.854776 // the float64 nearest to the first instant, 574 ns before it
	require.Equal(t, before, Time(math.MinInt64).Seconds())
	_, err := FromSeconds(before)
	require.ErrorIs(t, err, ErrTimeRange)
	first, err := FromSeconds(math.Nextafter(before, 0))
	require.NoError(t, err)
	require.Equal(t, Time(math.MinInt64)+1333, first)
}

func TestSplitAndString(t *testing.T) {
	for at, want := range map[Time]struct {
		s    int64
		n    uint32
		text string
	}{
		0:                  {0, 0, "0.000000000s"},
		12*Second + 345:    {12, 345, "12.000000345s"},
		-250 * Millisecond: {-1, 750_000_000, "-0.250000000s"},
		-Second:            {-1, 0, "-1.000000000s"},
		-Second - 1:        {-2, 999_999_999, "-1.000000001s"},
		math.MaxInt64:      {9223372036, 854775807, "9223372036.854775807s"},
		math.MinInt64:      {-9223372037, 145224192, "-9223372036.854775808s"},
	} {
		s, n := at.Split()
		require.Equal(t, want.s, s)
		require.Equal(t, want.n, n)
		require.Equal(t, want.text, at.String())
	}
	require.Equal(t, "[0.000000000s,0.020000000s)", Span{0, 20 * Millisecond}.String())
	require.Equal(t, "@0.007000000s", Stamp(7*Millisecond).String())
}

func TestSpan(t *testing.T) {
	s := Span{10, 20}
	require.EqualValues(t, 10, s.Length())
	require.True(t, s.Contains(10) && s.Contains(19) && !s.Contains(20) && !s.Contains(9))
	require.Equal(t, Span{15, 20}, s.Intersect(Span{15, 30}))
	require.True(
		t,
		s.Intersect(Span{20, 30}).Empty() && s.Intersect(Span{40, 50}).Empty() && !s.Empty(),
	)
	require.True(t, Stamp(5).IsStamp() && Stamp(5).Empty() && !s.IsStamp())
}

func TestGranule(t *testing.T) {
	g := Granule(200 * Microsecond)
	require.EqualValues(t, 5, g.Tick(Millisecond))
	require.EqualValues(t, 4, g.Tick(Millisecond-1))
	require.EqualValues(t, -1, g.Tick(-1))
	require.Equal(t, Millisecond, g.Time(5))
	require.Equal(t, Millisecond, g.Next(Millisecond-1))
	require.Equal(t, Millisecond+200*Microsecond, g.Next(Millisecond))

	s, err := g.Span(0.00021, 0.00099)
	require.NoError(t, err)
	require.Equal(t, Span{200 * Microsecond, Millisecond}, s)
	s, err = g.Span(1.00001, 1.00002)
	require.NoError(t, err)
	require.Equal(t, Span{Second, Second + 200*Microsecond}, s, "never empty")
	for _, bad := range [][2]float64{{1, 1}, {2, 1}} {
		_, err = g.Span(bad[0], bad[1])
		require.ErrorIs(t, err, ErrSpan)
	}
	for _, bad := range [][2]float64{{math.NaN(), 1}, {0, math.Inf(1)}, {-9.2233720368e9, 0},
		{0, 9.2233720368e9}} {
		_, err = Granule(Second).Span(bad[0], bad[1])
		require.ErrorIs(t, err, ErrTimeRange, "%v", bad)
	}
}

func TestGranuleRoundsToTheNearestTick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Granule(rapid.Int64Range(1, 1e9).Draw(t, "granule"))
		at := Time(rapid.Int64Range(-1e15, 1e15).Draw(t, "time"))
		r := g.round(at)
		require.Zero(t, r%Time(g))
		require.LessOrEqual(t, 2*max(r-at, at-r), Time(g))
		require.True(t, g.Time(g.Tick(at)) <= at && at < g.Next(at))
	})
}
