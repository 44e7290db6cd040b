package simapi

import (
	"math"

	"gosmp/internal/portable"
	"gosmp/timebase"
)

// sample is the position or the speed of an actor at a time.
type sample struct {
	t    timebase.Time
	x, y float64
}

// planar is a motion in the plane: speed and acceleration.
type planar struct {
	vx, vy, ax, ay float64
	turning        float64 // yaw acceleration, where the samples lie on an arc
}

// fit returns the motion at sample k of two or three samples: a line through two, exact for
// constant speed, and an arc with a parabola along it through three, exact for constant
// acceleration along a straight line or a circle. Where the path reverses, each coordinate has its
// own parabola.
func fit(scale *timebase.Scale, s []sample, k int) planar {
	if len(s) < 2 {
		return planar{}
	}
	h1 := seconds(scale, s[0].t, s[1].t)
	x1, y1 := s[1].x-s[0].x, s[1].y-s[0].y
	if len(s) == 2 {
		return planar{vx: x1 / h1, vy: y1 / h1}
	}
	h2 := seconds(scale, s[1].t, s[2].t)
	x2, y2 := s[2].x-s[1].x, s[2].y-s[1].y
	cross, dot := float64(x1*y2)-float64(y1*x2), float64(x1*x2)+float64(y1*y2)
	if dot <= 0 {
		vx, ax := parabola(x1/h1, x2/h2, h1, h2, k)
		vy, ay := parabola(y1/h1, y2/h2, h1, h2, k)
		return planar{vx: vx, vy: vy, ax: ax, ay: ay}
	}
	phi := portable.Atan2(cross, dot)
	curvature := 2 * portable.Sin(phi) / math.Sqrt(float64((x1+x2)*(x1+x2))+
		float64((y1+y2)*(y1+y2)))
	chord1, chord2 := math.Sqrt(float64(x1*x1)+float64(y1*y1)),
		math.Sqrt(float64(x2*x2)+float64(y2*y2))
	half1, half2 := portable.Asin(curvature*chord1/2), portable.Asin(curvature*chord2/2)
	speed, rate := parabola(arc(chord1, half1)/h1, arc(chord2, half2)/h2, h1, h2, k)
	// The angle between the tangent and the chord is half the angle of the arc.
	sin, cos := portable.Sincos(half1)
	tx, ty := (float64(x1*cos)-float64(y1*sin))/chord1, (float64(x1*sin)+float64(y1*cos))/chord1
	if k == 2 {
		sin, cos = portable.Sincos(half2)
		tx, ty = (float64(x2*cos)-float64(y2*sin))/chord2, (float64(x2*sin)+float64(y2*cos))/chord2
	}
	normal := curvature * speed * speed
	return planar{vx: speed * tx, vy: speed * ty, ax: float64(rate*tx) - float64(normal*ty),
		ay: float64(rate*ty) + float64(normal*tx), turning: curvature * rate}
}

// seconds returns the time from one instant to another.
func seconds(scale *timebase.Scale, from, to timebase.Time) float64 {
	return scale.Distance(from, to) / float64(timebase.Second)
}

// arc returns the length of an arc from its chord and half its angle.
func arc(chord, half float64) float64 {
	if math.Abs(half) < 1e-4 {
		return chord * (1 + half*half/6)
	}
	return chord * half / portable.Sin(half)
}

// parabola returns the slope and the second derivative in the middle (k = 1) or at the end (k = 2)
// of a parabola, from its mean slopes over two intervals.
func parabola(d1, d2, h1, h2 float64, k int) (slope, second float64) {
	second = 2 * (d2 - d1) / (h1 + h2)
	if k == 1 {
		return (float64(d1*h2) + float64(d2*h1)) / (h1 + h2), second
	}
	return d2 + second*h2/2, second
}

// course is one coordinate over the last samples.
type course struct {
	t [3]timebase.Time
	y [3]float64
	n int
}

func (c *course) add(t timebase.Time, y float64) {
	if c.n > 0 && c.t[c.n-1] == t {
		c.y[c.n-1] = y
		return
	}
	if c.n == len(c.t) {
		copy(c.t[:], c.t[1:])
		copy(c.y[:], c.y[1:])
		c.n--
	}
	c.t[c.n], c.y[c.n] = t, y
	c.n++
}

// addAngle adds an angle, unwrapped.
func (c *course) addAngle(t timebase.Time, y float64) {
	if c.n > 0 {
		last := c.y[c.n-1]
		y = last + math.Remainder(y-last, 2*math.Pi)
	}
	c.add(t, y)
}

// end returns the slope and the second derivative at the latest sample.
func (c *course) end(scale *timebase.Scale) (slope, second float64) {
	if c.n < 2 {
		return 0, 0
	}
	h1 := seconds(scale, c.t[0], c.t[1])
	d1 := (c.y[1] - c.y[0]) / h1
	if c.n == 2 {
		return d1, 0
	}
	h2 := seconds(scale, c.t[1], c.t[2])
	return parabola(d1, (c.y[2]-c.y[1])/h2, h1, h2, 2)
}
