package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// run moves an actor on rails to the end of the step.
func (w *World) run(a *actor, h float64) {
	d := &a.driver
	before := a.state.Speed
	way, v := travel(before, a.acceleration, h)
	acceleration := a.acceleration
	if v == 0 {
		acceleration = -before / h
	}
	w.proceed(a, way)
	a.arrive(v)
	a.state.Speed, a.state.Along = v, acceleration
	a.state.Brake, a.state.Throttle = max(-acceleration, 0)/max(a.shape.Brake, 1),
		max(acceleration, 0)/max(a.shape.Acceleration, 1)
	c := d.course()
	c.at(d.u, d.offset.lead, &d.now)
	was := a.place
	a.fromRail(v, acceleration)
	if d.u > c.rail.length && way == 0 {
		a.place = was
	}
	if d.u > c.rail.length && way > 0 {
		a.place = w.m.Follow(a.state.Position, a.place)
	}
}

// arrive handles the arrival of an actor: it brakes for its destination and has arrived once it
// stands still.
func (a *actor) arrive(v float64) {
	d := &a.driver
	if !d.arrived && d.leg == len(d.path.legs)-1 && d.course() == d.path.last() && v < 0.2 &&
		math.Abs(d.path.target-d.u) < 0.5 {
		d.arrived, d.reported = true, false
	}
	if d.arrived && !d.reported && v == 0 {
		d.reported = true
		a.happened.set(Arrived, 0)
	}
}

// proceed moves the actor along its path by the distance way, measured along its own motion. This
// differs from the distance along the lane if the actor is off the middle.
func (w *World) proceed(a *actor, way float64) {
	d := &a.driver
	for way > 0 {
		edge := d.nextEdge()
		if !d.offset.active() {
			if d.u+way < edge {
				d.u += way
				return
			}
			way -= max(edge-d.u, 0)
			d.u = max(d.u, edge)
			w.crossEdge(a, edge)
			continue
		}
		const longest = 0.5 // m, over which the distance is integrated in one step
		part := min(way, longest)
		end := min(edge, d.offset.from+d.offset.length)
		if edge-end < passedEdge {
			end = edge // a joint so close to the end would count as passed
		}
		u := d.advance(part)
		if u < end {
			d.u, way = u, way-part
			continue
		}
		way -= min(max(d.wayBetween(d.u, end), 0), part)
		d.u = max(d.u, end) // a short course may have ended before the actor reached it
		if end == edge {
			w.crossEdge(a, edge)
			continue
		}
		w.complete(a)
	}
}

// complete ends a sidestep. The ground of the rail can have a different slope than the end of its
// bed.
func (w *World) complete(a *actor) {
	d := &a.driver
	if !d.offset.ground.active() {
		a.settled()
		return
	}
	var p railPoint
	d.course().at(d.u, d.offset.lead, &p)
	s := w.stanceAt(a, d.u, &p)
	s.bend, s.rest = 0, 0
	lead := d.offset.lead
	a.settled()
	w.settleOn(a, &s, d.u, lead)
}

// settled ends a sidestep.
func (a *actor) settled() {
	if a.driver.offset.changes {
		a.state.Indicator = IndicatorOff
	}
	a.driver.offset = sidestep{}
}

// last reports whether no course follows on the leg.
func (d *controlled) last() bool { return d.index+1 == len(d.path.legs[d.leg].courses) }

// advance returns u after a distance off the middle of the lane.
func (d *controlled) advance(way float64) float64 {
	u := d.u + way/d.paceAt(d.u)
	for range 2 {
		u -= (d.wayBetween(d.u, u) - way) / d.paceAt(u)
	}
	return u
}

// paceAt returns the distance driven per metre of u.
func (d *controlled) paceAt(u float64) float64 {
	var p railPoint
	c := d.course()
	c.at(u, d.offset.lead, &p)
	e, first, _, _ := d.offset.at(u)
	along := portable.Hypot(p.d1.X, p.d1.Y) - float64(p.turn.Yaw*e)
	rise, _ := d.offset.risingAt(u, &p)
	return max(math.Sqrt(float64(along*along)+float64(first*first)+float64(rise*rise)), 0.05)
}

// wayBetween integrates the distance by three-point Gauss quadrature.
func (d *controlled) wayBetween(from, to float64) float64 {
	const node = 0.7745966692414834
	half, middle := (to-from)/2, (to+from)/2
	return half * (float64(5*d.paceAt(middle-float64(node*half))) + float64(8*d.paceAt(middle)) +
		float64(5*d.paceAt(middle+float64(node*half)))) / 9
}

