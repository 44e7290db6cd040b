package portable

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFunctions_SameBitsAsPackageMath(t *testing.T) {
	skipWhereMathDiffers(t)
	for _, f := range []struct {
		name       string
		here, math func(float64) float64
	}{
		// the sine of -0 is +0 here
		{"sin", Sin, func(x float64) float64 { return math.Sin(x + 0) }},
		{"tan", Tan, math.Tan}, {"atan", Atan, math.Atan}, {"log", Log, math.Log},
	} {
		arguments(400_000, func(x float64) {
			if f.name == "log" && x < 0x1p-1022 { // math.Log is wrong there on amd64
				return
			}
			want, got := f.math(x), f.here(x)
			if !sameBits(want, got) && !(math.IsNaN(want) && math.IsNaN(got)) {
				require.Fail(t, f.name, "of %v (%x): %v instead of %v", x, math.Float64bits(x), got,
					want)
			}
		})
	}
	before := 1.0
	arguments(400_000, func(x float64) {
		for _, y := range []float64{before, before * x, 3, 0} {
			if want, got := math.Hypot(x, y), Hypot(x, y); !sameBits(want, got) &&
				!(math.IsNaN(want) && math.IsNaN(got)) {
				require.Fail(t, "hypot", "of %v and %v: %v instead of %v", x, y, got, want)
			}
		}
		before = x
	})
}

func TestAsin(t *testing.T) {
	for k := -1000; k <= 1000; k++ {
		x := float64(k) / 1000
		require.InDelta(t, math.Asin(x), Asin(x), 5e-16, "asin(%v)", x)
	}
	require.True(t, math.IsNaN(Asin(1.1)))
	require.Equal(t, -math.Pi/2, Asin(-1))
}

// TestExp_Big compares with a series in numbers of 200 bits.
func TestExp_Big(t *testing.T) {
	for k := -400; k <= 400; k++ {
		x := float64(k) / 37
		sum := big.NewFloat(1).SetPrec(200)
		term := big.NewFloat(1).SetPrec(200)
		for n := 1; n < 200; n++ {
			term.Mul(term, big.NewFloat(x).SetPrec(200))
			term.Quo(term, big.NewFloat(float64(n)))
			sum.Add(sum, term)
		}
		want, _ := sum.Float64()
		require.InEpsilon(t, want, Exp(x), 4e-16, "exp(%v)", x)
	}
}

func TestAcos(t *testing.T) {
	for x := -1.0; x <= 1; x += 1.0 / 64 {
		require.InDelta(t, math.Acos(x), Acos(x), 1e-15, x)
	}
	require.True(t, math.IsNaN(Acos(1.5)))
}

func TestPow(t *testing.T) {
	for _, x := range []float64{-2, -0.5, 0, 0.001, 0.5, 1, 1.5, 2, 10, 1e10, 1e300, math.Inf(1)} {
		for _, y := range []float64{-3.7, -2, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 3.3, 10,
			math.Inf(-1)} {
			want, got := math.Pow(x, y), Pow(x, y)
			if math.IsNaN(want) || math.IsInf(want, 0) || want == 0 {
				require.Equal(t, math.IsNaN(want), math.IsNaN(got), "%g^%g", x, y)
				require.True(t, math.IsNaN(want) || want == got, "%g^%g is %g", x, y, got)
				continue
			}
			require.InEpsilon(t, want, got, 1e-13, "%g^%g", x, y)
		}
	}
	require.True(t, math.IsNaN(Pow(math.NaN(), 0.5)))
}
