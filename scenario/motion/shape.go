package motion

import (
	"math"

	"gosmp/internal/portable"
)

// Shape is the shape of a change from one value to another (DynamicsShape).
type Shape uint8

// The shapes.
const (
	Linear Shape = iota
	Cubic
	Sinusoidal
	Step
)

// ParseShape returns the shape with the given name in documents.
func ParseShape(name string) (s Shape, ok bool) {
	switch name {
	case "linear":
		return Linear, true
	case "cubic":
		return Cubic, true
	case "sinusoidal":
		return Sinusoidal, true
	case "step":
		return Step, true
	}
	return 0, false
}

// At returns the fraction of the change after the fraction q of the duration; both are between 0
// and 1.
func (s Shape) At(q float64) float64 {
	switch s {
	case Linear:
		return q
	case Cubic:
		return q * q * (3 - float64(2*q))
	case Sinusoidal:
		return (1 - portable.Cos(math.Pi*q)) / 2
	default:
		return 1
	}
}

// Slope returns the derivative of [Shape.At] with respect to q; 0 for a step.
func (s Shape) Slope(q float64) float64 {
	switch s {
	case Linear:
		return 1
	case Cubic:
		return 6 * q * (1 - q)
	case Sinusoidal:
		return math.Pi / 2 * portable.Sin(math.Pi*q)
	default:
		return 0
	}
}

// Integral returns the integral of [Shape.At] from 0 to q.
func (s Shape) Integral(q float64) float64 {
	switch s {
	case Linear:
		return q * q / 2
	case Cubic:
		return q * q * q * (1 - q/2)
	case Sinusoidal:
		return q/2 - portable.Sin(math.Pi*q)/(2*math.Pi)
	default:
		return q
	}
}

// both returns [Shape.At] and [Shape.Integral] in less time.
func (s Shape) both(q float64) (at, integral float64) {
	if s != Sinusoidal {
		return s.At(q), s.Integral(q)
	}
	sin, cos := portable.Sincos(math.Pi * q)
	return (1 - cos) / 2, q/2 - sin/(2*math.Pi)
}

// PeakSlope returns the largest slope, which a rate specifies (section 7.4.1.4).
func (s Shape) PeakSlope() float64 {
	switch s {
	case Linear:
		return 1
	case Cubic:
		return 1.5
	case Sinusoidal:
		return math.Pi / 2
	default:
		return math.Inf(1)
	}
}

// PeakBend returns the largest second derivative, which the maximum acceleration of an offset
// limits. For a linear shape it would be infinite, so a linear shape takes as long as a cubic one.
func (s Shape) PeakBend() float64 {
	switch s {
	case Linear, Cubic:
		return 6
	case Sinusoidal:
		return math.Pi * math.Pi / 2
	default:
		return 0
	}
}

// Transition is a change from one value to another, over a time or a distance.
type Transition struct {
	Shape    Shape
	From, To float64
	Duration float64 // s or m; 0: a step, +Inf: never ends
}

// At returns the value at t, which may lie outside of the duration.
func (x *Transition) At(t float64) float64 {
	if t >= x.Duration || x.Shape == Step {
		return x.To
	}
	if t <= 0 || math.IsInf(x.Duration, 1) {
		return x.From
	}
	return x.From + float64((x.To-x.From)*x.Shape.At(t/x.Duration))
}

// Slope returns the derivative at t; 0 outside of the duration.
func (x *Transition) Slope(t float64) float64 {
	if t > x.Duration || t < 0 || x.Duration == 0 || math.IsInf(x.Duration, 1) {
		return 0
	}
	return (x.To - x.From) * x.Shape.Slope(t/x.Duration) / x.Duration
}

// Integral returns the integral of the value from one t to another, such as the distance that a
// speed covers.
func (x *Transition) Integral(from, to float64) float64 { return x.until(to) - x.until(from) }

func (x *Transition) until(t float64) float64 {
	if t <= 0 || math.IsInf(x.Duration, 1) {
		return x.From * t
	}
	d := x.Duration
	if x.Shape == Step {
		d = 0
	}
	if t >= d {
		all := 0.0
		if d > 0 {
			all = d * (x.From + float64((x.To-x.From)*x.Shape.Integral(1)))
		}
		return all + float64(x.To*(t-d))
	}
	return float64(x.From*t) + float64((x.To-x.From)*d*x.Shape.Integral(t/d))
}

// Both returns the value at t and the integral from 0 to t.
func (x *Transition) Both(t float64) (value, integral float64) {
	d := x.Duration
	if t <= 0 || t >= d || x.Shape == Step || math.IsInf(d, 1) {
		return x.At(t), x.until(t)
	}
	at, all := x.Shape.both(t / d)
	return x.From + float64((x.To-x.From)*at), float64(x.From*t) + float64((x.To-x.From)*d*all)
}

// RateDuration returns the duration of a change with the given largest rate; +Inf for the rate 0.
func RateDuration(s Shape, change, rate float64) float64 {
	if change == 0 || s == Step {
		return 0
	}
	return s.PeakSlope() * math.Abs(change) / math.Abs(rate)
}

// BendDuration returns the duration of a change with the given largest second derivative.
func BendDuration(s Shape, change, limit float64) float64 {
	if change == 0 || s == Step || math.IsInf(limit, 1) {
		return 0
	}
	return math.Sqrt(s.PeakBend() * math.Abs(change) / limit)
}

// DistanceDuration returns the duration of a change of speed over a distance. With any shape, the
// mean speed is the mean of both speeds. If the sign of the speed changes, the actor comes to a
// standstill in between, and the distance is divided in proportion to the squares of the two
// speeds. The result is +Inf if nothing moves.
func DistanceDuration(from, to, distance float64) float64 {
	if from == to || distance <= 0 {
		return 0
	}
	if float64(from*to) < 0 {
		share := float64(from*from) / (float64(from*from) + float64(to*to))
		return 2*distance*share/math.Abs(from) + 2*distance*(1-share)/math.Abs(to)
	}
	return 2 * distance / math.Abs(from+to)
}