// fromRail sets the state from the place on the rail, and from the speed v and the acceleration
// along it.
func (a *actor) fromRail(v, acceleration float64) {
	d := &a.driver
	p, s := &d.now, &a.state
	c := d.course()
	a.place = Place{Road: c.lane.Section.Road, Lane: c.lane, S: p.s}
	a.side = 0
	s.Position, s.Orientation = p.position, p.angles
	a.cosine, a.sine = p.cosine, p.sine
	if d.offset.active() {
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
	s.Turning = frames.Orientation{Roll: float64(acceleration*p.turn.Roll) +
		float64(square*p.turn2.Roll),
		Pitch: float64(acceleration*p.turn.Pitch) + float64(square*p.turn2.Pitch),
		Yaw:   float64(acceleration*p.turn.Yaw) + float64(square*p.turn2.Yaw)}
	s.Steering = a.steeringOn(p.curvature)
}

// steeringOn returns the angle of the front wheels on a path.
func (a *actor) steeringOn(curvature float64) float64 {
	return min(max(portable.Atan(a.shape.Wheelbase*curvature), -steeringLimit), steeringLimit)
}

// besideRail is like fromRail for an actor on a sidestep. Every value is a function of the
// distance, so its time derivatives are its derivatives with respect to distance, multiplied by the
// speed.
func (a *actor) besideRail(v, acceleration float64) {
	d := &a.driver
	p, s, o := &d.now, &a.state, &d.offset
	var t trail
	o.trailAt(d.u, p, &t)
	pace := v / t.pace // du/dt
	change := (acceleration - float64(t.pace1*pace*pace)) / t.pace
	square := pace * pace
	s.Position = p.beside(t.e)
	along, across := t.along*pace, t.across*pace
	s.Velocity = frames.Vector{X: float64(along*p.cosine) - float64(across*p.sine),
		Y: float64(along*p.sine) + float64(across*p.cosine),
		Z: p.d1.Z * pace}
	along, across = float64(t.along*change)+float64(t.along1*square),
		float64(t.across*change)+float64(t.across1*square)
	s.Acceleration = frames.Vector{X: float64(along*p.cosine) - float64(across*p.sine),
		Y: float64(along*p.sine) + float64(across*p.cosine),
		Z: float64(p.d1.Z*change) + float64(p.d2.Z*square)}
	s.Orientation.Yaw = wrapFast(p.angles.Yaw + t.turn)
	s.Rate = frames.Orientation{Roll: pace * p.turn.Roll, Pitch: pace * p.turn.Pitch,
		Yaw: pace * t.curl}
	s.Turning = frames.Orientation{Roll: float64(p.turn.Roll*change) + float64(p.turn2.Roll*square),
		Pitch: float64(p.turn.Pitch*change) + float64(p.turn2.Pitch*square),
		Yaw:   float64(t.curl*change) + float64(t.curl1*square)}
	s.Steering = a.steeringOn(t.curl / t.flat)
	a.sine, a.cosine = portable.Sincos(s.Orientation.Yaw)
	if o.ground.active() {
		a.onBed(pace, change)
	}
	if o.uneven {
		a.lift(pace, change)
	}
	c := d.course()
	a.side = t.e * direction(c.forwards)
	if math.Abs(t.e) > 1 {
		a.besideLane(c, t.e)
	}
}

// onBed replaces the height and attitude of the rail by those of the bed of a sidestep.
func (a *actor) onBed(pace, change float64) {
	s, b := &a.state, &a.driver.offset.ground
	for _, part := range [...]struct {
		c                   *series
		value, first, again *float64
	}{{&b.z, &s.Position.Z, &s.Velocity.Z, &s.Acceleration.Z},
		{&b.pitch, &s.Orientation.Pitch, &s.Rate.Pitch, &s.Turning.Pitch},
		{&b.roll, &s.Orientation.Roll, &s.Rate.Roll, &s.Turning.Roll}} {
		v, d, dd := b.at(part.c, a.driver.u)
		*part.value, *part.first = v, d*pace
		*part.again = float64(d*change) + float64(dd*pace*pace)
	}
}

// lift adds the rest of a step in height or tilt between two lanes.
func (a *actor) lift(pace, change float64) {
	o, s := &a.driver.offset, &a.state
	q, k := o.shareOfLift(a.driver.u), 1/o.rise
	square := pace * pace
	for _, part := range [...]struct {
		c                   *quintic
		value, first, again *float64
	}{{&o.lift, &s.Position.Z, &s.Velocity.Z, &s.Acceleration.Z}, {&o.pitch, &s.Orientation.Pitch,
		&s.Rate.Pitch, &s.Turning.Pitch},
		{&o.roll, &s.Orientation.Roll, &s.Rate.Roll, &s.Turning.Roll}} {
		v, d, dd, _ := part.c.at(q)
		*part.value += v
		*part.first += float64(float64(d*k) * pace)
		*part.again += float64(d*k*change) + float64(dd*k*k*square)
	}
}

// besideLane determines the lane under the middle of an actor that is e to the side of the middle
// of its course.
func (a *actor) besideLane(c *course, e float64) {
	s := min(max(a.place.S, c.lane.Section.S), c.lane.Section.End)
	if math.Abs(e) <= c.lane.Width(s)/2 {
		return
	}
	side := 1
	if a.side < 0 {
		side = -1
	}
	if other := c.lane.Neighbour(side); other != nil && other.Width(s) > 0 {
		a.side += c.lane.Center(s) - other.Center(s)
		a.place.Lane = other
	}
}
