package sweep

import (
	"math"
	"math/big"
	"strconv"
)

// rational returns the number that the shortest decimal digits of x denote: a tenth for 0.1.
func rational(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64)) // always a number
	return r
}

// decimals yields the numbers from + k width, each rounded once. It computes with the numbers
// denoted by the decimal digits, so three steps of 0.1 from -0.3 give 0.
type decimals struct {
	from, width *big.Rat
	// The same values as fractions of whole numbers that a float64 can represent, so that only the
	// quotient is rounded; 0 if there are no such numbers.
	start, step, denominator int64
}

// exactly bounds whole numbers so that a float64 represents them and their products with a step
// number exactly.
const exactly = 1 << 44

func newDecimals(from, width *big.Rat) decimals {
	d := decimals{from: from, width: width}
	divisor := new(big.Int).GCD(nil, nil, from.Denom(), width.Denom())
	denominator := divisor.Mul(from.Denom(), divisor.Quo(width.Denom(), divisor))
	whole := func(x *big.Rat) (int64, bool) {
		n := new(big.Int).Quo(denominator, x.Denom())
		n.Mul(n, x.Num())
		return n.Int64(), n.IsInt64() && max(n.Int64(), -n.Int64()) < exactly
	}
	start, one := whole(from)
	step, both := whole(width)
	if one && both && denominator.IsInt64() && denominator.Int64() < exactly {
		d.start, d.step, d.denominator = start, step, denominator.Int64()
	}
	return d
}

func (d *decimals) at(k int) float64 {
	const most = 1 << 18 // steps
	if n := d.start + int64(k)*d.step; d.denominator != 0 && k < most && max(n, -n) <= largest {
		return float64(n) / float64(d.denominator)
	}
	x := new(big.Rat).SetInt64(int64(k))
	y, _ := x.Add(x.Mul(x, d.width), d.from).Float64()
	return y
}

// middle returns a value between two others that is a whole number of resolutions away from the
// first.
func middle(a, b, resolution float64) (x float64, inside bool) {
	const rest = 1e-6 // rounding error of earlier values, in resolutions
	parts := math.Ceil((b-a)/resolution - rest)
	if x = a + (b-a)/2; parts <= math.MaxInt32 {
		d := newDecimals(rational(a), rational(resolution))
		x = d.at(int(parts / 2))
	}
	return x, parts >= 2 && a < x && x < b
}
