package mocksim

import "math"

// hardest is the deceleration that the driver model never exceeds, in m/s2.
const hardest = 9.0

// idm returns the acceleration of the intelligent driver model for the speed v, the desired speed
// v0, the gap to the leader (infinite without one) and approach, the actor's speed minus the
// leader's.
func (d *Driver) idm(v, v0, gap, approach float64) float64 {
	a := 1.0
	if ratio := v / v0; ratio > 0 {
		square := ratio * ratio
		a -= float64(square * square)
	}
	if !math.IsInf(gap, 1) {
		wanted := d.MinGap + max(0, float64(v*d.TimeGap)+v*approach/(2*math.Sqrt(d.Accel*d.Decel)))
		ratio := wanted / max(gap, 1e-3)
		a -= float64(ratio * ratio)
	}
	return max(d.Accel*a, -hardest)
}

// stopAt returns the acceleration in a step of length h with which an actor that drives at v can
// stop at a line at the distance rest ahead with the deceleration b, or a larger one if it must.
// Unlike a leader, a line does not move, so that drivers need not approach it as slowly as the IDM
// does.
func stopAt(v, rest, b, h float64) float64 {
	const least = 0.1 // m
	if v*v > 2*b*rest {
		return -max(v*v/(2*max(rest, least)), b)
	}
	// v'^2/(2 b) + (v + v') h/2 = rest
	half := b * h / 2
	square := float64(half*half) + float64(2*b*(rest-float64(v*h/2)))
	return (math.Sqrt(max(square, 0)) - half - v) / h
}

// travel returns the distance in a step of length h with the acceleration a, and the speed after
// the step. An actor that comes to rest does so at the end of the step, with the deceleration that
// this requires, so that distance, speed and acceleration agree.
func travel(v, a, h float64) (way, after float64) {
	after = v + float64(a*h)
	if after < 0 && a < 0 {
		return v * h / 2, 0
	}
	return float64(v*h) + float64(a*h*h)/2, after
}

// preview is how far ahead drivers look for the allowed speed, in s.
const preview = 0.5

// early is the factor by which drivers exceed the allowed speed of a curve when it ends within
// their preview. Their lateral acceleration grows with its square.
const early = 1.15

// approach limits an acceleration so that the speed follows the allowed speed ahead. With only the
// free term of the IDM, an actor would exceed a decreasing limit by a quarter.
func (d *controlled) approach(v, acceleration float64) float64 {
	allowed := min(d.speedAhead(v*preview), early*d.course().speedAt(d.u, d.Decel))
	if d.offset.active() {
		allowed = min(allowed, d.speedAside())
	}
	return min(acceleration, max((allowed-v)/preview, -hardest))
}
