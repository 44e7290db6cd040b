package motion

import (
	"errors"
	"math"
)

// ErrProfile reports a speed profile without a solution.
var ErrProfile = errors.New("speed profile without a solution")

// ProfileEntry is a speed to reach (SpeedProfileEntry).
type ProfileEntry struct {
	Speed float64
	// Time is the time since the previous entry in s; if it is negative, the speed is reached as
	// soon as the limits allow.
	Time float64
}

// Limits bound a motion (DynamicConstraints, Performance). A value is never zero; +Inf means no
// limit.
type Limits struct {
	Speed, Acceleration, Deceleration  float64
	AccelerationRate, DecelerationRate float64 // rates of change of the acceleration, m/s3
}

// NoLimits returns infinite limits.
func NoLimits() Limits {
	inf := math.Inf(1)
	return Limits{inf, inf, inf, inf, inf}
}

// Smaller returns, for each limit, the smaller one of l and o.
func (l Limits) Smaller(o Limits) Limits {
	return Limits{min(l.Speed, o.Speed), min(l.Acceleration, o.Acceleration),
		min(l.Deceleration, o.Deceleration), min(l.AccelerationRate, o.AccelerationRate),
		min(l.DecelerationRate, o.DecelerationRate)}
}

// segment is a part of a profile with constant jerk.
type segment struct{ t, v, a, j float64 }

// Profile is a speed over time, made of segments of constant jerk.
type Profile struct {
	segments []segment
	Limited  bool // the limits delay some entries
}

// Make computes a profile that starts with the speed v and the acceleration a. In position mode the
// speed is linear between entries. In follow mode the acceleration is continuous and 0 at the end,
// and its rate of change stays within the limits. Limits of 0 would prevent any change, so they
// count as exceeded, and the speed is then linear. Make reuses the memory of the profile.
func (p *Profile) Make(entries []ProfileEntry, v, a float64, l Limits, follow bool) {
	p.segments, p.Limited = p.segments[:0], false
	p.linear(entries, v, l, follow)
	if !follow || len(p.segments) < 2 || math.IsInf(l.AccelerationRate, 1) ||
		math.IsInf(l.DecelerationRate, 1) {
		return
	}
	if l.AccelerationRate > 0 && l.DecelerationRate > 0 {
		p.round(a, l)
	} else {
		p.Limited = true
	}
}

// linear creates the segments of constant acceleration.
func (p *Profile) linear(entries []ProfileEntry, v float64, l Limits, follow bool) {
	t := 0.0
	for k, e := range entries {
		if k == 0 && e.Time == 0 {
			if !follow {
				v = e.Speed
			}
			continue
		}
		need := e.Time
		most := (e.Speed - v) / l.Acceleration
		if e.Speed < v {
			most = (v - e.Speed) / l.Deceleration
		}
		if need < most {
			p.Limited = p.Limited || need >= 0
			need = most
		}
		if need > 0 {
			p.segments = append(p.segments, segment{t, v, (e.Speed - v) / need, 0})
		}
		v, t = e.Speed, t+need
	}
	p.segments = append(p.segments, segment{t, v, 0, 0})
}

// line is the speed a t + b.
type line struct{ a, b float64 }

// round replaces each corner between two segments with a segment of constant jerk that touches
// both. It shifts the first segment to make room for reaching its acceleration.
func (p *Profile) round(a float64, l Limits) {
	corners := append([]segment(nil), p.segments...)
	if len(corners) == 2 {
		p.single(corners[0], corners[1], a, l)
		return
	}
	jerk := func(from, to float64) float64 {
		if to < from {
			return -l.DecelerationRate
		}
		return l.AccelerationRate
	}
	first := corners[0]
	out := p.segments[:0]
	t, v := first.t, first.v
	if first.a != a {
		j := jerk(a, first.a)
		out = append(out, segment{t, v, a, j})
		d := (first.a - a) / j
		v += float64(a*d) + float64(j*d*d)/2
		t += d
	}
	out = append(out, segment{t, v, first.a, 0})
	now := line{first.a, v - float64(first.a*t)}
	for _, next := range corners[1:] {
		to := line{next.a, next.v - float64(next.a*next.t)}
		change := to.a - now.a
		if change == 0 {
			continue
		}
		j := jerk(now.a, to.a)
		cross := (now.b - to.b) / change
		begin := cross - change/j/2
		if begin < t-1e-9 {
			p.Limited = true
			p.segments = append(p.segments[:0], corners...)
			return
		}
		out = append(out, segment{begin, float64(now.a*begin) + now.b, now.a, j})
		t = begin + change/j
		out = append(out, segment{t, float64(to.a*t) + to.b, to.a, 0})
		now = to
	}
	p.segments = out
}

