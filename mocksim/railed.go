package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// run moves an actor on rails to the end of the step.
func (a *actor) run(h float64) {
	d := &a.driver
	way, v := travel(a.state.Speed, a.acceleration, h)
	acceleration := a.acceleration
	if v == 0 && a.state.Speed == 0 {
		acceleration = 0
	} else if v == 0 {
		acceleration = -a.state.Speed / h
	}
	e, _, _ := d.offset.at()
	a.proceed(way / max(1-float64(d.now.curvature*e), 0.1))
	if d.offset.duration > 0 {
		d.offset.elapsed = min(d.offset.elapsed+h, d.offset.duration)
		if d.offset.elapsed == d.offset.duration {
			d.offset = sidestep{}
			a.state.Indicator = IndicatorOff
		}
	}
	c := d.course()
	if !d.arrived && d.leg == len(d.path.legs)-1 && c == d.path.last() && v < 0.2 && math.Abs(d.path.target-d.u) < 0.5 {
		d.arrived, v, acceleration = true, 0, 0
		a.happened.set(Arrived, 0)
	}
	a.state.Speed, a.state.Along = v, acceleration
	a.state.Brake, a.state.Throttle = max(-acceleration, 0)/max(a.shape.Brake, 1), max(acceleration, 0)/max(a.shape.Acceleration, 1)
	c.rail.at(d.u, c.forwards, &d.now)
	a.fromRail(v, acceleration)
}

// proceed moves the actor along its path.
func (a *actor) proceed(way float64) {
	d := &a.driver
	d.u += way
	g := d.path.legs[d.leg].courses
	for d.u >= g[d.index].rail.length {
		if d.index+1 == len(g) {
			d.u = g[d.index].rail.length
			return
		}
		d.u -= g[d.index].rail.length
		d.index++
		d.offset.lane = nil
	}
}

// fromRail sets the state from the place on the rail, the speed v and the acceleration along it.
func (a *actor) fromRail(v, acceleration float64) {
	d := &a.driver
	p, s := &d.now, &a.state
	c := d.course()
	a.place = Place{Road: c.lane.Section.Road, Lane: c.lane, S: p.s}
	a.side = 0
	s.Position, s.Orientation = p.position, p.angles
	a.cosine, a.sine = p.cosine, p.sine
	if d.offset.from != 0 {
		a.besideRail(v, acceleration)
		return
	}
	s.Orientation.Yaw = wrapFast(s.Orientation.Yaw)
	s.Velocity = p.d1.Scale(v)
	s.Acceleration = p.d1.Scale(acceleration)
	s.Rate, s.Turning, s.Steering = frames.Orientation{}, frames.Orientation{}, 0
	if p.straight {
		return
	}
	square := v * v
	s.Acceleration = s.Acceleration.Add(p.d2.Scale(square))
	s.Rate = frames.Orientation{Roll: v * p.turn.Roll, Pitch: v * p.turn.Pitch, Yaw: v * p.turn.Yaw}
	s.Turning = frames.Orientation{Roll: float64(acceleration*p.turn.Roll) + float64(square*p.turn2.Roll),
		Pitch: float64(acceleration*p.turn.Pitch) + float64(square*p.turn2.Pitch), Yaw: float64(acceleration*p.turn.Yaw) + float64(square*p.turn2.Yaw)}
	s.Steering = a.shape.Wheelbase * p.curvature
}

// besideRail is fromRail for an actor that is changing lanes.
func (a *actor) besideRail(v, acceleration float64) {
	d := &a.driver
	p, s := &d.now, &a.state
	e, de, dde := d.offset.at()
	rotation := p.angles.Rotation()
	left := rotation.Apply(frames.Vector{Y: 1})
	stretch := max(1-float64(p.curvature*e), 0.1)
	pace := v / stretch // du/dt
	change := (acceleration + float64(pace*(float64(p.curvature1*pace*e)+float64(p.curvature*de)))) / stretch
	spin := float64(p.curvature * pace)
	s.Position = p.position.Add(left.Scale(e))
	along, across := p.d1, left
	s.Velocity = along.Scale(v).Add(across.Scale(de))
	s.Acceleration = along.Scale(acceleration - float64(de*spin)).Add(across.Scale(dde + float64(v*spin)))
	if p.turn.Roll != 0 || p.turn.Pitch != 0 || p.d2.Z != 0 {
		a.uneven(rotation, left, e, v, pace)
	}
	turn, turnRate, turning := d.offset.turn(v, acceleration)
	s.Orientation.Yaw = wrapFast(p.angles.Yaw + turn)
	s.Rate = frames.Orientation{Roll: pace * p.turn.Roll, Pitch: pace * p.turn.Pitch, Yaw: spin + turnRate}
	s.Turning = frames.Orientation{Yaw: float64(p.curvature1*pace*pace) + float64(p.curvature*change) + turning}
	s.Steering = portable.Atan(a.shape.Wheelbase * s.Rate.Yaw / max(v, 1))
	a.sine, a.cosine = portable.Sincos(s.Orientation.Yaw)
	c := d.course()
	a.side = e * direction(c.forwards)
	if other := d.offset.lane; other != nil && other.Section == c.lane.Section {
		if room := c.lane.Width(p.s) / 2; math.Abs(e) > room {
			a.side += c.lane.Center(p.s) - other.Center(p.s)
			a.place.Lane = other
		}
	}
}

// turn is the angle between a body that changes lanes at a speed v and the rail, with its first two
// derivatives.
func (o *sidestep) turn(v, acceleration float64) (angle, first, second float64) {
	_, de, dde := o.at()
	square := float64(v*v) + float64(de*de)
	if v < 0.5 || square <= 1e-6 { // nothing moves aside without moving on
		return 0, 0, 0
	}
	first = (float64(dde*v) - float64(de*acceleration)) / square
	return portable.Atan2(de, v), first, (float64(o.jerk()*v) - float64(2*first*(float64(v*acceleration)+float64(de*dde)))) / square
}

// uneven adds to the motion beside a rail what its slope and bank contribute by changing; seen from
// above it is small.
func (a *actor) uneven(rotation frames.Rotation, left frames.Vector, e, v, pace float64) {
	p, s := &a.driver.now, &a.state
	spin := p.curvature * pace
	turn := frames.Orientation{Roll: pace * p.turn.Roll, Pitch: pace * p.turn.Pitch, Yaw: spin}
	swing := rotation.AngularVelocity(turn).Cross(left).Add(p.d1.Scale(spin))
	s.Velocity = s.Velocity.Add(swing.Scale(e))
	s.Acceleration = s.Acceleration.Add(p.d2.Sub(left.Scale(p.curvature)).Scale(v * pace))
}

// occupy fills the entries of an actor on rails: its lane, and while it changes lanes the other
// one.
func (d *controlled) occupy(a *actor, first, second *entry) {
	c := d.course()
	first.lane, first.s = int32(c.lane.Number()), d.now.s
	first.along = a.state.Speed * direction(c.forwards)
	first.half = a.shape.Length / 2
	if other := d.offset.lane; other != nil {
		if e, _, _ := d.offset.at(); math.Abs(e) > (c.lane.Width(d.now.s)-a.shape.Width)/2 {
			*second = *first
			second.lane = int32(other.Number())
		}
	}
}
