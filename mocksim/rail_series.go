package mocksim

import (
	"math"

	"gosmp/internal/portable"
)

// series holds the coefficients of a polynomial of x in [-1, 1].
type series [railOrder]float64

// at returns the value and the first and second derivatives with respect to x.
func (c *series) at(x float64) (v, d, dd float64) {
	v = c[railOrder-1]
	for k := railOrder - 2; k >= 0; k-- {
		dd = float64(dd*x) + d
		d = float64(d*x) + v
		v = float64(v*x) + c[k]
	}
	return v, d, 2 * dd
}

// value returns the same as at, without derivatives.
func (c *series) value(x float64) float64 {
	v := c[railOrder-1]
	for k := railOrder - 2; k >= 0; k-- {
		v = float64(v*x) + c[k]
	}
	return v
}

// speed returns the length of the derivative of three series with respect to x, with the bits that
// at yields. The three computations are independent, so the processor overlaps them.
func speed(a, b, c *series, x float64) float64 {
	u, v, w := a[railOrder-1], b[railOrder-1], c[railOrder-1]
	du, dv, dw := 0.0, 0.0, 0.0
	for k := railOrder - 2; k >= 0; k-- {
		du, dv, dw = float64(du*x)+u, float64(dv*x)+v, float64(dw*x)+w
		u, v, w = float64(u*x)+a[k], float64(v*x)+b[k], float64(w*x)+c[k]
	}
	return math.Sqrt(float64(du*du) + float64(dv*dv) + float64(dw*dw))
}

// nodes are the Chebyshev-Lobatto points, and toSeries converts values there to coefficients.
var nodes, toSeries = newBasis()

func newBasis() (x [railOrder]float64, inverse [railOrder][railOrder]float64) {
	for k := range x {
		x[k] = -portable.Cos(math.Pi * float64(k) / (railOrder - 1))
	}
	// Coefficients of the Lagrange polynomials: products of (x - x_j)/(x_k - x_j).
	for k := range x {
		c := [railOrder + 1]float64{1}
		degree := 0
		for j := range x {
			if j == k {
				continue
			}
			divisor := x[k] - x[j]
			for i := degree + 1; i >= 0; i-- {
				below := 0.0
				if i > 0 {
					below = c[i-1]
				}
				c[i] = (below - float64(x[j]*c[i])) / divisor
			}
			degree++
		}
		for i := range railOrder {
			inverse[i][k] = c[i]
		}
	}
	return x, inverse
}

func fit(values *[railOrder]float64) (c series) {
	for i := range c {
		for k := range values {
			c[i] += float64(toSeries[i][k] * values[k])
		}
	}
	return c
}

// solve finds the x up to which the distance is u.
func solve(pace func(float64) float64, u, x float64) float64 {
	for range 20 {
		rest := u - gauss(pace, -1, x)
		step := rest / pace(x)
		x = min(max(x+step, -1), 1)
		if math.Abs(step) < 1e-14 {
			break
		}
	}
	return x
}

// gauss integrates by eight-point Gauss-Legendre quadrature.
func gauss(f func(float64) float64, from, to float64) float64 {
	half, center := (to-from)/2, (to+from)/2
	sum := 0.0
	for k := range gaussNodes {
		d := float64(half * gaussNodes[k])
		sum += float64(gaussWeights[k] * (f(center-d) + f(center+d)))
	}
	return sum * half
}

var (
	gaussNodes = [4]float64{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
		0.9602898564975363}
	gaussWeights = [4]float64{0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
		0.1012285362903763}
)
