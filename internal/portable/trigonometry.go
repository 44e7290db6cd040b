package portable

import "math"

// Sine, cosine and arc tangent with the bits that package math yields where the compiler does not
// fuse products and sums. They differ from package math in two ways. Products are rounded by a
// conversion, so that all platforms give the same bits. And where the branch that an angle takes
// cannot be predicted, as with the yaw of traffic, both results are calculated and one is chosen by
// its bits: a wrong prediction takes as long as a polynomial.
//
// Source: Cephes Mathematical Library (sin.c, atan.c), on which package math is based, too. The
// numbers below are its polynomials.

const signBit = 1 << 63

// reducible is the greatest angle from which a multiple of pi/2 can be subtracted without loss.
const reducible = 1 << 29

// Sincos returns sine and cosine of any angle. The sine of -0 is +0.
func Sincos(a float64) (sin, cos float64) {
	x := math.Abs(a)
	if !(x < reducible) { // also NaN
		sin, cos = math.Sincos(x)
		return negateIf(sin, a), cos
	}
	octant, z := reduce(x)
	sin, cos = sincosNearZero(z)
	return turnSincos(sin, cos, octant, a+0) // -0 becomes +0
}

// SincosFlat is a variant of Sincos for angles that are usually near zero, such as roll and pitch:
// they need no reduction, and that branch is easy to predict.
func SincosFlat(a float64) (sin, cos float64) {
	if !(math.Abs(a) < math.Pi/4) {
		return Sincos(a)
	}
	return sincosNearZero(a + 0)
}

// Cos returns the cosine of any angle; small ones are the usual case.
func Cos(a float64) float64 {
	if math.Abs(a) < math.Pi/4 {
		return cosNearZero(a * a)
	}
	_, cos := Sincos(a)
	return cos
}

// reduce subtracts the nearest multiple of pi/2 from a positive angle. The multiple is given in
// octants, so that it is even. Pi/4 is subtracted in three parts, whose products with the octant
// are exact.
func reduce(x float64) (octant uint64, z float64) {
	const part1, part2, part3 = 7.85398125648498535156e-1, 3.77489470793079817668e-8,
		2.69515142907905952645e-15
	octant = uint64(int64(x * (4 / math.Pi)))
	octant += octant & 1
	y := float64(int64(octant))
	z = x - float64(y*part1)
	z -= float64(y * part2)
	z -= float64(y * part3)
	return octant, z
}

// sincosNearZero returns sine and cosine of an angle in [-pi/4, pi/4].
func sincosNearZero(z float64) (sin, cos float64) {
	zz := z * z
	return sinNearZero(z, zz), cosNearZero(zz)
}

// sinNearZero returns the sine of an angle z, whose square is zz.
func sinNearZero(z, zz float64) float64 {
	s := float64(1.58962301576546568060e-10*zz) - 2.50507477628578072866e-8
	s = float64(s*zz) + 2.75573136213857245213e-6
	s = float64(s*zz) - 1.98412698295895385996e-4
	s = float64(s*zz) + 8.33333333332211858878e-3
	s = float64(s*zz) - 1.66666666666666307295e-1
	return z + float64(float64(z*zz)*s)
}

// cosNearZero returns the cosine of an angle whose square is zz.
func cosNearZero(zz float64) float64 {
	c := float64(-1.13585365213876817300e-11*zz) + 2.08757008419747316778e-9
	c = float64(c*zz) - 2.75573141792967388112e-7
	c = float64(c*zz) + 2.48015872888517045348e-5
	c = float64(c*zz) - 1.38888888888730564116e-3
	c = float64(c*zz) + 4.16666666666665929218e-2
	return 1 - float64(0.5*zz) + float64(float64(zz*zz)*c)
}

// turnSincos turns sine and cosine of a reduced angle back by the octants, and takes the sine's
// sign from a.
func turnSincos(sin, cos float64, octant uint64, a float64) (turnedSin, turnedCos float64) {
	s, c := math.Float64bits(sin), math.Float64bits(cos)
	quarter, half := octant>>1&1, octant>>2&1
	swap := (s ^ c) & -quarter
	s ^= swap ^ half<<63 ^ math.Float64bits(a)&signBit
	c ^= swap ^ (half^quarter)<<63
	return math.Float64frombits(s), math.Float64frombits(c)
}

// The limits at which the arc tangent changes its form: atan(q) is atan((q-1)/(q+1)) + pi/4 in the
// middle and atan(-1/q) + pi/2 above. The limit above is tan(3 pi/8).
const (
	atanMiddle = 0.66
	atanAbove  = 2.41421356237309504880
	// The difference between pi/2 and its float64.
	piRest = 6.123233995736765886130e-17
)

// atanForms has the three forms (slope*q + constant) / (slopeBelow*q + constantBelow); angle and
// rest are added to the result. The products with 0 and 1 are exact.
var atanForms = [3]struct{ slope, constant, slopeBelow, constantBelow, angle, rest float64 }{
	{slope: 1, constantBelow: 1},
	{slope: 1, constant: -1, slopeBelow: 1, constantBelow: 1, angle: math.Pi / 4,
		rest: 0.5 * piRest},
	{constant: -1, slopeBelow: 1, angle: math.Pi / 2, rest: piRest},
}

// Atan2 returns the angle of the point (x, y), as math.Atan2 does.
func Atan2(y, x float64) float64 {
	q := math.Abs(y) / math.Abs(x)
	if !(q <= math.MaxFloat64) { // also NaN
		return negateIf(math.Atan2(math.Abs(y), x), y)
	}
	f := &atanForms[oneIf(q > atanMiddle)+oneIf(q > atanAbove)]
	reduced := (float64(f.slope*q) + f.constant) / (float64(f.slopeBelow*q) + f.constantBelow)
	angle := f.angle + atanNearZero(reduced) + f.rest
	// pi when x is negative, otherwise 0
	behind := math.Float64frombits(math.Float64bits(math.Pi) & -(math.Float64bits(x) >> 63))
	return negateIf(behind+negateIf(angle, x), y)
}

// oneIf returns 1 when the condition holds, otherwise 0. The compiler does not turn it into a
// branch.
func oneIf(condition bool) (n int) {
	if condition {
		n = 1
	}
	return n
}

// Atan2Flat is a variant of Atan2 for angles that are usually near zero: they need no reduction,
// and that branch is easy to predict.
func Atan2Flat(y, x float64) float64 {
	q := math.Abs(y) / x
	if !(x > 0 && q <= atanMiddle) {
		return Atan2(y, x)
	}
	return negateIf(atanNearZero(q), y)
}

// atanNearZero returns the arc tangent of a number in [-0.66, 0.66].
func atanNearZero(x float64) float64 {
	z := float64(x * x)
	above := float64(-8.750608600031904122785e-01*z) - 1.615753718733365076637e+01
	below := z + 2.485846490142306297962e+01
	above = float64(above*z) - 7.500855792314704667340e+01
	below = float64(below*z) + 1.650270098316988542046e+02
	above = float64(above*z) - 1.228866684490136173410e+02
	below = float64(below*z) + 4.328810604912902668951e+02
	above = float64(above*z) - 6.485021904942025371773e+01
	below = float64(below*z) + 4.853903996359136964868e+02
	below = float64(below*z) + 1.945506571482613964425e+02
	return float64(x*(float64(z*above)/below)) + x
}

// negateIf returns -x when by is negative, otherwise x.
func negateIf(x, by float64) float64 {
	return math.Float64frombits(math.Float64bits(x) ^ math.Float64bits(by)&signBit)
}
