package mocksim

import (
	"fmt"

	"gosmp/frames"
	"gosmp/timebase"
)

// Planned is a pose that the owner of an actor plans for a time after its update.
type Planned struct {
	Time        timebase.Time
	Given       Parts              // PartX and PartY; also PartZ, PartRoll, PartPitch and PartYaw
	Position    frames.Vector      // of the middle of the box, m
	Orientation frames.Orientation // rad
}

// checkPlan refuses poses that no actor can have, and poses that are not in time order.
func (u *Update) checkPlan(place string) error {
	for k := range u.Plan {
		p := &u.Plan[k]
		switch {
		case !p.Position.Finite() || !p.Orientation.Finite():
			return invalid(place+".future_trajectory", "a number that is not finite",
				"positions and angles")
		case p.Given&partsAside != partsAside:
			return invalid(place+".future_trajectory", "a pose without x or y", "its position")
		case k > 0 && p.Time <= u.Plan[k-1].Time:
			return invalid(place+".future_trajectory", fmt.Sprintf("%s after %s", p.Time,
				u.Plan[k-1].Time), "times that increase")
		}
	}
	return nil
}

// keepPlan stores the poses after an update, as poses of the point on the ground.
func (a *actor) keepPlan(u *Update) {
	o := &a.owned
	o.plan = o.plan[:0]
	for _, p := range u.Plan {
		if p.Time <= o.time {
			continue
		}
		turned := o.state.Orientation
		turned.Roll, turned.Pitch, turned.Yaw = p.angles(&turned)
		rotation := turned.Rotation()
		p.Position = p.Position.Sub(rotation.Apply(frames.Vector{Z: u.lift(a)}))
		o.plan = append(o.plan, p)
	}
}

// angles returns the given angles, with replacements for missing ones.
func (p *Planned) angles(other *frames.Orientation) (roll, pitch, yaw float64) {
	roll, pitch, yaw = other.Roll, other.Pitch, other.Yaw
	if p.Given&PartRoll != 0 {
		roll = p.Orientation.Roll
	}
	if p.Given&PartPitch != 0 {
		pitch = p.Orientation.Pitch
	}
	if p.Given&PartYaw != 0 {
		yaw = p.Orientation.Yaw
	}
	return roll, pitch, yaw
}

// pursue moves an actor, whose state is the one of the last update, along the poses planned by its
// owner. It returns false if there is no plan.
func (w *World) pursue(a *actor, to timebase.Time) bool {
	o := &a.owned
	n := intent{o.plan, &o.state, o.time}
	given, planned := n.at(to, &a.state)
	if planned {
		w.lay(a, a.state.Position, o.given|given)
	}
	return planned
}

// intent is a plan after an update.
type intent struct {
	poses []Planned
	from  *State        // the state of the update
	time  timebase.Time // of the update
}

// at moves a state, which is the one of the update, along the planned poses: on a curve through
// them that begins with the speed of the update. After the last pose, the motion continues
// unchanged. planned is false if there is no plan.
func (n *intent) at(to timebase.Time, s *State) (given Fields, planned bool) {
	if len(n.poses) == 0 || to <= n.time {
		return 0, false
	}
	k := 0
	for k < len(n.poses)-1 && n.poses[k].Time < to {
		k++
	}
	p, at := &n.poses[k], min(to, n.poses[k].Time)
	before, since := n.from.Position, n.time
	angles := n.from.Orientation
	if k > 0 {
		before, since = n.poses[k-1].Position, n.poses[k-1].Time
		angles.Roll, angles.Pitch, angles.Yaw = n.poses[k-1].angles(&angles)
	}
	after := p.Position
	if p.Given&PartZ == 0 || k > 0 && n.poses[k-1].Given&PartZ == 0 {
		before.Z, after.Z = n.from.Position.Z, n.from.Position.Z
	} else {
		given |= FieldZ
	}
	span := (p.Time - since).Seconds()
	x := (at - since).Seconds() / span
	place := bend(before, after, n.slope(k-1), n.slope(k), span, x)
	place.into(s)
	turn(s, p, &angles, span, x, &given)
	s.Position = place.at
	if rest := (to - at).Seconds(); rest > 0 {
		s.Acceleration, s.Rate = frames.Vector{}, frames.Orientation{}
		s.Position = s.Position.Add(s.Velocity.Scale(rest))
	}
	return given, true
}

// turn sets the angles between one pose and the next. An angle that is not given continues at its
// rate.
func turn(s *State, p *Planned, from *frames.Orientation, span, x float64,
	given *Fields) {
	for _, q := range [...]struct {
		part            Parts
		field           Fields
		angle, rate     *float64
		begin, end, way float64
	}{{PartRoll, FieldRoll, &s.Orientation.Roll, &s.Rate.Roll, from.Roll, p.Orientation.Roll, 0},
		{PartPitch, FieldPitch, &s.Orientation.Pitch, &s.Rate.Pitch, from.Pitch,
			p.Orientation.Pitch, 0},
		{PartYaw, FieldYaw, &s.Orientation.Yaw, &s.Rate.Yaw, from.Yaw, p.Orientation.Yaw, 0}} {
		if p.Given&q.part == 0 {
			*q.angle += float64(*q.rate * float64(x*span))
			continue
		}
		q.way = wrapFast(q.end - q.begin)
		*q.angle, *q.rate = wrapFast(q.begin+float64(q.way*x)), q.way/span
		*given |= q.field
	}
}

// slope returns the velocity at a planned pose: that of the update before the first pose, that of
// the chord between the pose's neighbors, and at the last pose the one that results from constant
// acceleration.
func (n *intent) slope(k int) frames.Vector {
	if k < 0 {
		return n.from.Velocity
	}
	before, since := n.from.Position, n.time
	if k > 0 {
		before, since = n.poses[k-1].Position, n.poses[k-1].Time
	}
	p := &n.poses[k]
	if k+1 < len(n.poses) {
		next := &n.poses[k+1]
		return next.Position.Sub(before).Scale(1 / (next.Time - since).Seconds())
	}
	mean := p.Position.Sub(before).Scale(1 / (p.Time - since).Seconds())
	return mean.Scale(2).Sub(n.slope(k - 1))
}

// curve is a point of a curve with its first two time derivatives.
type curve struct{ at, velocity, acceleration frames.Vector }

func (c *curve) into(s *State) { s.Velocity, s.Acceleration = c.velocity, c.acceleration }

// bend returns the point at x, from 0 to 1, of the cubic from a to b that begins with the velocity
// v and ends with u, in a span of seconds. If a and b are equal, it stays at that point.
func bend(a, b, v, u frames.Vector, span, x float64) curve {
	way := b.Sub(a)
	if way.Dot(way) < 1e-12 {
		return curve{at: a}
	}
	v, u = v.Scale(span), u.Scale(span)
	second := way.Scale(3).Sub(v.Scale(2)).Sub(u)
	third := v.Add(u).Sub(way.Scale(2))
	return curve{
		a.Add(v.Scale(x)).Add(second.Scale(x * x)).Add(third.Scale(x * x * x)),
		v.Add(second.Scale(2 * x)).Add(third.Scale(3 * x * x)).Scale(1 / span),
		second.Scale(2).Add(third.Scale(6 * x)).Scale(1 / (span * span)),
	}
}
