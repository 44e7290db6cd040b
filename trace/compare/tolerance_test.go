package compare

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTolerance_OfNumbersThatAreNone: NaN equals NaN, infinities equal themselves, and no tolerance
// makes them equal to other numbers.
func TestTolerance_OfNumbersThatAreNone(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tolerance := range []Tolerance{{}, {Absolute: 1e300}, {Relative: 1}} {
		for _, x := range []float64{nan, inf, -inf, 0, 1} {
			require.True(t, tolerance.allows(x, x), "%v %v", tolerance, x)
		}
		for _, pair := range [][2]float64{{nan, 0}, {0, nan}, {nan, inf}, {inf, nan}, {inf, -inf},
			{-inf, inf}, {1, inf}, {inf, 1}} {
			require.False(t, tolerance.allows(pair[0], pair[1]), "%v %v", tolerance, pair)
		}
	}
	require.True(t, Tolerance{Absolute: 0.5}.allows(1, 1.5))
	require.False(t, Tolerance{Absolute: 0.5}.allows(1, 1.75))
	require.True(t, Tolerance{Relative: 0.5}.allows(2, 3))
	require.False(t, Tolerance{Relative: 0.5}.allows(2, 3.5))
}
