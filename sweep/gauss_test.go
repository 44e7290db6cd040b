package sweep_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// TestGauss compares with package math, whose functions are equally precise but differ in the last
// bits between processors.
func TestGauss(t *testing.T) {
	for k := -4000; k <= 4000; k++ {
		z := float64(k) / 500
		require.InEpsilon(t, 0.5*math.Erfc(-z/math.Sqrt2), sweep.BelowNormal(z), 1e-13,
			"below %v", z)
	}
	require.Zero(t, sweep.BelowNormal(-1e300))
	require.Equal(t, 1.0, sweep.BelowNormal(1e300))
	require.Equal(t, 0.5, sweep.BelowNormal(0))
}

func TestNormalQuantile(t *testing.T) {
	for k := 10; k < 1000-10; k++ { // outside this range, 2 u - 1 loses digits
		u := float64(k) / 1000
		require.InDelta(t, math.Sqrt2*math.Erfinv(2*u-1), sweep.NormalQuantile(u), 2e-14,
			"the quantile of %v", u)
	}
	for u := 1e-12; u < 0.4; u *= 1.1 {
		require.InEpsilon(t, u, 0.5*math.Erfc(-sweep.NormalQuantile(u)/math.Sqrt2), 1e-13,
			"the share below the quantile of %v", u)
		require.InDelta(t, -sweep.NormalQuantile(u), sweep.NormalQuantile(1-u), 1e-4, "symmetry")
	}
	require.Zero(t, sweep.NormalQuantile(0.5))
}

func TestLog1p(t *testing.T) {
	for x := 1e-18; x < 0.999; x *= 1.05 {
		require.InEpsilon(t, math.Log1p(-x), sweep.Log1p(-x), 1e-15, "of %v", -x)
	}
}
