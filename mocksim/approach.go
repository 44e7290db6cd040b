package mocksim

import (
	"gosmp/frames"
	"gosmp/timebase"
)

// approach is the motion to an update that is later than the step in which it was accepted, from
// the state before that step: a director may step slower than the world.
type approach struct {
	from  timebase.Time
	start State
	leapt bool // the actor was moved elsewhere, where it is at once
	begun bool
}

// approach moves an actor between the start of its approach and its update, so that its velocity is
// the derivative of its position.
func (w *World) approach(a *actor) {
	o := &a.owned
	from, to := &o.way.start, &o.state
	span := (o.time - o.way.from).Seconds()
	share := (w.now - o.way.from).Seconds() / span
	a.state = *to
	s := &a.state
	p, v, acc := &s.Position, &s.Velocity, &s.Acceleration
	even := !steadily(from, to, span)
	for _, x := range [...]struct {
		at, speed, rise *float64
		a, b, va, vb    float64
	}{{&p.X, &v.X, &acc.X, from.Position.X, to.Position.X, from.Velocity.X, to.Velocity.X},
		{&p.Y, &v.Y, &acc.Y, from.Position.Y, to.Position.Y, from.Velocity.Y, to.Velocity.Y},
		{&p.Z, &v.Z, &acc.Z, from.Position.Z, to.Position.Z, from.Velocity.Z, to.Velocity.Z}} {
		if even {
			x.va, x.vb = (x.b-x.a)/span, (x.b-x.a)/span
		}
		*x.at, *x.speed, *x.rise = cubic(x.a, x.b, float64(x.va*span), float64(x.vb*span), share)
		*x.speed, *x.rise = *x.speed/span, *x.rise/(span*span)
	}
	s.Turning = frames.Orientation{}
	for _, x := range [...]struct {
		at, rate *float64
		a, b     float64
	}{{&s.Orientation.Roll, &s.Rate.Roll, from.Orientation.Roll, to.Orientation.Roll},
		{&s.Orientation.Pitch, &s.Rate.Pitch, from.Orientation.Pitch, to.Orientation.Pitch},
		{&s.Orientation.Yaw, &s.Rate.Yaw, from.Orientation.Yaw, to.Orientation.Yaw}} {
		turn := wrapFast(x.b - x.a)
		*x.at, *x.rate = wrapFast(x.a+float64(turn*share)), turn/span
	}
	w.lay(a, *p, o.given)
}

// steadily reports whether a cubic polynomial with the velocities at both ends of a way leads
// straight ahead, rather than beyond an end and back.
func steadily(from, to *State, span float64) bool {
	const most = 3 // times the mean speed (Fritsch and Carlson 1980)
	way := to.Position.Sub(from.Position)
	length := way.Length()
	if length == 0 {
		return false
	}
	limit := most * length / span
	for _, v := range [...]frames.Vector{from.Velocity, to.Velocity} {
		along := v.Dot(way) / length
		aside := v.Sub(way.Scale(along / length)).Length()
		if along < 0 || along > limit || aside > along {
			return false
		}
	}
	return true
}

// cubic returns the value and the first two derivatives, with respect to x in [0, 1], of the
// polynomial of degree three with values and derivatives at both ends.
func cubic(a, b, da, db, x float64) (v, d, dd float64) {
	c2 := float64(3*(b-a)) - float64(2*da) - db
	c3 := float64(2*(a-b)) + da + db
	v = a + float64(x*(da+float64(x*(c2+float64(x*c3)))))
	d = da + float64(x*(float64(2*c2)+float64(3*x*c3)))
	return v, d, float64(2*c2) + float64(6*x*c3)
}
