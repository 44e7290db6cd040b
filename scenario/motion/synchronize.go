package motion

import "math"

// Meeting computes the speed of an actor that must reach its place when a master reaches the
// master's place (SynchronizeAction). Each step decides again based on the distances and the
// master's speed.
type Meeting struct {
	HasFinal bool
	Final    float64 // speed at the place, m/s
	Steady   float64 // distance before the place over which the final speed is kept, m; 0: none
	phase    phase
	rush     bool // first faster, then slower
}

type phase uint8

const (
	undecided phase = iota
	curved          // two parts, before the turning point
	straight        // constant acceleration to the final speed
	stopped         // waits to start again
	braking         // stops as hard as it can
	waiting         // for a standing master
	steady          // the final speed
)

// hardBrake is the deceleration of an actor that has no room to stop gently.
const hardBrake = 8.0

// nearLine is how close the speed must be to the line of constant acceleration to continue on that
// line.
const nearLine = 0.1

// Start discards earlier decisions.
func (m *Meeting) Start() { m.phase, m.rush = undecided, false }

// Steadily reports whether the actor has reached the point from which it keeps the final speed.
func (m *Meeting) Steadily() bool { return m.phase == steady }

// Speed returns the speed in the next step, of h s. way is the distance from the actor to its
// place, and remaining is the time that the master needs to reach its own place, or +Inf if the
// master stands still.
func (m *Meeting) Speed(v, way, remaining, h float64) float64 {
	if math.IsInf(remaining, 1) {
		m.phase = waiting
		return 0
	}
	if !m.HasFinal {
		m.phase = straight
		return v + float64(2*(way-float64(v*remaining))/float64(remaining*remaining)*h)
	}
	if m.Steady > 0 && m.phase != steady {
		last := m.Steady / m.Final
		if way-m.Steady < 1e-6 || remaining-last < 1e-6 {
			m.phase = steady
		} else {
			way, remaining = way-m.Steady, remaining-last
		}
	}
	switch m.phase {
	case steady:
		return m.Final
	case waiting:
		m.phase = undecided
	case braking:
		if v -= hardBrake * h; v < 0 {
			m.phase = waiting
			return 0
		}
		return v
	case stopped:
		if remaining >= 2*way/m.Final {
			return 0
		}
		m.phase = straight
	}
	onLine := 2*way/remaining - m.Final
	if m.phase == curved && math.Abs(v-onLine) < nearLine {
		m.phase = straight
		return v // the turning point
	}
	if m.phase == straight {
		return max(onLine, 0)
	}
	if m.phase == undecided {
		m.phase, m.rush = curved, (m.Final+v)/2 < way/remaining
	}
	return m.turn(v, way, remaining, h)
}

// turn returns the speed in the first of two parts with opposite accelerations.
func (m *Meeting) turn(v, way, remaining, h float64) float64 {
	peak, a := TwoParts(v, m.Final, way, remaining)
	if m.rush == (a < 0) && a != 0 {
		m.phase = straight
		return v
	}
	if peak >= 0 {
		return v + float64(a*h)
	}
	// The actor must stop on the way. The squares of both speeds determine where.
	until := 2 * v * way / (float64(v*v) + float64(m.Final*m.Final))
	a = 0
	if math.Abs(until) > 1e-6 {
		a = -v / until
	}
	if until*v > way {
		a, m.phase = -hardBrake, braking
	}
	if v+float64(a*h) < 0 {
		m.phase = stopped
		return 0
	}
	return v + float64(a*h)
}

// TwoParts returns the speed at the turning point, and the acceleration before it, of a motion that
// starts at speed v, ends at speed w, covers the distance way in the given time, and has the
// opposite acceleration in its second part. Both results are 0 if there is no such motion.
func TwoParts(v, w, way, time float64) (peak, acceleration float64) {
	if math.Abs(w-v) < 1e-6 {
		peak = 2*way/time - v
		return peak, (peak - v) / (time / 2)
	}
	root := math.Sqrt(2 * max(float64(2*way*way)-float64(2*(w+v)*time*way)+
		float64((float64(w*w)+float64(v*v))*float64(time*time)), 0))
	for _, signed := range [...]float64{root, -root} {
		x := -(signed + 2*way - float64(2*w*time)) / (2 * (w - v))
		if x > 0 && x < time {
			peak = (2*way - signed) / (2 * time)
			return peak, (peak - v) / x
		}
	}
	return 0, 0
}

// Spring computes the acceleration that leads to a distance without overshoot. It is a critically
// damped spring whose stiffness is proportional to the acceleration limit.
type Spring struct{ acceleration float64 }

// Start resets the last acceleration.
func (s *Spring) Start() { s.acceleration = 0 }

// Apart describes how two entities are apart at the start of a step.
type Apart struct {
	Excess  float64 // the actual minus the wanted distance, m
	Closing float64 // how fast the actual distance shrinks, m/s
	Change  float64 // of Closing during the step, by the other entity, m/s
	Gap     float64 // by how much the wanted distance grows with the speed, s
}

// Next returns the constant acceleration for a step of h s: the mean of the accelerations at both
// ends of the step, as far as the first of them predicts the other. So the motion hardly depends on
// the length of the steps.
func (s *Spring) Next(x Apart, h float64, l Limits) float64 {
	first := s.limited(pull(x.Excess, x.Closing, l), h, l)
	faster := float64(first * h)
	excess := x.Excess - float64((x.Closing+float64((x.Change+faster)/2))*h) - float64(x.Gap*faster)
	second := s.limited(pull(excess, x.Closing+x.Change+faster, l), h, l)
	s.acceleration = (first + second) / 2
	return s.acceleration
}

// pull returns the acceleration of the spring within the limits.
func pull(excess, closing float64, l Limits) float64 {
	tension := 0.4 * l.Deceleration
	if excess < 0 {
		tension = 0.4 * l.Acceleration
	}
	if math.IsInf(tension, 1) {
		tension = 0.4 * min(l.Deceleration, l.Acceleration)
	}
	a := float64(excess*tension) - float64(2*math.Sqrt(tension)*closing)
	return min(max(a, -l.Deceleration), l.Acceleration)
}

// limited returns an acceleration that differs from the last one by no more than the limits allow.
func (s *Spring) limited(a, h float64, l Limits) float64 {
	switch {
	case a < 0 && a < s.acceleration:
		return max(a, s.acceleration-float64(l.DecelerationRate*h))
	case a >= 0 && a > s.acceleration:
		return min(a, s.acceleration+float64(l.AccelerationRate*h))
	}
	return a
}
