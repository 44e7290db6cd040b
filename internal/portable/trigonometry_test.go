package portable

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// fused reports whether the compiler fuses products and sums, as it does on some processors. The
// results of package math then depend on the processor, but the results of this package do not.
//
//go:noinline
func fused(x, y, z float64) bool { return x*y+z != float64(x*y)+z }

// arguments calls yield with numbers of all magnitudes, and with many near the points at which the
// formulas change.
func arguments(n int, yield func(x float64)) {
	for _, x := range []float64{0, math.SmallestNonzeroFloat64, 1e-300, math.MaxFloat64,
		math.Inf(1), math.NaN(), 1 << 29, 1<<29 - 1} {
		yield(x)
		yield(-x)
	}
	random := rand.New(rand.NewPCG(1, 2))
	edges := []float64{0.66, 2.41421356237309504880, 1, 1 << 29}
	for k := range n {
		edge := edges[k%len(edges)]
		if k%2 == 0 {
			edge = float64(random.IntN(40)) * math.Pi / 4
		}
		for _, x := range []float64{
			random.Float64() * math.Pi / 4, random.Float64() * 10, random.ExpFloat64() * 1e3,
			math.Ldexp(random.Float64(), random.IntN(600)-300),
			edge + float64(random.IntN(9)-4)*math.Ldexp(edge, -52),
		} {
			if random.Uint32()&1 != 0 {
				x = -x
			}
			yield(x)
		}
	}
}

// skipWhereMathDiffers skips tests that expect the bits of package math on amd64.
func skipWhereMathDiffers(t *testing.T) {
	if fused(1+1.0/(1<<30), 1+1.0/(1<<30), -1) || runtime.GOARCH == "s390x" {
		t.Skip("package math has other last bits on this processor")
	}
}

// sameBits compares two numbers by their bits.
func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestTrigonometry_SameBitsAsPackageMath(t *testing.T) {
	skipWhereMathDiffers(t)
	before := 1.0
	arguments(400_000, func(x float64) {
		sin, cos := math.Sincos(x + 0) // the sine of -0 is +0 here
		for _, f := range []func(float64) (float64, float64){Sincos, SincosFlat} {
			s, c := f(x)
			if !sameBits(s, sin) && sin == sin || !sameBits(c, cos) && cos == cos ||
				(s != s) != (sin != sin) {
				require.Fail(t, "sincos", "of %v (%x): %v %v instead of %v %v", x,
					math.Float64bits(x), s, c, sin, cos)
			}
		}
		if c := Cos(x); c == c && !sameBits(c, math.Cos(x)) {
			require.Fail(t, "cos", "of %v: %v instead of %v", x, c, math.Cos(x))
		}
		for _, y := range []float64{1, before, -before * x} {
			want := math.Atan2(x, y)
			for _, f := range []func(y, x float64) float64{Atan2, Atan2Flat} {
				if a := f(x, y); !sameBits(a, want) && want == want || (a != a) != (want != want) {
					require.Fail(t, "atan2", "of %v, %v: %v instead of %v", x, y, a, want)
				}
			}
		}
		before = x
	})
}
