package sweep

import (
	"math"
	"math/big"
	"strconv"
)

// rational is the number that the shortest digits of x name: a tenth for 0.1.
func rational(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64)) // digits
	return r
}

// step is from + k width, rounded once: with the numbers that decimal digits name, three steps of 0.1
// from -0.3 are 0.
func step(from, width *big.Rat, k int) float64 {
	x := new(big.Rat).SetInt64(int64(k))
	y, _ := x.Add(x.Mul(x, width), from).Float64()
	return y
}

// middle is a value between two others, a whole number of resolutions from the first.
func middle(a, b, resolution float64) (x float64, inside bool) {
	const rest = 1e-6 // of a resolution, what earlier values have been rounded by
	parts := math.Ceil((b-a)/resolution - rest)
	if x = a + (b-a)/2; parts <= math.MaxInt32 {
		x = step(rational(a), rational(resolution), int(parts/2))
	}
	return x, parts >= 2 && a < x && x < b
}
