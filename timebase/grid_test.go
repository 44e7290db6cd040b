package timebase

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// exact returns r as a big.Rat.
func exact(r Rational) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(r.num), new(big.Int).SetUint64(r.denominator()))
}

// point computes start + k·h with big.Rat, and returns the float64 and the nanosecond nearest to
// it.
func point(start, h *big.Rat, k int64) (seconds float64, ns Time) {
	x := new(big.Rat).Mul(h, new(big.Rat).SetInt64(k))
	x.Add(x, start)
	seconds, _ = x.Float64()
	x.Mul(x, big.NewRat(2e9, 1)).Add(x, big.NewRat(1, 1)) // half up
	double := new(big.Int).Mul(x.Denom(), big.NewInt(2))
	floor := new(big.Int)
	floor.DivMod(x.Num(), double, new(big.Int))
	return seconds, Time(floor.Int64())
}

func fraction(t *testing.T, text string) Rational {
	t.Helper()
	r, err := ParseSeconds(text)
	require.NoError(t, err)
	return r
}

// Ten million steps at the rates of cameras, simulations and old hosts: no point drifts.
func TestScaleIsExactForTenMillionSteps(t *testing.T) {
	const last = 10_000_000
	for _, step := range []string{
		"1/60", "1/30", "1/24", "1001/24000", "1001/30000", "0.08", "1/3", "1/7", "0.1", "0.02",
		"0.001", "1e-6", "2.5", "0.016666666666666666", "0.0166667", "0.033333333333333333",
		"0.1234567890123456",
	} {
		for _, start := range []string{"0", "0.1", "-2", "1/3", "1700000000.25",
			"12345.678901234"} {
			h, from := fraction(t, step), fraction(t, start)
			s := NewScale(from, EveryRational(h))
			stride := int64(997)
			if testing.Short() {
				stride = 99_991
			}
			for k := int64(0); k <= last; k += stride {
				seconds, ns := point(exact(from), exact(h), k)
				require.Equal(t, ns, s.Point(k), "%s + %d·%s", start, k, step)
				require.Equal(t, seconds, s.Seconds(ns), "%s + %d·%s", start, k, step)
			}
		}
	}
}

func TestScaleAgainstBigRat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Rational{
			rapid.Int64Range(1, 1<<40).Draw(t, "num"),
			rapid.Uint64Range(1, 1<<40).Draw(t, "den"),
		}
		if rapid.Bool().Draw(t, "float") {
			h, _ = RationalOf(rapid.Float64Range(1e-9, 1e6).Draw(t, "seconds"))
		}
		grid := EveryRational(h)
		if grid.IsZero() {
			t.Skip("no grid")
		}
		start := Time(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "start")).Exactly()
		k := rapid.Int64Range(0, min(1e12, int64(4e9/h.Seconds()))).Draw(t, "k")
		s := NewScale(start, grid)
		seconds, ns := point(exact(start), exact(h), k)
		if s.den == h.denominator() && uint64(Second)%s.den != 0 {
			return // the start is rounded to a fraction of the step
		}
		require.Equal(t, ns, s.Point(k))
		if index, is := s.Index(ns); is && index == k {
			require.Equal(t, seconds, s.Seconds(ns))
		} else {
			require.Less(t, h.Seconds(), 2e-9, "other points are found by their instants")
		}
	})
}