// single creates a change to one speed at one time, with acceleration 0 at the end: jerk, constant
// acceleration if there is time, and opposite jerk.
func (p *Profile) single(from, to segment, a float64, l Limits) {
	j0, j1 := l.AccelerationRate, -l.DecelerationRate
	if from.a < a {
		j0 = -l.DecelerationRate
	}
	if from.a < 0 {
		j1 = l.AccelerationRate
	}
	p.segments = p.segments[:0]
	dv, span := to.v-from.v, to.t-from.t
	if j0*j1 > 0 { // the acceleration at the start is higher than needed
		p.Limited = true
		p.segments = append(p.segments, from, to)
		return
	}
	// k is the acceleration in the middle: dv = (k2 - a2)/(2 j0) + k m - k2/(2 j1), where the
	// middle part lasts m = span - (k - a)/j0 + k/j1.
	b := 1/(2*j0) - 1/(2*j1)
	// dv = -b k2 + k (span + a/j0) - a2/(2 j0)
	linear, rest := span+a/j0, dv+float64(a*a)/(2*j0)
	root := float64(linear*linear) - float64(4*b*rest)
	var k float64
	if root >= 0 {
		k = (linear - math.Sqrt(root)) / (2 * b)
	} else { // no time for a constant acceleration
		p.Limited = true
		k = math.Copysign(math.Sqrt(math.Abs(rest/b)), j0)
	}
	if k > l.Acceleration || k < -l.Deceleration {
		p.Limited = true
		k = min(max(k, -l.Deceleration), l.Acceleration)
	}
	middle := 0.0
	if k != 0 {
		middle = max((rest-float64(b*k*k))/k, 0)
	}
	t, v := from.t, from.v
	p.segments = append(p.segments, segment{t, v, a, j0})
	d := (k - a) / j0
	t, v = t+d, v+float64(a*d)+float64(j0*d*d)/2
	p.segments = append(p.segments, segment{t, v, k, 0})
	t, v = t+middle, v+float64(k*middle)
	p.segments = append(p.segments, segment{t, v, k, j1})
	t -= k / j1
	p.segments = append(p.segments, segment{t, to.v, 0, 0})
}

// Duration returns the duration of the profile in s.
func (p *Profile) Duration() float64 { return p.segments[len(p.segments)-1].t }

// At returns the speed and the acceleration at time t.
func (p *Profile) At(t float64) (v, a float64) {
	s := &p.segments[0]
	for k := 1; k < len(p.segments) && t >= p.segments[k].t-1e-9; k++ {
		s = &p.segments[k]
	}
	d := max(t-s.t, 0)
	return s.v + float64(s.a*d) + float64(s.j*d*d)/2, s.a + float64(s.j*d)
}

// Way returns the distance covered between two times.
func (p *Profile) Way(from, to float64) (way float64) {
	for k := range p.segments {
		s := &p.segments[k]
		begin, end := max(from, s.t), to
		if k+1 < len(p.segments) {
			end = min(to, p.segments[k+1].t)
		}
		if end <= begin {
			continue
		}
		x, y := begin-s.t, end-s.t
		way += float64(s.v*(y-x)) + float64(s.a*(float64(y*y)-float64(x*x)))/2 +
			float64(s.j*(float64(y*y*y)-float64(x*x*x)))/6
	}
	return way
}
