package portable

import "math"

// Sin returns the sine of an angle. The sine of -0 is +0.
func Sin(a float64) float64 {
	sin, _ := Sincos(a)
	return sin
}

// Tan returns the tangent of an angle. Source: Cephes Mathematical Library (tan.c).
func Tan(a float64) float64 {
	x := math.Abs(a)
	if !(x < reducible) || a == 0 { // includes NaN
		return math.Tan(a)
	}
	octant, z := reduce(x)
	tan := z
	if zz := float64(z * z); zz > 1e-14 {
		above := float64(-1.30936939181383777646e4*zz) + 1.15351664838587416140e6
		above = float64(above*zz) - 1.79565251976484877988e7
		below := zz + 1.36812963470692954678e4
		below = float64(below*zz) - 1.32089234440210967447e6
		below = float64(below*zz) + 2.50083801823357915839e7
		below = float64(below*zz) - 5.38695755929454629881e7
		tan = z + float64(z*(zz*above/below))
	}
	if octant&2 != 0 {
		tan = -1 / tan
	}
	return negateIf(tan, a)
}

// Atan returns the angle whose tangent is x.
func Atan(x float64) float64 { return Atan2(x, 1) }

// Asin returns the angle whose sine is x, or NaN if x is outside [-1, 1].
func Asin(x float64) float64 {
	return Atan2(x, math.Sqrt(1-float64(x*x)))
}

// Hypot returns the length of the vector (x, y), without intermediate overflow.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	long, short := max(x, y), min(x, y)
	if long == 0 || !(long <= math.MaxFloat64) || math.IsNaN(short) {
		return math.Hypot(x, y)
	}
	ratio := short / long
	return long * math.Sqrt(1+float64(ratio*ratio))
}

// Log returns the natural logarithm.
//
// Source: FreeBSD's e_log.c, on which package math is based, too. The numbers are its polynomial.
func Log(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return math.Log(x)
	}
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	f, k := fraction-1, float64(exponent)
	s := f / (2 + f)
	s2 := s * s
	s4 := s2 * s2
	odd := float64(s4*1.479819860511658591e-01) + 1.818357216161805012e-01
	odd = float64(s4*odd) + 2.857142874366239149e-01
	odd = float64(s4*odd) + 6.666666666666735130e-01
	even := float64(s4*1.531383769920937332e-01) + 2.222219843214978396e-01
	even = float64(s4*even) + 3.999999999940941908e-01
	rest := float64(s2*odd) + float64(s4*even)
	half := float64(0.5 * f * f)
	const ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	return float64(k*ln2High) - (half - (float64(s*(half+rest)) + float64(k*ln2Low)) - f)
}

// Exp returns e to the power of x, for exponents of moderate size. Unlike the other functions, it
// does not return the same bits as package math, whose assembly rounds in its own way: the last bit
// differs for one in a hundred pressures at 200 m. Exp separates the powers of 2 from the exponent
// and sums the series for the rest; with 14 terms the error is within rounding.
func Exp(x float64) float64 {
	const (
		ln2High = 0x1.62e42feep-1 // short enough for its multiples to be exact
		ln2Low  = math.Ln2 - ln2High
		terms   = 14
	)
	k := math.Round(x / math.Ln2)
	rest := x - float64(k*ln2High) - float64(k*ln2Low)
	sum := 1.0
	for n := terms; n > 0; n-- {
		sum = 1 + float64(sum*rest)/float64(n)
	}
	return math.Ldexp(sum, int(k))
}

// Acos returns the arccosine of x, in radians, or NaN outside [-1, 1].
func Acos(x float64) float64 { return math.Pi/2 - Asin(x) }

// Pow returns x to the power of y. Whole powers only multiply, which yields the same bits
// everywhere.
func Pow(x, y float64) float64 {
	whole, fraction := math.Modf(y)
	switch {
	case fraction == 0 || x <= 0 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(x+y):
		return math.Pow(x, y)
	case y == 0.5:
		return math.Sqrt(x)
	case y == -0.5:
		return 1 / math.Sqrt(x)
	}
	return math.Pow(x, whole) * Exp(fraction*Log(x))
}