func TestEveryReadsTheFractionThatWasMeant(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.016666666666666666: "1/60", 1.0 / 24: "1/24", 1.0 / 3: "1/3",
		1001.0 / 30000: "1001/30000", 0.1: "0.1", 0.02: "0.02", 1e-9: "0.000000001", 2.5: "2.5",
		1e9:    "1000000000",
		0.0167: "0.0167", 123456789.1: "123456789.1",
	} {
		g := Every(seconds)
		require.Equal(t, want, g.Rational().String())
		require.Equal(t, seconds, g.Seconds(), "the step is the very float64")
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(shortest, longest).Draw(t, "seconds")
		require.Equal(t, x, Every(x).Seconds())
		r, err := RationalOf(-x)
		require.NoError(t, err)
		require.Equal(t, -x, r.Seconds())
		back, err := ParseSeconds(r.String())
		require.NoError(t, err)
		require.Equal(t, r.Seconds(), back.Seconds())
	})
	for _, x := range []float64{0, -1, 1e-10, 2e9, math.NaN(), math.Inf(1)} {
		require.True(t, Every(x).IsZero(), x)
	}
}

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]float64{
		"1/60": 1.0 / 60, "\t1 / 60\t": 1.0 / 60, "1.001/60": 1.001 / 60, "2e-2": 0.02,
		"-1/3": -1.0 / 3, "0": 0,
		"0/5": 0, "1/-4": -0.25,
	} {
		r, err := ParseSeconds(text)
		require.NoError(t, err, text)
		require.Equal(t, want, r.Seconds(), text)
	}
	for _, text := range []string{"", "/", "1/", "1/0", "1/0/2", "1/60s", "0x1p-4", "1_0", "NaN",
		"1e300", "1/1e-300", "inf"} {
		_, err := ParseSeconds(text)
		require.Error(t, err, text)
	}
}

// FMUs of 1/30 s and 1/60 s, and of 1/20 s and 1/60 s, meet exactly: at the same instant, which has
// the same seconds for both.
func TestGridsMeet(t *testing.T) {
	for _, c := range []struct {
		fine, wide float64
		times      int64
	}{{1.0 / 60, 1.0 / 30, 2}, {1.0 / 60, 1.0 / 20, 3}, {1.0 / 24, 1, 24}, {0.001, 0.3, 300},
		{1.0 / 90, 1.0 / 30, 3}} {
		fine, wide := Every(c.fine), Every(c.wide)
		n, whole := fine.In(wide)
		require.True(t, whole)
		require.Equal(t, c.times, n)
		require.Equal(t, wide, fine.Times(n))
		a, b := NewScale(Rational{}, fine), NewScale(Rational{}, wide)
		for k := int64(0); k < 10_000; k++ {
			at := b.Point(k)
			require.Equal(t, at, a.Point(k*n))
			require.Equal(t, b.Seconds(at), a.Seconds(at))
		}
	}
	_, whole := Every(0.02).In(Every(0.03))
	require.False(t, whole)
}

func TestScaleOfOtherInstants(t *testing.T) {
	s := NewScale(fraction(t, "1/3"), Every(0.1))
	s = s.Until(fraction(t, "10/7"))
	require.Equal(t, 1.0/3, s.Seconds(s.Point(0)))
	require.Equal(t, 10.0/7, s.Seconds(fraction(t, "10/7").Time()), "the stop as it was stated")
	require.Equal(t, 0.5, s.Seconds(Second/2), "between points: the nanosecond")
	end, regular := s.Step(Span{s.Point(3), s.Point(4)})
	require.True(t, regular)
	require.Equal(t, s.Seconds(s.Point(4)), end)
	for _, other := range []Span{
		{s.Point(3), s.Point(5)}, {s.Point(3) + 1, s.Point(4)}, {0, s.Point(0)},
		{s.Point(3), s.Point(4) + 1},
	} {
		_, regular := s.Step(other)
		require.False(t, regular, other)
	}
	require.Equal(t, EndOfTime, s.Point(math.MaxInt64))
	var none Scale
	require.Equal(t, 0.25, none.Seconds(Second/4))
	require.Zero(t, none.Point(3))
}

func TestScaleAllocatesNothing(t *testing.T) {
	s, k := NewScale(Rational{}, Every(1.0/60)), int64(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		k++
		s.Seconds(s.Point(k))
	}))
}

func BenchmarkScale(b *testing.B) {
	for _, step := range []string{"1/60", "0.001"} {
		h, _ := ParseSeconds(step)
		s := NewScale(Rational{}, EveryRational(h))
		b.Run(fmt.Sprintf("step=%v", h), func(b *testing.B) {
			for k := range int64(b.N) {
				s.Seconds(s.Point(k))
			}
		})
	}
}
