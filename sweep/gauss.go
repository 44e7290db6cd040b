package sweep

import (
	"math"

	"gosmp/internal/portable"
)

// The results of package math differ in the last bits between processors, and would lead to
// different values, different runs and different run ids. The functions here yield the same bits
// everywhere, like package portable.

// exp returns e to the power of x, for any x.
func exp(x float64) float64 {
	const most = 700 // slightly below the float64 limit
	switch {
	case x > most:
		return math.Inf(1)
	case x < -most:
		return 0
	}
	return portable.Exp(x)
}

// log1p returns the logarithm of 1 + x. For a small x, where 1 + x loses digits, the quotient
// compensates for the loss (Kahan).
func log1p(x float64) float64 {
	y := 1 + x
	if y == 1 {
		return x
	}
	return portable.Log(y) * (x / (y - 1))
}

// density returns the density of the standard normal distribution at z.
func density(z float64) float64 { return exp(-0.5*float64(z*z)) / math.Sqrt(2*math.Pi) }

// tailFrom is the value from which the continued fraction of the tail converges well.
const tailFrom = 2.5

// center returns the fraction of the standard normal distribution between 0 and z, for 0 <= z <=
// tailFrom: a series without cancellation (Abramowitz and Stegun, 26.2.11).
func center(z float64) float64 {
	sum, term := 0.0, z
	for n := 1.0; sum+term != sum; n += 2 {
		sum += term
		term = term * float64(z*z) / (n + 2)
	}
	return density(z) * sum
}

// tail returns the fraction of the standard normal distribution above z, for z > tailFrom: a
// continued fraction (Abramowitz and Stegun, 26.2.14).
func tail(z float64) float64 {
	const terms = 100
	x := z
	for n := terms; n > 0; n-- {
		x = z + float64(n)/x
	}
	return density(z) / x
}

// belowNormal returns the fraction of the standard normal distribution below z.
func belowNormal(z float64) float64 {
	var share float64 // above the absolute value of z
	if a := math.Abs(z); a <= tailFrom {
		share = 0.5 - center(a)
	} else {
		share = tail(a)
	}
	if z > 0 {
		return 1 - share
	}
	return share
}

// normalQuantile returns the number below which the fraction u of the standard normal distribution
// lies, for 0 < u < 1.
func normalQuantile(u float64) float64 {
	p := min(u, 1-u)
	t := math.Sqrt(-2 * portable.Log(p))
	// Abramowitz and Stegun, 26.2.23: within 4.5e-4
	above := float64(t*(float64(t*0.010328)+0.802853)) + 2.515517
	below := float64(t*(float64(t*(float64(t*0.001308)+0.189269))+1.432788)) + 1
	z := t - above/below
	for range 2 { // each step of Halley's method triples the number of digits
		var excess float64 // of the fraction above z
		if z > tailFrom {
			excess = tail(z) - p
		} else {
			excess = 0.5 - p - center(z)
		}
		e := excess / density(z)
		z += e / (1 - float64(e*z/2))
	}
	if u < 0.5 {
		return -z
	}
	return z
}
