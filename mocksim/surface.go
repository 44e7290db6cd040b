package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// Actors follow the ground on which they stand: the height, pitch and roll of an actor are
// functions of its position seen from above and of its yaw. Their time derivatives are differences
// between places a short distance before and after the current one, on the parabola of its motion.

const (
	surfaceWay  = 0.05 // m between two points, for fast actors
	surfaceTime = 0.02 // s between two points, for slow actors
)

// tread is the height and attitude of an actor at a place.
type tread struct{ height, pitch, roll float64 }

// tread returns the tread that the actor would have at (x, y) with that yaw; ok is false off the
// roads.
func (w *World) tread(a *actor, x, y, yaw float64) (on tread, ok bool) {
	at := w.m.Follow(frames.Vector{X: x, Y: y, Z: a.state.Position.Z}, a.place)
	if at.Lane == nil {
		return tread{}, false
	}
	st, err := at.Road.Station(at.S)
	if err != nil {
		return tread{}, false
	}
	lane := at.Lane
	if a.place.Lane.Section == lane.Section {
		lane = a.place.Lane // a kerb between two lanes is a step, which has no slope
	}
	o := st.Attitude(yaw)
	return tread{lane.Point(&st, at.T).Z, o.Pitch, o.Roll}, true
}

// RoadUnderWheels returns the height of the road under the wheels of a vehicle, in m: first the
// front axle, then the rear axle, from right to left, in OSI's order of wheels. The wheels are half
// a wheelbase in front of and behind the middle, and four tenths of the width to the side. Off the
// roads, the height is the height of the vehicle.
func (w *World) RoadUnderWheels(v View) (z [4]float64) {
	a := v.a
	s := &a.state
	sin, cos := portable.Sincos(s.Orientation.Yaw)
	for k := range z {
		along, aside := a.shape.Wheelbase/2, -0.4*a.shape.Width
		if k >= 2 {
			along = -along
		}
		if k%2 == 1 {
			aside = -aside
		}
		z[k] = s.Position.Z
		if a.place.Lane == nil {
			continue
		}
		x := s.Position.X + float64(along*cos) - float64(aside*sin)
		y := s.Position.Y + float64(along*sin) + float64(aside*cos)
		if on, ok := w.tread(a, x, y, s.Orientation.Yaw); ok {
			z[k] = on.height
		}
	}
	return z
}

// rising describes how the tread of an actor changes over time.
type rising struct{ first, second tread }

// follow sets the part of an actor's motion that the ground determines, once its place, its yaw and
// its motion seen from above are set: vertical velocity and acceleration, and the rates of pitch
// and roll. Given values are kept. Off the roads, the ground counts as level.
func (w *World) follow(a *actor, given Fields) {
	const all = FieldZ | FieldPitch | FieldRoll
	var d rising
	if given&all != all && a.place.Lane != nil && !a.place.Road.Level() {
		d = w.rising(a)
	}
	s := &a.state
	if given&FieldZ == 0 {
		s.Velocity.Z, s.Acceleration.Z = d.first.height, d.second.height
	}
	if given&FieldPitch == 0 {
		s.Rate.Pitch, s.Turning.Pitch = d.first.pitch, d.second.pitch
	}
	if given&FieldRoll == 0 {
		s.Rate.Roll, s.Turning.Roll = d.first.roll, d.second.roll
	}
}

// rising differentiates the ground under a moving actor. At a dead end, only the existing side is
// used.
func (w *World) rising(a *actor) (d rising) {
	s := &a.state
	h := min(surfaceTime, surfaceWay/portable.Hypot(s.Velocity.X, s.Velocity.Y))
	at := func(t float64) (tread, bool) {
		half := t * t / 2
		return w.tread(a, s.Position.X+float64(t*s.Velocity.X)+float64(half*s.Acceleration.X),
			s.Position.Y+float64(t*s.Velocity.Y)+float64(half*s.Acceleration.Y),
			s.Orientation.Yaw+float64(t*s.Rate.Yaw)+float64(half*s.Turning.Yaw))
	}
	now, ok := at(0)
	before, past := at(-h)
	after, ahead := at(h)
	// A step in the ground, such as a kerb or a gap between two records, has no slope. It is higher
	// than the distance, in addition to what the slope of the road explains.
	step := surfaceWay * (1 + math.Abs(portable.Tan(now.pitch)) + math.Abs(portable.Tan(now.roll)))
	past = past && math.Abs(now.height-before.height) < step
	ahead = ahead && math.Abs(after.height-now.height) < step
	switch {
	case ok && past && ahead:
		d.first = after.minus(before).over(2 * h)
		d.second = after.minus(now).minus(now.minus(before)).over(h * h)
	case ok && past:
		d.first = now.minus(before).over(h)
	case ok && ahead:
		d.first = after.minus(now).over(h)
	}
	return d
}

func (t tread) minus(o tread) tread {
	return tread{t.height - o.height, t.pitch - o.pitch, t.roll - o.roll}
}

func (t tread) over(x float64) tread { return tread{t.height / x, t.pitch / x, t.roll / x} }
