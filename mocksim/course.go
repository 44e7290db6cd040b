package mocksim

import (
	"gosmp/frames"
	"gosmp/timebase"
)

// Course holds an owner's updates of an actor and continues the motion between them, as [World.Put]
// does, but without a road. The zero Course is empty.
type Course struct {
	Kind   Kind   // of the actor
	update Update // the latest one, with derived values
	given  Parts  // the parts that were given
	plan   []Planned
	now    Update
	gear   int // the last given one
	begun  bool
}

// Update adds an update, which must have passed [Update.Check].
func (c *Course) Update(u *Update) {
	last, begun := c.update, c.begun
	switch {
	case u.Given&PartControls != 0:
		c.gear = u.Controls.Gear
	case !begun:
		c.gear = 1
	}
	c.plan = c.plan[:0]
	for k := range u.Plan {
		if u.Plan[k].Time > u.Time {
			c.plan = append(c.plan, u.Plan[k])
		}
	}
	c.update, c.given, c.begun = *u, u.Given, true
	c.update.Plan = c.plan
	if gone := (u.Time - last.Time).Seconds(); begun && gone > 0 {
		c.derive(&last, gone)
	}
}

// derive calculates the missing parts of an update from the previous one.
func (c *Course) derive(last *Update, gone float64) {
	u := &c.update
	if u.Given&PartYawRate == 0 && u.Given&last.Given&PartYaw != 0 {
		u.Rate = frames.Orientation{}
		u.Rate.Yaw = wrapFast(u.Orientation.Yaw-last.Orientation.Yaw) / gone
		u.Given |= PartYawRate
	}
	placed := u.Given&last.Given&partsAside == partsAside
	if placed && u.Given&partsVelocity == 0 {
		u.Velocity = alongArc(u.Position.Sub(last.Position).Scale(1/gone), u.Rate.Yaw*gone)
		u.Given |= PartVelocityX | PartVelocityY
	}
	const both = PartVelocityX | PartVelocityY
	if u.Given&(PartAccelerationX|PartAccelerationY) == 0 && u.Given&last.Given&both == both {
		is := State{Velocity: u.Velocity, Rate: u.Rate}
		was := State{Velocity: last.Velocity, Position: last.Position}
		u.Acceleration = is.rise(&was, u.Position, placed, gone)
		u.Given |= PartAccelerationX | PartAccelerationY
	}
}

// At returns the update for a time that is not before the latest one, or nil before the first
// update. It is valid until the next call.
func (c *Course) At(t timebase.Time) *Update {
	if !c.begun {
		return nil
	}
	c.now = c.update
	u := &c.now
	u.Given = c.given
	if t <= u.Time {
		return u
	}
	s := State{Position: u.Position, Velocity: u.Velocity, Acceleration: u.Acceleration,
		Orientation: u.Orientation, Rate: u.Rate}
	u.Given |= c.update.Given & (PartVelocityX | PartVelocityY)
	from := s
	n := intent{c.plan, &from, u.Time}
	if given, planned := n.at(t, &s); planned {
		if u.Given |= partsAside | PartVelocityX | PartVelocityY; given&FieldYaw != 0 {
			u.Given |= PartYaw
		}
	} else {
		if c.given&(PartAccelerationX|PartAccelerationY) == 0 {
			s.Acceleration = s.lasting()
		}
		s.Gear = c.gear
		s.coast((t - u.Time).Seconds(), c.Kind)
	}
	u.Time, u.Position, u.Velocity, u.Acceleration = t, s.Position, s.Velocity, s.Acceleration
	u.Orientation, u.Rate = s.Orientation, s.Rate
	return u
}
